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
	"github.com/sightline-io/sightline/internal/journal"
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
	plan, err := edit.Create(r.Text)
	if err != nil {
		return nil, err
	}
	if !r.Expect.IsZero() {
		return nil, &fault.Error{Code: fault.Invalid, Field: "expect", Message: "create expects that there is no file; a version is expected with mode replace"}
	}
	name, err := c.admit(r.Path, scope.Write)
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
	after := content.CaptureOf(plan.After)
	after.Text().Settle()
	in := &journal.Intent{Change: journal.Written, Name: name.String(), Key: key.String()}
	if err := w.journalIntent(c, false, in, w.versions.Absent(), w.version(after), content.Absent(), after); err != nil {
		return nil, err
	}
	swapped, err := w.fs.Swap(name, disk.Absent(), plan.After, w.swapOptions(true))
	if err != nil {
		w.journalUndone(c)
	}
	if fault.CodeOf(err) == fault.Exists {
		if found, ferr := c.capture(ctx, r.Path, scope.Write); ferr == nil {
			return nil, c.exists(r, found)
		}
	}
	if err != nil {
		return nil, err
	}
	return c.bookWhole(swapped, swapped.Name.Key(w.root), content.Absent(), after), nil
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
	result  *content.Capture // of what is being written
	verdict evidence.Verdict
	ask     bool // only asked about: the text is not known, so it is never the text that is there
}

func (c *call) replace(ctx context.Context, r WriteRequest) (*WriteAnswer, error) {
	j := &wholeJob{call: c, r: r}
	defer c.hold(r.Path)()
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	if j.plan.Noop {
		return j.unchanged(), nil
	}
	key := j.key
	swapped, err := j.swap()
	if fault.CodeOf(err) == fault.Conflict {
		// Nothing is carried over for a whole file: it is judged again on what is there now.
		if err = j.prepare(ctx); err != nil {
			return nil, err
		}
		if j.key != key {
			return nil, j.unstable() // a link leads to another file now, whose lock is not held
		}
		if !j.plan.Noop {
			swapped, err = j.swap()
		}
		if fault.CodeOf(err) == fault.Conflict {
			return nil, j.unstable()
		}
		if j.plan.Noop {
			return j.unchanged(), nil // somebody else wrote the very same
		}
	}
	if fault.CodeOf(err) == fault.Missing {
		return nil, c.gone(r.Path, err)
	}
	if err != nil {
		return nil, err
	}
	return c.bookWhole(swapped, j.key, j.found.Capture, j.result), nil
}

// unchanged answers a write of what is there already.
func (j *wholeJob) unchanged() *WriteAnswer {
	ref := j.found.Capture.Ref()
	j.note(receipt.Receipt{Name: j.found.Name, Before: ref, After: ref})
	return &WriteAnswer{Path: j.found.Name.String(), Before: ref, After: ref, Lines: j.found.Capture.Text().Lines(),
		Noop: true, Durability: j.s.ws.opt.Durability}
}

func (j *wholeJob) unstable() error {
	return &fault.Error{Code: fault.Conflict, Cure: &fault.Cure{Next: &fault.Next{Tool: "write", Same: true}},
		Message: fmt.Sprintf("%s keeps changing while it is written; nothing was changed. Send the same call again.", j.r.Path)}
}

func (j *wholeJob) prepare(ctx context.Context) error {
	r, w := j.r, j.s.ws
	if err := edit.ShapeText(r.Text); err != nil {
		return err
	}
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
	if j.plan, err = edit.Whole(found.Capture.Text(), r.Text, r.AsGiven); err != nil {
		return err
	}
	if !r.Expect.IsZero() && r.Expect != found.Capture.Ref() {
		return j.unexpected(refused{path: r.Path, key: j.key, capture: found.Capture, digest: r.digest()})
	}
	cur := w.version(found.Capture)
	j.s.settle(j.boundary)
	w.mu.Lock()
	j.verdict = evidence.Judge(j.s.peek(j.key), w.history(j.key), cur, j.evidenceCall(j.boundary))
	w.mu.Unlock()
	if j.verdict.Allow {
		return nil
	}
	return j.refuse(refused{path: r.Path, key: j.key, capture: found.Capture, verdict: j.verdict, digest: r.digest(), again: j.again})
}

func (j *wholeJob) evidenceCall(boundary evidence.Seq) evidence.Call {
	return evidence.Call{Kind: evidence.KindReplace, Noop: j.plan.Noop && !j.ask, Boundary: boundary, Strict: j.s.ws.opt.Profile == Strict, Waived: j.isWaived()}
}

