package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
	"github.com/sightline-io/sightline/internal/span"
)

// book is a file of several pages.
func book() string {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "line %d of a file of several pages\n", i+1)
	}
	return b.String()
}

func (p *player) next(path, cursor string) (*session.Page, fault.Code) {
	page, err := p.s.Read(context.Background(), session.ReadRequest{Path: path, Cursor: cursor, Meta: p.meta})
	p.answer(err)
	return page, fault.CodeOf(err)
}

// The pages of a read join up to the file, whatever it was for, and the last one has no cursor.
func TestPagesJoin(t *testing.T) {
	for name, r := range map[string]session.ReadRequest{
		"inspect": {}, "full": {Intent: session.Full},
		"range": {Lines: []span.Lines{span.Of[span.Line](0, 2000)}}, "ranges": {Lines: []span.Lines{span.Of[span.Line](0, 700), span.Of(700, session.OpenEnd)}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			p := s.player("P")
			s.put("f", book())
			r.Path = "f"
			var text strings.Builder
			page, used := p.page(r), []string{}
			for {
				text.Write(page.Text)
				wanted := session.Satisfied
				if page.More && name != "inspect" {
					wanted = session.NeedsMore
				}
				if page.State != wanted || page.More != (page.Cursor != "") {
					t.Fatalf("state %s, more %v, cursor %q", page.State, page.More, page.Cursor)
				}
				for _, old := range used {
					if _, code := p.next("f", old); code != fault.Cursor {
						t.Fatalf("a used cursor: %s", code)
					}
				}
				if !page.More {
					break
				}
				used = append(used, page.Cursor)
				page = p.page(session.ReadRequest{Path: "f", Cursor: page.Cursor})
			}
			if text.String() != book() {
				t.Error("the pages are not the file")
			}
			s.want("known", p.seen("f"), "1-2000 seen")
		})
	}
}

// A cursor is bound to session, path and version, works once, and only the last one issued for a file is taken. What is
// refused spends nothing.
func TestCursorRules(t *testing.T) {
	s := newStage(t)
	p, q := s.player("P"), s.player("Q")
	s.put("f", book())
	s.put("g", book())
	s.Symlink("f", "link")
	first := p.read("f").Cursor
	try := func(what string, who *player, path, cursor string, want fault.Code) {
		t.Helper()
		if _, code := who.next(path, cursor); code != want {
			t.Errorf("%s: %q, want %q", what, code, want)
		}
	}
	try("another session", q, "f", first, fault.Cursor)
	try("another file", p, "g", first, fault.Cursor)
	if _, err := p.s.Read(context.Background(), session.ReadRequest{Path: "f", Cursor: first, Intent: session.Full}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("with an intent: %v", err)
	}
	if _, err := p.s.Read(context.Background(), session.ReadRequest{Path: "f", Cursor: first, Lines: []span.Lines{span.Of[span.Line](0, 1)}}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("with lines: %v", err)
	}
	s.put("f", book()+"x\n")
	try("another version", p, "f", first, fault.ChangedSincePage)
	if n := p.last.Cure.Next; n.Tool != "read" || n.Path != "f" {
		t.Errorf("next %+v", n)
	}
	s.put("f", book())
	try("the version is back, by another spelling", p, "link", first, "")
	try("used", p, "f", first, fault.Cursor)
	second := p.read("f").Cursor
	third := p.read("f").Cursor
	try("not the last one", p, "f", second, fault.Cursor)
	try("the last one", p, "f", third, "")
	fourth := p.read("f").Cursor
	if err := p.s.Rewind(always); err != nil {
		t.Fatal(err)
	}
	try("of a branch that was left", p, "f", fourth, fault.Cursor)
}

// Of many calls with one cursor one gets the page.
func TestCursorsAreSpentOnce(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", book())
	cursor := p.read("f").Cursor
	codes := make(chan fault.Code, 8)
	for range cap(codes) {
		go func() {
			_, err := p.s.Read(context.Background(), session.ReadRequest{Path: "f", Cursor: cursor})
			codes <- fault.CodeOf(err)
		}()
	}
	got := 0
	for range cap(codes) {
		if c := <-codes; c == "" {
			got++
		} else if c != fault.Cursor {
			t.Errorf("answered %s", c)
		}
	}
	if got != 1 {
		t.Errorf("%d calls got the page", got)
	}
}

// A request id may repeat the page that a cursor gave.
func TestCursorsAndRequestIDs(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", book())
	cursor := p.read("f").Cursor
	id := p.with(func(m *session.Meta) { m.RequestID = "7" })
	first, code := id.next("f", cursor)
	again, repeated := id.next("f", cursor)
	if code != "" || repeated != "" || string(first.Shown) != string(again.Shown) || first.Cursor != again.Cursor {
		t.Fatalf("%q, then %q", code, repeated)
	}
	first.Shown = append(first.Shown, "mine"...)
	if strings.HasSuffix(string(again.Shown), "mine") {
		t.Error("two callers own one page")
	}
	if _, code := p.next("f", again.Cursor); code != "" {
		t.Errorf("its cursor: %s", code)
	}
}

// No altered cursor is taken, whatever is done to it.
func FuzzCursorTamper(f *testing.F) {
	f.Add(0, byte('x'), "")
	f.Add(3, byte('0'), "0")
	f.Add(23, byte(0), " ")
	f.Add(-1, byte('f'), "\x00")
	f.Fuzz(func(t *testing.T, at int, b byte, behind string) {
		s := newStage(t)
		p := s.player("P")
		s.put("f", book())
		cursor := p.read("f").Cursor
		altered := []byte(cursor)
		if at >= 0 && at < len(altered) {
			altered[at] = b
		}
		forged := string(altered) + behind
		if forged == cursor || forged == "" {
			return // nothing was altered
		}
		if page, code := p.next("f", forged); code != fault.Cursor || page != nil {
			t.Errorf("%q was taken for %q: %s", forged, cursor, code)
		}
		if _, code := p.next("f", cursor); code != "" {
			t.Errorf("a forged cursor spent the true one: %s", code)
		}
	})
}
