package session

import (
	"context"
	"maps"
	"slices"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// Rules for a resumption. Every record is done again, in order, by the operation that did it first; nothing is hashed
// and no file is looked at but those of commits whose end is not known. What a record speaks of and the log does not
// define is passed over: it costs a cure.

// resumer follows the records of a log.
type resumer struct {
	w       *Workspace
	defined *defined
	intents map[uint64]*journal.Intent
	keys    map[string]scope.Key
	top     uint64 // the largest number met
}

// resume makes the workspace what j records, and goes on recording in it.
func (w *Workspace) resume(ctx context.Context, j *journal.Journal) error {
	r := &resumer{w: w, defined: newDefined(), intents: map[uint64]*journal.Intent{}, keys: map[string]scope.Key{}}
	r.defined.reading = true
	report, err := j.Replay(func(rec journal.Record) error {
		r.apply(rec)
		return nil
	})
	if err != nil {
		return err
	}
	w.seq.Store(r.top)
	w.book = &book{log: j, defined: r.defined, intents: map[uint64]*journal.Intent{}, resumed: report}
	w.book.reserved.Store(r.top)
	if err := w.book.log.Sync(&journal.Reserved{Seq: evidence.Seq(r.top + seqBlock)}); err != nil {
		return err
	}
	w.book.reserved.Store(r.top + seqBlock)
	w.warnResumed(report)
	if report.Gap {
		return w.forget()
	}
	if err := r.conclude(ctx); err != nil {
		return err
	}
	r.defined.written()
	w.book.writing.Lock()
	defer w.book.writing.Unlock()
	if w.book.log.NeedsCompaction() {
		w.compact()
	}
	return nil
}

// warnResumed states what of the record was lost.
func (w *Workspace) warnResumed(r journal.Report) {
	var warnings []receipt.Warning
	for _, c := range []struct {
		is   bool
		name receipt.Warning
	}{{r.Cut > 0, "journal-cut"}, {r.Gap, "journal-gap"}, {r.Aside != "", "journal-set-aside"}} {
		if c.is {
			warnings = append(warnings, c.name)
		}
	}
	if warnings == nil {
		return
	}
	note := w.log.Add(receipt.Receipt{Verb: "resume", At: w.opt.Clock(), Warnings: warnings})
	if w.opt.Receipts != nil {
		w.opt.Receipts(note)
	}
}

// forget drops everything that was shown, in memory and in the log: what was taken back after it is not known. Epochs
// and numbers stay.
func (w *Workspace) forget() error {
	w.mu.Lock()
	for _, s := range w.sessions {
		for _, t := range s.tracks {
			t.Clear()
		}
		clear(s.tracks)
	}
	for _, h := range w.histories {
		h.Clear()
	}
	clear(w.histories)
	w.mu.Unlock()
	w.book.writing.Lock()
	defer w.book.writing.Unlock()
	return w.compact()
}

func (r *resumer) apply(rec journal.Record) {
	r.defined.note(rec)
	switch rec := rec.(type) {
	case *journal.Reserved:
		r.saw(uint64(rec.Seq))
	case *journal.Observed:
		r.observed(rec)
	case *journal.Round:
		if s := r.session(rec.Session); s != nil {
			s.setRound(rec.Round, rec.Boundary)
		}
	case *journal.Intent:
		r.saw(rec.ID)
		r.saw(uint64(rec.Call))
		r.intents[rec.ID] = rec
	case *journal.Done:
		r.saw(uint64(rec.Seq))
		if in := r.intents[rec.ID]; in != nil {
			delete(r.intents, rec.ID)
			if !rec.Failed {
				r.done(in, rec)
			}
		}
	case *journal.Rewound:
		if s := r.session(rec.Session); s != nil {
			s.rewind(rec.UpTo, rec.Epoch)
		}
	case *journal.Sibling:
		if name, err := scope.NameOf(rec.Name); err == nil || rec.Name == "" {
			r.w.setInode(inode{rec.Dev, rec.Ino}, name)
		}
	case *journal.Answered:
		if s := r.session(rec.Session); s != nil {
			s.keep(rec)
		}
	case *journal.Session:
		r.restoreSession(rec)
	case *journal.Track:
		r.restoreTrack(rec)
	case *journal.History:
		if key, ok := r.key(rec.Key); ok {
			r.w.history(key).Restore(rec.Edges, r.version)
		}
	}
}

func (r *resumer) saw(n uint64) { r.top = max(r.top, n) }

// session returns the session of that id, or nil for an id that is none.
func (r *resumer) session(id string) *Session {
	s := r.w.sessions[id]
	if s == nil && checkID(id) == nil {
		s = newSession(r.w, id)
		r.w.sessions[id] = s
	}
	return s
}

// key returns the key that was written as text.
func (r *resumer) key(text string) (scope.Key, bool) {
	if k, ok := r.keys[text]; ok {
		return k, true
	}
	name, err := scope.NameOf(text)
	if err != nil {
		return scope.Key{}, false
	}
	k := name.Key(r.w.root)
	r.keys[text] = k
	return k, true
}

// version returns the version that a record names, or nil where the log did not define it.
func (r *resumer) version(ref string) *evidence.Version {
	if ref == "" {
		return r.w.versions.Absent()
	}
	d := r.defined.get(ref)
	if d == nil {
		return nil
	}
	v, err := r.w.versions.Restore(d.state)
	if err != nil {
		return nil // a record has refs only; see the journal's codec
	}
	return v
}

func (r *resumer) observed(o *journal.Observed) {
	r.saw(uint64(o.Seq))
	r.saw(uint64(o.Call))
	s, v := r.session(o.Session), r.version(o.Version)
	key, ok := r.key(o.Key)
	if s == nil || v == nil || !ok {
		return
	}
	s.calls = max(s.calls, o.Call)
	s.learn(key, v, o)
}

// done does a commit's evidence again.
func (r *resumer) done(in *journal.Intent, d *journal.Done) {
	s := r.session(in.Session)
	from, to := in.Key, in.ToKey
	switch {
	case d.Name == "":
	case in.Change == journal.Moved:
		to = d.Name
	default:
		from = d.Name
	}
	key, ok := r.key(from)
	if s == nil || !ok {
		return
	}
	s.calls = max(s.calls, in.Call)
	s.times.mark(d.Seq, d.At)
	s.remember(in, d)
	r.carryOut(s, key, to, in, d.Seq)
}

// carryOut changes evidence as the commit in did.
func (r *resumer) carryOut(s *Session, key scope.Key, to string, in *journal.Intent, seq evidence.Seq) {
	before, after := r.version(in.Before), r.version(in.After)
	switch in.Change {
	case journal.Edited:
		if before != nil && after != nil {
			e := evidence.Edge{From: before, To: after, Splices: in.Splices, By: s.id, Seq: seq}
			s.rebase(key, e, partially(in.Partial), in.Epoch, in.Call)
		}
	case journal.Written:
		if after != nil {
			s.author(key, after, seq, in.Epoch, in.Call)
		}
	case journal.Deleted:
		s.track(key).Clear()
	case journal.Moved:
		if to, ok := r.key(to); ok {
			r.w.rekey(key, to)
		}
	}
}

func (r *resumer) restoreSession(rec *journal.Session) {
	s := r.session(rec.ID)
	if s == nil {
		return
	}
	s.epoch, s.calls = rec.Epoch, rec.Calls
	r.saw(uint64(rec.Calls))
	for _, m := range rec.Rounds {
		s.setRound(m.Round, m.Boundary)
	}
	for _, m := range rec.Times {
		s.times.mark(m.Seq, m.At)
		r.saw(uint64(m.Seq))
	}
}

func (r *resumer) restoreTrack(rec *journal.Track) {
	s := r.session(rec.Session)
	key, ok := r.key(rec.Key)
	if s == nil || !ok {
		return
	}
	if old := s.tracks[key]; old != nil {
		old.Clear()
	}
	s.tracks[key] = evidence.RestoreTrack(rec.State, r.version)
}

// conclude finds out how the commits ended whose end was not recorded, oldest first: where the file is as the commit
// would have left it, it was made; where the file is as it was before, it was not. A file that is neither was changed by
// somebody else since, and whether by way of our commit nobody can tell: what the commit wrote then counts for calls
// that quote it, as the session's own text, and for nothing else.
func (r *resumer) conclude(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(r.intents)) {
		in := r.intents[id]
		s := r.session(in.Session)
		key, ok := r.key(in.Key)
		if s == nil || !ok {
			continue
		}
		s.calls = max(s.calls, in.Call)
		made, unclear, err := r.ending(ctx, in)
		if err != nil {
			return err
		}
		err = r.w.record(true, func() {
			d := &journal.Done{ID: id, Failed: true}
			switch {
			case made:
				d = &journal.Done{ID: id, Seq: r.w.next(), At: r.w.opt.Clock(), Durability: uint8(r.w.opt.Durability)}
				s.times.mark(d.Seq, d.At)
				s.remember(in, d)
				r.carryOut(s, key, in.ToKey, in, d.Seq)
			case unclear:
				r.quotable(s, key, in)
			}
			r.w.stage(d)
			if unclear {
				r.w.stageTrack(s, key)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ending compares the disk with what a commit meant to do.
func (r *resumer) ending(ctx context.Context, in *journal.Intent) (made, unclear bool, err error) {
	now, err := r.refNow(ctx, in.Name)
	if err != nil {
		return false, false, err
	}
	switch in.Change {
	case journal.Deleted:
		// One that cannot be told takes evidence back: that costs a cure, and the other way might cost a change unseen.
		return now != in.Before, false, nil
	case journal.Moved:
		to, err := r.refNow(ctx, in.To)
		return now == "" && to == in.After && to != "", false, err
	}
	return now == in.After, now != in.After && now != in.Before, nil
}

// refNow returns the keyed ref of what lies at a name now; empty for nothing, and none that any version has for
// something that is no readable file.
func (r *resumer) refNow(ctx context.Context, name string) (string, error) {
	n, err := scope.NameOf(name)
	if err != nil {
		return unreadable, nil
	}
	found, err := r.w.files.Capture(ctx, n)
	switch code := fault.CodeOf(err); {
	case code == fault.Missing:
		return "", nil
	case code == fault.Cancelled:
		return "", err
	case err != nil || found.Capture == nil:
		return unreadable, nil
	}
	return r.w.versionOf(found.Capture.Ref()), nil
}

const unreadable = "unreadable"

// quotable gives the session what the commit in would have written, below everything it was shown: no number is read in
// it, and no whole file is judged by it.
func (r *resumer) quotable(s *Session, key scope.Key, in *journal.Intent) {
	before, after := r.version(in.Before), r.version(in.After)
	if in.Change != journal.Edited && in.Change != journal.Written || after == nil || in.Epoch != s.epoch {
		return
	}
	t := s.track(key)
	written := t.Clone()
	if in.Change == journal.Written || before == nil {
		written.Author(r.w.history(key), after, evidence.Seq(in.ID), in.Epoch, in.Call)
	} else {
		h := r.w.history(key).Clone()
		e := evidence.Edge{From: before, To: after, Splices: in.Splices, By: s.id, Seq: evidence.Seq(in.ID)}
		h.Add(e)
		written.Rebase(h, e, true, partially(in.Partial), e.Seq, in.Epoch, in.Call)
		h.Clear()
	}
	extra := written.State()
	written.Clear()
	if n := len(extra.Views); n == 0 || extra.Views[n-1].Version != in.After {
		return
	}
	view := extra.Views[len(extra.Views)-1]
	view.Direct, view.Told = evidence.Mark{}, evidence.Mark{}
	for i := range view.Entries {
		view.Entries[i].Carried, view.Entries[i].Moved = true, true
	}
	state := t.State()
	if len(state.Views) == 0 {
		// Something must stand above it as the newest view; that there was no file is what a create knew.
		absent := evidence.Entry{Slots: span.WholeFile(0), Seq: evidence.Seq(in.ID), Epoch: in.Epoch, Call: in.Call}
		mark := evidence.Mark{Seq: absent.Seq, Call: in.Call}
		state.Views = []evidence.ViewState{{Entries: []evidence.Entry{absent}, Born: absent.Seq, Direct: mark, Told: mark}}
	}
	top := len(state.Views) - 1
	state.Views = slices.Insert(state.Views, top, view)
	if len(state.Views) > viewsKept {
		state.Views = state.Views[1:]
	}
	t.Clear()
	s.tracks[key] = evidence.RestoreTrack(state, r.version)
}

// viewsKept is how many views one track has.
const viewsKept = 8
