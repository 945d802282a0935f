package evidence

import (
	"slices"

	"github.com/sightline-io/sightline/internal/span"
)

// Rebase moves the evidence through one commit of the file, whichever session made it; h must hold the edge already.
//
// Of another session's commit (not mine) the newest view, if it is on the version before, is followed by one on the
// version after it: what the commit left alone moves along, known by text, and by number where the number stayed.
//
// Of the session's own commit the newest view moves along, carried to the version before the commit where it is not on
// it, and the lines that the splices wrote are authored, with the joints beside them, at the commit's seq, epoch and
// call. Lines of which the readings owed only columns are not credited: nobody saw them whole.
func (t *Track) Rebase(h *History, edge Edge, mine bool, readings []Reading, seq Seq, epoch Epoch, call CallID) {
	if same(edge.From, edge.To) {
		return
	}
	newest := t.newest()
	if !mine || epoch < t.epoch {
		if newest != nil && same(newest.Version, edge.From) {
			view := View{Version: edge.To, Born: seq, Entries: shifted(newest.Entries, edge, false), Forgot: newest.Forgot}
			if len(view.Entries) > 0 {
				t.push(view)
			}
		}
		return
	}
	t.epoch = epoch
	view := View{Version: edge.To, Born: seq, Direct: Mark{seq, call}}
	switch {
	case newest == nil:
	case same(newest.Version, edge.From):
		view.Entries, view.Forgot = shifted(newest.Entries, edge, true), newest.Forgot
		if newest.Told.Seq != 0 {
			view.Told = view.Direct
		}
	default:
		view.Entries, view.Forgot = t.carry(h, newest, edge.From)
		view.Entries = shifted(view.Entries, edge, true)
	}
	for _, s := range authored(edge.Splices, readings) {
		view.Entries = append(view.Entries, Entry{Slots: s, Seq: seq, Epoch: epoch, Call: call, Origin: Authored})
	}
	if len(view.Entries) > 0 {
		view.bound(t.larger)
		t.push(view)
	}
	t.own = append(t.own, ownEdit{seq, call, slices.Clone(edge.Splices)})
	if len(t.own) > edgesKept {
		t.own = append(t.own[:0:0], t.own[1:]...)
	}
}

// Author records that the session wrote the whole of v: a file it created, or a whole-file write. Such a write is no
// [Edge]; other sessions carry by content.
func (t *Track) Author(h *History, v *Version, seq Seq, epoch Epoch, call CallID) {
	t.Observe(h, v, []Entry{{Slots: v.slots(), Seq: seq, Epoch: epoch, Call: call, Origin: Authored}})
}

// authored returns the slots of the result that the splices wrote.
func authored(ss span.Splices, readings []Reading) []span.Slots {
	var out []span.Slots
	for i, s := range ss {
		r := ss.Result(i)
		at := r.From
		for _, k := range inPart(readings, s.Old) {
			// A line changed by its columns is one of the result at the same place of its block.
			k = r.From + k - s.Old.From
			if k >= r.To {
				break
			}
			if at < k {
				out = append(out, span.SlotsOf(span.Of(at, k)))
			}
			at = k + 1
		}
		if at < r.To {
			out = append(out, span.SlotsOf(span.Of(at, r.To)))
		} else if r.Empty() {
			out = append(out, placeOf(r))
		}
	}
	return out
}

// inPart returns the lines of l of which the readings owed only columns, in order.
func inPart(readings []Reading, l span.Lines) []span.Line {
	var out []span.Line
	for i := range readings {
		for k := range readings[i].Columns {
			if l.Has(k) {
				out = append(out, k)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shifted returns the entries of the version before the edge as entries of the one after it. By a commit of somebody
// else lines get numbers that the session was not told.
func shifted(es []Entry, edge Edge, mine bool) []Entry {
	var out []Entry
	for _, r := range through([]slotRun{{cur: edge.From.slots()}}, edge.Splices) {
		out = appendMoved(out, es, r, !mine, !mine)
	}
	return out
}

// appendMoved appends what of the entries es lies in the run r, at the run's place.
func appendMoved(out, es []Entry, r slotRun, carried, renumbered bool) []Entry {
	d := int(r.cur.From - r.old)
	from := r.cur.Shift(-d)
	for _, e := range es {
		if e.Slots = e.Slots.Intersect(from).Shift(d); e.Slots.Empty() || e.Strength == Coverage {
			continue
		}
		e.Carried = e.Carried || carried
		e.Moved = e.Moved || renumbered && (d != 0 || r.moved)
		out = append(out, e)
	}
	return out
}

// carry returns the entries of the view as entries of v, with their old moments; forgot tells that some could not be
// carried because a skeleton was dropped.
func (t *Track) carry(h *History, view *View, v *Version) (out []Entry, forgot bool) {
	m := h.mapping(view.Version, v, view.Born)
	for _, r := range m.runs {
		out = appendMoved(out, view.Entries, r, true, true)
	}
	for _, d := range m.doubts {
		out = append(out, t.together(view.Entries, d)...)
	}
	carried := View{Entries: out}
	if t.mutant == numbersSurviveMoves {
		for i := range carried.Entries {
			carried.Entries[i].Moved = false
		}
	}
	carried.bound(t.larger)
	return carried.Entries, carried.Forgot || view.Forgot || m.lost
}

// together returns the entries of a line that may be several old ones: it is known as well as the least known of them,
// since the latest of the moments in which each of them was known. Its number is not known.
func (t *Track) together(es []Entry, d doubtfulLine) []Entry {
	var out View
	for q := range 1 << 3 {
		var sum Entry
		for i, s := range d.olds {
			best := -1
			for k := range es {
				if e := &es[k]; e.Slots.Has(s) && e.Strength != Coverage && e.atLeast(q) && (best < 0 || e.Seq < es[best].Seq) {
					best = k
				}
			}
			if best < 0 {
				sum = Entry{}
				break
			}
			if i == 0 {
				sum = es[best]
			} else {
				sum = joined2(sum, es[best], t.larger)
			}
		}
		if sum.Seq == 0 && sum.Slots.Empty() {
			continue
		}
		sum.Slots, sum.Carried, sum.Moved = span.Of(d.cur, d.cur+1), true, true
		out.add(sum)
	}
	return out.Entries
}

// atLeast reports whether e is as good as the three bits of q ask: live, exact, not only recorded.
func (e *Entry) atLeast(q int) bool {
	return (q&1 == 0 || !e.Compacted) && (q&2 == 0 || e.Strength == Exact) && (q&4 == 0 || e.Origin != Recorded)
}
