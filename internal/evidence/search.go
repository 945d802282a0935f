package evidence

import (
	"slices"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// StaleSearch helps with a text that does not occur in the current version. lines are the hashes of its whole lines.
// quoted reports whether one of them was shown, or written by the session, in a line that is gone now: the text is
// stale then, not invented. places are where: the current lines that stand in the place of the lost ones, or an empty
// span where nothing does. Where no line was quoted, places are what changed since the newest view, for a text of which
// no whole line is known.
//
// Deliveries after the boundary do not count.
func StaleSearch(t *Track, h *History, cur *Version, lines []content.Hash, boundary Seq) (places []span.Lines, quoted bool) {
	a := newAsker(t, h, cur, boundary, false, false)
	for i := len(t.views) - 1; i >= 0; i-- {
		if found := a.lost(i, lines); len(found) > 0 {
			return found, true
		}
	}
	return Changed(t, h, cur), false
}

// lost returns the places of the covered lines of a view that have one of the hashes and are gone now.
func (a *asker) lost(view int, lines []content.Hash) []span.Lines {
	v := a.t.views[view].Version
	if dropped(v) || v.N == 0 {
		return nil
	}
	m := a.mapOf(view)
	if m.lost {
		return nil
	}
	shown, kept := a.covered(view, a.filter(Quoted)), m.unmoved()
	var found, empty []span.Lines
	for k, hash := range v.Skeleton {
		s := span.LineSlot(span.Line(k))
		if !slices.Contains(lines, hash) || !shown.Has(s) {
			continue
		}
		if _, ok := m.forward(s); ok {
			continue
		}
		if place := kept.around(s, a.cur.N); place.Empty() {
			empty = append(empty, place)
		} else {
			found = append(found, place)
		}
	}
	set := span.SetOf(found...)
	empty = slices.DeleteFunc(slices.Compact(empty), func(p span.Lines) bool { return set.Has(p.From) || set.Has(p.From-1) })
	return withPlaces(set.Spans(), empty)
}

// around returns the lines of cur, of n lines, between what is kept on both sides of the slot s of old, which is not
// kept.
func (rs unmoved) around(s span.Slot, n int) span.Lines {
	place := span.Of(0, span.Line(n))
	i := rs.behind(s)
	if i > 0 {
		place.From = span.LinesOf(rs[i-1].cur).To
	}
	if i < len(rs) {
		place.To = span.LinesOf(rs[i].cur).From
	}
	return place
}
