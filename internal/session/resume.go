package session

import (
	"context"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
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

// replayer is a recorder that was not read yet.
type replayer interface {
	recorder
	Replay(apply func(journal.Record) error) (journal.Report, error)
}

// resume makes the workspace what j records, and goes on recording in it. A journal that cannot be written is no reason
// not to open: what is seen then is told to count in memory alone, and what must be recorded is not done.
func (w *Workspace) resume(ctx context.Context, j replayer) error {
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
	w.reserveTo(r.top + seqBlock)
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
	fresh := report.Records - report.Dumped
	if w.book.log.NeedsCompaction() || fresh > replayMax && fresh > report.Dumped {
		w.compact() // where it cannot be, the log goes on as it is, which was stated
	}
	return nil
}

// replayMax is how many records may follow what a log was last written anew with before it is written anew: every
// command replays them, and one takes some ten microseconds.
const replayMax = 4096

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
	case *journal.Declined:
		if s := r.session(rec.Session); s != nil && fault.Code(rec.Code).Refusal() {
			s.keepDeclined(rec)
		}
	case *journal.Refused:
		if key, ok := r.key(rec.Key); ok {
			if s := r.session(rec.Session); s != nil {
				s.refusals[key] = rec.Mark
			}
		}
	case *journal.Session:
		r.restoreSession(rec)
	case *journal.Track:
		r.restoreTrack(rec)
	case *journal.History:
		if key, ok := r.key(rec.Key); ok {
			r.w.committed(key).Restore(rec.Edges, r.version)
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
		delete(s.refusals, key)
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
