package edit

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// The small world: every original of up to four lines over three letters, every block of it, every replacement of the
// block by up to three lines, every set of held lines. A slow oracle enumerates all minimal differences of the block
// one by one, and moves every pure insertion to every place of the file; it shares no code with the searcher.

// oracleHunk replaces the lines [from, to) by n lines.
type oracleHunk struct{ from, to, n int }

// minimal returns all minimal differences of a and b, as hunks shifted by at.
func minimal(a, b []string, at int) [][]oracleHunk {
	best := -1
	var out [][]oracleHunk
	var pairs [][2]int
	var walk func(i, j int)
	walk = func(i, j int) {
		if i == len(a) || j == len(b) {
			switch {
			case len(pairs) < best:
				return
			case len(pairs) > best:
				best, out = len(pairs), nil
			}
			out = append(out, hunksOf(pairs, len(a), len(b), at))
			return
		}
		for p := i; p <= len(a); p++ { // the next pair has a[p], or there is none
			for q := j; p < len(a) && q < len(b); q++ {
				if a[p] == b[q] {
					pairs = append(pairs, [2]int{p, q})
					walk(p+1, q+1)
					pairs = pairs[:len(pairs)-1]
				}
			}
		}
		walk(len(a), len(b))
	}
	walk(0, 0)
	return out
}

func hunksOf(pairs [][2]int, p, q, at int) []oracleHunk {
	var out []oracleHunk
	i, j := 0, 0
	for _, pr := range append(slices.Clone(pairs), [2]int{p, q}) {
		if pr[0] > i || pr[1] > j {
			out = append(out, oracleHunk{at + i, at + pr[0], pr[1] - j})
		}
		i, j = pr[0]+1, pr[1]+1
	}
	return out
}

// moved returns all variants of hunks in which pure insertions lie elsewhere and the result is the same.
func movedVariants(before, after []string, hunks []oracleHunk) [][]oracleHunk {
	var out [][]oracleHunk
	var place func(i int, so []oracleHunk)
	place = func(i int, so []oracleHunk) {
		if i == len(hunks) {
			if gives(before, after, so) {
				out = append(out, slices.Clone(so))
			}
			return
		}
		h := hunks[i]
		if h.from < h.to {
			if i > 0 && so[i-1].to >= h.from {
				return
			}
			place(i+1, append(so, h))
			return
		}
		low := 0
		if i > 0 {
			low = so[i-1].to + 1
		}
		for k := low; k <= len(before); k++ {
			place(i+1, append(so, oracleHunk{k, k, h.n}))
		}
	}
	place(0, nil)
	return out
}

// gives reports whether hunks, filled in with lines of after, make after of before.
func gives(before, after []string, hunks []oracleHunk) bool {
	i, j := 0, 0
	keep := func(to int) bool {
		for ; i < to; i, j = i+1, j+1 {
			if j >= len(after) || before[i] != after[j] {
				return false
			}
		}
		return true
	}
	for _, h := range hunks {
		if !keep(h.from) {
			return false
		}
		i, j = h.to, j+h.n
	}
	return keep(len(before)) && j == len(after)
}

// owes returns the lines that hunks owe in a file of n lines, as bits.
func owes(hunks []oracleHunk, n int) uint {
	need := uint(0)
	for _, h := range hunks {
		for k := h.from; k < h.to; k++ {
			need |= 1 << k
		}
		if h.from == h.to && h.from > 0 {
			need |= 1 << (h.from - 1)
		}
		if h.from == h.to && h.from < n {
			need |= 1 << h.from
		}
	}
	return need
}

func TestChooseAgainstEnumeration(t *testing.T) {
	letters := []string{"a\n", "b\n", "}\n"}
	originals, replacements := sequences(letters, 4), sequences(letters, 3)
	cases, choices := 0, 0
	for _, before := range originals {
		for from := 0; from <= len(before); from++ {
			for to := from; to <= len(before); to++ {
				for _, fresh := range replacements {
					if slices.Equal(before[from:to], fresh) {
						continue
					}
					cases++
					choices += checkWorld(t, before, from, to, fresh)
					if t.Failed() {
						return
					}
				}
			}
		}
	}
	t.Logf("%d replacements, %d choices", cases, choices)
}

func checkWorld(t *testing.T, before []string, from, to int, fresh []string) (choices int) {
	text := content.Decode([]byte(strings.Join(before, "")))
	at := span.Of(span.Byte(text.Offset(from)), span.Byte(text.Offset(to)))
	p, err := newPlan(text, []Op{Replace{}}, []part{{at: at, text: strings.Join(fresh, "")}})
	if err != nil {
		t.Fatal(err)
	}
	after := slices.Concat(before[:from], fresh, before[to:])
	var needs []uint
	for _, hunks := range minimal(before[from:to], fresh, from) {
		for _, v := range movedVariants(before, after, hunks) {
			needs = append(needs, owes(v, len(before)))
		}
	}
	first := p.Changes[0].Choose(func(span.Slot) bool { return true })
	for set := uint(0); set < 1<<len(before); set++ {
		choices++
		r := p.Changes[0].Choose(func(s span.Slot) bool { return s.IsLine() && set&(1<<s.Line()) != 0 })
		need := uint(0)
		for _, s := range r.Need.Spans() {
			for l := span.LinesOf(s); !l.Empty(); l.From++ {
				need |= 1 << l.From
			}
		}
		want := slices.ContainsFunc(needs, func(n uint) bool { return n&^set == 0 })
		got := need&^set == 0 && !(len(before) == 0 && r.Need.Empty())
		switch {
		case got != want:
			t.Errorf("%q, lines %d-%d by %q, held %b: owes %b, and a held reading is there: %v", before, from, to, fresh, set, need, want)
		case !slices.Contains(needs, need):
			t.Errorf("%q, lines %d-%d by %q, held %b: owes %b, which is no reading", before, from, to, fresh, set, need)
		case !got && r.Need.String() != first.Need.String():
			t.Errorf("%q, lines %d-%d by %q, held %b: owes %b, and the first reading owes %v", before, from, to, fresh, set, need, first.Need)
		}
		checkSplices(t, text, content.Decode(p.After), r.Splices)
	}
	return choices
}

// sequences returns all sequences of up to n letters.
func sequences(letters []string, n int) [][]string {
	out := [][]string{nil}
	for from := 0; n > 0; n-- {
		to := len(out)
		for _, s := range out[from:to] {
			for _, l := range letters {
				out = append(out, append(slices.Clone(s), l))
			}
		}
		from = to
	}
	return out
}
