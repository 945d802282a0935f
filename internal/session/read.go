package session

import (
	"context"
	"fmt"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/reader"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/source"
	"github.com/sightline-io/sightline/internal/span"
)

// IdentityMax is the size in bytes up to which an inspection or a range names the version it shows. Larger files are
// shown as windows without a ref; what was shown of them is evidence all the same.
const IdentityMax = 256 << 10

// cursor is where a read goes on. It works once, for the session, path and version it was issued for.
type cursor struct {
	token   string
	display string
	capture *content.Capture // nil for a file beyond the capture bound
	intent  Intent
	want    []span.Lines
	at      reader.Position
	issued  uint64
}

// readJob is a read with its request made explicit.
type readJob struct {
	*call
	path   string // the caller's spelling
	name   scope.Name
	intent Intent
	want   []span.Lines
	at     reader.Position
	cursor *cursor
}

// Read shows one page of a file. Codes: invalid, outside-root, denied, not-regular, missing, cursor,
// changed-since-page; io, cancelled.
func (s *Session) Read(ctx context.Context, r ReadRequest) (*Page, error) {
	return recorded(ctx, s, "read", r.Meta, r.digest, func(m Meta) (*Page, error) {
		c := s.begin("read", m)
		defer c.end()
		p, name, err := c.read(ctx, r)
		if err != nil {
			return nil, c.fail(err, r.Path, name)
		}
		return p, nil
	})
}

func (c *call) read(ctx context.Context, r ReadRequest) (*Page, scope.Name, error) {
	j := &readJob{call: c, path: r.Path, intent: r.Intent, want: r.Lines}
	if err := j.check(r); err != nil {
		return nil, scope.Name{}, err
	}
	found, err := c.capture(ctx, r.Path, scope.Read)
	if err != nil {
		name, _ := c.name(r.Path)
		if fault.CodeOf(err) == fault.Missing {
			c.sawAbsent(name)
		}
		return nil, name, err
	}
	j.name = found.Name
	if r.Cursor != "" {
		if err := j.resume(found, r.Cursor); err != nil {
			return nil, j.name, err
		}
	}
	if found.Capture == nil {
		p, err := j.window(ctx, found)
		return p, j.name, err
	}
	p, err := j.page(found)
	return p, j.name, err
}

// check settles intent and lines.
func (j *readJob) check(r ReadRequest) error {
	bad := func(field, message string) error {
		return &fault.Error{Code: fault.Invalid, Field: field, Message: message}
	}
	if r.Cursor != "" && (r.Intent != "" || len(r.Lines) > 0) {
		return bad("cursor", "a cursor is given with the path alone; it knows the lines")
	}
	for i, l := range r.Lines {
		if l.From < 0 || l.To <= l.From {
			return bad("lines", "a range of lines must hold at least one line")
		}
		if i > 0 && l.From < r.Lines[i-1].To {
			return bad("lines", "ranges of lines must be in order and must not overlap")
		}
	}
	switch r.Intent {
	case "":
		j.intent = Inspect
		if len(r.Lines) > 0 {
			j.intent = Range
		}
	case Inspect, Full:
		if len(r.Lines) > 0 && r.Intent == Full {
			return bad("intent", "a full read takes no lines; use the intent range for a part")
		}
		if len(r.Lines) > 0 {
			j.intent = Range
		}
	case Range:
		if len(r.Lines) == 0 {
			return bad("intent", "the intent range needs lines: first and last, or lines")
		}
	default:
		return bad("intent", "the intents are inspect, range and full")
	}
	return nil
}

// resume takes the cursor of that token for found.
func (j *readJob) resume(found *source.Found, token string) error {
	w := j.s.ws
	key := w.key(found)
	w.mu.Lock()
	cur := j.s.cursors[key]
	w.mu.Unlock()
	if cur == nil || cur.token != token {
		return j.spentCursor(token)
	}
	j.cursor, j.intent, j.want, j.at = cur, cur.intent, cur.want, cur.at
	if same := sameCapture(cur.capture, found.Capture); !same {
		return &fault.Error{Code: fault.ChangedSincePage, Cure: startOver(j.path, cur.want, cur.intent),
			Message: fmt.Sprintf("%s changed since the page that this cursor continues; start the read over", j.path)}
	}
	return nil
}

func sameCapture(a, b *content.Capture) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || a.Ref() == b.Ref()
}

// startOver is the cure of a cursor that cannot go on: the read it belonged to, where that is known.
func startOver(path string, want []span.Lines, intent Intent) *fault.Cure {
	n := &fault.Next{Tool: "read", Path: path, Full: intent == Full}
	if intent == Range {
		n.Lines = want
	}
	return &fault.Cure{Next: n}
}

