package evidence

import (
	"slices"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// viewsMax is how many views one track has at most.
const viewsMax = 8

// Now is the boundary that everything known lies before.
const Now = ^Seq(0)

// Track is what one session, in one lane, was shown of one file and wrote of it: at most eight views, newest last. The
// zero Track has seen nothing and is ready for use.
//
// A Track holds the versions of its views; whoever lets go of a track with views calls [Track.Clear] first. It is not
// safe for concurrent use.
type Track struct {
	views   []View
	columns map[content.Hash]*partialLine // lines of which only some columns were shown
	epoch   Epoch
	own     []ownEdit // the session's own edits, the last 64, oldest first
	mutant  mutant
}

// ownEdit is one edit that the session itself committed.
type ownEdit struct {
	seq     Seq
	call    CallID
	splices span.Splices
}

// NewTrack returns an empty track.
func NewTrack() *Track { return &Track{} }

// Known reports whether the session knows any text of the file, or that it is there.
func (t *Track) Known() bool {
	for i := range t.views {
		if !t.views[i].Version.Absent {
			return true
		}
	}
	return false
}

// Empty reports whether nothing at all is known.
func (t *Track) Empty() bool { return len(t.views) == 0 && len(t.columns) == 0 }

// Views returns the views, oldest first. The caller must not change what they point to.
func (t *Track) Views() []View { return append([]View(nil), t.views...) }

// committed reports whether v was made by one of the session's own commits.
func (t *Track) committed(v *View) bool {
	return slices.ContainsFunc(t.own, func(o ownEdit) bool { return o.seq == v.Direct.Seq })
}

func (t *Track) newest() *View {
	if len(t.views) == 0 {
		return nil
	}
	return &t.views[len(t.views)-1]
}

// Observe records that v was shown, or written as a whole, as add says: spans of slots of v, with the moment, epoch,
// call and origin of the observation; Carried and Moved are not for the caller to set. The newest view is first carried
// to v, with the moments of its entries, unless it is of v already; older views stay as they were. What belongs to a dead epoch is dropped, and
// slots outside of v credit nothing. A call that credits nothing leaves no view.
//
// An empty or absent file is shown by its one slot; see [Version.Shown].
func (t *Track) Observe(h *History, v *Version, add []Entry) {
	var entries []Entry
	born := Seq(0)
	for _, e := range add {
		e.Slots = e.Slots.Intersect(v.slots())
		if e.Slots.Empty() || e.Epoch < t.epoch {
			continue
		}
		t.epoch = e.Epoch
		e.Carried, e.Moved = false, false
		if t.mutant == creditWhole {
			e.Slots = v.slots()
		}
		entries = append(entries, e)
		born = max(born, e.Seq)
	}
	if len(entries) == 0 {
		return
	}
	newest := t.newest()
	if newest == nil || !same(newest.Version, v) || h.left(v, newest.Born) {
		view := View{Version: v, Born: born}
		if newest != nil {
			view.Entries, view.Forgot = t.carry(h, newest, v)
		}
		t.push(view)
		newest = t.newest()
	}
	for _, e := range entries {
		newest.add(e)
		m := Mark{e.Seq, e.Call}
		newest.Direct = newest.Direct.first(m)
		if e.Strength == Exact {
			newest.Told = newest.Told.first(m)
		}
	}
	newest.bound(t.larger)
	v.touch()
}

// first returns the earlier of two moments, never being later than any.
func (m Mark) first(o Mark) Mark {
	if m.Seq == 0 || o.Seq != 0 && o.Seq < m.Seq {
		return o
	}
	return m
}

// larger is [later], or its mutant.
func (t *Track) larger(a, b *Entry) bool {
	if t.mutant == smallerSeq {
		return a.Seq < b.Seq
	}
	return later(a, b)
}

// push makes v the newest view. A newest view on whose version nothing was ever shown or written gives way to it: all
// it says is said by the view before it and the commit between. Over the bound the oldest view goes.
func (t *Track) push(v View) {
	v.Version.hold()
	v.Version.newest++
	if n := t.newest(); n != nil {
		n.Version.newest--
		if n.Direct.Seq == 0 {
			n.Version.release()
			t.views = t.views[:len(t.views)-1]
		}
	}
	if len(t.views) == viewsMax {
		t.views[0].Version.release()
		t.views = append(t.views[:0], t.views[1:]...)
	}
	t.views = append(t.views, v)
}

// evicted returns how many of the oldest views go when a view on cur is pushed.
func (t *Track) evicted(cur *Version) int {
	n := t.newest()
	if len(t.views) == viewsMax && !same(n.Version, cur) && n.Direct.Seq != 0 {
		return 1
	}
	return 0
}

// Renumber records that the session was told where lines it knows stand now, as spans of the newest view's version: the
// moved lines of a [Verdict]. They may be called by number from then on. It credits nothing.
func (t *Track) Renumber(v *Version, lines []span.Lines) {
	n := t.newest()
	if n == nil || !same(n.Version, v) {
		return
	}
	var out []Entry
	told := span.Set[span.Slot]{}
	for _, l := range lines {
		told = told.With(v.Shown(l))
	}
	for _, e := range n.Entries {
		if !e.Moved {
			out = append(out, e)
			continue
		}
		for _, s := range told.Intersect(e.Slots).Spans() {
			known := e
			known.Slots, known.Moved = s, false
			out = append(out, known)
		}
		for _, s := range told.Missing(e.Slots).Spans() {
			e.Slots = s
			out = append(out, e)
		}
	}
	n.Entries = out
	n.bound(t.larger)
}

// Clear forgets everything, as after the session's own delete.
func (t *Track) Clear() {
	t.keepViews(func(*View) bool { return false })
	t.columns, t.own = nil, nil
}

// keepViews drops the views for which keep answers false.
func (t *Track) keepViews(keep func(*View) bool) {
	if n := t.newest(); n != nil {
		n.Version.newest--
	}
	out := t.views[:0]
	for i := range t.views {
		if keep(&t.views[i]) {
			out = append(out, t.views[i])
		} else {
			t.views[i].Version.release()
		}
	}
	clear(t.views[len(out):])
	t.views = out
	if n := t.newest(); n != nil {
		n.Version.newest++
	}
}

// Clone returns a track that knows the same and shares nothing that is changed. A file that is moved takes the clone, or
// the track itself, to its new name: nothing is widened. The clone holds versions of its own; see [Track].
func (t *Track) Clone() *Track {
	c := &Track{epoch: t.epoch, mutant: t.mutant, own: append([]ownEdit(nil), t.own...)}
	c.views = append([]View(nil), t.views...)
	for i := range c.views {
		c.views[i].Entries = append([]Entry(nil), c.views[i].Entries...)
		c.views[i].Version.hold()
	}
	if n := c.newest(); n != nil {
		n.Version.newest++
	}
	for h, p := range t.columns {
		if c.columns == nil {
			c.columns = map[content.Hash]*partialLine{}
		}
		c.columns[h] = p.clone()
	}
	return c
}

// Rewind drops what was shown or written by calls for which keep answers false, and puts the rest into epoch. keep must
// answer false for every call after one for which it answers false: what two calls made known together goes with the
// later one.
func (t *Track) Rewind(keep func(CallID) bool, epoch Epoch) {
	t.epoch = max(t.epoch, epoch)
	for i := range t.views {
		t.views[i].rewind(keep, t.epoch)
	}
	first := true
	t.keepViews(func(v *View) bool {
		if len(v.Entries) == 0 || v.undone && !first {
			return false
		}
		if v.undone { // it alone knows these lines, but not by which numbers the session does
			for k := range v.Entries {
				v.Entries[k].Moved, v.Entries[k].Carried = true, true
			}
			v.undone = false
		}
		first = false
		return true
	})
	for hash, p := range t.columns {
		p.keep(keep, t.epoch)
		if len(p.pieces) == 0 {
			delete(t.columns, hash)
		}
	}
	own := t.own[:0]
	for _, o := range t.own {
		if keep(o.call) {
			own = append(own, o)
		}
	}
	t.own = own
}

// rewind is [Track.Rewind] of one view. The view is undone where nothing is left that was shown or written on its own
// version: the view before it, and the commits or changes between, say all that it still says.
func (v *View) rewind(keep func(CallID) bool, epoch Epoch) {
	v.Entries = keepEntries(v.Entries, keep, epoch)
	direct := v.Direct.Seq != 0
	for _, m := range []*Mark{&v.Direct, &v.Told} {
		if m.Seq != 0 && !keep(m.Call) {
			*m = Mark{}
		}
	}
	v.undone = direct && v.Direct.Seq == 0
}

func keepEntries(es []Entry, keep func(CallID) bool, epoch Epoch) []Entry {
	out := es[:0]
	for _, e := range es {
		if keep(e.Call) {
			e.Epoch = epoch
			out = append(out, e)
		}
	}
	return out
}

// Fork returns what a conversation knows that was forked from this one behind the call upTo.
func (t *Track) Fork(upTo CallID, epoch Epoch) *Track {
	f := t.Clone()
	f.Rewind(func(c CallID) bool { return c <= upTo }, epoch)
	return f
}

// DropLive records that the conversation was compacted: what was shown so far left its live context. It is known all
// the same; only a strict session, and a whole-file write, ask for live text.
func (t *Track) DropLive() {
	for i := range t.views {
		v := &t.views[i]
		for k := range v.Entries {
			v.Entries[k].Compacted = true
		}
		entries := v.Entries
		v.Entries = nil
		for _, e := range entries {
			v.add(e)
		}
		v.bound(t.larger)
	}
	for _, p := range t.columns {
		for i := range p.pieces {
			p.pieces[i].entry.Compacted = true
		}
	}
}

// Entries returns how many entries the views have together.
func (t *Track) Entries() int {
	n := 0
	for i := range t.views {
		n += len(t.views[i].Entries)
	}
	return n
}
