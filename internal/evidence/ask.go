package evidence

import (
	"github.com/sightline-io/sightline/internal/span"
)

// status is what one slot of the current version is to one call.
type status uint8

const (
	held status = iota
	inPartShown
	stale
	sameRound // it would be held if the call's boundary did not lie before
	forgotten // what was known of it was dropped for want of memory
	unseen
)

// asked is one slot a call owes: the slot, by which class, and for a call by numbers the line slot it was named by.
type asked struct {
	slot  span.Slot
	class Class
	named span.Slot // Numbered: the slot in the numbering the call was composed in
}

// fact is the answer to one question.
type fact struct {
	asked
	status status
	by     string // stale: whose commit changed it, where one did
	moved  *Moved // stale: where the line that the call named stands now
}

// asker puts questions to one track about one current version as of one boundary. It is the only query there is: the
// judge, check, seen and the cure all ask it. It mutates nothing; it remembers what it computed.
type asker struct {
	t       *Track
	h       *History
	cur     *Version
	upTo    Seq
	strict  bool
	replace bool // the call replaces the whole file
	maps    []*mapping
	images  map[imageKey]span.Set[span.Slot]
	covers  map[imageKey]span.Set[span.Slot]
}

type imageKey struct {
	view int
	f    filter
}

func newAsker(t *Track, h *History, cur *Version, upTo Seq, strict, replace bool) *asker {
	if t.mutant == cureInOwnRound {
		upTo = Now
	}
	return &asker{
		t: t, h: h, cur: cur, upTo: upTo, strict: strict, replace: replace,
		maps:   make([]*mapping, len(t.views)),
		images: map[imageKey]span.Set[span.Slot]{}, covers: map[imageKey]span.Set[span.Slot]{},
	}
}

// at returns an asker with another boundary, which shares what was computed.
func (a *asker) at(b Seq) *asker {
	c := *a
	c.upTo = b
	return &c
}

func (a *asker) mapOf(view int) *mapping {
	if a.maps[view] == nil {
		a.maps[view] = a.h.mapping(a.t.views[view].Version, a.cur, a.t.views[view].Born)
	}
	return a.maps[view]
}

// covered returns the slots of a view's own version that its entries admitted by f cover.
func (a *asker) covered(view int, f filter) span.Set[span.Slot] {
	k := imageKey{view, f}
	s, ok := a.covers[k]
	if !ok {
		s = a.t.views[view].covered(f)
		a.covers[k] = s
	}
	return s
}

// image returns the slots of the current version that the entries of a view admitted by f hold for certain.
func (a *asker) image(view int, f filter) span.Set[span.Slot] {
	k := imageKey{view, f}
	s, ok := a.images[k]
	if !ok {
		s = a.mapOf(view).image(a.covered(view, f))
		a.images[k] = s
	}
	return s
}

// filter returns which entries may speak for a class.
func (a *asker) filter(c Class) filter {
	f := filter{upTo: a.upTo, exact: a.strict, live: a.strict}
	switch c {
	case Quoted:
		f.ownAtOnce = true
	case Numbered:
		f.numbered = true
	case Unquoted:
		if a.replace {
			f.exact, f.live, f.direct = true, true, a.strict
		}
	}
	return f
}

// speaking returns the view that speaks for a class other than Quoted, or -1: for numbers the newest one in which
// something was shown or written directly by the boundary, else the newest one that was made by then.
func (a *asker) speaking(c Class) int {
	for i := len(a.t.views) - 1; i >= 0; i-- {
		v := &a.t.views[i]
		switch {
		case a.t.mutant == mergedViews,
			c == Numbered && v.Direct.by(a.upTo),
			c == Unquoted && v.Born <= a.upTo:
			return i
		}
	}
	return -1
}

// holds reports whether the call may act on the slot.
func (a *asker) holds(q asked) bool {
	if a.t.mutant != 0 {
		if ok, sure := a.mutantHolds(q); sure {
			return ok
		}
	}
	f := a.filter(q.class)
	switch q.class {
	case Quoted:
		return a.anyHolds(q.slot, f, 0)
	case Numbered:
		i := a.speaking(Numbered)
		return i >= 0 && a.numberHolds(i, q.slot, q.named, f)
	}
	i := a.speaking(Unquoted)
	return i >= 0 && (!f.direct || same(a.t.views[i].Version, a.cur)) && a.image(i, f).Has(q.slot)
}

// anyHolds reports whether some view from the given one on holds the slot.
func (a *asker) anyHolds(s span.Slot, f filter, from int) bool {
	for i := len(a.t.views) - 1; i >= from; i-- {
		if a.image(i, f).Has(s) {
			return true
		}
	}
	return false
}

