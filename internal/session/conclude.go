package session

import (
	"context"
	"maps"
	"slices"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

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
			r.w.warnUnrecorded() // the intent is left, and the next process finds out again
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
