package session

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/source"
	"github.com/sightline-io/sightline/internal/span"
)

// Write writes a whole file. With mode create the file must be absent, and nothing is owed; with mode replace it must
// be present, and every line of it must have been shown. Codes: invalid, outside-root, denied, not-regular, missing,
// exists, read-only, dirty-buffer, lossy-encoding, stale, needs-full, conflict, limit; io, cancelled.
func (s *Session) Write(ctx context.Context, r WriteRequest) (*WriteAnswer, error) {
	return recorded(ctx, s, "write", r.Meta, r.digest, func(m Meta) (*WriteAnswer, error) {
		r.Meta = m
		c := s.begin("write", m)
		defer c.end()
		var a *WriteAnswer
		var err error
		switch r.Mode {
		case Create:
			a, err = c.create(ctx, r)
		case Replace:
			a, err = c.replace(ctx, r)
		default:
			err = &fault.Error{Code: fault.Invalid, Field: "mode", Message: "the modes are create and replace"}
		}
		if err != nil {
			return nil, c.failAt(err, r.Path)
		}
		return a, nil
	})
}

func (c *call) create(ctx context.Context, r WriteRequest) (*WriteAnswer, error) {
	w := c.s.ws
	name, err := c.admit(r.Path, scope.Write)
	if err != nil {
		return nil, err
	}
	plan, err := edit.Create(r.Text)
	if err != nil {
		return nil, err
	}
	found, err := c.capture(ctx, r.Path, scope.Write)
	switch {
	case err == nil:
		return nil, c.exists(r, found)
	case fault.CodeOf(err) != fault.Missing:
		return nil, err
	}
	if w.overlays.Has(name) {
		return nil, fault.Newf(fault.DirtyBuffer, r.Path, "An editor holds an unsaved buffer of %s. Ask for it to be saved.", r.Path)
	}
	key := name.Key(w.root)
	unlock := w.paths.lock(key)
	defer unlock()
	if err := w.journalIntent(c, name, key, content.Ref{}, content.RefOf(plan.After), nil); err != nil {
		return nil, err
	}
	swapped, err := w.fs.Swap(name, disk.Absent(), plan.After, w.swapOptions(true))
	if fault.CodeOf(err) == fault.Exists {
		if found, ferr := c.capture(ctx, r.Path, scope.Write); ferr == nil {
			return nil, c.exists(r, found)
		}
	}
	if err != nil {
		return nil, err
	}
	return c.bookWhole(swapped, swapped.Name.Key(w.root), content.Absent(), plan), nil
}

// exists refuses to create over a file, and names the two ways on.
func (c *call) exists(r WriteRequest, found *source.Found) error {
	f := fault.Newf(fault.Exists, r.Path, "%s exists already; creating never overwrites. Edit it, or read it and replace it with mode replace.", r.Path)
	f.Cure = &fault.Cure{Next: &fault.Next{Tool: "read", Path: r.Path}}
	return f
}

// wholeJob is a replacement of a whole file under way.
type wholeJob struct {
	*call
	r       WriteRequest
	found   *source.Found
	key     scope.Key
	plan    *edit.Plan
	verdict evidence.Verdict
	ask     bool // only asked about: the text is not known, so it is never the text that is there
}

func (c *call) replace(ctx context.Context, r WriteRequest) (*WriteAnswer, error) {
	j := &wholeJob{call: c, r: r}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	w := c.s.ws
	unlock := w.paths.lock(j.key)
	defer unlock()
	if j.plan.Noop {
		ref := j.found.Capture.Ref()
		c.note(receipt.Receipt{Name: j.found.Name, Before: ref, After: ref})
		return &WriteAnswer{Path: j.found.Name.String(), Before: ref, After: ref, Lines: j.found.Capture.Text().Lines(),
			Noop: true, Durability: w.opt.Durability}, nil
	}
	swapped, err := j.swap()
	if fault.CodeOf(err) == fault.Conflict {
		// Nothing is carried over for a whole file: it is judged again on what is there now.
		if err = j.prepare(ctx); err != nil {
			return nil, err
		}
		if swapped, err = j.swap(); fault.CodeOf(err) == fault.Conflict {
			return nil, &fault.Error{Code: fault.Conflict, Cure: &fault.Cure{Next: &fault.Next{Tool: "write", Same: true}},
				Message: fmt.Sprintf("%s keeps changing while it is written; nothing was changed. Send the same call again.", r.Path)}
		}
	}
	if err != nil {
		return nil, err
	}
	return c.bookWhole(swapped, j.key, j.found.Capture, j.plan), nil
}