// numberHolds reports whether the slot s is the one that had the number named in the view.
func (a *asker) numberHolds(view int, s, named span.Slot, f filter) bool {
	old, moved, ok := a.mapOf(view).origin(s)
	return ok && !moved && old == named && a.image(view, f).Has(s)
}

// holdsAfter reports whether the slot will be held without being shown again once something was shown of the current
// version: that makes a view of it, carried from the newest view of any moment, and may push out the oldest view.
func (a *asker) holdsAfter(q asked) bool {
	if a.t.mutant == cureAsOfBoundary {
		return true
	}
	if len(a.t.views) == 0 {
		return false
	}
	n := a.at(Now)
	f := n.filter(q.class)
	last := len(a.t.views) - 1
	switch q.class {
	case Quoted:
		gone := a.t.evicted(a.cur)
		if a.t.mutant == evictBlindly {
			gone = 0
		}
		return n.anyHolds(q.slot, f, gone)
	case Numbered:
		return n.numberHolds(last, q.slot, q.slot, f)
	}
	return (!f.direct || same(a.t.views[last].Version, a.cur)) && n.image(last, f).Has(q.slot)
}

// ask is the one query.
func (a *asker) ask(q asked) fact {
	if a.holds(q) {
		return fact{asked: q, status: held}
	}
	if q.slot.IsLine() && a.inPart(q.slot.Line()) {
		return fact{asked: q, status: inPartShown}
	}
	if f, ok := a.staleness(q); ok {
		return f
	}
	f := fact{asked: q, status: unseen}
	switch {
	case a.at(Now).holds(q):
		f.status = sameRound
	case a.forgot():
		f.status = forgotten
	}
	return f
}

// inPart reports whether some columns of the line were shown.
func (a *asker) inPart(k span.Line) bool { return !a.columns(k).Empty() }

func (a *asker) columns(k span.Line) span.Set[span.Byte] {
	if dropped(a.cur) || len(a.t.columns) == 0 {
		return span.Set[span.Byte]{}
	}
	p := a.t.columns[a.cur.Skeleton[k]]
	if p == nil {
		return span.Set[span.Byte]{}
	}
	return p.shown(a.filter(Quoted))
}

// forgot reports whether something was dropped that might have held a slot.
func (a *asker) forgot() bool {
	for i := range a.t.views {
		if a.t.views[i].Forgot || a.mapOf(i).lost {
			return true
		}
	}
	return false
}

// staleness finds out whether the place of the slot was shown and differs now: it stands in a gap whose old side was
// covered, or is a broken joint, or only its number moved. The newest view that knows decides.
func (a *asker) staleness(q asked) (fact, bool) {
	f, known := fact{asked: q, status: stale}, false
	if q.class == Numbered {
		f.moved, known = a.renumbered(q)
	}
	all := a.filter(Quoted)
	for i := len(a.t.views) - 1; i >= 0; i-- {
		if a.t.views[i].Version.Absent {
			continue // that there was nothing is no place that differs
		}
		m := a.mapOf(i)
		if _, _, ok := m.origin(q.slot); ok {
			continue
		}
		set := a.covered(i, all)
		if set.Empty() {
			continue
		}
		if old, by, ok := m.replaced(q.slot); ok && wasShown(set, old) {
			f.by = by
			return f, true
		}
	}
	return f, known
}

// renumbered tells whether a line named by number is known, but under another number than it has now; it returns where
// the line that the call named stands now, where that is known.
func (a *asker) renumbered(q asked) (*Moved, bool) {
	f := a.filter(Numbered)
	f.numbered = false
	i := a.speaking(Numbered)
	if i < 0 {
		return nil, false
	}
	known := a.image(i, f).Has(q.slot)
	if !q.slot.IsLine() {
		return nil, known
	}
	// The numbering the call was composed in is that of the newest view in which the named line had its number.
	f.numbered = true
	for ; i >= 0; i-- {
		if !a.t.views[i].Direct.by(a.upTo) {
			continue
		}
		if !a.covered(i, f).Has(q.named) {
			if a.t.committed(&a.t.views[i]) {
				break // the session renumbered the lines itself: numbers from before its own edit are not in use
			}
			continue
		}
		now, ok := a.mapOf(i).forward(q.named)
		if !ok || now == q.slot {
			break
		}
		f.upTo, f.numbered = Now, false
		if !a.image(len(a.t.views)-1, f).Has(now) {
			break // the newest view reads the story otherwise
		}
		return &Moved{Seen: q.named.Line(), Now: now.Line()}, true
	}
	return nil, known
}
