package evidence

import (
	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// The bounds of one alignment.
const (
	carryCells = 1 << 16   // cells of the largest rectangle that is solved exactly
	carryDepth = 32        // how often rectangles are cut at seeds within one another
	carryLines = 1_000_000 // lines of either version that are left when equal starts and ends are off
)

// Align returns which line of a each line of b may be, a being the older version. It returns at once where the refs
// are equal; absent and empty versions have no lines and so no partners. Where the refs differ and a skeleton was
// dropped, the answer is not [Alignment.Known]. Neither version is changed or kept. The answer depends on the two
// skeletons alone.
//
// Equal lines at the start and the end are matched first. What lies between is a rectangle. A rectangle of at most
// 65,536 cells is solved exactly: all of its longest common subsequences are weighed, by one table of the classical
// dynamic programme from the start and one from the end, and a line is sure only if all of them agree. A larger one
// is cut at its seeds, the lines that occur once on each of its sides, along their longest increasing run, which is
// the idea of Cohen's patience diff; without seeds only a page of equal lines, some of them replaced in place, is
// matched. At last, lines that occur once in each whole version are matched although their order changed. A line is
// never identified by its number alone, by being unique in the new version alone, or by occurring somewhere.
//
// The cost is linear in the lines for each of the at most 32 levels, and at most 256 cells a line for all exact
// rectangles together: their rows and columns are disjoint, and the shorter side of each is at most 256. When more
// than a million lines of a version are left between the equal start and the equal end, none of these has a partner.
func Align(a, b *Version) *Alignment { return align(a, b, (*matcher).carry) }

// align is Align with the steps between the equal start and the equal end given by the caller, so that tests can show
// what each step is there for.
func align(a, b *Version, steps func(*matcher)) *Alignment {
	al := &Alignment{oldN: a.N, newN: b.N, known: true, seamless: a.Absent != b.Absent}
	if a.Absent == b.Absent && a.Ref == b.Ref && !nameless(a) {
		al.run(0, 0, a.N)
		return al
	}
	if dropped(a) || dropped(b) {
		al.known = false
		return al
	}
	top, bottom := equalEnds(a.Skeleton, b.Skeleton)
	al.run(0, 0, top)
	oldTo, newTo := len(a.Skeleton)-bottom, len(b.Skeleton)-bottom
	if h, w := oldTo-top, newTo-top; h > 0 && w > 0 && max(h, w) <= carryLines {
		steps(newMatcher(al, a.Skeleton, b.Skeleton, top, bottom))
	}
	al.run(newTo, oldTo, bottom)
	return al
}

func dropped(v *Version) bool { return v.N > 0 && len(v.Skeleton) != v.N }

// nameless reports whether v's ref tells nothing: only the absent version may do without one.
func nameless(v *Version) bool { return v.Ref.IsZero() && !v.Absent }

// equalEnds returns how many lines a and b share at their start and, of the rest, at their end.
func equalEnds[T comparable](a, b []T) (top, bottom int) {
	n := min(len(a), len(b))
	for top < n && a[top] == b[top] {
		top++
	}
	for bottom < n-top && a[len(a)-1-bottom] == b[len(b)-1-bottom] {
		bottom++
	}
	return top, bottom
}

// run adds n sure lines; runs must be added in ascending order.
func (al *Alignment) run(j, i, n int) { al.runs = joined(al.runs, j, i, n) }

// joined appends a run, or lengthens the last one where they meet.
func joined(runs []Run, j, i, n int) []Run {
	if n == 0 {
		return runs
	}
	if k := len(runs) - 1; k >= 0 {
		last := &runs[k]
		if int(last.New)+last.Len == j && int(last.Old)+last.Len == i {
			last.Len += n
			return runs
		}
	}
	return append(runs, Run{span.Line(j), span.Line(i), n})
}

// matcher is one alignment in the making. It works on the middles of the two versions, in which lines are numbered
// from zero and every line is a small number: equal numbers are equal lines. The methods of one matcher must be called
// in ascending order of their rectangles.
type matcher struct {
	al             *Alignment
	olds, news     []content.Hash // whole skeletons
	top, bottom    int            // lines before and behind the middles
	a, b           []int32        // the middles; alone where a line of b does not occur in a
	cells, depth   int            // bounds
	spent          int            // cells of all exact rectangles so far
	countA, countB []int32        // per line value, all zero between uses
	where          []int32        // per line value: its last place in a; meaningful where countA is not zero
	forward, back  []uint16       // tables of exact
	found          []int32        // partners of one line
}

// alone is the value of a line of b that does not occur in a.
const alone = -1

// rect is a rectangle of the middles: old lines [a0,a1) against new lines [b0,b1).
type rect struct{ a0, a1, b0, b1 int }

func (r rect) empty() bool { return r.a0 == r.a1 || r.b0 == r.b1 }
func (r rect) cells() int  { return (r.a1 - r.a0) * (r.b1 - r.b0) }

func newMatcher(al *Alignment, olds, news []content.Hash, top, bottom int) *matcher {
	m := &matcher{al: al, olds: olds, news: news, top: top, bottom: bottom, cells: carryCells, depth: carryDepth}
	a, b := olds[top:len(olds)-bottom], news[top:len(news)-bottom]
	value := make(map[content.Hash]int32, len(a))
	lines := make([]int32, len(a)+len(b))
	m.a, m.b = lines[:len(a)], lines[len(a):]
	for i, h := range a {
		v, ok := value[h]
		if !ok {
			v = int32(len(value))
			value[h] = v
		}
		m.a[i] = v
	}
	for j, h := range b {
		m.b[j] = alone
		if v, ok := value[h]; ok {
			m.b[j] = v
		}
	}
	counts := make([]int32, 3*len(value))
	m.countA, m.countB, m.where = counts[:len(value)], counts[len(value):2*len(value)], counts[2*len(value):]
	return m
}

func (m *matcher) whole() rect { return rect{0, len(m.a), 0, len(m.b)} }

// carry is what Align does with the middles.
func (m *matcher) carry() {
	m.rect(m.whole(), 0)
	m.unique()
}

// rect matches one rectangle.
func (m *matcher) rect(r rect, depth int) {
	top, bottom := equalEnds(m.a[r.a0:r.a1], m.b[r.b0:r.b1])
	m.sure(r.b0, r.a0, top)
	inner := rect{r.a0 + top, r.a1 - bottom, r.b0 + top, r.b1 - bottom}
	switch {
	case inner.empty():
	case inner.cells() <= m.cells:
		m.exact(inner)
	case depth < m.depth:
		m.cut(inner, depth)
	}
	m.sure(inner.b1, inner.a1, bottom)
}

// cut matches a rectangle that is too large to be solved exactly.
func (m *matcher) cut(r rect, depth int) {
	seeds := m.seeds(r)
	if len(seeds) == 0 {
		m.inPlace(r)
		return
	}
	for _, s := range seeds {
		m.rect(rect{r.a0, int(s.a), r.b0, int(s.b)}, depth+1)
		m.sure(int(s.b), int(s.a), 1)
		r.a0, r.b0 = int(s.a)+1, int(s.b)+1
	}
	m.rect(r, depth+1)
}

// sure records n sure lines of the middles.
func (m *matcher) sure(j, i, n int) { m.al.run(m.top+j, m.top+i, n) }
