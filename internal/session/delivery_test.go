package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/session"
)

// When an answer counts, for a call that came when. One line is read; the call is an edit of it.
func TestDeliveriesCountOnceTheyLeft(t *testing.T) {
	type door struct {
		d      *session.Delivery
		before session.Arrival // when the answer was being made
		arrive func() session.Arrival
	}
	for name, c := range map[string]struct {
		play func(door) session.Arrival // returns when the edit came
		want string
	}{
		"left before the call came":          {func(x door) session.Arrival { x.d.Left(); return x.arrive() }, "ok"},
		"leaving while the call came":        {func(x door) session.Arrival { x.d.Leave(); a := x.arrive(); x.d.Left(); return a }, "ok"},
		"left after the call came":           {func(x door) session.Arrival { a := x.arrive(); x.d.Left(); return a }, "not-seen missing 1-1 shown 1-1 next same"},
		"leaving, then lost":                 {func(x door) session.Arrival { x.d.Leave(); a := x.arrive(); x.d.Lost(); return a }, "not-seen missing 1-1 shown 1-1 next same"},
		"lost":                               {func(x door) session.Arrival { x.d.Lost(); return x.arrive() }, "not-seen missing 1-1 shown 1-1 next same"},
		"lost, and said to have left":        {func(x door) session.Arrival { x.d.Lost(); x.d.Left(); return x.arrive() }, "not-seen missing 1-1 shown 1-1 next same"},
		"left, and said to be lost":          {func(x door) session.Arrival { x.d.Left(); x.d.Lost(); return x.arrive() }, "ok"},
		"left twice":                         {func(x door) session.Arrival { x.d.Left(); x.d.Leave(); x.d.Left(); return x.arrive() }, "ok"},
		"nobody said anything":               {func(x door) session.Arrival { return x.arrive() }, "not-seen missing 1-1 shown 1-1 next same"},
		"a call from before the read":        {func(x door) session.Arrival { x.d.Left(); return x.before }, "not-seen missing 1-1 shown 1-1 next same"},
		"no arrival: when the method begins": {func(x door) session.Arrival { x.d.Left(); return session.Arrival{} }, "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			p := s.player("P")
			s.put("f", "a\nb\n")
			x := door{d: &session.Delivery{}, before: s.ws.Arrive(), arrive: s.ws.Arrive}
			p.with(func(m *session.Meta) { m.Delivery = x.d }).read("f", 1, 1)
			at := c.play(x)
			p = p.with(func(m *session.Meta) { m.Arrival = at })
			s.want("the edit", p.edit("f", replacing("a", "A")), c.want)
		})
	}
}

// An answer that is still leaving keeps nobody waiting but calls that came after it: not its own session's other calls,
// not another session, neither a rewind nor the end.
func TestNothingWaitsForALeavingAnswer(t *testing.T) {
	s := newStage(t)
	p, q := s.player("P"), s.player("Q")
	s.put("f", "a\nb\n")
	d := &session.Delivery{}
	early := s.ws.Arrive()
	p.with(func(m *session.Meta) { m.Delivery = d }).read("f")
	d.Leave()
	atOnce := p.with(func(m *session.Meta) { m.Arrival = early })
	s.want("came before", atOnce.edit("f", replacing("a", "A")), "not-seen missing 1-1 shown 1-1 next same")
	q.read("f")
	s.want("another session", q.edit("f", replacing("b", "B")), "ok")
	s.want("move", q.move("f", "g"), "ok")
	if err := p.s.Rewind(always); err != nil {
		t.Fatal(err)
	}
	d.Left()
	s.want("it belongs to no branch", p.seen("g"), "1-2 unseen")
}

// The page's own words and the refusal's own text are what is booked: of every line of the answer, and of no other.
func TestWhatIsShownIsWhatCounts(t *testing.T) {
	s := newStage(t)
	long := strings.Repeat("x", 3000)
	s.put("f", "one\n"+long+"\nthree\nfour\n")
	for n, c := range []struct {
		bytes int
		from  int
		to    int
		known string
		cut   string
	}{
		{1024, 1, 4, "1-1 seen, 2-4 unseen", "[]"}, // the long line begins the next page
		{1024, 2, 4, "1-4 unseen", "[1]"},
		{4096, 1, 4, "1-4 seen", "[]"},
		{4096, 3, 3, "1-2 unseen, 3-3 seen, 4-4 unseen", "[]"},
		{4096, 4, 9, "1-3 unseen, 4-4 seen", "[]"},
		{4096, 5, 9, "1-4 unseen", "[]"},
	} {
		p := s.player(fmt.Sprint("P", n)).with(func(m *session.Meta) { m.PageBytes = c.bytes })
		page := p.read("f", c.from, c.to)
		s.want(fmt.Sprintf("known of lines %d-%d in %d bytes", c.from, c.to, c.bytes), p.seen("f"), c.known)
		s.want("cut", fmt.Sprint(page.Cut), c.cut)
		if len(page.Shown) > c.bytes {
			t.Errorf("a page of %d bytes, %d were allowed", len(page.Shown), c.bytes)
		}
	}
	p := s.player("Q")
	s.want("edit of two places", p.edit("f", replacing("one", "1"), replacing("four", "4")), "not-seen missing 1-1,4-4 shown 1-1,4-4 next same")
	s.want("known", p.seen("f"), "1-1 seen, 2-3 unseen, 4-4 seen")
	if _, err := p.s.Check(context.Background(), session.CheckRequest{Path: "f", Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	s.want("a check shows nothing", p.seen("f"), "1-1 seen, 2-3 unseen, 4-4 seen")
}

// A cut line is whole once all its columns were shown, on whichever pages.
func TestColumnsAddUp(t *testing.T) {
	s := newStage(t)
	p := s.player("P").with(func(m *session.Meta) { m.PageBytes = 1024 })
	s.put("f", strings.Repeat("x", 3000)+"\n")
	page := p.read("f")
	s.want("one page", p.edit("f", numbered(1, 1, "y")), "partial-line missing 1-1 next read 1-1")
	for page.More {
		page = p.page(session.ReadRequest{Path: "f", Cursor: page.Cursor})
	}
	s.want("all pages", p.edit("f", numbered(1, 1, "y")), "ok")
}

// Calls of many goroutines: each edits its own line of one file, and a delete, moves and reads go on beside it. Nothing
// is lost, and the race detector has something to look at.
func TestCallsAtTheSameTime(t *testing.T) {
	s := newStage(t)
	const agents, edits = 8, 12
	var b strings.Builder
	for i := range agents {
		fmt.Fprintf(&b, "agent %d: 0\n", i)
	}
	s.put("f", b.String())
	var wg sync.WaitGroup
	for i := range agents {
		p := s.player(fmt.Sprint("P", i))
		wg.Go(func() {
			p.read("f")
			for n := range edits {
				old, new := fmt.Sprintf("agent %d: %d", i, n), fmt.Sprintf("agent %d: %d", i, n+1)
				for {
					if got := p.edit("f", replacing(old, new)); got == "ok" {
						break
					} else if p.last.Code != "conflict" {
						t.Errorf("agent %d: %s", i, got)
						return
					}
				}
				name := fmt.Sprintf("own%d", i)
				p.create(name, "x\n")
				p.move(name, name+"b")
				p.remove(name + "b")
				p.seen("f")
			}
		})
	}
	wg.Wait()
	for i := range agents {
		if want := fmt.Sprintf("agent %d: %d\n", i, edits); !strings.Contains(s.Read("f"), want) {
			t.Errorf("an edit was lost: %q is not in the file", want)
		}
	}
}
