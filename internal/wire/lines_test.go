package wire

import (
	"testing"

	"github.com/sightline-io/sightline"
)

// The two conversions undo each other on every span of a small file, empty ones included, and on every legal range.
func TestLinesConvertThereAndBack(t *testing.T) {
	const n = 40
	for from := 0; from <= n; from++ {
		for to := from; to <= n; to++ {
			first, last := Outside(lines(from, to))
			if back := Inside(first, last); back != lines(from, to) {
				t.Fatalf("%v is %d-%d outside, which is %v inside", lines(from, to), first, last, back)
			}
			if first < 1 || last < first-1 {
				t.Fatalf("%v is %d-%d outside", lines(from, to), first, last)
			}
			if (last == first-1) != lines(from, to).Empty() {
				t.Fatalf("%v is %d-%d: only an empty span is inverted", lines(from, to), first, last)
			}
		}
	}
	for first := 1; first <= n; first++ {
		for last := first - 1; last <= n; last++ {
			f, l := Outside(Inside(first, last))
			if f != first || l != last {
				t.Fatalf("%d-%d comes back as %d-%d", first, last, f, l)
			}
		}
	}
	if got := Inside(1, 1); got != (sightline.Lines{From: 0, To: 1}) {
		t.Fatalf("line 1 is %v inside", got)
	}
}
