package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/span"
)

// place is a root with its state folder, and a process that serves it and may be restarted.
type place struct {
	testing.TB
	root, state string
	now         int64
	opens       byte
	profile     Profile
	ws          *Workspace
	rounds      map[string]uint64 // the round that calls of a session tell, where they tell one
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{TB: t, root: t.TempDir(), state: filepath.Join(t.TempDir(), "state"), now: 1_700_000_000_000, rounds: map[string]uint64{}}
	p.open()
	t.Cleanup(func() { p.ws.Close() })
	return p
}

func (p *place) open() {
	p.Helper()
	p.opens++
	entropy := rand.NewChaCha8(sha256.Sum256([]byte{p.opens}))
	j, err := journal.Open(journal.Options{Dir: p.state, Root: p.root, Purpose: "test", Entropy: entropy})
	p.must(err)
	p.ws, err = Open(context.Background(), Options{Root: p.root, Journal: j, Profile: p.profile, Durability: disk.Atomic,
		Clock: func() int64 { return p.now }, Entropy: entropy})
	p.must(err)
}

// restart ends the process in good order and starts the next.
func (p *place) restart() {
	p.Helper()
	p.must(p.ws.Close())
	p.open()
}

// kill ends the process as kill -9 does at this moment, and starts the next: only what was written is left.
func (p *place) kill() {
	p.Helper()
	next := p.state + "."
	p.must(os.CopyFS(next, os.DirFS(p.state)))
	p.must(p.ws.Close())
	p.must(os.RemoveAll(p.state))
	p.state = next
	p.open()
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// put is somebody else who writes a file.
func (p *place) put(name, text string) {
	p.Helper()
	p.must(os.MkdirAll(filepath.Dir(filepath.Join(p.root, name)), 0o755))
	p.must(os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644))
}

func (p *place) holds(name string) string {
	b, err := os.ReadFile(filepath.Join(p.root, name))
	if errors.Is(err, os.ErrNotExist) {
		return "(absent)"
	}
	p.must(err)
	return string(b)
}

func (p *place) session(id string) *Session {
	p.Helper()
	s, err := p.ws.Session(id)
	p.must(err)
	return s
}

func (p *place) meta(id string) Meta {
	m := Meta{PageBytes: 4096}
	if r, ok := p.rounds[id]; ok {
		m.Round = &r
	}
	return m
}

// The calls return what they answered as text: everything of it but the wording of refusals, which may speak of a call
// before.

func (p *place) read(id, name string, lines ...span.Lines) string {
	page, err := p.session(id).Read(context.Background(), ReadRequest{Path: name, Lines: lines, Meta: p.meta(id)})
	if err != nil {
		return answered(err)
	}
	covered, missing := page.Coverage()
	cursor := page.Cursor
	return fmt.Sprintf("%q covered %v missing %v %s", strings.ReplaceAll(string(page.Shown), cursor+"\"", "C\""), covered, missing, page.State)
}

func (p *place) full(id, name string) string {
	page, err := p.session(id).Read(context.Background(), ReadRequest{Path: name, Intent: Full, Meta: p.meta(id)})
	if err != nil {
		return answered(err)
	}
	return fmt.Sprintf("%q", page.Text)
}

func (p *place) edit(id, name string, ops ...edit.Op) string {
	a, err := p.session(id).Edit(context.Background(), EditRequest{Path: name, Edits: ops, Meta: p.meta(id)})
	if err != nil {
		return answered(err)
	}
	return fmt.Sprintf("edited %+v -> %q", a.Edits, p.holds(name))
}

func (p *place) write(id, name, text string, mode WriteMode) string {
	a, err := p.session(id).Write(context.Background(), WriteRequest{Path: name, Text: text, Mode: mode, Meta: p.meta(id)})
	if err != nil {
		return answered(err)
	}
	return fmt.Sprintf("wrote %d lines, noop %t -> %q", a.Lines, a.Noop, p.holds(name))
}

func (p *place) remove(id, name string) string {
	_, err := p.session(id).Delete(context.Background(), DeleteRequest{Path: name, Meta: p.meta(id)})
	if err != nil {
		return answered(err)
	}
	return "deleted -> " + p.holds(name)
}

func (p *place) move(id, from, to string) string {
	_, err := p.session(id).Move(context.Background(), MoveRequest{From: from, To: to, Meta: p.meta(id)})
	if err != nil {
		return answered(err)
	}
	return fmt.Sprintf("moved -> %q %q", p.holds(from), p.holds(to))
}

func (p *place) seen(name string) string {
	a, err := p.session("watcher").Seen(context.Background(), SeenRequest{Path: name, All: true})
	if err != nil {
		return answered(err)
	}
	return fmt.Sprintf("%+v", a.Rows)
}

func answered(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return "NO FAULT: " + err.Error()
	}
	s := fmt.Sprintf("%s missing %v drifted %v", f.Code, f.Missing, f.Drifted)
	if f.Cure != nil {
		s += fmt.Sprintf(" cure %q", f.Cure.Text)
		if f.Cure.Next != nil {
			s += fmt.Sprintf(" next %+v", *f.Cure.Next)
		}
	}
	return s
}

func replace(old, new string) edit.Op { return edit.Replace{Old: old, New: new} }

func numbers(first, last int, new string) edit.Op {
	return edit.LineRange{Lines: span.Of(span.Line(first-1), span.Line(last)), New: new}
}

func lines(first, last int) span.Lines { return span.Of(span.Line(first-1), span.Line(last)) }

// admitted and refused check the head of an answer.
func (p *place) admitted(answer, want string) {
	p.Helper()
	if !strings.HasSuffix(answer, fmt.Sprintf("-> %q", want)) {
		p.Fatalf("%s\nwant -> %q", answer, want)
	}
}

func (p *place) refused(answer string, code fault.Code, missing, drifted string) {
	p.Helper()
	if want := fmt.Sprintf("%s missing %s drifted %s", code, missing, drifted); !strings.HasPrefix(answer, want) {
		p.Fatalf("%s\nwant %s", answer, want)
	}
}

var _ = evidence.Now

func removeKey(p *place) error { return os.Remove(filepath.Join(p.state, "key")) }
