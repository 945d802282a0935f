package edit

import (
	"bytes"

	"github.com/sightline-io/sightline/internal/span"
)

// searcher finds readings of one quoted block.
type searcher struct {
	b        *block
	old      span.Lines // the lines that are compared: those of the block, trimmed where it is large
	fresh    [][]byte   // the new lines that are compared with them
	table    *table     // nil where there are too many cells
	up, down int        // how far insertions may slide out of old
	work     int        // lines that may still be compared for slides
	ok       []bool     // which lines of old are held
	can      []state    // per cell of the table, from which states the end can be reached
	above    bool       // the line above old is held, or there is none
	below    bool
	held     func(span.Line) bool
	raised   slide         // the insertion at the top edge that is moved up
	lowered  map[int]slide // by number of lines, the insertion at the bottom edge that is moved down
}

// slide is an insertion of so many lines moved out of the block by so many; by is 0 where it cannot be.
type slide struct{ lines, by int }

// slideWorkMax bounds the lines that are compared to find where insertions may slide to.
const slideWorkMax = 1 << 16

// state says, as a set of bits, what the walk through the table is inside of.
type state uint8

const (
	between   state = 1 << iota // behind a pair of equal lines, or at the start
	dropping                    // lines were dropped
	replacing                   // lines were dropped, then put
	inserting                   // lines were put, none dropped
)

func newSearcher(b *block) *searcher {
	s := &searcher{b: b, old: b.old, up: b.up, down: b.down, work: slideWorkMax}
	if b.topTaken {
		s.up = 0
	}
	if b.bottomTaken {
		s.down = 0
	}
	s.fresh = splitLines(b.fresh)
	if !s.fits() {
		s.trim()
	}
	if s.fits() {
		s.compare()
	}
	return s
}

func (s *searcher) fits() bool { return s.old.Len()*len(s.fresh) <= cellsMax }

// exact reports whether the block is compared line by line.
func (s *searcher) exact() bool { return s.table != nil }

// trim drops the lines that are equal at both ends, from the top first.
func (s *searcher) trim() {
	t := s.b.t
	for s.old.Len() > 0 && len(s.fresh) > 0 && bytes.Equal(t.Full(int(s.old.From)), s.fresh[0]) {
		s.old.From++
		s.fresh = s.fresh[1:]
	}
	for s.old.Len() > 0 && len(s.fresh) > 0 && bytes.Equal(t.Full(int(s.old.To-1)), s.fresh[len(s.fresh)-1]) {
		s.old.To--
		s.fresh = s.fresh[:len(s.fresh)-1]
	}
	s.up += int(s.old.From - s.b.old.From)
	s.down += int(s.b.old.To - s.old.To)
}

func (s *searcher) compare() {
	ids := names{}
	a, b := make([]int32, s.old.Len()), make([]int32, len(s.fresh))
	for i := range a {
		a[i] = ids.of(string(s.b.t.Full(int(s.old.From) + i)))
	}
	for j := range b {
		b[j] = ids.of(string(s.fresh[j]))
	}
	s.table = newTable(a, b)
}

// first returns the hunks of the first reading.
func (s *searcher) first() []hunk {
	if !s.exact() {
		return []hunk{s.hunk(0, s.old.Len(), 0, len(s.fresh))}
	}
	s.solve(func(span.Line) bool { return true })
	return s.walk()
}

// heldBy returns the hunks of a reading that is held, or of the first one.
func (s *searcher) heldBy(held func(span.Slot) bool) []hunk {
	asked := map[span.Line]bool{}
	byLine := func(k span.Line) bool {
		v, ok := asked[k]
		if !ok {
			v = held(span.LineSlot(k))
			asked[k] = v
		}
		return v
	}
	n := s.b.t.Lines()
	if n == 0 {
		return s.first()
	}
	if s.solve(byLine) {
		return s.walk()
	}
	if s.solve(func(k span.Line) bool { return byLine(k) || len(s.b.t.Line(int(k))) > LineUnitMax }) {
		return s.walk()
	}
	return s.first()
}

// holds asks for a line of the file; what lies outside of it is never owed.
func (s *searcher) holds(k span.Line) bool {
	return k < 0 || int(k) >= s.b.t.Lines() || s.held(k)
}

