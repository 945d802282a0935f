package session_test

import (
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
	"github.com/sightline-io/sightline/internal/span"
)

// A cursor that is not good any more is answered with the same read by lines: what it would have gone on with. Another
// process than the one that issued it can say so too.
func TestSpentCursorsSayWhichLinesCome(t *testing.T) {
	ranges := func(ls ...int) (out []span.Lines) {
		for i := 0; i < len(ls); i += 2 {
			out = append(out, span.Of(span.Line(ls[i]), span.Line(ls[i+1])))
		}
		return out
	}
	for name, r := range map[string]session.ReadRequest{
		"inspect": {}, "full": {Intent: session.Full},
		"range": {Lines: ranges(100, 1900)}, "ranges": {Lines: ranges(3, 5, 10, 1200, 1500, 1900)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.put("f", book())
			r.Path = "f"
			page := s.player("P").page(r)
			restarted := newStage(t)
			restarted.put("f", book())
			p := restarted.player("P")
			if _, code := p.next("f", page.Cursor); code != fault.Cursor {
				t.Fatalf("another process takes the cursor: %s", code)
			}
			n := p.last.Cure.Next
			if n == nil || n.Tool != "read" || len(n.Lines) == 0 || n.Lines[0].From != page.Lines.To {
				t.Fatalf("next is %+v behind %v", n, page.Lines)
			}
			rest := p.page(session.ReadRequest{Path: "f", Lines: n.Lines})
			if got, err := s.player("P").next("f", page.Cursor); err != "" || string(got.Text) != string(rest.Text) {
				t.Errorf("by lines %.40q, by the cursor %.40q (%s)", rest.Text, got.Text, err)
			}
		})
	}
}

// What a caller makes of a cursor's second part is no more than a hint: it never breaks anything, and never advises what
// a read would not take.
func FuzzCursorHint(f *testing.F) {
	for _, seed := range []string{"0000", "e807ffff", strings.Repeat("0101", 40), "ffffffffffffffffff0101", "0a0005", "01050101", "c", ""} {
		f.Add(strings.Repeat("0", 24) + seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if token == "" {
			return
		}
		s := newStage(t)
		s.put("f", "a\nb\n")
		p := s.player("P")
		if _, code := p.next("f", token); code != fault.Cursor {
			t.Fatalf("%q is taken: %s", token, code)
		}
		if n := p.last.Cure.Next; len(n.Lines) > 0 {
			p.page(session.ReadRequest{Path: "f", Lines: n.Lines})
		}
	})
}
