package session

import (
	"context"
	"fmt"
	"slices"

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

// Edit plans the edits of one file and commits them, all or nothing. Codes: invalid, outside-root, denied, not-regular,
// missing, exists, read-only, dirty-buffer, lossy-encoding, not-found, ambiguous, conflict, stale, partial-line, not-seen,
// limit; io, cancelled.
func (s *Session) Edit(ctx context.Context, r EditRequest) (*EditAnswer, error) {
	return recorded(ctx, s, "edit", r.Meta, r.digest, func(m Meta) (*EditAnswer, error) {
		r.Meta = m
		c := s.begin("edit", m)
		defer c.end()
		p, err := c.plan(ctx, r)
		if err != nil {
			return nil, c.failAt(err, r.Path)
		}
		return p.commit(ctx)
	})
}

// Commit makes a planned edit true. What the plan assumed is looked at again under the file's lock: if the file moved
// on, the approved replacements are carried over once and judged again, and nothing else is ever written. A plan made
// before a rewind of the conversation, or committed before, is a conflict. Codes: those of Edit.
//
// Of m the request id, the delivery, the page size and NoCure are used: the boundary stays the plan's.
func (s *Session) Commit(ctx context.Context, p *Plan, m Meta) (*EditAnswer, error) {
	if p.s != s {
		return nil, &fault.Error{Op: "edit", Code: fault.Invalid, Message: "the plan belongs to another session"}
	}
	return recorded(ctx, s, "commit", m, p.req.digest, func(m Meta) (*EditAnswer, error) {
		now, q := *p.call, *p
		now.delivery, now.meta = m.Delivery, m
		now.meta.Dir = p.meta.Dir
		q.call = &now
		defer now.end()
		return q.commit(ctx)
	})
}

func (p *Plan) commit(ctx context.Context) (*EditAnswer, error) {
	if p.spent.Swap(true) {
		return nil, p.failAt(&fault.Error{Code: fault.Conflict, Message: "this plan was committed before; plan the edit again", Cure: p.sameAgain()}, p.req.Path)
	}
	if p.rewound() {
		return nil, p.failAt(&fault.Error{Code: fault.Conflict, Cure: p.sameAgain(), Message: fmt.Sprintf(
			"The conversation went back to an earlier point after this edit of %s was planned. Send it again if it is still wanted.", p.req.Path)}, p.req.Path)
	}
	if p.created != nil {
		w, err := p.create(ctx, *p.created)
		if err != nil {
			return nil, p.failAt(err, p.req.Path)
		}
		whole := span.Of(span.Line(0), span.Line(w.Lines))
		return &EditAnswer{Path: w.Path, After: w.After, Durability: w.Durability, Warnings: w.Warnings,
			Edits: []Changed{{Before: span.Of[span.Line](0, 0), After: whole}}}, nil
	}
	unlock := p.s.ws.paths.lock(p.key)
	defer unlock()
	a, err := p.swap(ctx)
	if err != nil {
		return nil, p.fail(err, p.req.Path, p.found.Name)
	}
	return a, nil
}

// rewound reports whether the conversation went back since the plan was made.
func (p *Plan) rewound() bool {
	p.s.ws.mu.Lock()
	defer p.s.ws.mu.Unlock()
	return p.s.epoch != p.epoch
}

// sameAgain is the cure of a plan that cannot be committed: the call itself, to be judged anew.
func (p *Plan) sameAgain() *fault.Cure {
	return &fault.Cure{Next: &fault.Next{Tool: "edit", Same: true}}
}

// swap writes the plan under the path lock.
func (p *Plan) swap(ctx context.Context) (*EditAnswer, error) {
	if p.located.Noop {
		return p.unchanged(ctx)
	}
	swapped, err := p.write()
	if fault.CodeOf(err) == fault.Conflict {
		if err = p.replan(ctx); err != nil {
			return nil, err
		}
		swapped, err = p.write()
		if fault.CodeOf(err) == fault.Conflict {
			return nil, &fault.Error{Code: fault.Conflict, Cure: p.sameAgain(), Message: fmt.Sprintf(
				"%s keeps changing while it is written; nothing was changed. Send the same call again.", p.req.Path)}
		}
	}
	if fault.CodeOf(err) == fault.Missing {
		return nil, p.gone(p.req.Path, err)
	}
	if err != nil {
		return nil, err
	}
	after := p.book(swapped)
	return p.answer(swapped, after), nil
}

// unchanged answers an edit whose result is what is there. The file is looked at once more, because a plan may have
// waited: what changes nothing then is admitted, and what would change something now was never approved.
func (p *Plan) unchanged(ctx context.Context) (*EditAnswer, error) {
	found, err := p.recapture(ctx)
	if err != nil {
		return nil, err
	}
	if !sameCapture(found.Capture, p.found.Capture) {
		fresh := &Plan{call: p.call, req: p.req, found: found, key: p.key}
		if err := fresh.locate(); err != nil {
			return nil, err
		}
		if !fresh.located.Noop {
			return nil, p.apart()
		}
		p.found, p.located = found, fresh.located
	}
	a := p.answer(disk.Swapped{Durability: p.s.ws.opt.Durability}, p.found.Capture.Ref())
	a.Noop = true
	p.note(receipt.Receipt{Name: p.found.Name, Before: a.Before, After: a.After})
	return a, nil
}

// recapture looks at the file again under its lock.
func (p *Plan) recapture(ctx context.Context) (*source.Found, error) {
	found, err := p.capture(ctx, p.req.Path, scope.Write)
	if fault.CodeOf(err) == fault.Missing {
		return nil, p.gone(p.req.Path, err)
	}
	if err != nil {
		return nil, err
	}
	if err := p.writable(found, p.req.Path); err != nil {
		return nil, err
	}
	if p.s.ws.key(found) != p.key {
		return nil, p.apart() // a link leads elsewhere now
	}
	return found, nil
}

// apart refuses a plan that cannot be carried over.
func (p *Plan) apart() error {
	return &fault.Error{Code: fault.Conflict, Cure: p.sameAgain(), Message: fmt.Sprintf(
		"%s changed between plan and commit, and the lines of this edit do not stand together as they did; nothing was changed. Send the same call to have it judged on the file as it is now.", p.req.Path)}
}

func (p *Plan) write() (disk.Swapped, error) {
	c := p.found.Capture
	w := p.s.ws
	p.result = content.CaptureOf(p.located.After)
	p.result.Text().Settle()
	before := w.version(c)
	p.splices = tight(c.Text(), p.result.Text(), p.verdict.Splices)
	in := &journal.Intent{Change: journal.Edited, Name: p.found.Name.String(), Key: p.key.String(), Splices: p.splices,
		Partial: partial(p.verdict.Readings), Reply: journal.Reply{Edits: p.edits()}}
	if err := w.journalIntent(p.call, false, in, before, w.spliced(before, p.result, p.splices), c, p.result); err != nil {
		return disk.Swapped{}, err
	}
	swapped, err := w.fs.Swap(p.found.Name, disk.Exactly(c.Ref()).Holding(c.Text().Raw()), p.located.After, w.swapOptions(false))
	if err != nil {
		w.journalUndone(p.call)
	}
	return swapped, err
}

// replan carries the approved replacements over to the version that is there now, and judges them again. Text is not
// located a second time: it might be found where nobody meant it.
func (p *Plan) replan(ctx context.Context) error {
	w := p.s.ws
	found, err := p.recapture(ctx)
	if err != nil {
		return err
	}
	if !p.req.Expect.IsZero() && p.req.Expect != found.Capture.Ref() {
		return p.unexpected(refused{path: p.req.Path, key: p.key, capture: found.Capture, digest: p.req.digest()})
	}
	was, is := w.version(p.found.Capture), w.version(found.Capture)
	w.mu.Lock()
	carried, ok := evidence.Transport(w.history(p.key), was, is, p.verdict.Readings)
	w.mu.Unlock()
	fresh := &Plan{call: p.call, req: p.req, found: found, key: p.key}
	var moved *edit.Plan
	if ok {
		moved, err = p.located.Transport(found.Capture.Text(), func(l span.Line) (span.Line, bool) {
			now, ok := carried.Lines[l]
			return now, ok
		})
	}
	if !ok || err != nil {
		return p.torn(fresh, was, is)
	}
	p.found, p.located = found, moved
	w.mu.Lock()
	p.verdict = evidence.Judge(p.s.peek(p.key), w.history(p.key), is, p.evidenceCall(moved, p.boundary))
	w.mu.Unlock()
	if p.verdict.Allow {
		return nil
	}
	return p.refuse(refused{path: p.req.Path, key: p.key, capture: found.Capture, verdict: p.verdict, digest: p.req.digest(), again: p.again})
}

// torn refuses a plan whose lines do not stand together any more: as stale where lines that it touches were changed, with
// what the call owes now where it owes something, and else as a conflict.
func (p *Plan) torn(fresh *Plan, was, is *evidence.Version) error {
	p.s.ws.mu.Lock()
	skeleton := was.Skeleton
	p.s.ws.mu.Unlock()
	var touched []content.Hash
	for _, r := range p.verdict.Readings {
		for _, l := range r.Need.Spans() {
			for s := l.From; s < l.To && len(skeleton) == was.N; s++ {
				if s.IsLine() {
					touched = append(touched, skeleton[s.Line()])
				}
			}
		}
	}
	err := fresh.locate()
	switch fault.CodeOf(err) {
	case fault.Stale, fault.NotSeen, fault.PartialLine, fault.LossyEncoding:
		return err
	}
	if places, by, lost := fresh.gonePlaces(is, touched); lost && err != nil {
		return fresh.stale(places, by, is)
	}
	return p.apart()
}

// book writes down what the commit did to the evidence, and its receipt. It returns the ref of the new version.
func (p *Plan) book(swapped disk.Swapped) content.Ref {
	w := p.s.ws
	c := p.result
	before, after := w.version(p.found.Capture), w.version(c)
	w.files.Keep(swapped.Name, c)
	w.mu.Lock()
	seq, now := w.next(), w.opt.Clock()
	p.s.times.mark(seq, now)
	e := evidence.Edge{From: before, To: after, Splices: p.splices, By: p.s.id, Seq: seq}
	long := longLines(p.found.Capture.Text(), c.Text(), before.Skeleton, p)
	shown := make([]span.Set[span.Byte], len(long))
	for i, l := range long {
		shown[i] = p.s.peek(p.key).ColumnsOf(l.old)
	}
	p.s.rebase(p.key, e, p.verdict.Readings, p.epoch, p.id)
	w.journalDone(p.call, scope.Name{}, seq, now, swapped)
	p.keepColumns(long, shown, after, seq)
	w.mu.Unlock()
	w.flush()
	p.note(receipt.Receipt{Name: p.found.Name, Before: p.found.Capture.Ref(), After: c.Ref(), Touched: results(p.verdict.Splices),
		Durability: receipt.Durability(swapped.Durability.String()), Warnings: warnings(swapped.Warnings)})
	return c.Ref()
}

// rebase takes what every session knows of key through a commit of s; the caller holds the evidence lock. It is the
// same for a commit that happens and for one that is resumed. A commit of an epoch that is over is as somebody else's.
func (s *Session) rebase(key scope.Key, e evidence.Edge, readings []evidence.Reading, epoch evidence.Epoch, call evidence.CallID) {
	h := s.ws.committed(key)
	h.Add(e)
	for _, o := range s.ws.sessions {
		if t := o.tracks[key]; t != nil && o != s {
			t.Rebase(h, e, false, readings, e.Seq, o.epoch, 0)
		}
	}
	s.track(key).Rebase(h, e, epoch == s.epoch, readings, e.Seq, epoch, call)
}

// author credits s with a whole file that it wrote; the caller holds the evidence lock.
func (s *Session) author(key scope.Key, v *evidence.Version, seq evidence.Seq, epoch evidence.Epoch, call evidence.CallID) {
	if epoch == s.epoch {
		s.track(key).Author(s.ws.history(key), v, seq, epoch, call)
	}
}

func warnings(ws []string) []receipt.Warning {
	var out []receipt.Warning
	for _, w := range ws {
		out = append(out, receipt.Warning(w))
	}
	return out
}

func results(ss span.Splices) []span.Lines {
	out := make([]span.Lines, len(ss))
	for i := range ss {
		out[i] = ss.Result(i)
	}
	return out
}

func (p *Plan) answer(swapped disk.Swapped, after content.Ref) *EditAnswer {
	a := &EditAnswer{Path: p.found.Name.String(), Before: p.found.Capture.Ref(), After: after,
		Durability: swapped.Durability, Warnings: swapped.Warnings}
	for _, e := range p.edits() {
		a.Edits = append(a.Edits, Changed(e))
	}
	return a
}

// edits tells where the edits of the call lie before and after, in the call's order.
func (p *Plan) edits() []journal.Edit {
	changes := slices.Clone(p.located.Changes)
	slices.SortStableFunc(changes, func(x, y edit.Change) int { return x.Op - y.Op })
	var out []journal.Edit
	for _, ch := range changes {
		out = append(out, journal.Edit{Before: ch.Lines, After: ch.Result})
	}
	return out
}

// spliced returns the version of a commit's result: the hashes of lines that stayed are taken over, and only what was
// written is hashed.
func (w *Workspace) spliced(before *evidence.Version, after *content.Capture, splices span.Splices) *evidence.Version {
	t := after.Text()
	w.mu.Lock()
	known := before.Skeleton // it may be dropped at any time outside the lock
	w.mu.Unlock()
	if len(known) != before.N || before.N+splices.Delta() != t.Lines() || !splices.Valid(before.N) {
		return w.version(after)
	}
	h := w.hashers.Get().(*content.Hasher)
	skeleton := make([]content.Hash, 0, t.Lines())
	at := span.Line(0)
	for _, sp := range splices {
		skeleton = append(skeleton, known[at:sp.Old.From]...)
		for range sp.New {
			skeleton = append(skeleton, h.Line(t.Line(len(skeleton))))
		}
		at = sp.Old.To
	}
	skeleton = append(skeleton, known[at:]...)
	w.hashers.Put(h)
	ref := w.keyed(after.Ref())
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.versions.Intern(&evidence.Version{Ref: ref, N: t.Lines(), Skeleton: skeleton, Encoding: t.Encoding(), BOM: t.BOM()})
	w.captures.put(after, v)
	return v
}