func (j *wholeJob) again(t *evidence.Track) bool {
	cur := j.s.ws.version(j.found.Capture)
	j.s.ws.mu.Lock()
	defer j.s.ws.mu.Unlock()
	return evidence.Judge(t, j.s.ws.history(j.key), cur, j.evidenceCall(forever)).Allow
}

func (j *wholeJob) swap() (disk.Swapped, error) {
	w, c := j.s.ws, j.found.Capture
	j.result = content.CaptureOf(j.plan.After)
	j.result.Text().Settle()
	in := &journal.Intent{Change: journal.Written, Name: j.found.Name.String(), Key: j.key.String()}
	if err := w.journalIntent(j.call, false, in, w.version(c), w.version(j.result), c, j.result); err != nil {
		return disk.Swapped{}, err
	}
	swapped, err := w.fs.Swap(j.found.Name, disk.Exactly(c.Ref()).Holding(c.Text().Raw()), j.plan.After, w.swapOptions(false))
	if err != nil {
		w.journalUndone(j.call)
	}
	return swapped, err
}

// bookWhole writes down a whole-file write: every line of it is the session's own. Other sessions get no edge from it,
// because which old line became which new one is not known; what they saw is carried by content.
func (c *call) bookWhole(swapped disk.Swapped, key scope.Key, before, written *content.Capture) *WriteAnswer {
	w := c.s.ws
	after := w.version(written)
	w.files.Keep(swapped.Name, written)
	w.mu.Lock()
	seq, now := w.next(), w.opt.Clock()
	c.s.times.mark(seq, now)
	c.s.author(key, after, seq, c.epoch, c.id)
	c.s.spendWaiver(swapped.Name)
	actual := scope.Name{}
	if before.IsAbsent() {
		actual = swapped.Name // by way of a link to a folder it may be another than was asked for
	}
	w.journalDone(c, actual, seq, now, swapped)
	w.mu.Unlock()
	w.flush()
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
	defer c.hold(r.Path)()
	for try := 0; ; try++ {
		found, _, err := c.deletable(ctx, r, r.digest())
		if err != nil {
			return nil, err
		}
		spelled, err := c.admit(r.Path, scope.Write)
		if err != nil {
			return nil, err
		}
		ref := found.Capture.Ref()
		err = c.unlink(spelled, found)
		if fault.CodeOf(err) == fault.Conflict && try == 0 {
			continue
		}
		if fault.CodeOf(err) == fault.Conflict {
			return nil, &fault.Error{Code: fault.Conflict, Cure: &fault.Cure{Next: &fault.Next{Tool: "delete", Same: true}},
				Message: fmt.Sprintf("%s keeps changing; it was not deleted. Send the same call again.", r.Path)}
		}
		if fault.CodeOf(err) == fault.Missing {
			return nil, c.gone(r.Path, err)
		}
		if err != nil {
			return nil, err
		}
		c.note(receipt.Receipt{Name: spelled, Before: ref})
		return &DeleteAnswer{Path: spelled.String(), Before: ref}, nil
	}
}

// unlink removes the name under its lock.
func (c *call) unlink(name scope.Name, found *source.Found) error {
	w := c.s.ws
	file := name == found.Name // of a link the file that it leads to is still there
	if file {
		v := w.version(found.Capture)
		in := &journal.Intent{Change: journal.Deleted, Name: name.String(), Key: name.Key(w.root).String()}
		if err := w.journalIntent(c, true, in, v, w.versions.Absent(), found.Capture, content.Absent()); err != nil {
			return err
		}
	}
	_, err := w.fs.Remove(name, disk.Exactly(found.Capture.Ref()).Holding(found.Capture.Text().Raw()), w.swapOptions(false))
	switch {
	case !file:
	case err != nil:
		w.journalUndone(c)
	default:
		c.deleted(found)
	}
	return err
}

