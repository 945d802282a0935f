package edit

import (
	"bytes"

	"github.com/sightline-io/sightline/internal/span"
)

// An insertion of m lines may lie at any place that gives the same bytes of the whole file. Inside of a block those
// places are minimal differences of their own, which the table knows. Out of it, an insertion at the top edge moves up
// over a line that is equal to the last line it would push out at its end, and one at the bottom edge moves down in the
// same way. All lines it moves over are lines of the original that no other change of the call is near.

// slidUp finds an insertion at the top edge that, moved up, owes held lines only, with the rest reachable: the fewest
// lines first, then the shortest way.
func (s *searcher) slidUp() slide {
	for m := 1; m <= len(s.fresh) && s.table.put(0, m-1); m++ {
		if !s.closed(m) {
			continue
		}
		for up := 1; up <= s.up && s.equalUp(m, up); up++ {
			place := s.old.From - span.Line(up)
			if s.holds(place-1) && s.holds(place) {
				return slide{m, up}
			}
		}
	}
	return slide{}
}

// closed reports whether an insertion of the first m new lines can be all that is changed at the top: a pair of equal
// lines follows, or nothing. Anything else would tear one insertion into two, which never owes less.
func (s *searcher) closed(m int) bool {
	if s.old.Len() == 0 {
		return m == len(s.fresh)
	}
	return s.table.match(0, m) && s.from(1, m+1)&between != 0
}

// slidDown finds how far the last m new lines, inserted at the bottom edge, are to be moved down so that they owe held
// lines only. It is asked more than once, and answers the same.
func (s *searcher) slidDown(m int) slide {
	if known, ok := s.lowered[m]; ok {
		return known
	}
	found := slide{lines: m}
	for down := 1; down <= s.down && s.equalDown(m, down); down++ {
		place := s.old.To + span.Line(down)
		if s.holds(place-1) && s.holds(place) {
			found.by = down
			break
		}
	}
	if s.lowered == nil {
		s.lowered = map[int]slide{}
	}
	s.lowered[m] = found
	return found
}

// equalUp reports whether the step from up-1 to up keeps the bytes as they are.
func (s *searcher) equalUp(m, up int) bool {
	if s.work--; s.work < 0 {
		return false
	}
	return bytes.Equal(s.b.t.Full(int(s.old.From)-up), s.upLine(m-up))
}

// upLine returns line r of the result, counted from the top of the compared lines; a negative one is a line above them.
func (s *searcher) upLine(r int) []byte {
	if r >= 0 {
		return s.fresh[r]
	}
	return s.b.t.Full(int(s.old.From) + r)
}

// equalDown reports whether the step from down-1 to down keeps the bytes as they are.
func (s *searcher) equalDown(m, down int) bool {
	if s.work--; s.work < 0 {
		return false
	}
	return bytes.Equal(s.b.t.Full(int(s.old.To)+down-1), s.downLine(m, down-1))
}

// downLine returns line r of what follows the compared lines, in the result, when its last m lines are inserted there.
func (s *searcher) downLine(m, r int) []byte {
	if r < m {
		return s.fresh[len(s.fresh)-m+r]
	}
	return s.b.t.Full(int(s.old.To) + r - m)
}

// slid returns the hunk that inserts the new lines [j0,j1), moved by so many lines down, or up where by is negative.
func (s *searcher) slid(j0, j1, by int) hunk {
	h := hunk{n: j1 - j0}
	if by < 0 {
		place := s.old.From + span.Line(by)
		h.old = span.Of(place, place)
		for r := by; r < by+h.n; r++ {
			h.fresh = append(h.fresh, s.upLine(r)...)
		}
		return h
	}
	place := s.old.To + span.Line(by)
	h.old = span.Of(place, place)
	for r := by; r < by+h.n; r++ {
		h.fresh = append(h.fresh, s.downLine(h.n, r)...)
	}
	return h
}

// slideReach returns how far down some insertion of the block may slide at most, or more.
func (b *block) slideReach() int {
	if b.down == 0 || b.need != nil || b.bottomTaken {
		return 0
	}
	s := &searcher{b: b, old: b.old, fresh: splitLines(b.fresh), down: b.down, work: slideWorkMax}
	reach := 0
	for m := 1; m <= len(s.fresh); m++ {
		down := 0
		for down < s.down && s.equalDown(m, down+1) {
			down++
		}
		if s.work < 0 {
			return s.down
		}
		reach = max(reach, down)
	}
	return reach
}
