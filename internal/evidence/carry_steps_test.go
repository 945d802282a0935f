package evidence

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// permutations calls visit for every order of 0..n-1.
func permutations(n int, visit func([]int)) {
	p := make([]int, 0, n)
	used := make([]bool, n)
	var walk func()
	walk = func() {
		if len(p) == n {
			visit(p)
			return
		}
		for v := range n {
			if !used[v] {
				used[v] = true
				p = append(p, v)
				walk()
				p = p[:len(p)-1]
				used[v] = false
			}
		}
	}
	walk()
}

func TestIncreasingIsLongest(t *testing.T) {
	for n := range 8 {
		permutations(n, func(p []int) {
			ps := make([]linePair, n)
			for j, v := range p {
				ps[j] = linePair{int32(v), int32(j)}
			}
			longest := 0
			for set := range 1 << n {
				last, size := -1, 0
				for j := range n {
					if set>>j&1 == 1 {
						if p[j] < last {
							size = -1
							break
						}
						last, size = p[j], size+1
					}
				}
				longest = max(longest, size)
			}
			got := increasing(ps)
			for k, q := range got {
				if !slices.Contains(ps, q) || k > 0 && (q.a <= got[k-1].a || q.b <= got[k-1].b) {
					t.Fatalf("%v: %v is no increasing part", p, got)
				}
			}
			if len(got) != longest {
				t.Fatalf("%v: %v is not longest, that is %d", p, got, longest)
			}
		})
	}
}

// A page of equal lines is matched in place only where no other matching could be longer. Method: the step alone, on
// every pair of small texts; it may not hold what no reading shows, and must match something somewhere.
func TestInPlaceStaysInBounds(t *testing.T) {
	var c tally
	matched := 0
	smallWorld("ab}", worldLines, func(old, new []string, a, b *Version, all []reading) {
		truths := lineTruths(old, new, all)
		al := align(a, b, func(m *matcher) {
			before := len(m.al.runs)
			m.inPlace(m.whole())
			matched += len(m.al.runs) - before
		})
		for j, ans := range answersOf(al) {
			c.add(len(old), truths[j], ans.held, func() string { return fmt.Sprintf("%q -> %q line %d", old, new, j) })
		}
	})
	if c.wronglyHeld != 0 || matched == 0 {
		t.Errorf("%d wrongly held, such as %s; %d runs matched", c.wronglyHeld, c.example, matched)
	}
}

// lettered returns lines of which equal numbers are equal, prefixed by name.
func lettered(name string, numbers ...int) []string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = fmt.Sprint(name, n)
	}
	return out
}

func numbersTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func repeated(n int, lines ...string) []string { return slices.Repeat(lines, n) }

func joinedLines(parts ...[]string) []string { return slices.Concat(parts...) }

// What the steps for large rectangles do, on texts that are just too large for the exact one.
func TestLargeRectangles(t *testing.T) {
	zeros, mixed := repeated(400, "0"), repeated(300, "0", "1")
	replaced := slices.Clone(zeros)
	replaced[0], replaced[200], replaced[399] = "x", "y", "z"
	sorted := lettered("l", numbersTo(600)...)
	for _, c := range []struct {
		name     string
		old, new []string
		sure     int    // number of sure lines
		line     int    // one line of new
		shown    string // what is known of it
	}{
		{"equal lines, some replaced in place", zeros, replaced, 397, 100, "100"},
		{"equal lines, shifted by one",
			joinedLines([]string{"p", "q"}, zeros), joinedLines([]string{"r"}, zeros, []string{"s"}), 0, 100, "-"},
		{"equal lines, one more of them",
			joinedLines([]string{"p"}, zeros, []string{"q"}), joinedLines([]string{"r"}, zeros, []string{"0", "s"}), 0, 100, "-"},
		{"cut at the seed, then equal from there on",
			joinedLines([]string{"s"}, mixed, []string{"seed"}, mixed, []string{"t"}),
			joinedLines([]string{"u"}, mixed[:599], []string{"seed"}, mixed, []string{"v"}), 601, 601, "602"},
		{"cut at the seed, what is before it stays unknown",
			joinedLines([]string{"s"}, mixed, []string{"seed"}, mixed, []string{"t"}),
			joinedLines([]string{"u"}, mixed[:599], []string{"seed"}, mixed, []string{"v"}), 601, 100, "-"},
		{"a line above went below: it is moved", sorted, joinedLines(sorted[300:], sorted[:300]), 300, 0, "m300"},
		{"65,536 cells are solved exactly",
			joinedLines([]string{"p"}, mixed[:254], []string{"q"}), joinedLines([]string{"r"}, mixed[1:255], []string{"s"}), 0, 1, "2?"},
		{"65,792 cells are not",
			joinedLines([]string{"p"}, mixed[:254], []string{"q"}), joinedLines([]string{"r"}, mixed[1:255], []string{"s", "t"}), 0, 1, "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := versionOf(c.old), versionOf(c.new)
			al := Align(a, b)
			checkAlignment(t, a, b, al)
			if got := sureLines(al); got != c.sure {
				t.Errorf("%d lines are sure, want %d", got, c.sure)
			}
			if got := word(al, span.Line(c.line)); got != c.shown {
				t.Errorf("line %d: %q, want %q", c.line, got, c.shown)
			}
		})
	}
}