func (j *wholeJob) prepare(ctx context.Context) error {
	r, w := j.r, j.s.ws
	found, err := j.capture(ctx, r.Path, scope.Write)
	if fault.CodeOf(err) == fault.Missing {
		return j.gone(r.Path, err)
	}
	if err != nil {
		return err
	}
	if err := j.writable(found, r.Path); err != nil {
		return err
	}
	j.found, j.key = found, w.key(found)
	refusal := refused{path: r.Path, key: j.key, capture: found.Capture, digest: r.digest(), again: j.again}
	if !r.Expect.IsZero() && r.Expect != found.Capture.Ref() {
		return j.unexpected(refusal)
	}
	if j.plan, err = edit.Whole(found.Capture.Text(), r.Text, r.AsGiven); err != nil {
		return err
	}
	cur := w.version(found.Capture)
	j.s.settle(j.boundary)
	w.mu.Lock()
	j.verdict = evidence.Judge(j.s.peek(j.key), w.history(j.key), cur, j.evidenceCall(j.boundary))
	w.mu.Unlock()
	if j.verdict.Allow {
		return nil
	}
	refusal.verdict = j.verdict
	return j.refuse(refusal)
}

func (j *wholeJob) evidenceCall(boundary evidence.Seq) evidence.Call {
	return evidence.Call{Kind: evidence.KindReplace, Noop: j.plan.Noop && !j.ask, Boundary: boundary, Strict: j.s.ws.opt.Profile == Strict}
}

func (j *wholeJob) again(t *evidence.Track) bool {
	cur := j.s.ws.version(j.found.Capture)
	j.s.ws.mu.Lock()
	defer j.s.ws.mu.Unlock()
	return evidence.Judge(t, j.s.ws.history(j.key), cur, j.evidenceCall(forever)).Allow
}

func (j *wholeJob) swap() (disk.Swapped, error) {
	w, c := j.s.ws, j.found.Capture
	if err := w.journalIntent(j.call, j.found.Name, j.key, c.Ref(), content.RefOf(j.plan.After), nil); err != nil {
		return disk.Swapped{}, err
	}
	return w.fs.Swap(j.found.Name, disk.Exactly(c.Ref()).Holding(c.Text().Raw()), j.plan.After, w.swapOptions(false))
}

// bookWhole writes down a whole-file write: every line of it is the session's own. Other sessions get no edge from it,
// because which old line became which new one is not known; what they saw is carried by content.
func (c *call) bookWhole(swapped disk.Swapped, key scope.Key, before *content.Capture, plan *edit.Plan) *WriteAnswer {
	w := c.s.ws
	written := content.CaptureOf(plan.After)
	written.Text().Settle()
	after := w.version(written)
	w.files.Keep(swapped.Name, written)
	w.mu.Lock()
	seq := w.next()
	c.s.times.mark(seq, w.opt.Clock())
	c.s.track(key).Author(w.history(key), after, seq, c.epoch, c.id)
	w.mu.Unlock()
	w.journalDone(c, key, seq, after)
	a := &WriteAnswer{Path: swapped.Name.String(), Before: before.Ref(), After: written.Ref(), Lines: after.N,
		Durability: swapped.Durability, Warnings: swapped.Warnings}
	c.note(receipt.Receipt{Name: swapped.Name, Before: before.Ref(), After: written.Ref(),
		Touched:    []span.Lines{span.Of(span.Line(0), span.Line(after.N))},
		Durability: receipt.Durability(swapped.Durability.String()), Warnings: warnings(swapped.Warnings)})
	return a
}

// Delete removes one regular file. A file the session never saw may be deleted; of one it saw, no change it has not
// seen may be destroyed. Codes: invalid, outside-root, denied, not-regular, missing, read-only, dirty-buffer, stale, conflict,
// limit; io, cancelled.
func (s *Session) Delete(ctx context.Context, r DeleteRequest) (*DeleteAnswer, error) {
	return recorded(ctx, s, "delete", r.Meta, r.digest, func(m Meta) (*DeleteAnswer, error) {
		r.Meta = m
		c := s.begin("delete", m)
		defer c.end()
		a, err := c.remove(ctx, r)
		if err != nil {
			return nil, c.failAt(err, r.Path)
		}
		return a, nil
	})
}

func (c *call) remove(ctx context.Context, r DeleteRequest) (*DeleteAnswer, error) {
	w := c.s.ws
	for try := 0; ; try++ {
		found, key, err := c.deletable(ctx, r, r.digest())
		if err != nil {
			return nil, err
		}
		spelled, err := c.admit(r.Path, scope.Write)
		if err != nil {
			return nil, err
		}
		unlock := w.paths.lock(key)
		ref := found.Capture.Ref()
		_, err = w.fs.Remove(spelled, disk.Exactly(ref).Holding(found.Capture.Text().Raw()), w.swapOptions(false))
		if err == nil {
			w.mu.Lock()
			if found.Info.Links < 2 && spelled == found.Name {
				c.s.track(key).Clear()
			}
			delete(c.s.cursors, key)
			w.mu.Unlock()
			err = w.journalCleared(c.s, key)
		}
		unlock()
		if fault.CodeOf(err) == fault.Conflict && try == 0 {
			continue
		}
		if fault.CodeOf(err) == fault.Conflict {
			return nil, &fault.Error{Code: fault.Conflict, Cure: &fault.Cure{Next: &fault.Next{Tool: "delete", Same: true}},
				Message: fmt.Sprintf("%s keeps changing; it was not deleted. Send the same call again.", r.Path)}
		}
		if err != nil {
			return nil, err
		}
		c.note(receipt.Receipt{Name: found.Name, Before: ref})
		return &DeleteAnswer{Path: spelled.String(), Before: ref}, nil
	}
}

