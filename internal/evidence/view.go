package evidence

import (
	"cmp"
	"slices"

	"github.com/sightline-io/sightline/internal/span"
)

// entriesMax is how many entries one view has at most.
const entriesMax = 512

// filter says which entries may speak.
type filter struct {
	upTo      Seq  // deliveries after it do not count
	ownAtOnce bool // what the session wrote itself counts whatever its sequence number
	numbered  bool // the line's number must be known, not only its text
	exact     bool // only entries of strength exact
	live      bool // the text must still be in the live context
	direct    bool // only what was shown or written on this very version, or before own edits of it
	authored  bool // only what the session wrote itself
}

// admits reports whether e may speak. Coverage entries never do here: they license whole needs only.
func (f filter) admits(e *Entry) bool {
	switch {
	case e.Seq > f.upTo && !(f.ownAtOnce && e.Origin == Authored),
		e.Strength == Coverage,
		f.numbered && e.Moved,
		f.exact && e.Strength != Exact,
		f.live && e.Compacted,
		f.direct && e.Carried,
		f.authored && e.Origin != Authored:
		return false
	}
	return true
}

// covered returns the slots that the entries admitted by f cover.
func (v *View) covered(f filter) span.Set[span.Slot] {
	var one span.Set[span.Slot]
	spans := make([]span.Slots, 0, len(v.Entries))
	for i := range v.Entries {
		if f.admits(&v.Entries[i]) {
			spans = append(spans, v.Entries[i].Slots)
		}
	}
	if len(spans) == 1 {
		return one.With(spans[0])
	}
	return span.SetOf(spans...)
}

// dominates reports whether b tells nothing that a does not tell, where both cover a slot: a speaks wherever b would.
func (a *Entry) dominates(b *Entry) bool {
	return a.Seq <= b.Seq && a.Epoch == b.Epoch && a.Strength <= b.Strength &&
		(!a.Carried || b.Carried) && (!a.Moved || b.Moved) && (!a.Compacted || b.Compacted) &&
		(a.Origin != Recorded || b.Origin == Recorded) &&
		(a.Origin == Authored || b.Origin != Authored)
}

// add credits e in v as far as it tells anything new, so that reading one window again and again takes no memory.
func (v *View) add(e Entry) {
	rest := span.SetOf(e.Slots)
	for i := range v.Entries {
		if v.Entries[i].dominates(&e) && v.Entries[i].Slots.Overlaps(e.Slots) {
			rest = rest.Minus(span.SetOf(v.Entries[i].Slots))
		}
	}
	for _, s := range rest.Spans() {
		e.Slots = s
		v.Entries = append(v.Entries, e)
	}
}

// kind is an entry without its place and moment: entries of one kind and moment that touch are one.
func (e Entry) kind() Entry {
	e.Slots, e.Seq, e.Call = span.Slots{}, 0, 0
	return e
}

// order sorts entries by place and joins those that touch and differ in nothing else.
func (v *View) order() {
	slices.SortFunc(v.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Slots.From, b.Slots.From))
	})
	out := v.Entries[:0]
	for _, e := range v.Entries {
		if n := len(out) - 1; n >= 0 && e.Slots.From <= out[n].Slots.To && out[n].kind() == e.kind() && out[n].Seq == e.Seq && out[n].Call == e.Call {
			out[n].Slots.To = max(out[n].Slots.To, e.Slots.To)
			continue
		}
		out = append(out, e)
	}
	v.Entries = out
}

// rank numbers the kinds of entries.
func (e *Entry) rank() int {
	r := int(e.Origin)<<5 | int(e.Strength)<<3
	for i, b := range [...]bool{e.Carried, e.Moved, e.Compacted} {
		if b {
			r |= 1 << i
		}
	}
	return r
}

// bound keeps v within [entriesMax]: touching entries of one kind are joined, the oldest moments first, then touching
// entries of any kind; at last the entries shown longest ago are forgotten. Joining never covers a slot that was not
// covered, and never makes an entry tell more than both told.
func (v *View) bound(larger func(a, b *Entry) bool) {
	v.order()
	if len(v.Entries) <= entriesMax {
		return
	}
	const goal = entriesMax * 3 / 4
	v.Entries = joinTouching(v.Entries, goal, larger, func(a, b *Entry) bool { return a.kind() == b.kind() })
	if len(v.Entries) > goal {
		v.Entries = joinTouching(v.Entries, goal, larger, func(a, b *Entry) bool { return a.Epoch == b.Epoch })
	}
	v.order()
	if n := len(v.Entries) - entriesMax; n > 0 {
		v.Entries = append([]Entry(nil), v.Entries[n:]...) // order puts the oldest first
		v.Forgot = true
	}
}

// joinTouching joins touching entries that may be joined until at most goal are left. Of all such pairs the one whose
// later moment is the earliest is joined first: a call's boundary lies behind old moments already.
func joinTouching(es []Entry, goal int, larger func(a, b *Entry) bool, may func(a, b *Entry) bool) []Entry {
	slices.SortFunc(es, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Slots.From, b.Slots.From), cmp.Compare(a.Slots.To, b.Slots.To))
	})
	for len(es) > goal {
		limits := make([]Seq, 0, len(es))
		for i := 1; i < len(es); i++ {
			if es[i].Slots.From <= es[i-1].Slots.To && may(&es[i-1], &es[i]) {
				limits = append(limits, max(es[i-1].Seq, es[i].Seq))
			}
		}
		if len(limits) == 0 {
			return es
		}
		slices.Sort(limits)
		limit := limits[min(len(limits), len(es)-goal)-1]
		out := es[:1]
		for i := 1; i < len(es); i++ {
			last, e := &out[len(out)-1], es[i]
			if e.Slots.From <= last.Slots.To && may(last, &e) && max(last.Seq, e.Seq) <= limit {
				*last = joined2(*last, e, larger)
				continue
			}
			out = append(out, e)
		}
		es = out
	}
	return es
}

// joined2 returns the entry that covers what a and b cover and tells only what both tell.
func joined2(a, b Entry, larger func(a, b *Entry) bool) Entry {
	out := a
	if larger(&b, &a) {
		out.Seq, out.Call = b.Seq, b.Call
	}
	out.Slots = span.Of(min(a.Slots.From, b.Slots.From), max(a.Slots.To, b.Slots.To))
	out.Strength = max(a.Strength, b.Strength)
	out.Carried = a.Carried || b.Carried
	out.Moved = a.Moved || b.Moved
	out.Compacted = a.Compacted || b.Compacted
	if a.Origin != b.Origin {
		out.Origin = Delivered
		if a.Origin == Recorded || b.Origin == Recorded {
			out.Origin = Recorded
		}
	}
	return out
}

// later is the rule by which two moments become one: the later one stays, so that nothing counts before it was shown.
func later(a, b *Entry) bool { return a.Seq > b.Seq }
