package session

import (
	"context"
	"errors"
	"sort"

	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// Check tells whether a call would be admitted now, by the same query that would judge it. A no is an answer and not
// an error; it delivers nothing. Codes as errors: invalid; io, cancelled.
func (s *Session) Check(ctx context.Context, r CheckRequest) (*CheckAnswer, error) {
	m := r.Meta
	m.Delivery, m.NoCure = &Delivery{}, true
	c := s.begin("check", m)
	given := 0
	for _, g := range []bool{len(r.Edits) > 0, r.Lines != nil, r.Overwrite, r.Delete} {
		if g {
			given++
		}
	}
	if given > 1 {
		return nil, c.failAt(&fault.Error{Code: fault.Invalid, Field: "edits", Message: "check takes one of edits, lines, overwrite and delete"}, r.Path)
	}
	err := c.wouldAdmit(ctx, r)
	a := &CheckAnswer{Path: r.Path, Allowed: err == nil}
	name, nerr := c.name(r.Path)
	if nerr == nil {
		a.Path = name.String()
	}
	if err == nil {
		c.note(receipt.Receipt{Name: name})
		return a, nil
	}
	err = c.failAt(err, r.Path)
	errors.As(err, &a.Refusal)
	if !a.Refusal.Code.Refusal() {
		return nil, err
	}
	if a.Refusal.Code == fault.Invalid && a.Refusal.Field != "" && given == 0 {
		return nil, err
	}
	return a, nil
}

// wouldAdmit runs the judging half of the verb that the check is about.
func (c *call) wouldAdmit(ctx context.Context, r CheckRequest) error {
	switch {
	case r.Delete:
		_, _, err := c.deletable(ctx, DeleteRequest{Path: r.Path}, digestOf(r.Path))
		return err
	case r.Overwrite:
		return (&wholeJob{call: c, r: WriteRequest{Path: r.Path, Mode: Replace}, ask: true}).prepare(ctx)
	case len(r.Edits) > 0:
		_, err := c.plan(ctx, EditRequest{Path: r.Path, Edits: r.Edits, Meta: c.meta})
		return err
	}
	return c.wouldAdmitLines(ctx, r)
}

// wouldAdmitLines judges an edit by numbers of the lines named, or of all lines. An empty range is an insertion.
func (c *call) wouldAdmitLines(ctx context.Context, r CheckRequest) error {
	lines := span.Of(span.Line(0), OpenEnd)
	if r.Lines != nil {
		lines = *r.Lines
	}
	if lines.To == OpenEnd {
		found, err := c.capture(ctx, r.Path, scope.Write)
		if fault.CodeOf(err) == fault.Missing {
			return c.gone(r.Path, err)
		}
		if err == nil {
			err = c.writable(found, r.Path)
		}
		if err != nil {
			return err
		}
		lines.To = span.Line(found.Capture.Text().Lines())
	}
	op := edit.LineRange{Lines: lines}
	if lines.Empty() {
		op.New = "\n"
	}
	_, err := c.plan(ctx, EditRequest{Path: r.Path, Edits: []edit.Op{op}, Meta: c.meta})
	return err
}

// Seen tells what is known of each line of a file. Codes: those of Read but for cursors.
func (s *Session) Seen(ctx context.Context, r SeenRequest) (*SeenAnswer, error) {
	m := r.Meta
	m.Delivery = &Delivery{}
	c := s.begin("seen", m)
	a, err := c.seen(ctx, r)
	if err != nil {
		return nil, c.failAt(err, r.Path)
	}
	name, _ := c.name(r.Path)
	c.note(receipt.Receipt{Name: name})
	return a, nil
}

func (c *call) seen(ctx context.Context, r SeenRequest) (*SeenAnswer, error) {
	found, err := c.capture(ctx, r.Path, scope.Read)
	if err != nil {
		return nil, err
	}
	if found.Capture == nil {
		return nil, fault.Newf(fault.Limit, r.Path, "%s is too large to be known line by line.", r.Path)
	}
	w := c.s.ws
	key, cur := w.key(found), w.version(found.Capture)
	asked := []*Session{c.s}
	if r.All {
		asked = w.all()
	}
	for _, s := range asked {
		s.settle(c.boundary)
	}
	a := &SeenAnswer{Path: found.Name.String(), Ref: found.Capture.Ref()}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range asked {
		switch t := s.tracks[key]; {
		case t != nil && t.Known():
			a.Rows = append(a.Rows, s.rows(evidence.Lines(t, w.history(key), cur))...)
		case s == c.s && cur.N > 0:
			a.Rows = append(a.Rows, SeenLines{Lines: span.Of(0, span.Line(cur.N))})
		}
	}
	return a, nil
}

// all returns the sessions in order of their ids.
func (w *Workspace) all() []*Session {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]*Session, 0, len(w.sessions))
	for _, s := range w.sessions {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].id < out[j].id })
	return out
}

// rows joins equal facts of neighbouring lines.
func (s *Session) rows(facts []evidence.LineFact) []SeenLines {
	var out []SeenLines
	for i, f := range facts {
		row := SeenLines{Lines: span.Of(span.Line(i), span.Line(i+1)), State: f.State}
		if f.State != evidence.LineUnseen {
			row.Origin, row.Session, row.At = f.Origin, s.id, s.times.at(f.Seq)
		}
		if n := len(out); n > 0 {
			if last := out[n-1]; last.State == row.State && last.Origin == row.Origin && last.At == row.At {
				out[n-1].Lines.To++
				continue
			}
		}
		out = append(out, row)
	}
	return out
}

// seqTimes tells when things happened, to the second. Guarded by the evidence lock.
type seqTimes []seqTime

type seqTime struct {
	seq evidence.Seq
	at  int64
}

// seqTimesMax bounds the marks kept; older ones are thinned to every second one.
const seqTimesMax = 8192

func (t *seqTimes) mark(seq evidence.Seq, at int64) {
	if n := len(*t); n > 0 && (at < (*t)[n-1].at+1000 || seq <= (*t)[n-1].seq) {
		return
	}
	if len(*t) >= seqTimesMax {
		kept := (*t)[:0]
		for i := 0; i < len(*t); i += 2 {
			kept = append(kept, (*t)[i])
		}
		*t = kept
	}
	*t = append(*t, seqTime{seq, at})
}

// last returns the last mark's number.
func (t seqTimes) last() evidence.Seq {
	if len(t) == 0 {
		return 0
	}
	return t[len(t)-1].seq
}

// at returns the time of the last mark at or before seq.
func (t seqTimes) at(seq evidence.Seq) int64 {
	i := sort.Search(len(t), func(i int) bool { return t[i].seq > seq })
	if i == 0 {
		return 0
	}
	return t[i-1].at
}