// page shows a page of a captured file.
func (j *readJob) page(found *source.Found) (*Page, error) {
	t := found.Capture.Text()
	n := span.Line(t.Lines())
	want := clamp(j.want, n)
	if j.intent != Range {
		want = []span.Lines{span.Of(0, n)}
	}
	built := reader.Build(t, want, j.at, j.budget())
	p := &Page{
		Path: j.name.String(), Source: found.From.String(), TotalLines: int(n), Text: built.Text, Shown: built.Shown,
		Encoding: t.Encoding(), EOL: t.EOL(), BOM: t.BOM(), FinalNewline: t.FinalNewline(), State: Satisfied,
		Lines: hull(built),
	}
	for _, c := range built.Cuts {
		p.Cut = append(p.Cut, c.Line)
	}
	if len(t.Raw()) <= IdentityMax || j.intent == Full {
		p.ref = found.Capture.Ref
	}
	key := j.s.ws.key(found)
	if built.Next != nil {
		p.More = true
		if err := j.issue(p, key, found.Capture, *built.Next); err != nil {
			return nil, err
		}
		if j.intent != Inspect {
			p.State = NeedsMore
		}
	} else if err := j.spend(key); err != nil {
		return nil, err
	}
	j.delivery.add(&show{s: j.s, key: key, capture: found.Capture, lines: built.Lines, cuts: built.Cuts,
		told: n == 0, origin: evidence.Delivered, epoch: j.epoch, call: j.id})
	p.coverage = func() (covered, missing []span.Lines) { return j.coverage(key, found.Capture, want, built) }
	p.Shown = notices(p, built, found, j.path)
	j.note(receipt.Receipt{Name: j.name, Delivered: built.Lines})
	return p, nil
}

// coverage says what of the version the session holds, with this page's lines counted in. A line that this page cuts is
// not covered by it; it is not missing either once the last of its columns is shown.
func (j *readJob) coverage(key scope.Key, c *content.Capture, want []span.Lines, built *reader.Page) (covered, missing []span.Lines) {
	v := j.s.ws.version(c)
	j.s.settle(j.boundary)
	j.s.ws.mu.Lock()
	defer j.s.ws.mu.Unlock()
	held, track := span.SetOf(built.Lines...), j.s.peek(key)
	for i, f := range evidence.Lines(track, j.s.ws.history(key), v) {
		if f.State != evidence.LineUnseen && f.State != evidence.LineStale {
			held = held.With(span.Of(span.Line(i), span.Line(i+1)))
		}
	}
	if j.intent == Inspect {
		return held.Spans(), nil
	}
	complete := held
	for _, cut := range built.Cuts {
		columns := track.ColumnsOf(v.Skeleton[cut.Line]).With(cut.Shown)
		if columns.Covers(span.Of(0, span.Byte(cut.Len))) {
			complete = complete.With(span.Of(cut.Line, cut.Line+1))
		}
	}
	for _, l := range want {
		missing = append(missing, complete.Missing(l).Spans()...)
	}
	return held.Spans(), missing
}

// issue replaces the session's cursor for key by one that goes on at next.
func (j *readJob) issue(p *Page, key scope.Key, c *content.Capture, next reader.Position) error {
	token, err := j.s.ws.token(cursorBytes)
	if err != nil {
		return err
	}
	w := j.s.ws
	w.mu.Lock()
	defer w.mu.Unlock()
	if j.cursor != nil && j.s.cursors[key] != j.cursor {
		return j.spentCursor(j.cursor.token) // another call with the same cursor was faster
	}
	token += remaining(j.intent, j.want, next)
	j.s.cursors[key] = &cursor{token: token, display: j.path, capture: c, intent: j.intent, want: j.want, at: next, issued: uint64(j.id)}
	if len(j.s.cursors) > cursorsKept {
		oldest := key
		for k, cur := range j.s.cursors {
			if cur.issued < j.s.cursors[oldest].issued {
				oldest = k
			}
		}
		delete(j.s.cursors, oldest)
	}
	p.Cursor = token
	return nil
}

// spend takes the cursor this call used away.
func (j *readJob) spend(key scope.Key) error {
	if j.cursor == nil {
		return nil
	}
	j.s.ws.mu.Lock()
	defer j.s.ws.mu.Unlock()
	if j.s.cursors[key] != j.cursor {
		return j.spentCursor(j.cursor.token)
	}
	delete(j.s.cursors, key)
	return nil
}

// spentCursor refuses a cursor that is not, or not any more, the one to go on with. What it would have gone on with is
// said as lines where the cursor tells, else the read starts over.
func (j *readJob) spentCursor(token string) error {
	f := &fault.Error{Code: fault.Cursor, Cure: startOver(j.path, nil, Inspect),
		Message: fmt.Sprintf("this cursor of %s was used before, or was issued for another file or session, or before a restart; ", j.path)}
	if lines := remainingOf(token); len(lines) > 0 {
		f.Cure.Next.Lines = lines
		f.Message += "go on by line numbers"
	} else {
		f.Message += "start the read over"
	}
	return f
}

func (c *call) budget() int {
	if c.meta.PageBytes > 0 {
		return c.meta.PageBytes
	}
	return c.s.ws.opt.PageBytes
}

// clamp cuts the wanted spans to a text of n lines.
func clamp(want []span.Lines, n span.Line) []span.Lines {
	out := make([]span.Lines, 0, len(want))
	for _, l := range want {
		if l.From < n {
			out = append(out, span.Of(l.From, min(l.To, n)))
		}
	}
	return out
}

// hull returns the span from the first to the last line that the page shows, wholly or in part.
func hull(b *reader.Page) *span.Lines {
	lines := b.Lines
	for _, c := range b.Cuts {
		lines = append(lines[:len(lines):len(lines)], span.Of(c.Line, c.Line+1))
	}
	if len(lines) == 0 {
		return nil
	}
	h := lines[0]
	for _, l := range lines[1:] {
		h = span.Of(min(h.From, l.From), max(h.To, l.To))
	}
	return &h
}

// sawAbsent notes that this answer tells that name is not there.
func (c *call) sawAbsent(name scope.Name) {
	if name.IsZero() || c.meta.NoCure {
		return
	}
	c.delivery.add(&show{s: c.s, key: name.Key(c.s.ws.root), capture: content.Absent(), told: true,
		origin: evidence.Delivered, epoch: c.epoch, call: c.id})
}
