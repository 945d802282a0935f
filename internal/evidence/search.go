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
	shown := a.covered(view, a.filter(Quoted))
	var found span.Set[span.Line]
	var empty []span.Lines
	for k, hash := range v.Skeleton {
		s := span.LineSlot(span.Line(k))
		if !shown.Has(s) || !slices.Contains(lines, hash) {
			continue
		}
		if _, _, ok := m.forward(s); ok {
			continue
		}
		if place := m.placeOfLost(s); place.Empty() {
			empty = append(empty, place)
		} else {
			found = found.With(place)
		}
	}
	empty = slices.DeleteFunc(slices.Compact(empty), func(p span.Lines) bool { return found.Has(p.From) || found.Has(p.From-1) })
	return withPlaces(found.Spans(), empty)
}

// placeOfLost returns the lines of cur between what is kept on both sides of the slot s of old, which is not kept.
func (m *mapping) placeOfLost(s span.Slot) span.Lines {
	place := span.Of(0, span.Line(m.cur.N))
	for _, r := range m.byOld() {
		if r.old+span.Slot(r.cur.Len()) <= s {
			place.From = max(place.From, span.LinesOf(r.cur).To)
		} else if r.old > s {
			place.To = min(place.To, span.LinesOf(r.cur).From)
		}
	}
	return place
}