// deletable captures the file and judges its deletion.
func (c *call) deletable(ctx context.Context, r DeleteRequest, digest [sha256.Size]byte) (*source.Found, scope.Key, error) {
	w := c.s.ws
	found, err := c.capture(ctx, r.Path, scope.Write)
	if fault.CodeOf(err) == fault.Missing {
		return nil, scope.Key{}, c.gone(r.Path, err)
	}
	if err == nil {
		err = c.writable(found, r.Path)
	}
	if err != nil {
		return nil, scope.Key{}, err
	}
	key := w.key(found)
	cur := w.version(found.Capture)
	judge := func(t *evidence.Track, b evidence.Seq) evidence.Verdict {
		w.mu.Lock()
		defer w.mu.Unlock()
		return evidence.Judge(t, w.history(key), cur, evidence.Call{Kind: evidence.KindDelete, Boundary: b, Strict: w.opt.Profile == Strict})
	}
	c.s.settle(c.boundary)
	w.mu.Lock()
	t := c.s.peek(key)
	w.mu.Unlock()
	v := judge(t, c.boundary)
	if v.Allow {
		return found, key, nil
	}
	return nil, key, c.refuse(refused{path: r.Path, key: key, capture: found.Capture, verdict: v, digest: digest,
		again: func(t *evidence.Track) bool { return judge(t, forever).Allow }})
}

// Move gives a file another name. It owes nothing, never lands on an existing file, and carries the evidence there was
// and no more. Codes: invalid, outside-root, denied, not-regular, missing, exists, read-only, dirty-buffer, conflict, limit;
// io, cancelled. In a refusal the path is the one at fault.
func (s *Session) Move(ctx context.Context, r MoveRequest) (*MoveAnswer, error) {
	return recorded(ctx, s, "move", r.Meta, r.digest, func(m Meta) (*MoveAnswer, error) {
		c := s.begin("move", m)
		defer c.end()
		a, at, err := c.move(ctx, r)
		if err != nil {
			return nil, c.failAt(err, at)
		}
		return a, nil
	})
}

func (c *call) move(ctx context.Context, r MoveRequest) (a *MoveAnswer, at string, err error) {
	from, err := c.admit(r.From, scope.Write)
	if err != nil {
		return nil, r.From, err
	}
	to, err := c.admit(r.To, scope.Write)
	if err != nil {
		return nil, r.To, err
	}
	for try := 0; ; try++ {
		found, err := c.capture(ctx, r.From, scope.Write)
		if fault.CodeOf(err) == fault.Missing {
			return nil, r.From, c.gone(r.From, err)
		}
		if err != nil {
			return nil, r.From, err
		}
		if found.From == source.Overlay || found.Capture == nil {
			return nil, r.From, c.writable(found, r.From)
		}
		err = c.rename(from, to, found)
		switch fault.CodeOf(err) {
		case "":
			ref := found.Capture.Ref()
			c.note(receipt.Receipt{Name: from, To: to, Before: ref, After: ref})
			return &MoveAnswer{From: from.String(), To: to.String(), Ref: ref}, "", nil
		case fault.Conflict:
			if try == 0 {
				continue
			}
			return nil, r.From, &fault.Error{Code: fault.Conflict, Cure: &fault.Cure{Next: &fault.Next{Tool: "move", Same: true}},
				Message: fmt.Sprintf("%s keeps changing; it was not moved. Send the same call again.", r.From)}
		case fault.Exists:
			f := fault.Newf(fault.Exists, r.To, "%s exists already; a move never lands on a file. Choose another name, or delete it first.", r.To)
			f.Cure = &fault.Cure{Next: &fault.Next{Tool: "read", Path: r.To}}
			return nil, r.To, f
		}
		at := r.From
		if f := asFault(err); f.Path == to.String() {
			at = r.To
		}
		return nil, at, err
	}
}

// rename moves the file and re-keys what every session knows of it.
func (c *call) rename(from, to scope.Name, found *source.Found) error {
	w := c.s.ws
	fromKey, toKey := w.key(found), to.Key(w.root)
	unlock := w.paths.lock(fromKey, toKey)
	defer unlock()
	_, err := w.fs.Move(from, to, disk.Exactly(found.Capture.Ref()).Holding(found.Capture.Text().Raw()), w.swapOptions(false))
	if err != nil || fromKey == toKey {
		return err
	}
	w.files.Keep(to, found.Capture)
	w.mu.Lock()
	for _, s := range w.sessions {
		if t := s.tracks[fromKey]; t != nil {
			s.tracks[toKey] = t
			delete(s.tracks, fromKey)
		} else {
			delete(s.tracks, toKey)
		}
		delete(s.cursors, fromKey)
	}
	w.histories[toKey] = w.history(fromKey)
	delete(w.histories, fromKey)
	w.mu.Unlock()
	return w.journalMoved(fromKey, toKey)
}
