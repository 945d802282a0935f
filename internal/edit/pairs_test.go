package edit

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// TestPairsOfChanges runs every two changes of every original of up to four lines over two letters, with every set of
// held lines: the readings that are chosen one by one always fit together, and they give the result.
func TestPairsOfChanges(t *testing.T) {
	letters := []string{"x\n", "}\n"}
	replacements := sequences(letters, 2)
	pairs, conflicts := 0, 0
	for _, before := range sequences(letters, 4) {
		for _, c := range cuts(len(before)) {
			for _, one := range replacements {
				for _, two := range replacements {
					if slices.Equal(before[c[0]:c[1]], one) || slices.Equal(before[c[2]:c[3]], two) {
						continue
					}
					pairs++
					if !checkPair(t, before, c, one, two) {
						conflicts++
					}
					if t.Failed() {
						return
					}
				}
			}
		}
	}
	t.Logf("%d pairs, %d of them insert at the same place", pairs, conflicts)
}

// cuts returns all [a,b) and [c,d) with b <= c in n lines.
func cuts(n int) (out [][4]int) {
	for a := 0; a <= n; a++ {
		for b := a; b <= n; b++ {
			for c := b; c <= n; c++ {
				for d := c; d <= n; d++ {
					out = append(out, [4]int{a, b, c, d})
				}
			}
		}
	}
	return out
}

func checkPair(t *testing.T, before []string, c [4]int, one, two []string) bool {
	text := content.Decode([]byte(strings.Join(before, "")))
	bytesOf := func(from, to int) span.Bytes {
		return span.Of(span.Byte(text.Offset(from)), span.Byte(text.Offset(to)))
	}
	// The second is by number where it is an insertion, so that fixed places are among them.
	ops := []Op{Replace{}, Replace{}}
	second := part{op: 1, at: bytesOf(c[2], c[3]), text: strings.Join(two, "")}
	if c[2] == c[3] {
		ops[1] = LineRange{}
		second.lines = span.Of(span.Line(c[2]), span.Line(c[3]))
	}
	p, err := newPlan(text, ops, []part{{at: bytesOf(c[0], c[1]), text: strings.Join(one, "")}, second})
	if c[0] == c[1] && c[0] == c[2] && c[2] == c[3] {
		if fault.CodeOf(err) != fault.Conflict {
			t.Errorf("two insertions at one place: %v", err)
		}
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	after := content.Decode(p.After)
	for set := uint(0); set < 1<<len(before); set++ {
		held := func(s span.Slot) bool { return s.IsLine() && set&(1<<s.Line()) != 0 }
		var all span.Splices
		for _, ch := range p.Changes {
			r := ch.Choose(held)
			all = append(all, r.Splices...)
		}
		checkSplices(t, text, after, all)
	}
	return true
}
