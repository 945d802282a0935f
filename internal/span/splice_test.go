package span

import "testing"

// world is a slow file: the original number of every line, or -1-i for a line that splice i wrote.
func world(n int, ss Splices) []int {
	var out []int
	at := Line(0)
	for i, s := range ss {
		for ; at < s.Old.From; at++ {
			out = append(out, int(at))
		}
		for range s.New {
			out = append(out, -1-i)
		}
		at = s.Old.To
	}
	for ; int(at) < n; at++ {
		out = append(out, int(at))
	}
	return out
}

// every calls f with every valid list of splices of a file of n lines, each writing at most two lines.
func every(n int, f func(Splices)) {
	var rec func(ss Splices, at Line, insertion bool)
	rec = func(ss Splices, at Line, insertion bool) {
		f(ss)
		for from := at; int(from) <= n; from++ {
			for to := from; int(to) <= n; to++ {
				if from == to && from == at && insertion {
					continue
				}
				for m := range 3 {
					rec(append(ss[:len(ss):len(ss)], Splice{Of(from, to), m}), to, from == to)
				}
			}
		}
	}
	rec(nil, 0, false)
}

func TestSplicesExhaustively(t *testing.T) {
	count := 0
	for n := range 5 {
		every(n, func(ss Splices) {
			count++
			if !ss.Valid(n) {
				t.Fatalf("%v is valid in a file of %d lines", ss, n)
			}
			result := world(n, ss)
			if n+ss.Delta() != len(result) {
				t.Fatalf("%v makes %d lines of %d, want %d", ss, n+ss.Delta(), n, len(result))
			}
			to := map[int]int{}
			written := make([]Lines, len(ss))
			for k, orig := range result {
				from, ok := ss.Back(Line(k))
				if ok != (orig >= 0) || ok && int(from) != orig {
					t.Fatalf("%v: line %d comes from %d, %t; want %d", ss, k, from, ok, orig)
				}
				if orig >= 0 {
					to[orig] = k
				} else if w := &written[-1-orig]; w.Empty() {
					*w = Of(Line(k), Line(k+1))
				} else {
					w.To++
				}
			}
			for k := range n {
				got, ok := ss.Line(Line(k))
				want, kept := to[k]
				if ok != kept || ok && int(got) != want {
					t.Fatalf("%v: line %d goes to %d, %t; want %d, %t", ss, k, got, ok, want, kept)
				}
				if ok {
					if back, ok := ss.Back(got); !ok || back != Line(k) {
						t.Fatalf("%v: line %d comes back as %d", ss, k, back)
					}
				}
			}
			for i, s := range ss {
				got := ss.Result(i)
				if got.Len() != s.New || !got.Empty() && got != written[i] {
					t.Fatalf("%v: splice %d wrote %s, want %s", ss, i, got, written[i])
				}
				if int(got.From) > len(result) || got.From < 0 {
					t.Fatalf("%v: splice %d wrote at %s, outside", ss, i, got)
				}
			}
		})
	}
	if count != 320_276 {
		t.Errorf("%d lists of splices were looked at", count)
	}
}

// Valid says no to everything that every does not make: compared on all lists of up to two splices, broken ones
// included.
func TestValidExhaustively(t *testing.T) {
	const n = 3
	valid := map[[2]Splice]bool{}
	every(n, func(ss Splices) {
		if len(ss) == 2 {
			valid[[2]Splice(ss)] = true
		}
	})
	var all []Splice
	for from := Line(-1); from <= n+1; from++ {
		for to := Line(-1); to <= n+1; to++ {
			for m := -1; m < 3; m++ {
				all = append(all, Splice{Of(from, to), m})
			}
		}
	}
	for _, a := range all {
		one := a.Old.From >= 0 && a.Old.From <= a.Old.To && a.Old.To <= n && a.New >= 0
		if (Splices{a}).Valid(n) != one {
			t.Fatalf("%v alone: valid %t", a, !one)
		}
		for _, b := range all {
			if got := (Splices{a, b}).Valid(n); got != valid[[2]Splice{a, b}] {
				t.Fatalf("%v, %v: valid %t", a, b, got)
			}
		}
	}
	if !(Splices{}).Valid(0) {
		t.Fatal("no splice is a valid list")
	}
}

// Splicing twice is splicing once: lines that survive both go where the composition says, through Line and Back.
func TestSplicesCompose(t *testing.T) {
	const n = 2
	every(n, func(first Splices) {
		middle := world(n, first)
		if len(middle) > 3 {
			return
		}
		every(len(middle), func(second Splices) {
			for k, through := range world(len(middle), second) {
				mid, ok := second.Back(Line(k))
				if ok != (through >= 0) {
					t.Fatalf("%v after %v", second, first)
				}
				if !ok {
					continue
				}
				if orig, ok := first.Back(mid); ok {
					a, ok1 := first.Line(orig)
					b, ok2 := second.Line(a)
					if !ok1 || !ok2 || b != Line(k) {
						t.Fatalf("%v then %v: line %d of the original ends at %d, want %d", first, second, orig, b, k)
					}
				}
			}
		})
	})
}
