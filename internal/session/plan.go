package session

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/source"
	"github.com/sightline-io/sightline/internal/span"
)

// Plan is an edit that was located and admitted, and not yet made. It holds no lock: a person may be asked about it,
// and Commit looks again. It may be committed once.
type Plan struct {
	*call
	req     EditRequest
	found   *source.Found
	key     scope.Key
	located *edit.Plan
	result  *content.Capture // of what is being written
	splices span.Splices     // what that does to the text of the lines
	ops     []edit.Op        // the call's edits, those by numbers with the numbers of now
	seen    []span.Lines     // for each edit by numbers, the lines the call named
	verdict evidence.Verdict
	created *WriteRequest // the edit creates an absent file; found, key and located are not set then
	spent   *atomic.Bool
}

// Path returns the root-relative path of the file.
func (p *Plan) Path() string {
	if p.created != nil {
		name, err := p.name(p.req.Path)
		if err != nil {
			return p.req.Path // admitted when it was planned: this cannot be
		}
		return name.String()
	}
	return p.found.Name.String()
}

// Before returns the text of the file as it was when the edit was planned, and After the text it will have; both are
// decoded and not to be changed. A file that the edit creates has none before.
func (p *Plan) Before() []byte {
	if p.created != nil {
		return nil
	}
	return p.found.Capture.Text().Body()
}

// After returns the text the file will have.
func (p *Plan) After() []byte {
	if p.created != nil {
		return []byte(p.created.Text)
	}
	return content.Decode(p.located.After).Body()
}

// Plan locates the edits of one file in one capture of it and judges them. Nothing is changed. Codes: every refusal
// that Edit has; io, cancelled.
func (s *Session) Plan(ctx context.Context, r EditRequest) (*Plan, error) {
	if r.Delivery == nil {
		r.Delivery, r.auto = &Delivery{}, true
	}
	c := s.begin("edit", r.Meta)
	defer c.end()
	p, err := c.plan(ctx, r)
	if err != nil {
		return nil, c.failAt(err, r.Path)
	}
	return p, nil
}

// failAt is fail for a path that may not have been admitted.
func (c *call) failAt(err error, path string) error {
	name, _ := c.name(path)
	return c.fail(err, path, name)
}

func (c *call) plan(ctx context.Context, r EditRequest) (*Plan, error) {
	if err := edit.Shape(r.Edits); err != nil {
		return nil, err
	}
	defer c.hold(r.Path)()
	found, err := c.capture(ctx, r.Path, scope.Write)
	if fault.CodeOf(err) == fault.Missing {
		return c.planCreate(ctx, r, err)
	}
	if err != nil {
		return nil, err
	}
	if err := c.writable(found, r.Path); err != nil {
		return nil, err
	}
	p := &Plan{call: c, req: r, found: found, key: c.s.ws.key(found), spent: &atomic.Bool{}}
	if err := p.locate(); err != nil {
		return nil, err
	}
	return p, nil
}

// planCreate turns the one edit that may meet an absent file, an empty old text, into a create.
func (c *call) planCreate(ctx context.Context, r EditRequest, missing error) (*Plan, error) {
	if len(r.Edits) == 1 && r.Expect.IsZero() {
		if e, ok := r.Edits[0].(edit.Replace); ok && e.Old == "" && !e.All {
			if _, err := edit.Create(e.New); err != nil {
				return nil, err
			}
			return &Plan{call: c, req: r, spent: &atomic.Bool{},
				created: &WriteRequest{Path: r.Path, Text: e.New, Mode: Create, Meta: c.meta}}, nil
		}
	}
	return nil, c.gone(r.Path, missing)
}

// gone answers an edit of a file that is not there.
func (c *call) gone(spelled string, missing error) error {
	name, err := c.name(spelled)
	if err != nil {
		return err
	}
	c.s.settle(c.boundary)
	c.s.ws.mu.Lock()
	known := c.s.peek(name.Key(c.s.ws.root)).Known()
	c.s.ws.mu.Unlock()
	c.sawAbsent(name)
	f := *asFault(missing)
	f.Message = fmt.Sprintf("%s does not exist.", spelled)
	if known {
		f.Message = fmt.Sprintf("%s was deleted since you read it.", spelled)
	}
	f.Message += " If it should exist, create it with write and mode create."
	f.Missing, f.Drifted = nil, nil
	f.Cure = &fault.Cure{Next: &fault.Next{Tool: "list", Path: c.parentOf(name)}}
	return &f
}

