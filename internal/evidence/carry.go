package evidence

import (
	"github.com/sightline-io/sightline/internal/span"
)

// NoLine stands where a line has no partner.
const NoLine span.Line = -1

// Run tells that Len lines of the new version, from New on, are the same Len lines of the old one, from Old on, in
// every reading of the change.
type Run struct {
	New, Old span.Line
	Len      int
}

// Alignment says which line of an old version each line of a new one may be. It is computed from the bytes of the two
// versions alone and answers for every history that could have led from one to the other: a line is sure where all of
// them agree.
//
// A new line is in one of four states. Sure: it has one partner and keeps its order among the other sure lines.
// Moved: it has one partner because it occurs once in each whole version, but its order changed. Doubtful: it has one
// or more partners that it may be, and is perhaps loose. Alone: it has no partner; it is always loose.
//
// An Alignment is immutable, holds no reference to its versions, and is safe for concurrent use. Its memory grows with
// the number of changed places, not with the number of lines; in the worst case it takes some fifty bytes a line.
type Alignment struct {
	oldN, newN int
	known      bool
	seamless   bool // exactly one of the versions is absent: an absent file has no seam to keep
	runs       []Run
	moved      []Run
	doubts     []doubt
	bits       []uint64
}

// doubt holds the partners of one doubtful line: bit i of its words stands for the old line base+i.
type doubt struct {
	line, base int32
	at, words  int32 // its words in the alignment's bits
	loose      bool
}

// Known reports whether the versions could be compared. They cannot where the refs differ and one of the skeletons
// was dropped for want of memory; then no line has a partner and no joint is carried.
func (al *Alignment) Known() bool { return al.known }

// Old returns the number of lines of the old version.
func (al *Alignment) Old() int { return al.oldN }

// New returns the number of lines of the new version.
func (al *Alignment) New() int { return al.newN }

// Runs returns the sure lines as maximal runs in order; both New and Old ascend. The caller must not change the slice.
func (al *Alignment) Runs() []Run { return al.runs }

// Partners returns the old lines that the new line j may be. There is none: one is [NoLine] and many is nil. There is
// exactly one: one is it and many is nil, without an allocation. There are several: one is NoLine and many lists them
// in ascending order in a slice that the caller owns. Outside the new version there is none.
//
// Having a partner is not enough: see [Alignment.Loose] and [Alignment.Moved].
func (al *Alignment) Partners(j span.Line) (one span.Line, many []span.Line) {
	if i, ok := oldIn(al.runs, j); ok {
		return i, nil
	}
	if i, ok := oldIn(al.moved, j); ok {
		return i, nil
	}
	d := al.doubt(j)
	if d == nil {
		return NoLine, nil
	}
	one = NoLine
	for i := range al.each(d) {
		switch {
		case many != nil:
			many = append(many, i)
		case one == NoLine:
			one = i
		default:
			one, many = NoLine, append(make([]span.Line, 0, 8), one, i)
		}
	}
	return one, many
}

// Loose reports whether the new line j may be nobody's: some reading of the change says that it was written anew. A
// line without partners is loose, and so is every line where nothing is known.
func (al *Alignment) Loose(j span.Line) bool {
	if _, ok := oldIn(al.runs, j); ok {
		return false
	}
	if _, ok := oldIn(al.moved, j); ok {
		return false
	}
	d := al.doubt(j)
	return d == nil || d.loose
}

// Moved reports whether the new line j was identified across a change of order, by occurring once in each whole
// version. Its number says nothing, even where it happens to be the same, and the joints beside it are broken.
func (al *Alignment) Moved(j span.Line) bool {
	_, ok := oldIn(al.moved, j)
	return ok
}

// Held reports whether the new line j is certainly one of the covered old lines: it is not loose, it has a partner,
// and every partner is covered. It does not allocate; covered may be called several times.
func (al *Alignment) Held(j span.Line, covered func(span.Line) bool) bool {
	if i, ok := oldIn(al.runs, j); ok {
		return covered(i)
	}
	if i, ok := oldIn(al.moved, j); ok {
		return covered(i)
	}
	d := al.doubt(j)
	if d == nil || d.loose {
		return false
	}
	for i := range al.each(d) {
		if !covered(i) {
			return false
		}
	}
	return true
}

// Unsure calls yield for every new line outside of [Alignment.Runs] that has a partner, in ascending order, until
// yield returns false. Together with Runs it visits every line that anything can be known of.
func (al *Alignment) Unsure(yield func(span.Line) bool) {
	m, off := 0, 0
	next := func() (span.Line, bool) {
		if m == len(al.moved) {
			return 0, false
		}
		return al.moved[m].New + span.Line(off), true
	}
	step := func() {
		if off++; off == al.moved[m].Len {
			m, off = m+1, 0
		}
	}
	for i := range al.doubts {
		d := span.Line(al.doubts[i].line)
		for j, ok := next(); ok && j < d; j, ok = next() {
			if !yield(j) {
				return
			}
			step()
		}
		if !yield(d) {
			return
		}
	}
	for j, ok := next(); ok; j, ok = next() {
		if !yield(j) {
			return
		}
		step()
	}
}

// Bytes returns about how many bytes of memory al takes.
func (al *Alignment) Bytes() int {
	const header, run, row, word = 144, 24, 20, 8
	return header + run*(cap(al.runs)+cap(al.moved)) + row*cap(al.doubts) + word*cap(al.bits)
}

func (al *Alignment) has(j span.Line) bool { return 0 <= j && int(j) < al.newN }

// runFrom returns the index of the first run that ends behind line j.
func runFrom(runs []Run, j span.Line) int {
	lo, hi := 0, len(runs)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if runs[mid].New+span.Line(runs[mid].Len) > j {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// oldIn returns the old line of the new line j where a run holds it.
func oldIn(runs []Run, j span.Line) (i span.Line, ok bool) {
	if k := runFrom(runs, j); k < len(runs) && runs[k].New <= j {
		return runs[k].Old + j - runs[k].New, true
	}
	return NoLine, false
}

// doubt returns the doubtful line j, or nil.
func (al *Alignment) doubt(j span.Line) *doubt {
	lo, hi := 0, len(al.doubts)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if span.Line(al.doubts[mid].line) >= j {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo < len(al.doubts) && span.Line(al.doubts[lo].line) == j {
		return &al.doubts[lo]
	}
	return nil
}
