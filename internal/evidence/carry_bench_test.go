package evidence

import (
	"slices"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
)

// source returns the skeleton of n lines like those of a program: three of four occur once, the others all the time.
func source(n int) []content.Hash {
	common := numbered(1<<40, 8)
	out := numbered(0, n)
	for i := 3; i < n; i += 4 {
		out[i] = common[i/4*5%len(common)]
	}
	return out
}

// edited returns a copy of lines with the given number of changes spread over it: a line replaced, two put in, or one
// taken out.
func edited(lines []content.Hash, changes int) []content.Hash {
	out := make([]content.Hash, 0, len(lines)+2*changes)
	each := len(lines) / changes
	fresh := numbered(1<<41, 2*changes)
	for k := range changes {
		part := lines[k*each : (k+1)*each]
		if k == changes-1 {
			part = lines[k*each:]
		}
		half := len(part) / 2
		out = append(out, part[:half]...)
		switch k % 3 {
		case 0:
			out = append(out, fresh[2*k])
			half++
		case 1:
			out = append(out, fresh[2*k:2*k+2]...)
		case 2:
			half++
		}
		out = append(out, part[half:]...)
	}
	return out
}

func versionsOf(a, b []content.Hash) (*Version, *Version) {
	return &Version{Ref: content.RefOf([]byte("a")), N: len(a), Skeleton: a}, &Version{Ref: content.RefOf([]byte("b")), N: len(b), Skeleton: b}
}

func benchmarkAlign(b *testing.B, x, y []content.Hash) {
	old, new := versionsOf(x, y)
	var al *Alignment
	b.ReportAllocs()
	for b.Loop() {
		al = Align(old, new)
	}
	b.ReportMetric(float64(al.Bytes()), "kept-B")
}

func BenchmarkAlign100kLines80Changes(b *testing.B) {
	lines := source(100_000)
	benchmarkAlign(b, lines, edited(lines, 80))
}

func BenchmarkAlign1MLines800Changes(b *testing.B) {
	lines := source(carryLines)
	benchmarkAlign(b, lines, edited(lines, 800))
}

// Every line moved: the longest run of seeds is one line, all others are moved one by one.
func BenchmarkAlign1MLinesReversed(b *testing.B) {
	lines := numbered(0, carryLines)
	back := slices.Clone(lines)
	slices.Reverse(back)
	benchmarkAlign(b, lines, back)
}

// The worst for the exact rectangles: each of them just within its bound, and all of it doubtful.
func BenchmarkAlign1MLinesDoubtful(b *testing.B) {
	const each = 256
	two := numbered(1<<40, 2)
	seeds := numbered(0, carryLines/each)
	fresh := numbered(1<<41, 4*len(seeds))
	var x, y []content.Hash
	for k, s := range seeds {
		x, y = append(x, s, fresh[4*k]), append(y, s, fresh[4*k+1])
		for i := range each - 3 {
			x, y = append(x, two[i%2]), append(y, two[(i+1)%2])
		}
		x, y = append(x, fresh[4*k+2]), append(y, fresh[4*k+3])
	}
	benchmarkAlign(b, x, y)
}

func BenchmarkAlignEqualRefs(b *testing.B) {
	lines := source(carryLines)
	v, _ := versionsOf(lines, lines)
	b.ReportAllocs()
	for b.Loop() {
		Align(v, v)
	}
}