// deleted forgets what the session knows of a name that it deleted itself: what appears there later is unseen. Other
// names of the file keep what is known under them.
func (c *call) deleted(found *source.Found) {
	w := c.s.ws
	own := found.Name.Key(w.root)
	w.mu.Lock()
	if t := c.s.tracks[own]; t != nil {
		t.Clear()
		delete(c.s.tracks, own)
	}
	delete(c.s.cursors, own)
	delete(c.s.refusals, own)
	id := inode{found.Info.Stamp.Dev, found.Info.Stamp.Ino}
	if w.inodes[id] == found.Name {
		w.meet(id, scope.Name{})
	}
	w.journalDone(c, scope.Name{}, w.next(), w.opt.Clock(), disk.Swapped{})
	w.mu.Unlock()
	w.recordEnd()
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
	if err == nil {
		err = c.lands(to, r.To, scope.Write)
	}
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
		if c.s.ws.overlays.Has(to) {
			return nil, r.To, fault.Newf(fault.DirtyBuffer, r.To, "An editor holds an unsaved buffer of %s. Ask for it to be saved or discarded.", r.To)
		}
		warned, err := c.rename(from, to, found)
		switch fault.CodeOf(err) {
		case "":
			ref := found.Capture.Ref()
			c.note(receipt.Receipt{Name: from, To: to, Before: ref, After: ref})
			return &MoveAnswer{From: from.String(), To: to.String(), Ref: ref, Warnings: warned}, "", nil
		case fault.Conflict:
			if try == 0 {
				continue
			}
			return nil, r.From, &fault.Error{Code: fault.Conflict, Cure: &fault.Cure{Next: &fault.Next{Tool: "move", Same: true}},
				Message: fmt.Sprintf("%s keeps changing; it was not moved. Send the same call again.", r.From)}
		case fault.Exists:
			f := fault.Newf(fault.Exists, r.To, "%s exists already; a move never lands on a file. Choose another name, or delete it first.", r.To)
			f.Cure = &fault.Cure{Next: &fault.Next{Tool: "read", Path: r.To}}
			if info, err := c.s.ws.fs.Stat(to); err != nil || info.Kind != disk.Regular || c.s.ws.policy.Check(info.Name, scope.Read) != nil {
				f.Cure.Next = &fault.Next{Tool: "list", Path: c.parentOf(to)}
			}
			return nil, r.To, f
		}
		if f := asFault(err); f.Path == to.String() {
			return nil, r.To, err
		}
		if fault.CodeOf(err) == fault.Missing {
			err = c.gone(r.From, err)
		}
		return nil, r.From, err
	}
}

// rename moves the file and re-keys what every session knows of it. It returns the warnings.
func (c *call) rename(from, to scope.Name, found *source.Found) ([]string, error) {
	w := c.s.ws
	fromKey, toKey := found.Name.Key(w.root), to.Key(w.root)
	unlock := w.paths.lock(w.key(found), toKey)
	defer unlock()
	v := w.version(found.Capture)
	in := &journal.Intent{Change: journal.Moved, Name: from.String(), Key: fromKey.String(), To: to.String(), ToKey: toKey.String()}
	if err := w.journalIntent(c, true, in, v, v, found.Capture, found.Capture); err != nil {
		return nil, err
	}
	swapped, err := w.fs.Move(from, to, disk.Exactly(found.Capture.Ref()).Holding(found.Capture.Text().Raw()), w.swapOptions(false))
	if err != nil {
		w.journalUndone(c)
		return nil, err
	}
	if !swapped.Name.IsZero() {
		to, toKey = swapped.Name, swapped.Name.Key(w.root) // by way of a link to a folder
	}
	w.files.Keep(to, found.Capture)
	c.s.settle(c.boundary)
	for _, s := range w.all() {
		s.settle(0) // what was shown under the old name goes with it
	}
	w.mu.Lock()
	if id := (inode{found.Info.Stamp.Dev, found.Info.Stamp.Ino}); w.inodes[id] == found.Name {
		w.meet(id, to)
	}
	w.rekey(fromKey, toKey)
	w.journalDone(c, to, w.next(), w.opt.Clock(), swapped)
	w.mu.Unlock()
	w.recordEnd()
	return swapped.Warnings, nil
}

// rekey takes what is known of a file to its new name; the caller holds the evidence lock. It is the same for a move
// that happens and for one that is resumed.
func (w *Workspace) rekey(from, to scope.Key) {
	if from == to {
		return
	}
	for _, s := range w.sessions {
		s.moved(from, to)
	}
	if h := w.histories[to]; h != nil {
		h.Clear()
	}
	delete(w.histories, to)
	if h := w.histories[from]; h != nil {
		w.histories[to] = h
		delete(w.histories, from)
	}
}

// moved takes what the session knows to the new name and forgets what it knew of a file that was there before; the
// caller holds the evidence lock.
func (s *Session) moved(from, to scope.Key) {
	if old := s.tracks[to]; old != nil {
		old.Clear()
		delete(s.tracks, to)
	}
	if t := s.tracks[from]; t != nil {
		s.tracks[to] = t
		delete(s.tracks, from)
	}
	for _, k := range []scope.Key{from, to} {
		delete(s.cursors, k)
		delete(s.refusals, k)
	}
}
