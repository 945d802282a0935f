package evidence

import (
	"cmp"
	"slices"

	"github.com/sightline-io/sightline/internal/span"
)

// Judge decides whether what the session was shown and wrote licenses the call on the current version. It is pure: it
// reads its arguments, and the same arguments always give the same answer. Times, inodes and names do not occur in it.
//
// What comes before evidence is for the caller: shape, scope, file kind, location, overlaps. cur must be the version
// of the capture that the call was located in. The codes of a refusal are stale, partial-line, needs-full and
// not-seen. The cost depends on the entries of the track where cur is the version last shown, else also on the lines
// of the file; never on other files.
func Judge(t *Track, h *History, cur *Version, c Call) Verdict {
	switch {
	case c.Noop, c.Kind == KindCreate, c.Kind == KindMove, c.Kind == KindReplace && c.Waived:
		return Verdict{Allow: true}
	}
	a := newAsker(t, h, cur, c.Boundary, c.Strict, c.Kind == KindReplace)
	switch c.Kind {
	case KindReplace:
		return a.judgeReplace()
	case KindDelete:
		return a.judgeDelete()
	}
	return a.judgeEdit(c.Needs)
}

// judgeEdit asks for the cheapest reading of every need.
func (a *asker) judgeEdit(needs []Need) Verdict {
	var w writer
	var readings []Reading
	for i := range needs {
		n := &needs[i]
		r := n.Choose(func(s span.Slot) bool { return a.holds(n.ask(s)) })
		r.after = a.h.last()
		readings = append(readings, r)
		if a.coverageHolds(r) {
			continue
		}
		for _, sp := range r.Need.Spans() {
			for s := sp.From; s < sp.To; s++ {
				q := n.ask(s)
				if !q.slot.IsLine() && a.t.mutant == noJoints {
					continue
				}
				w.add(a.ask(q), a.holdsAfter(q))
			}
		}
		for _, k := range sortedLines(r.Columns) {
			w.add(a.askColumns(k, r.Columns[k], n))
		}
	}
	if w.clean() {
		return Verdict{Allow: true, Splices: splicesOf(readings), Readings: readings}
	}
	return w.verdict(a, false)
}

// ask returns the question for one slot of the need.
func (n *Need) ask(s span.Slot) asked {
	q := asked{slot: s, class: n.Class, named: s}
	if n.Class == Numbered {
		q.named = s + 2*span.Slot(n.Seen.From-n.Lines.From)
	}
	return q
}

// askColumns asks for some columns of a line instead of the whole line.
func (a *asker) askColumns(k span.Line, cols []span.Bytes, n *Need) (fact, bool) {
	q := n.ask(span.LineSlot(k))
	missing := func(a *asker) bool {
		set := a.columns(k)
		return slices.ContainsFunc(cols, func(c span.Bytes) bool { return !set.Covers(c) })
	}
	f := a.ask(q)
	if f.status != held && !missing(a) {
		f.status = held
	}
	return f, a.holdsAfter(q) || !missing(a.at(Now))
}

// coverageHolds reports whether one record of mere coverage licenses the whole reading.
func (a *asker) coverageHolds(r Reading) bool {
	if a.strict || a.replace || r.Need.Empty() || len(r.Columns) > 0 {
		return false
	}
	spans := r.Need.Spans()
	return a.coverage(span.Of(spans[0].From, spans[len(spans)-1].To)) != nil
}

// coverage returns the record of mere coverage that contains all of the slots: such a record speaks for the version it
// was made on alone, and never joins with others.
func (a *asker) coverage(whole span.Slots) *Entry {
	for i := range a.t.views {
		v := &a.t.views[i]
		if !same(v.Version, a.cur) {
			continue
		}
		for k := range v.Entries {
			if e := &v.Entries[k]; e.Strength == Coverage && e.Seq <= a.upTo && e.Slots.Contains(whole) {
				return e
			}
		}
	}
	return nil
}