// solve fills in from where the end can be reached by owing only lines that are held, and reports whether it can be
// reached at all.
func (s *searcher) solve(held func(span.Line) bool) bool {
	s.held, s.work, s.lowered = held, slideWorkMax, nil
	p, q := s.old.Len(), len(s.fresh)
	s.ok = make([]bool, p)
	for i := range s.ok {
		s.ok[i] = held(s.old.From + span.Line(i))
	}
	s.above, s.below = s.holds(s.old.From-1), s.holds(s.old.To)
	s.can = make([]state, (p+1)*(q+1))
	for i := p; i >= 0; i-- {
		for j := q; j >= 0; j-- {
			s.can[i*(q+1)+j] = s.reach(i, j)
		}
	}
	if s.from(0, 0)&between != 0 {
		return true
	}
	s.raised = s.slidUp()
	return s.raised.by > 0
}

// from returns the states in (i, j) from which the end can be reached.
func (s *searcher) from(i, j int) state { return s.can[i*(len(s.fresh)+1)+j] }

// reach computes the states in (i, j) from which the end can be reached. Every cell behind it is known.
func (s *searcher) reach(i, j int) state {
	var out state
	if i == s.old.Len() && j == len(s.fresh) {
		out = between | dropping | replacing
		if s.below {
			out |= inserting
		}
		return out
	}
	t := s.table
	if t.match(i, j) && s.from(i+1, j+1)&between != 0 {
		out |= between | dropping | replacing
		if s.ok[i] {
			out |= inserting
		}
	}
	if t.drop(i, j) && s.ok[i] && s.from(i+1, j)&dropping != 0 {
		out |= between | dropping
	}
	if t.put(i, j) {
		next := s.from(i, j+1)
		if next&inserting != 0 {
			out |= inserting
			if s.lineAbove(i) {
				out |= between
			}
		}
		if next&replacing != 0 {
			out |= dropping | replacing
		}
		if out&between == 0 && s.lowerable(i, j) && s.slidDown(len(s.fresh)-j).by > 0 {
			out |= between
		}
	}
	return out
}

// lowerable reports whether the new lines from j on can be one insertion at the bottom edge: no line is left to pair, and
// no minimal difference puts more lines than that.
func (s *searcher) lowerable(i, j int) bool {
	p, q := s.old.Len(), len(s.fresh)
	return i == p && q-j <= q-int(s.table.at(0, 0)) && (p > 0 || j == 0)
}

// lineAbove reports whether the line above line i of the compared ones is held.
func (s *searcher) lineAbove(i int) bool {
	if i == 0 {
		return s.above
	}
	return s.ok[i-1]
}

// walk returns the hunks of the first reading that can be reached: equal lines are paired as early as possible, then
// lines are dropped, then put.
func (s *searcher) walk() []hunk {
	var out []hunk
	i, j := 0, 0
	if s.from(0, 0)&between == 0 {
		out = append(out, s.slid(0, s.raised.lines, -s.raised.by))
		j = s.raised.lines
	}
	in, i0, j0 := between, i, j
	close := func() {
		if in != between {
			out = append(out, s.hunk(i0, i, j0, j))
		}
		in = between
	}
	t := s.table
	for i < s.old.Len() || j < len(s.fresh) {
		switch {
		case t.match(i, j) && s.from(i+1, j+1)&between != 0 && (in != inserting || s.ok[i]):
			close()
			i, j = i+1, j+1
			i0, j0 = i, j
		case in != inserting && in != replacing && t.drop(i, j) && s.ok[i] && s.from(i+1, j)&dropping != 0:
			in = dropping
			i++
		case s.putting(in, i, j) != 0:
			in = s.putting(in, i, j)
			j++
		default:
			return append(out, s.slid(j, len(s.fresh), s.slidDown(len(s.fresh)-j).by))
		}
	}
	close()
	return out
}

// putting returns the state that putting new line j leads to from state in, or 0 where it leads nowhere.
func (s *searcher) putting(in state, i, j int) state {
	if !s.table.put(i, j) {
		return 0
	}
	to := replacing
	if in == inserting || in == between {
		to = inserting
	}
	if s.from(i, j+1)&to == 0 || in == between && !s.lineAbove(i) {
		return 0
	}
	return to
}

// hunk returns the hunk that replaces the compared lines [i0,i1) by the new lines [j0,j1).
func (s *searcher) hunk(i0, i1, j0, j1 int) hunk {
	from := s.old.From
	return hunk{old: span.Of(from+span.Line(i0), from+span.Line(i1)), n: j1 - j0, fresh: bytes.Join(s.fresh[j0:j1], nil)}
}

// splitLines returns the lines of b with their endings.
func splitLines(b []byte) [][]byte {
	if len(b) == 0 {
		return nil
	}
	out := make([][]byte, 0, bytes.Count(b, []byte{'\n'})+1)
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n') + 1
		if i == 0 {
			i = len(b)
		}
		out = append(out, b[:i:i])
		b = b[i:]
	}
	return out
}
