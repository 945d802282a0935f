package span

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// A set on a universe of 8 places is a bitmap. Everything below is checked on all of the 256 sets, and on all spans
// with ends from 0 to 8, the empty ones at every place among them.
const universe = 8

type bitmap uint16

func (b bitmap) set() Set[Line] {
	var spans []Span[Line]
	for i := Line(0); i < universe; i++ {
		if b>>i&1 == 1 {
			spans = append(spans, Of(i, i+1))
		}
	}
	return SetOf(spans...)
}

func bits(s Lines) bitmap {
	var b bitmap
	for i := s.From; i < s.To; i++ {
		b |= 1 << i
	}
	return b
}

func allSpans() []Lines {
	var out []Lines
	for a := Line(0); a <= universe; a++ {
		for b := a; b <= universe; b++ {
			out = append(out, Of(a, b))
		}
	}
	return out
}

// want fails unless s holds exactly the places of b in its normal form: sorted, disjoint, not adjacent, not empty.
func want(t *testing.T, s Set[Line], b bitmap, format string, args ...any) {
	t.Helper()
	var got bitmap
	for i, sp := range s.Spans() {
		if sp.Empty() || i > 0 && sp.From <= s.Spans()[i-1].To {
			t.Fatalf("%s: not in normal form: %s", fmt.Sprintf(format, args...), s)
		}
		got |= bits(sp)
	}
	if got != b {
		t.Fatalf("%s = %s, want %08b", fmt.Sprintf(format, args...), s, b)
	}
}

func TestSetsAgainstBitmaps(t *testing.T) {
	spans := allSpans()
	for b := range bitmap(1 << universe) {
		s := b.set()
		want(t, s, b, "SetOf")
		n := 0
		for i := Line(-1); i <= universe; i++ {
			in := i >= 0 && b>>i&1 == 1
			if in {
				n++
			}
			if s.Has(i) != in {
				t.Fatalf("%s has %d: %t", s, i, s.Has(i))
			}
		}
		if s.Len() != n || s.Empty() != (n == 0) {
			t.Fatalf("%s: %d places, empty %t", s, s.Len(), s.Empty())
		}
		for _, q := range spans {
			before := slices.Clone(s.Spans())
			want(t, s.With(q), b|bits(q), "%s with %s", s, q)
			want(t, s.Missing(q), bits(q)&^b, "%s missing %s", s, q)
			want(t, s.Intersect(q), bits(q)&b, "%s intersect %s", s, q)
			if got := s.Covers(q); got != (bits(q)&^b == 0) {
				t.Fatalf("%s covers %s: %t", s, q, got)
			}
			if !slices.Equal(before, s.Spans()) {
				t.Fatalf("%s was changed by %s", s, q)
			}
		}
	}
}

func TestPairsOfSetsAgainstBitmaps(t *testing.T) {
	for a := range bitmap(1 << universe) {
		x := a.set()
		for b := range bitmap(1 << universe) {
			y := b.set()
			want(t, x.Union(y), a|b, "%s union %s", x, y)
			want(t, x.Minus(y), a&^b, "%s minus %s", x, y)
		}
	}
}

// The order of the spans and their doubles do not matter.
func TestSetOfInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	spans := allSpans()
	for range 20_000 {
		var pick []Lines
		var b bitmap
		for range r.Intn(6) {
			s := spans[r.Intn(len(spans))]
			pick = append(pick, s)
			b |= bits(s)
		}
		before := slices.Clone(pick)
		want(t, SetOf(pick...), b, "SetOf(%v)", pick)
		if !slices.Equal(before, pick) {
			t.Fatal("the caller's slice was sorted")
		}
	}
}

// Operations share spans; what one of them returned must not change under the other.
func TestResultsDoNotShareWhatTheyWrite(t *testing.T) {
	base := SetOf(Of[Line](0, 1), Of[Line](2, 3), Of[Line](4, 5))
	a := base.With(Of[Line](6, 7))
	b := base.With(Of[Line](5, 6))
	c := base.Union(SetOf(Of[Line](3, 4)))
	if base.String() != "[[0,1) [2,3) [4,5)]" || a.String() != "[[0,1) [2,3) [4,5) [6,7)]" || b.String() != "[[0,1) [2,3) [4,6)]" || c.String() != "[[0,1) [2,5)]" {
		t.Fatal(base, a, b, c)
	}
}

func TestSpans(t *testing.T) {
	spans := allSpans()
	for _, a := range spans {
		if a.Len() != int(a.To-a.From) || a.Empty() != (bits(a) == 0) {
			t.Fatalf("%s: length %d", a, a.Len())
		}
		if got := a.Shift(3).Shift(-3); got != a {
			t.Fatalf("%s came back as %s", a, got)
		}
		for _, b := range spans {
			if got := a.Overlaps(b); got != (bits(a)&bits(b) != 0) {
				t.Fatalf("%s overlaps %s: %t", a, b, got)
			}
			if got := bits(a.Intersect(b)); got != bits(a)&bits(b) {
				t.Fatalf("%s intersect %s = %s", a, b, a.Intersect(b))
			}
			if !b.Empty() && a.Contains(b) != (bits(b)&^bits(a) == 0) {
				t.Fatalf("%s contains %s: %t", a, b, a.Contains(b))
			}
			if b.Empty() && a.Contains(b) != (a.From <= b.From && b.From <= a.To) {
				t.Fatalf("%s contains the place %s: %t", a, b, a.Contains(b))
			}
		}
	}
}

// A script of additions and questions on a universe of 200, against a map.
func FuzzSet(f *testing.F) {
	f.Add([]byte{1, 5, 9, 3, 7, 7, 200, 10})
	f.Add([]byte{0, 0, 0, 200, 100, 50})
	f.Fuzz(func(t *testing.T, script []byte) {
		var s Set[Slot]
		in := map[Slot]bool{}
		for len(script) >= 2 {
			a, b := Slot(script[0]), Slot(script[1])
			script = script[2:]
			q := Of(min(a, b), max(a, b))
			if a > b { // take away
				s = s.Minus(SetOf(q))
			} else {
				s = s.With(q)
			}
			for i := q.From; i < q.To; i++ {
				in[i] = a <= b
			}
			n := 0
			for i, sp := range s.Spans() {
				if sp.Empty() || i > 0 && sp.From <= s.Spans()[i-1].To {
					t.Fatalf("not in normal form: %s", s)
				}
				n += sp.Len()
			}
			for i := range Slot(256) {
				if s.Has(i) != in[i] {
					t.Fatalf("%d in %s: %t", i, s, s.Has(i))
				}
				if in[i] {
					n--
				}
			}
			if n != 0 || s.Covers(q) != s.Missing(q).Empty() {
				t.Fatalf("%s and %s", s, q)
			}
			whole := WholeFile(128)
			if got := s.Missing(whole).Union(s.Intersect(whole)); !got.Covers(whole) || got.Len() != whole.Len() {
				t.Fatalf("%s and what it misses do not make the whole", s)
			}
		}
	})
}
