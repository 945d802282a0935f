package evidence

import "github.com/sightline-io/sightline/internal/span"

// mutant is a fault that tests put into a track to show that the suite finds it. Zero is none; nothing else is ever
// set outside of tests.
type mutant uint8

const (
	_                   mutant = iota
	cureAsOfBoundary           // the cure ignores what the newest view of any moment lacks
	setMembership              // a line is held when a covered line somewhere equals it
	uniqueInNew                // a line is held when it is the only one of its text now and its text was shown
	byNumberAlone              // a line is held when the line of that number was shown and equals it
	noJoints                   // joints are never owed
	mergedViews                // the newest view speaks for any boundary
	smallerSeq                 // two moments become one by the smaller sequence number
	creditWhole                // a window credits the whole file
	cureInOwnRound             // the boundary is ignored
	numbersSurviveMoves        // carried lines keep the right to be called by number
	deleteByNewest             // a delete looks at the newest view, however it came about
	evictBlindly               // the cure ignores that delivering it may push out an older view
)

// mutantHolds answers instead of holds for the mutants that know lines by other means than their place.
func (a *asker) mutantHolds(q asked) (ok, sure bool) {
	if !q.slot.IsLine() || dropped(a.cur) {
		return false, false
	}
	k := q.slot.Line()
	want := a.cur.Skeleton[k]
	shown := func(view int, at span.Line) bool {
		v := a.t.views[view].Version
		return int(at) < v.N && v.Skeleton[at] == want && a.covered(view, a.filter(q.class)).Has(span.LineSlot(at))
	}
	switch a.t.mutant {
	case byNumberAlone:
		last := len(a.t.views) - 1
		return last >= 0 && shown(last, k), true
	case uniqueInNew:
		for j, h := range a.cur.Skeleton {
			if h == want && j != int(k) {
				return false, false
			}
		}
	case setMembership:
	default:
		return false, false
	}
	for i := range a.t.views {
		for j := range span.Line(a.t.views[i].Version.N) {
			if shown(i, j) {
				return true, true
			}
		}
	}
	return false, false
}
