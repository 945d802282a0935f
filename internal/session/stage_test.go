package session_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/session"
	"github.com/sightline-io/sightline/internal/span"
)

// stage is a workspace over a disk in memory, on which tests play scenes by hand.
type stage struct {
	*testing.T
	disktest.World
	ws       *session.Workspace
	told     sync.Mutex
	receipts []receipt.Receipt       // guarded by told
	before   func(call string)       // called before every call of the kernel, where it is set
	fail     func(call string) error // what a call of the kernel is answered with instead, where it is not nil
}

func newStage(t *testing.T, set ...func(*session.Options)) *stage {
	t.Helper()
	m := disktest.NewMemory(1)
	s := &stage{T: t}
	kernel := &disktest.Trap{Kernel: m, Before: func(call string) error {
		if s.before != nil {
			s.before(call)
		}
		if s.fail != nil {
			return s.fail(call)
		}
		return nil
	}}
	s.World = disktest.NewMemoryWorld(t, m, func() (disk.FS, error) { return disk.Over(kernel, disktest.MemoryRoot, m.Options()) })
	opt := session.Options{FS: s.FS(), Clock: func() int64 { return 1_700_000_000_000 }, Entropy: rand.NewChaCha8(sha256.Sum256([]byte(t.Name()))),
		Receipts: func(r receipt.Receipt) {
			s.told.Lock()
			defer s.told.Unlock()
			s.receipts = append(s.receipts, r)
		}}
	for _, f := range set {
		f(&opt)
	}
	ws, err := session.Open(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	s.ws = ws
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put is somebody else who writes a file.
func (s *stage) put(name, text string) { s.Write(name, text, 0o644) }

// holds checks what lies on disk.
func (s *stage) holds(name, want string) {
	s.Helper()
	if got := s.Read(name); got != want {
		s.Errorf("%s holds %q, want %q", name, got, want)
	}
}

// want compares what came with what must come.
func (s *stage) want(what, got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("%s: %s, want %s", what, got, want)
	}
}

// player is one session on the stage; meta goes with each of its calls.
type player struct {
	*stage
	s    *session.Session
	meta session.Meta
	last *fault.Error // the latest refusal
}

func (s *stage) player(id string) *player {
	s.Helper()
	ss, err := s.ws.Session(id)
	if err != nil {
		s.Fatal(err)
	}
	return &player{stage: s, s: ss}
}

// in returns the player calling in a round.
func (p *player) in(round uint64) *player {
	q := *p
	q.meta.Round = &round
	return &q
}

// with returns the player calling with other metadata.
func (p *player) with(set func(*session.Meta)) *player {
	q := *p
	set(&q.meta)
	return &q
}

// lines writes one-based closed ranges.
func lines(ls []span.Lines) string {
	out := make([]string, len(ls))
	for i, l := range ls {
		out[i] = fmt.Sprintf("%d-%d", l.From+1, l.To)
	}
	return strings.Join(out, ",")
}

// answer tells how a call ended: "ok", or the code with what the refusal names, shows and leads to.
func (p *player) answer(err error) string {
	p.last = nil
	if err == nil {
		return "ok"
	}
	if !errors.As(err, &p.last) {
		p.Fatalf("an error that is no fault: %v", err)
	}
	f := p.last
	out := string(f.Code)
	put := func(what string, ls []span.Lines) {
		if len(ls) > 0 {
			out += " " + what + " " + lines(ls)
		}
	}
	put("missing", f.Missing)
	put("drifted", f.Drifted)
	if f.Cure == nil {
		return out
	}
	put("shown", f.Cure.Delivered)
	switch n := f.Cure.Next; {
	case n == nil:
	case n.Same:
		out += " next same"
	case n.Edits != nil:
		out += " next edit"
		for _, e := range n.Edits {
			out += " " + lines([]span.Lines{e.Lines})
		}
	case len(n.Lines) > 0:
		out += " next " + n.Tool + " " + lines(n.Lines)
	default:
		out += " next " + n.Tool
	}
	return out
}

// page reads one page.
func (p *player) page(r session.ReadRequest) *session.Page {
	p.Helper()
	r.Meta = p.meta
	page, err := p.s.Read(context.Background(), r)
	if err != nil {
		p.Fatalf("read %s: %v", r.Path, err)
	}
	return page
}

// read shows lines first to last of a file, or all of it where none are named.
func (p *player) read(name string, firstLast ...int) *session.Page {
	p.Helper()
	r := session.ReadRequest{Path: name}
	if len(firstLast) == 2 {
		r.Lines = []span.Lines{span.Of(span.Line(firstLast[0]-1), span.Line(firstLast[1]))}
	}
	return p.page(r)
}

func (p *player) edit(name string, ops ...edit.Op) string {
	_, err := p.s.Edit(context.Background(), session.EditRequest{Path: name, Edits: ops, Meta: p.meta})
	return p.answer(err)
}

func (p *player) write(name, text string) string {
	_, err := p.s.Write(context.Background(), session.WriteRequest{Path: name, Text: text, Mode: session.Replace, Meta: p.meta})
	return p.answer(err)
}

func (p *player) create(name, text string) string {
	_, err := p.s.Write(context.Background(), session.WriteRequest{Path: name, Text: text, Mode: session.Create, Meta: p.meta})
	return p.answer(err)
}

func (p *player) remove(name string) string {
	_, err := p.s.Delete(context.Background(), session.DeleteRequest{Path: name, Meta: p.meta})
	return p.answer(err)
}

func (p *player) move(from, to string) string {
	_, err := p.s.Move(context.Background(), session.MoveRequest{From: from, To: to, Meta: p.meta})
	return p.answer(err)
}

func (p *player) check(r session.CheckRequest) string {
	p.Helper()
	r.Meta = p.meta
	a, err := p.s.Check(context.Background(), r)
	if err != nil {
		return "error " + p.answer(err)
	}
	if a.Allowed {
		return "yes"
	}
	return "no " + p.answer(a.Refusal)
}

// seen tells what the session knows, as runs of lines.
func (p *player) seen(name string) string {
	p.Helper()
	a, err := p.s.Seen(context.Background(), session.SeenRequest{Path: name, Meta: p.meta})
	if err != nil {
		return p.answer(err)
	}
	var out []string
	for _, r := range a.Rows {
		out = append(out, lines([]span.Lines{r.Lines})+" "+r.State.String())
	}
	return strings.Join(out, ", ")
}

func (p *player) plan(name string, ops ...edit.Op) *session.Plan {
	p.Helper()
	plan, err := p.s.Plan(context.Background(), session.EditRequest{Path: name, Edits: ops, Meta: p.meta})
	if err != nil {
		p.Fatalf("plan %s: %v", name, err)
	}
	return plan
}

func (p *player) commit(plan *session.Plan) string {
	_, err := p.s.Commit(context.Background(), plan, session.Meta{})
	return p.answer(err)
}

func replacing(old, new string) edit.Op { return edit.Replace{Old: old, New: new} }

func numbered(first, last int, new string) edit.Op {
	return edit.LineRange{Lines: span.Of(span.Line(first-1), span.Line(last)), New: new}
}

// tenLines returns l1 to l10.
func tenLines() string {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "l%d\n", i+1)
	}
	return b.String()
}