// parentOf returns the nearest folder above name that is there, as the caller spells paths.
func (c *call) parentOf(name scope.Name) string {
	for d := name.Dir(); !d.IsZero() && !d.IsRoot(); d = d.Dir() {
		if info, err := c.s.ws.fs.Stat(d); err == nil && info.Kind == disk.Folder {
			return c.spell(d)
		}
	}
	return c.spell(scope.Name{})
}

// spell returns the path by which the caller would name a file or, for the zero Name, the root.
func (c *call) spell(name scope.Name) string {
	to := []string{}
	if !name.IsZero() && !name.IsRoot() {
		to = strings.Split(name.String(), "/")
	}
	var from []string
	if dir := path.Clean(c.meta.Dir); c.meta.Dir != "" && dir != "." {
		from = strings.Split(dir, "/")
	}
	for len(from) > 0 && len(to) > 0 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	return path.Join(strings.Repeat("../", len(from)), path.Join(to...))
}

// locate finds the plan's edits in its capture and judges them.
func (p *Plan) locate() error {
	cur := p.s.ws.version(p.found.Capture)
	p.s.settle(p.boundary)
	ops, seen, err := p.translate(cur)
	if err != nil {
		return err
	}
	p.seen, p.ops = seen, ops
	p.located, err = edit.Locate(p.found.Capture.Text(), ops)
	if err != nil {
		return p.notLocated(err, cur)
	}
	if !p.req.Expect.IsZero() && p.req.Expect != p.found.Capture.Ref() {
		return p.unexpected(refused{path: p.req.Path, key: p.key, capture: p.found.Capture, digest: p.req.digest()})
	}
	p.s.ws.mu.Lock()
	p.verdict = evidence.Judge(p.s.peek(p.key), p.s.ws.history(p.key), cur, p.evidenceCall(p.located, p.boundary))
	p.s.ws.mu.Unlock()
	if p.verdict.Allow {
		return nil
	}
	r := refused{path: p.req.Path, key: p.key, capture: p.found.Capture, verdict: p.verdict, digest: p.req.digest(), again: p.again}
	if len(p.verdict.Moved) > 0 || !slices.Equal(p.ops, p.req.Edits) {
		r.moved = p.renumbered
	}
	return p.refuse(r)
}

// translate moves the edits by line numbers through the session's own edits since the call's boundary.
func (p *Plan) translate(cur *evidence.Version) (ops []edit.Op, seen []span.Lines, err error) {
	ops = p.req.Edits
	seen = make([]span.Lines, len(ops))
	numbered := false
	for i, op := range ops {
		if r, ok := op.(edit.LineRange); ok {
			seen[i], numbered = r.Lines, true
		}
	}
	if !numbered {
		return ops, seen, nil
	}
	p.s.ws.mu.Lock()
	defer p.s.ws.mu.Unlock()
	t, h := p.s.peek(p.key), p.s.ws.history(p.key)
	out := append([]edit.Op(nil), ops...)
	for i, op := range ops {
		r, ok := op.(edit.LineRange)
		if !ok {
			continue
		}
		now, ok := evidence.Translate(t, h, cur, p.boundary, r.Lines)
		if !ok {
			return nil, nil, &fault.Error{Code: fault.Conflict, Drifted: nil, Cure: &fault.Cure{Next: &fault.Next{Tool: "read", Path: p.req.Path}},
				Message: fmt.Sprintf("%s of %s were changed by another edit of this round; read them and send the edit anew.", upper(fault.Ranges([]span.Lines{r.Lines})), p.req.Path)}
		}
		r.Lines = now
		out[i] = r
	}
	return out, seen, nil
}