// judgeReplace asks for every slot of the file.
func (a *asker) judgeReplace() Verdict {
	var w writer
	speaking := a.speaking(Unquoted)
	f := a.filter(Unquoted)
	if speaking >= 0 && a.t.mutant == 0 && same(a.t.views[speaking].Version, a.cur) && speaking == len(a.t.views)-1 &&
		a.image(speaking, f).Covers(a.cur.slots()) {
		return Verdict{Allow: true} // the common case, without a question per slot
	}
	for s := range a.cur.slots().To {
		q := asked{slot: s, class: Unquoted, named: s}
		if !s.IsLine() && a.t.mutant == noJoints {
			continue
		}
		w.add(a.ask(q), a.holdsAfter(q))
	}
	first := asked{slot: min(1, a.cur.slots().To-1), class: Unquoted}
	if speaking >= 0 && marked(a.t.views[speaking].Version, a.cur) && !a.covered(speaking, f).Empty() {
		w.add(fact{asked: first, status: stale}, false)
	} else if n := a.t.newest(); n != nil && marked(n.Version, a.cur) {
		w.add(fact{asked: first, status: held}, false)
	}
	if w.clean() {
		return Verdict{Allow: true}
	}
	return w.verdict(a, true)
}

// judgeDelete asks whether something would be destroyed that changed since the session last knew the file as a whole,
// and that it did not write itself. A file that the session never saw owes nothing.
func (a *asker) judgeDelete() Verdict {
	if len(a.t.views) == 0 {
		return Verdict{Allow: true}
	}
	base := a.known()
	v := &a.t.views[base]
	if same(v.Version, a.cur) {
		return Verdict{Allow: true}
	}
	m := a.mapOf(base)
	var changed span.Set[span.Slot]
	if v.Version.Absent || dropped(v.Version) || dropped(a.cur) || !slices.Equal(v.Version.Skeleton, a.cur.Skeleton) {
		changed = span.SetOf(a.cur.slots()).Minus(m.kept())
	}
	own := a.filter(Quoted)
	own.authored = true
	var w writer
	for _, sp := range changed.Spans() {
		for s := sp.From; s < sp.To; s++ {
			if a.anyHolds(s, own, 0) {
				continue
			}
			f := fact{asked: asked{slot: s}, status: stale}
			if m.lost {
				f.status = forgotten
			} else {
				_, f.by, _ = m.replaced(s)
			}
			w.add(f, false)
		}
	}
	if marked(v.Version, a.cur) {
		w.add(fact{asked: asked{slot: min(1, a.cur.slots().To-1)}, status: stale}, false)
	}
	if w.clean() {
		return Verdict{Allow: true}
	}
	return w.verdict(a, false)
}

// known returns the view in which the session last knew the whole file's version as of the boundary. Where it knew none
// by then, the oldest one that it knew later speaks, and where it never did, the oldest one there is.
func (a *asker) known() int {
	oldest := -1
	for i := len(a.t.views) - 1; i >= 0; i-- {
		m := a.t.views[i].Told
		if a.t.mutant == deleteByNewest {
			return i
		}
		if m.by(a.upTo) {
			return i
		}
		if m.Seq != 0 {
			oldest = i
		}
	}
	return max(oldest, 0)
}

func sortedLines(cols map[span.Line][]span.Bytes) []span.Line {
	out := make([]span.Line, 0, len(cols))
	for k := range cols {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// splicesOf returns the splices of all readings in order of place.
func splicesOf(readings []Reading) span.Splices {
	var out span.Splices
	for _, r := range readings {
		out = append(out, r.Splices...)
	}
	slices.SortStableFunc(out, func(a, b span.Splice) int {
		return cmp.Or(cmp.Compare(a.Old.From, b.Old.From), cmp.Compare(a.Old.To, b.Old.To))
	})
	return out
}