// What lies between two seeds is answered as if it stood alone. Method: all pairs of small texts after one another, with
// a seed before each, in one alignment; the answers between the seeds must be those of the definition for that pair.
// The pairs come in no order of size, so that a rectangle that trusts what an earlier one left in the tables is found.
func TestBetweenSeedsAsAlone(t *testing.T) {
	texts := textsUpTo("ab}", 4)
	type block struct{ old, new []string }
	var blocks []block
	var old, new []string
	pairs := len(texts) * len(texts)
	for k := range pairs {
		p := k * 7919 % pairs
		b := block{texts[p/len(texts)], texts[p%len(texts)]}
		if k%16 == 0 { // and some twice as long
			b = block{joinedLines(b.old, texts[(k+60)%len(texts)]), joinedLines(b.new, texts[(k+90)%len(texts)])}
		}
		blocks = append(blocks, b)
		seed := fmt.Sprint("seed", k)
		old, new = append(append(old, seed), b.old...), append(append(new, seed), b.new...)
	}
	al := Align(versionOf(old), versionOf(new))
	i, j := span.Line(0), span.Line(0)
	for k, b := range blocks {
		if got, want := word(al, j), fmt.Sprint(i); got != want {
			t.Fatalf("seed %d: %q, want %q", k, got, want)
		}
		i, j = i+1, j+1
		for _, want := range ordered(b.old, b.new) {
			if got := answerAt(al, j, i); got != want {
				t.Fatalf("block %d, %q -> %q: line %d is %+v, want %+v", k, b.old, b.new, j, got, want)
			}
			j++
		}
		i += span.Line(len(b.old))
	}
}

func sureLines(al *Alignment) int {
	n := 0
	for _, r := range al.Runs() {
		n += r.Len
	}
	return n
}

// Every level of seeds is one cut, and the bound on cuts holds. Method: a text in which the seeds of each level are
// unique only between those of the level above, without rectangles that could be solved exactly.
func TestCutsAreBounded(t *testing.T) {
	nested := func(leaf string, levels int) []string {
		lines := []string{leaf}
		for k := range levels {
			lines = joinedLines(lines, []string{fmt.Sprint("seed", k)}, lines)
		}
		return lines
	}
	const levels = 6
	a, b := versionOf(nested("old", levels)), versionOf(nested("new", levels))
	for depth := range levels + 2 {
		al := align(a, b, func(m *matcher) {
			m.cells, m.depth = 0, depth
			m.rect(m.whole(), 0)
		})
		if got, want := sureLines(al), 1<<min(depth, levels)-1; got != want {
			t.Errorf("depth %d: %d lines are sure, want %d", depth, got, want)
		}
	}
}

// The exact rectangles of one alignment cost at most 256 cells a line together, however unkind the texts are.
func TestExactCellsAreLinear(t *testing.T) {
	var old, new []string
	for k := range 100 {
		seed := []string{fmt.Sprint("seed", k)}
		old = joinedLines(old, seed, []string{"p"}, repeated(126, "0", "1"), []string{"q"})
		new = joinedLines(new, seed, []string{"r"}, repeated(126, "1", "0"), []string{"s"})
	}
	a, b := versionOf(old), versionOf(new)
	al := align(a, b, func(m *matcher) {
		m.carry()
		if limit := 256 * (len(m.a) + len(m.b)); m.spent > limit || m.spent < limit/4 {
			t.Errorf("%d cells for %d and %d lines, limit %d", m.spent, len(m.a), len(m.b), limit)
		}
	})
	checkAlignment(t, a, b, al)
	if size := al.Bytes(); size > 64*len(new) {
		t.Errorf("%d bytes for %d lines", size, len(new))
	}
}

// Beyond a million lines only the equal ends are matched.
func TestLinesAreBounded(t *testing.T) {
	lines := numbered(0, carryLines+3)
	a := &Version{Ref: content.RefOf([]byte("a")), N: len(lines), Skeleton: lines}
	changed := slices.Clone(lines)
	changed[1], changed[len(lines)-2] = changed[len(lines)-2], changed[1]
	b := &Version{Ref: content.RefOf([]byte("b")), N: len(changed), Skeleton: changed}
	al := Align(a, b)
	if want := []Run{{0, 0, 1}, {span.Line(len(lines) - 1), span.Line(len(lines) - 1), 1}}; !slices.Equal(al.Runs(), want) {
		t.Errorf("runs %v, want %v", al.Runs(), want)
	}
	if n := len(slices.Collect(al.Unsure)); n != 0 {
		t.Errorf("%d lines matched beyond the bound", n)
	}
}

// numbered returns n hashes that differ from one another and from those of any other start.
func numbered(start, n int) []content.Hash {
	out := make([]content.Hash, n)
	for i := range out {
		binary.LittleEndian.PutUint64(out[i][:], uint64(start+i)*0x9E3779B97F4A7C15)
		binary.LittleEndian.PutUint32(out[i][8:], uint32(start+i))
	}
	return out
}