// evidenceCall puts what was located into the words of evidence.
func (p *Plan) evidenceCall(l *edit.Plan, boundary evidence.Seq) evidence.Call {
	ec := evidence.Call{Kind: evidence.KindEdit, Noop: l.Noop, Boundary: boundary, Strict: p.s.ws.opt.Profile == Strict}
	for _, ch := range l.Changes {
		ec.Needs = append(ec.Needs, need(ch, p.seen[ch.Op]))
	}
	return ec
}

func need(ch edit.Change, seen span.Lines) evidence.Need {
	n := evidence.Need{Lines: ch.Lines, Seen: seen, Class: evidence.Quoted}
	switch ch.Class {
	case edit.Numbered:
		n.Class = evidence.Numbered
	case edit.Anchored:
		n.Class = evidence.Unquoted
	}
	n.Choose = func(held func(span.Slot) bool) evidence.Reading {
		r := ch.Choose(held)
		return evidence.Reading{Splices: r.Splices, Need: r.Need, Columns: r.Columns}
	}
	return n
}

// again reports whether the very same call would be admitted by what t knows.
func (p *Plan) again(t *evidence.Track) bool { return p.wouldAdmit(t, p.req.Edits) }

// wouldAdmit plays a call of these edits, received now, on the plan's capture.
func (p *Plan) wouldAdmit(t *evidence.Track, ops []edit.Op) bool {
	try := Plan{call: p.call, seen: make([]span.Lines, len(ops))}
	for i, op := range ops {
		if r, ok := op.(edit.LineRange); ok {
			try.seen[i] = r.Lines
		}
	}
	located, err := edit.Locate(p.found.Capture.Text(), ops)
	if err != nil {
		return false
	}
	cur := p.s.ws.version(p.found.Capture)
	p.s.ws.mu.Lock()
	defer p.s.ws.mu.Unlock()
	return evidence.Judge(t, p.s.ws.history(p.key), cur, try.evidenceCall(located, forever)).Allow
}

// forever is a boundary that everything lies before.
const forever = ^evidence.Seq(0)

// renumbered returns the call's edits by the numbers their lines have now, if all of them are edits by numbers and the
// judge would admit them by what t knows.
func (p *Plan) renumbered(t *evidence.Track) []fault.LineEdit {
	to := map[span.Line]span.Line{}
	for _, m := range p.verdict.Moved {
		to[m.Seen] = m.Now
	}
	var edits []fault.LineEdit
	var ops []edit.Op
	for i, op := range p.ops {
		r, ok := op.(edit.LineRange)
		if !ok {
			return nil
		}
		if now, told, ok := moveLines(p.seen[i], to); !ok {
			return nil
		} else if told {
			r.Lines = now
		}
		ops = append(ops, r)
		edits = append(edits, fault.LineEdit{Lines: r.Lines, New: r.New})
	}
	if !p.wouldAdmit(t, ops) {
		return nil
	}
	return edits
}

// moveLines returns where the lines l stand now, if they still stand together and in order; told says whether to knows
// of any of them.
func moveLines(l span.Lines, to map[span.Line]span.Line) (now span.Lines, told, ok bool) {
	if l.Empty() {
		if at, ok := to[l.From]; ok {
			return span.Of(at, at), true, true
		}
		at, ok := to[l.From-1]
		return span.Of(at+1, at+1), ok, true
	}
	at := func(i span.Line) span.Line {
		if now, ok := to[i]; ok {
			told = true
			return now
		}
		return i
	}
	first := at(l.From)
	for i := l.From; i < l.To; i++ {
		if at(i) != first+(i-l.From) {
			return l, true, false
		}
	}
	return span.Of(first, first+span.Line(l.Len())), told, true
}

// notLocated turns a location that failed into the refusal that helps most.
func (p *Plan) notLocated(err error, cur *evidence.Version) error {
	f := asFault(err)
	var d *edit.LocateDetail
	if !errors.As(f.Err, &d) {
		return f
	}
	switch f.Code {
	case fault.NotFound:
		return p.notFound(f, d, cur)
	case fault.Ambiguous:
		return p.ambiguous(f, d, cur)
	}
	return f
}
