package evidence

import (
	"iter"
	"math/bits"

	"github.com/sightline-io/sightline/internal/span"
)

// sure returns the old line that the new line j is in every reading, in order. The start and the end of the file count
// as such lines: line -1 is old line -1, and the line behind the last one is the one behind the last old one.
func (al *Alignment) sure(j span.Line) (i span.Line, ok bool) {
	switch {
	case j == -1:
		return -1, true
	case int(j) == al.newN:
		return span.Line(al.oldN), true
	}
	return oldIn(al.runs, j)
}

// Joint returns the old joint that the new joint k is. It is one where both lines beside it are sure and were
// neighbours before; start and end of the file count as sure lines. ok is false where the joint is broken: lines may
// have been taken out or put in there, or one of its lines is in doubt or moved. Joints outside [0, New()] are broken.
// An absent version has no seams, not even with an empty one.
func (al *Alignment) Joint(k span.Line) (old span.Line, ok bool) {
	if !al.known || al.seamless || k < 0 || int(k) > al.newN {
		return NoLine, false
	}
	before, ok1 := al.sure(k - 1)
	after, ok2 := al.sure(k)
	if !ok1 || !ok2 || after != before+1 {
		return NoLine, false
	}
	return after, true
}

// Gap returns, for a new line j that is not sure, the old lines between the nearest sure lines on both sides: the only
// lines that j may stand in the place of. They are empty where lines were only put in; the place is then the old joint
// where it happened. ok is false for a sure line, for a line outside the new version, and where nothing is known.
// A moved line has a gap too: what stood in its place before.
func (al *Alignment) Gap(j span.Line) (old span.Lines, ok bool) {
	if !al.known || !al.has(j) {
		return span.Lines{}, false
	}
	k := runFrom(al.runs, j)
	if k < len(al.runs) && al.runs[k].New <= j {
		return span.Lines{}, false
	}
	return span.Lines{From: al.oldEnd(k), To: al.oldStart(k)}, true
}

// GapAtJoint returns, for a broken new joint k, the old lines between the nearest sure line before it and the nearest
// sure line behind it. ok is false for a joint that is carried, for one outside [0, New()], and where nothing is known.
func (al *Alignment) GapAtJoint(k span.Line) (old span.Lines, ok bool) {
	if _, carried := al.Joint(k); carried || !al.known || k < 0 || int(k) > al.newN {
		return span.Lines{}, false
	}
	r := runFrom(al.runs, k)
	old.To = al.oldStart(r)
	if i, ok := oldIn(al.runs, k); ok {
		old.To = i
	}
	r = runFrom(al.runs, k-1)
	old.From = al.oldEnd(r)
	if i, ok := oldIn(al.runs, k-1); ok {
		old.From = i + 1
	}
	return old, true
}

// oldStart returns the first old line of the k-th run, or the end of the old version behind the last run.
func (al *Alignment) oldStart(k int) span.Line {
	if k < len(al.runs) {
		return al.runs[k].Old
	}
	return span.Line(al.oldN)
}

// oldEnd returns the old line behind the run before the k-th, or the start of the old version.
func (al *Alignment) oldEnd(k int) span.Line {
	if k == 0 {
		return 0
	}
	return al.runs[k-1].Old + span.Line(al.runs[k-1].Len)
}

// each yields the partners of d in ascending order.
func (al *Alignment) each(d *doubt) iter.Seq[span.Line] {
	return func(yield func(span.Line) bool) {
		for w, word := range al.bits[d.at : d.at+d.words] {
			for ; word != 0; word &= word - 1 {
				if !yield(span.Line(int(d.base) + 64*w + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
