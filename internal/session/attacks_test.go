package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
	"github.com/sightline-io/sightline/internal/source"
)

// Each test plays one attack that needs a whole session: U means that an unseen edit would be admitted, R that a good
// edit would be refused, B that bytes or work would be lost, L that the agent would be locked out.

// A8, R. Text shown on one branch licenses again when its bytes return, though a refusal showed the other branch since.
func TestA8BranchThereAndBack(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "x=1\n")
	p.read("f")
	s.put("f", "x=2\n")
	s.want("on dev", p.edit("f", replacing("x=1", "x=9")), "stale drifted 1-1 shown 1-1 next read 1-1")
	s.put("f", "x=1\n")
	s.want("by number", p.edit("f", numbered(1, 1, "x=8")), "stale drifted 1-1 shown 1-1 next same")
	s.put("f", "x=2\n")
	s.put("f", "x=1\n")
	s.want("back on main", p.edit("f", replacing("x=1", "x=9")), "ok")
	s.holds("f", "x=9\n")
}

// A9, U. The approved line is deleted and an equal one appears elsewhere: the edit does not land there.
func TestA9ThePlanIsNotLocatedAgain(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "k\nu\nz\n")
	p.read("f")
	plan := p.plan("f", replacing("k", "K"))
	s.put("f", "u\nz\nw\nk\nv\n")
	s.want("commit", p.commit(plan), "conflict next same")
	s.holds("f", "u\nz\nw\nk\nv\n")
	s.want("a call of now", p.edit("f", replacing("k", "K")), "ok") // k is unique in both versions: it moved
}

// F53 and F94: between plan and commit lines are inserted, removed and changed elsewhere; the replacements move along.
// Changed lines among them refuse the commit, with their text.
func TestPlansAreCarriedOver(t *testing.T) {
	for name, c := range map[string]struct{ op, then, want, holds string }{
		"nothing happened":    {"c", "a\nb\nc\nd\n", "ok", "a\nb\nC\nd\n"},
		"lines above":         {"c", "x\ny\na\nb\nc\nd\n", "ok", "x\ny\na\nb\nC\nd\n"},
		"lines below":         {"c", "a\nb\nc\nd\nz\n", "ok", "a\nb\nC\nd\nz\n"},
		"neighbours changed":  {"c", "a\nB\nc\nD\n", "ok", "a\nB\nC\nD\n"},
		"the line changed":    {"c", "a\nb\ncc\nd\n", "stale drifted 3-3 shown 3-3 next read 3-3", "a\nb\ncc\nd\n"},
		"the line went":       {"c", "a\nb\nd\n", "stale drifted 3-2 shown 2-3 next read 2-3", "a\nb\nd\n"},
		"its ending changed":  {"c", "a\nb\nc\r\nd\n", "conflict next same", "a\nb\nc\r\nd\n"},
		"by number: above":    {"@", "x\na\nb\nc\nd\n", "ok", "x\na\nb\nC\nd\n"},
		"by number: the line": {"@", "a\nb\nX\nd\n", "stale drifted 3-3 shown 3-3 next same", "a\nb\nX\nd\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			p := s.player("P")
			s.put("f", "a\nb\nc\nd\n")
			p.read("f")
			op := replacing("c", "C")
			if c.op == "@" {
				op = numbered(3, 3, "C")
			}
			plan := p.plan("f", op)
			s.Replace("f", c.then, 0o644)
			s.want("commit", p.commit(plan), c.want)
			s.holds("f", c.holds)
		})
	}
}

// The same while the commit is already under way: the file changes at every single call that the commit makes of the
// system. What comes out holds both changes, or the other's alone with a refusal.
func TestCommitsRaceSomebodyElse(t *testing.T) {
	calls := 0
	for n := 1; n == 1 || n <= calls; n++ {
		s := newStage(t)
		p := s.player("P")
		s.put("f", "a\nb\nc\n")
		p.read("f")
		plan := p.plan("f", replacing("b", "B"))
		at := 0
		s.before = func(string) {
			if at++; at == n {
				s.Replace("f", "a\nb\nc\nd\n", 0o644)
			}
		}
		got := p.commit(plan)
		s.before = nil
		calls = max(calls, at)
		switch text := s.Read("f"); {
		case at < n && got == "ok" && text == "a\nB\nc\n": // it was over by then
		case got == "ok" && text == "a\nB\nc\nd\n": // carried over, or done before
		case got == "ok" && text == "a\nb\nc\nd\n": // the other one replaced the file after the commit
		case got != "ok" && p.last.Code == fault.Conflict && text == "a\nb\nc\nd\n":
		default:
			t.Errorf("changed at call %d: %s, and the file holds %q", n, got, text)
		}
	}
	if calls < 10 {
		t.Errorf("the commit made %d calls only: the test shows little", calls)
	}
}

// A10, U. A plan that waits for approval while the conversation goes back cannot be committed.
func TestA10PlansDieWithTheirBranch(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\n")
	p.read("f")
	made, creates := p.plan("f", replacing("a", "b")), p.plan("new", replacing("", "x\n"))
	if err := p.s.Rewind(always); err != nil {
		t.Fatal(err)
	}
	s.want("commit", p.commit(made), "conflict next same")
	s.want("commit of a create", p.commit(creates), "conflict next same")
	s.holds("f", "a\n")
	if s.Has("new") {
		t.Error("a dead plan made a file")
	}
	s.want("the call anew", p.edit("f", replacing("a", "b")), "ok") // its read is still on the branch
}

func always[T any](T) bool { return true }

// A plan is committed once, also by two who approve at the same time.
func TestPlansAreSpentOnce(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\n")
	p.read("f")
	plan := p.plan("f", replacing("a", "a\na"))
	results := make(chan error, 8)
	for range cap(results) {
		go func() {
			_, err := p.s.Commit(context.Background(), plan, session.Meta{})
			results <- err
		}()
	}
	done := 0
	for range cap(results) {
		if err := <-results; err == nil {
			done++
		} else if fault.CodeOf(err) != fault.Conflict {
			t.Error(err)
		}
	}
	if done != 1 {
		t.Errorf("committed %d times", done)
	}
	s.holds("f", "a\na\n")
}

// A12, U. An answer that never left tells nothing: neither a page nor a cure.
func TestA12WhatDidNotLeaveDoesNotCount(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\n")
	lost := func(call func(*player)) {
		d := &session.Delivery{}
		call(p.with(func(m *session.Meta) { m.Delivery = d }))
		d.Leave()
		d.Lost()
	}
	lost(func(q *player) { q.read("f") })
	lost(func(q *player) {
		s.want("first", q.edit("f", replacing("a", "A")), "not-seen missing 1-1 shown 1-1 next same")
	})
	s.want("again", p.edit("f", replacing("a", "A")), "not-seen missing 1-1 shown 1-1 next same")
	s.want("once it left", p.edit("f", replacing("a", "A")), "ok")
}

// A25, U. What one session was told is nothing to another one.
func TestA25SessionsDoNotLend(t *testing.T) {
	s := newStage(t)
	p, q := s.player("P"), s.player("Q")
	s.put("f", "a\nb\n")
	p.read("f")
	s.want("Q", q.edit("f", replacing("a", "A")), "not-seen missing 1-1 shown 1-1 next same")
	s.want("Q's view", q.seen("f"), "1-1 seen, 2-2 unseen")
	plan := p.plan("f", replacing("a", "A"))
	s.want("Q commits P's plan", q.commit(plan), "invalid")
	s.holds("f", "a\nb\n")
}

// A26 and A27, leak and lock-out. A closed path answers denied before anything of its lines is asked, whether or not it
// is there, by every verb and through a link, and is not cured.
func TestA26DeniedComesBeforeEvidence(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put(".env.local", "K=secret\n")
	s.put("f", "x\n")
	s.Symlink(".env.local", "harmless")
	for _, name := range []string{".env.local", ".env.production", "harmless", ".git/config"} {
		for what, got := range map[string]string{
			"edit":   p.edit(name, replacing("K=secret", "K=v")),
			"write":  p.write(name, "K=v\n"),
			"create": p.create(name, "K=v\n"),
			"delete": p.remove(name),
			"move":   p.move(name, "elsewhere"),
			"onto":   p.move("f", name),
			"seen":   p.seen(name),
			"check":  strings.TrimPrefix(p.check(session.CheckRequest{Path: name, Overwrite: true}), "no "),
			"read": func() string {
				_, err := p.s.Read(context.Background(), session.ReadRequest{Path: name})
				return p.answer(err)
			}(),
		} {
			want := "denied"
			if name == "harmless" && what == "onto" {
				want = "exists next list" // a link's name is taken; where it leads is not asked
			}
			if got != want {
				t.Errorf("%s %s: %s, want %s", what, name, got, want)
			}
			if p.last != nil && strings.Contains(p.last.Error(), "secret") {
				t.Errorf("%s %s: %v tells of the text", what, name, p.last)
			}
		}
	}
	s.holds(".env.local", "K=secret\n")
}

// A28, L. A line of 5 MB is edited by what was shown of it, and read on page by page.
func TestA28LongLinesGoByColumns(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "head "+strings.Repeat("x", 5<<20)+" TAIL\n")
	page := p.read("f")
	if len(page.Cut) != 1 || !page.More || len(page.Shown) > session.PageBytesDefault {
		t.Fatalf("cut %v, more %v, %d bytes", page.Cut, page.More, len(page.Shown))
	}
	s.want("a shown part", p.edit("f", replacing("head ", "HEAD ")), "ok")
	s.want("another part", p.edit("f", replacing(" TAIL", " tail")), "partial-line missing 1-1 next read 1-1")
	s.want("its own text", p.edit("f", replacing("HEAD ", "Head! ")), "ok")
	s.want("what was shown beside it", p.edit("f", replacing("! x", "? x")), "ok")
	if got := s.Read("f"); !strings.HasPrefix(got, "Head? x") || !strings.HasSuffix(got, "x TAIL\n") {
		t.Errorf("the file is %.9q...", got)
	}
}

// A30, U. A door that cannot promise that a refusal reaches the model whole delivers nothing with it, and says what to
// read.
func TestA30NoCureDeliversNothing(t *testing.T) {
	s := newStage(t)
	p := s.player("P").with(func(m *session.Meta) { m.NoCure = true })
	s.put("f", tenLines())
	s.put("gone", "x\n")
	p.read("gone")
	s.Unlink("gone")
	s.want("edit", p.edit("f", replacing("l5", "x")), "not-seen missing 5-5 next read 5-5")
	s.want("again", p.edit("f", replacing("l5", "x")), "not-seen missing 5-5 next read 5-5")
	s.want("write", p.write("f", "x\n"), "needs-full missing 1-10 next read 1-10")
	s.want("of a file that went", p.edit("gone", replacing("x", "y")), "missing next list")
	s.want("known", p.seen("f"), "1-10 unseen")
	p.read("f", 5, 5)
	s.want("once read", p.edit("f", replacing("l5", "x")), "ok")
}

// A31, U. A repeated request id is the recorded refusal and is not judged again; its cure counts once it leaves.
func TestA31RetriesAreNoRounds(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\n")
	id := p.with(func(m *session.Meta) { m.RequestID = "7" })
	for range 3 {
		s.want("the same id", id.edit("f", replacing("a", "b")), "not-seen missing 1-1 shown 1-1 next same")
	}
	s.want("other arguments", id.edit("f", replacing("a", "c")), "invalid")
	s.want("a new id", p.with(func(m *session.Meta) { m.RequestID = "8" }).edit("f", replacing("a", "b")), "ok")
	s.holds("f", "b\n")
}

// In rounds a retry stays in its own round: the cure that it shows again does not count there.
func TestA31RetriesInARound(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\n")
	retried := p.in(1).with(func(m *session.Meta) { m.RequestID = "7" })
	for range 2 {
		retried.edit("f", replacing("a", "b"))
	}
	s.want("the same round", p.in(1).edit("f", replacing("a", "b")), "not-seen missing 1-1 shown 1-1 next same")
	s.want("the next one", p.in(2).edit("f", replacing("a", "b")), "ok")
}

// A32, L. What does not fit the bound is not delivered in part: one read is the way, and one refusal all there is.
func TestA32NoHalfCures(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", strings.Repeat("a line of text\n", 5000))
	s.want("write", p.write("f", "x\n"), "needs-full missing 1-5000 next read 1-5000")
	s.want("known", p.seen("f"), "1-5000 unseen")
	r := session.ReadRequest{Path: "f", Lines: p.last.Cure.Next.Lines}
	pages := 0
	for {
		page := p.page(r)
		pages++
		if !page.More {
			break
		}
		r = session.ReadRequest{Path: "f", Cursor: page.Cursor}
	}
	s.want("after its pages", p.write("f", "x\n"), "ok")
	if pages > 20 {
		t.Errorf("%d pages for 5000 lines", pages)
	}
}

// A34 and F58, L. A dirty buffer is read and protects the file, and its claim dies with the connection.
func TestA34BuffersDieWithTheirConnection(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\n")
	name, err := s.ws.Admit("f")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ws.Overlays().Set("editor", name, "a\nB!\n"); err != nil {
		t.Fatal(err)
	}
	if page := p.read("f"); string(page.Text) != "a\nB!\n" || page.Source != source.Overlay.String() {
		t.Errorf("read %q from %s", page.Text, page.Source)
	}
	for what, got := range map[string]string{
		"edit": p.edit("f", replacing("a", "A")), "write": p.write("f", "x\n"), "delete": p.remove("f"), "move": p.move("f", "g"),
	} {
		s.want(what, got, "dirty-buffer")
	}
	s.ws.Overlays().DropOwner("editor")
	s.want("a line that is the same", p.edit("f", replacing("a", "A")), "ok")
	s.want("one that only the buffer had", p.edit("f", replacing("B!", "C")), "stale drifted 2-2 shown 2-2 next read 2-2")
	s.holds("f", "A\nb\n")
}

// A buffer over a name to be made protects that name too.
func TestBuffersProtectNewNames(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\n")
	name, err := s.ws.Admit("new")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ws.Overlays().Set("editor", name, "unsaved\n"); err != nil {
		t.Fatal(err)
	}
	s.want("create", p.create("new", "x\n"), "exists next read")
	s.want("move", p.move("f", "new"), "dirty-buffer")
	if s.Has("new") {
		t.Error("the name was taken")
	}
}

// A35, R. A buffer that was read and is saved then is the file that was read.
func TestA35SavedBuffersAreKnown(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\n")
	name, _ := s.ws.Admit("f")
	if err := s.ws.Overlays().Set("editor", name, "a\nB!\n"); err != nil {
		t.Fatal(err)
	}
	p.read("f")
	s.put("f", "a\nB!\n")
	s.want("edit on disk", p.edit("f", replacing("B!", "C")), "ok")
}

// A37, F64, F69: U. Own delete forgets; a file that somebody else took away and put back is known.
func TestA37OwnDeleteForgets(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\n")
	p.read("f")
	s.Unlink("f")
	s.want("gone", p.edit("f", replacing("b", "c")), "missing next list")
	s.put("f", "a\nb\n")
	s.want("put back", p.edit("f", replacing("b", "c")), "ok")
	s.want("delete of what somebody else made", p.remove("f"), "stale drifted 1-1 shown 1-1 next same")
	s.want("delete", p.remove("f"), "ok")
	s.put("f", "a\nc\n")
	s.want("made anew", p.edit("f", replacing("a", "A")), "not-seen missing 1-1 shown 1-1 next same")
}

// A38, B. A delete does not destroy a change that was not seen, wherever it is.
func TestA38DeletesDestroyNothingUnseen(t *testing.T) {
	s := newStage(t)
	p, q := s.player("P"), s.player("Q")
	s.put("f", tenLines())
	p.read("f", 1, 2)
	s.put("f", strings.Replace(tenLines(), "l9", "L9", 1))
	s.want("changed", p.remove("f"), "stale drifted 9-9 shown 9-9 next same")
	s.holds("f", strings.Replace(tenLines(), "l9", "L9", 1))
	s.want("who never saw it", q.check(session.CheckRequest{Path: "f", Delete: true}), "yes")
	s.want("shown", p.remove("f"), "ok")
}

// A39, R. A hard link of a file that was read is that file, whichever name was met first, and only as long as it is one.
func TestA39HardLinksAreOneFile(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("s", "1\n2\n")
	p.read("s")
	s.Hardlink("s", "d")
	s.want("the other name", p.edit("d", replacing("2", "3")), "ok")
	s.want("the first name", p.edit("s", replacing("3", "4")), "ok")
	s.holds("d", "1\n4\n")
	if !s.Same("s", "d") {
		t.Error("the names came apart")
	}
	s.Replace("d", "1\n4\nunseen\n", 0o644)
	s.want("a file of its own now", p.edit("d", replacing("unseen", "x")), "not-seen missing 3-3 shown 3-3 next same")
	s.want("the first is as it was", p.edit("s", replacing("4", "5")), "ok")
}

// An inode's number tells nothing of another file that got it later, and own delete of one name keeps the other's.
func TestHardLinksDoNotLend(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("s", "1\n2\n")
	s.Hardlink("s", "d")
	p.read("s")
	s.want("delete of one name", p.remove("d"), "ok")
	s.want("the other is known", p.edit("s", replacing("2", "3")), "ok")
	s.put("d", "1\n3\n")
	s.want("a new file of the old name", p.edit("d", replacing("3", "4")), "not-seen missing 2-2 shown 2-2 next same")
	s.Hardlink("s", "e")
	s.want("move", p.move("e", "f"), "ok")
	s.want("both names are known", p.edit("s", replacing("1", "x"))+" "+p.edit("f", replacing("x", "y")), "ok ok")
}

// A40, R. Text with LF is found in a file with CRLF, and what it brings in takes the file's endings.
func TestA40EndingsAreTheFiles(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\r\nb\r\nc\r\n")
	p.read("f")
	s.want("two lines", p.edit("f", replacing("a\nb", "A\nB\nB2")), "ok")
	s.holds("f", "A\r\nB\r\nB2\r\nc\r\n")
}

// A41, F91, F95: L. A refusal is remembered for its words alone: fifty of them are of one size, one receipt counts them,
// nothing else is held back, and the way out works.
func TestA41RefusalsLeaveNoDebt(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\n")
	s.put("g", "1\n2\n")
	p.read("f")
	p.read("g")
	s.put("f", "a\nB\n")
	var sizes []int
	for range 50 {
		s.want("refused", p.edit("f", replacing("b", "c")), "stale drifted 2-2 shown 2-2 next read 2-2")
		sizes = append(sizes, len(p.last.Text()))
		if repeated := strings.HasPrefix(p.last.Text(), "Same call as before"); repeated != (len(sizes) > 1) {
			t.Errorf("call %d says %q", len(sizes), p.last.Text())
		}
	}
	for _, n := range sizes[2:] {
		if n != sizes[1] {
			t.Fatalf("the message grows: %v", sizes)
		}
	}
	all := s.ws.Receipts()
	if last := all[len(all)-1]; last.Count != 50 || len(all) != 3 {
		t.Errorf("%d receipts, the last of %d calls", len(all), last.Count)
	}
	s.want("another file", p.edit("g", replacing("1", "one")), "ok")
	s.want("another line", p.edit("f", replacing("a", "A")), "ok")
	s.want("the way out", p.edit("f", replacing("B", "c")), "ok")
}

// A42, R. What changes nothing is admitted of a file that was never read, and credits nothing.
func TestA42NothingIsOwedForNothing(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\n")
	s.put(".env", "K=v\n")
	s.want("write", p.write("f", "a\nb\n"), "ok")
	s.want("edit", p.edit("f", replacing("a", "a"), numbered(2, 2, "b")), "ok")
	s.want("known", p.seen("f"), "1-2 unseen")
	s.want("scope comes first", p.write(".env", "K=v\n"), "denied")
	plan := p.plan("f", replacing("a", "a"))
	s.put("f", "A\nb\n")
	s.want("a plan that changed nothing then", p.commit(plan), "not-found next read 1-1")
	s.holds("f", "A\nb\n")
}

// A44, leak. A ref in a receipt is of the process alone; what evidence keeps is keyed by the workspace: see the journal's
// own test of text at rest. Here: no text in any receipt.
func TestA44ReceiptsHoldNoText(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "secretword one\nsecretword two\n")
	p.edit("f", replacing("secretword one", "secretword three"))
	p.edit("f", replacing("secretword one", "secretword three"))
	p.edit("f", replacing("secretword nine", "secretword three"))
	p.write("f", "secretword\n")
	for _, r := range s.receipts {
		if strings.Contains(r.Render(), "secretword") {
			t.Errorf("a receipt tells of the text: %s", r.Render())
		}
	}
	if len(s.receipts) != 4 {
		t.Errorf("%d receipts for 4 decisions", len(s.receipts))
	}
}

// F56, F20 of the contract: a read of a round is no evidence in it, also not for the calls of an earlier round that come
// late, and a call without a round counts what left before it came.
func TestRoundsAreFrozen(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\nc\n")
	p.in(5).read("f", 1, 1)
	q := p.in(5)
	s.want("its own round", q.edit("f", replacing("a", "A")), "not-seen missing 1-1 shown 1-1 next same")
	if !strings.Contains(q.last.Text(), "this very round") {
		t.Errorf("the refusal says %q", q.last.Text())
	}
	p.in(6).read("f", 2, 2)
	s.want("a late call of round 5", p.in(5).edit("f", replacing("a", "A")), "not-seen missing 1-1 shown 1-1 next same")
	s.want("a round between that was never met", p.in(4).edit("f", replacing("a", "A")), "not-seen missing 1-1 shown 1-1 next same")
	s.want("round 6", p.in(6).edit("f", replacing("a", "A")), "ok")
	s.want("round 6 for round 6", p.in(6).edit("f", replacing("b", "B")), "not-seen missing 2-2 shown 2-2 next same")
	s.want("without a round", p.edit("f", replacing("b", "B")), "ok")
}

// A4, B. The second edit by number of a round means the lines before the first one; what the first one wrote is no line
// of before.
func TestNumbersOfOneRound(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "1\n2\n3\n4\n")
	p.in(1).read("f")
	s.want("first", p.in(2).edit("f", numbered(1, 1, "1a\n1b")), "ok")
	s.want("second", p.in(2).edit("f", numbered(3, 3, "X")), "ok")
	s.want("third, into the first", p.in(2).edit("f", numbered(1, 1, "Y")), "conflict next read")
	s.holds("f", "1a\n1b\n2\nX\n4\n")
	s.want("the next round", p.in(3).edit("f", numbered(1, 1, "Y")), "ok")
}

// A number that own edits of its round moved to a line that somebody else changed: the next call names it as it is now.
func TestNumbersOfOneRoundAreToldAnew(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "1\n2\n3\n4\n")
	p.in(1).read("f")
	s.want("first", p.in(2).edit("f", numbered(1, 1, "1a\n1b")), "ok")
	s.put("f", "1a\n1b\n2\nthree\n4\n")
	s.want("second", p.in(2).edit("f", numbered(3, 3, "X")), "stale drifted 4-4 shown 4-4 next edit 4-4")
	s.want("its next call", p.in(3).edit("f", numbered(4, 4, "X")), "ok")
	s.holds("f", "1a\n1b\n2\nX\n4\n")
}

// F7, F10: lines that moved are found by their text, and by number the refusal says where they are.
func TestMovedNumbersAreTold(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\nc\n")
	p.read("f")
	s.put("f", "x\ny\na\nb\nc\n")
	s.want("by number", p.edit("f", numbered(3, 3, "C")), "stale drifted 3-3 shown 3-3 next edit 5-5")
	if !strings.Contains(p.last.Text(), "The line you saw as 3 is now line 5") {
		t.Errorf("the refusal says %q", p.last.Text())
	}
	s.want("its next call", p.edit("f", numbered(5, 5, "C")), "ok")
	s.holds("f", "x\ny\na\nb\nC\n")
}

// Evidence is kept of the epoch that made it: what calls of an abandoned branch were shown does not count, what is still
// on the branch does, and an answer that arrives after the rewind belongs to no branch.
func TestRewind(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\nc\n")
	p.read("f", 1, 1)
	kept := p.s.Calls()
	p.read("f", 2, 2)
	d := &session.Delivery{}
	p.with(func(m *session.Meta) { m.Delivery = d }).read("f", 3, 3)
	if err := p.s.Rewind(func(c evidenceCall) bool { return c <= kept }); err != nil {
		t.Fatal(err)
	}
	d.Left()
	s.want("known", p.seen("f"), "1-1 seen, 2-3 unseen")
	s.want("kept", p.edit("f", replacing("a", "A")), "ok")
	s.want("abandoned", p.edit("f", replacing("b", "B")), "not-seen missing 2-2 shown 2-2 next same")
	s.want("arrived late", p.edit("f", replacing("c", "C")), "not-seen missing 3-3 shown 3-3 next same")
}

// The order of refusals is fixed: whatever else is wrong too, the first of the list is said.
func TestWhichCodeWins(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.Mkdir("dir", 0o755)
	s.put("f", "a\nb\n")
	s.put("odd", "caf\xe9\nok\n")
	s.Write("locked", "a\n", 0o444)
	s.put(".env", "K=v\n")
	wrong := contentRef("sha256:" + strings.Repeat("0", 64))
	bad := edit.Replace{Old: "a", New: "\x00"}
	for _, c := range []struct {
		what string
		r    session.EditRequest
		want fault.Code
	}{
		{"shape before scope", session.EditRequest{Path: "../x", Edits: []edit.Op{bad}}, fault.Invalid},
		{"shape before denied", session.EditRequest{Path: ".env", Edits: []edit.Op{bad}}, fault.Invalid},
		{"shape before missing", session.EditRequest{Path: "none", Edits: []edit.Op{bad}}, fault.Invalid},
		{"no edits", session.EditRequest{Path: "../x"}, fault.Invalid},
		{"outside before missing", session.EditRequest{Path: "../x", Edits: []edit.Op{replacing("a", "b")}}, fault.OutsideRoot},
		{"denied before what is there", session.EditRequest{Path: ".env", Edits: []edit.Op{replacing("x", "y")}}, fault.Denied},
		{"a folder", session.EditRequest{Path: "dir", Edits: []edit.Op{replacing("a", "b")}}, fault.NotRegular},
		{"missing before expect", session.EditRequest{Path: "none", Edits: []edit.Op{replacing("a", "b")}, Expect: wrong}, fault.Missing},
		{"exists", session.EditRequest{Path: "f", Edits: []edit.Op{replacing("", "b")}}, fault.Exists},
		{"read-only before not-found", session.EditRequest{Path: "locked", Edits: []edit.Op{replacing("zzz", "b")}}, fault.ReadOnly},
		{"lossy before not-found", session.EditRequest{Path: "odd", Edits: []edit.Op{replacing("zzz", "→")}}, fault.LossyEncoding},
		{"not-found before expect", session.EditRequest{Path: "f", Edits: []edit.Op{replacing("zzz", "b")}, Expect: wrong}, fault.NotFound},
		{"overlap before expect", session.EditRequest{Path: "f", Edits: []edit.Op{numbered(1, 2, "x"), numbered(2, 2, "y")}, Expect: wrong}, fault.Conflict},
		{"expect before not-seen", session.EditRequest{Path: "f", Edits: []edit.Op{replacing("a", "x")}, Expect: wrong}, fault.Stale},
		{"not-seen at last", session.EditRequest{Path: "f", Edits: []edit.Op{replacing("a", "x")}}, fault.NotSeen},
	} {
		if c.r.Expect.IsZero() && len(c.r.Edits) > 0 {
			a, err := p.s.Check(context.Background(), session.CheckRequest{Path: c.r.Path, Edits: c.r.Edits})
			if err != nil || a.Allowed || a.Refusal.Code != c.want {
				t.Errorf("%s: check says %v, %v", c.what, a, err)
			}
		}
		if _, err := p.s.Edit(context.Background(), c.r); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
	for _, c := range []struct {
		what string
		r    session.WriteRequest
		want fault.Code
	}{
		{"text before scope", session.WriteRequest{Path: ".env", Text: "\x00", Mode: session.Replace}, fault.Invalid},
		{"text before scope, create", session.WriteRequest{Path: ".env", Text: "\x00", Mode: session.Create}, fault.Invalid},
		{"mode", session.WriteRequest{Path: "f", Text: "x"}, fault.Invalid},
		{"create of a version", session.WriteRequest{Path: "new", Text: "x", Mode: session.Create, Expect: wrong}, fault.Invalid},
		{"missing", session.WriteRequest{Path: "none", Text: "x", Mode: session.Replace}, fault.Missing},
		{"exists", session.WriteRequest{Path: "f", Text: "x", Mode: session.Create}, fault.Exists},
		{"read-only", session.WriteRequest{Path: "locked", Text: "x", Mode: session.Replace}, fault.ReadOnly},
		{"lossy before expect", session.WriteRequest{Path: "odd", Text: "→", Mode: session.Replace, Expect: wrong}, fault.LossyEncoding},
		{"expect", session.WriteRequest{Path: "f", Text: "x", Mode: session.Replace, Expect: wrong}, fault.Stale},
		{"expect of what changes nothing", session.WriteRequest{Path: "f", Text: "a\nb\n", Mode: session.Replace, Expect: wrong}, fault.Stale},
		{"needs-full", session.WriteRequest{Path: "f", Text: "x", Mode: session.Replace}, fault.NeedsFull},
	} {
		if _, err := p.s.Write(context.Background(), c.r); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
	s.holds("f", "a\nb\n")
}

// An empty file is known once it was said that it is empty: by a read, or by a refusal, which says so in words.
func TestEmptyFiles(t *testing.T) {
	s := newStage(t)
	p, q := s.player("P"), s.player("Q")
	s.put("e", "")
	s.want("unread", p.write("e", "x\n"), "needs-full next same")
	if !strings.Contains(p.last.Text(), "exists and is empty") {
		t.Errorf("the refusal says %q", p.last.Text())
	}
	s.want("told", p.check(session.CheckRequest{Path: "e", Overwrite: true}), "yes")
	q.read("e")
	s.want("read", q.write("e", "x\n"), "ok")
	s.want("the other one", p.write("e", "y\n"), "stale drifted 1-1 shown 1-1 next same")
	s.put("e", "")
	s.want("emptied", p.edit("e", replacing("x", "y")), "stale drifted 1-0 next read")
	if !strings.Contains(p.last.Text(), "empty now") {
		t.Errorf("the refusal says %q", p.last.Text())
	}
}

// A version that the call expects and that is not there is told with what changed, if that is known.
func TestExpect(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\nc\n")
	was := p.read("f").Ref()
	s.put("f", "a\nB\nc\n")
	_, err := p.s.Edit(context.Background(), session.EditRequest{Path: "f", Edits: []edit.Op{replacing("a", "A")}, Expect: was})
	s.want("edit", p.answer(err), "stale drifted 2-2 shown 2-2 next read 2-2")
	s.put("f", "a\nb\nc\n")
	_, err = p.s.Edit(context.Background(), session.EditRequest{Path: "f", Edits: []edit.Op{replacing("a", "A")}, Expect: was})
	s.want("back again", p.answer(err), "ok")
}

// F70, F98: a move lands on nothing, takes what was known along and lends nothing.
func TestMoves(t *testing.T) {
	s := newStage(t)
	p, q := s.player("P"), s.player("Q")
	s.put("a", "1\n2\n")
	s.put("b", "keep\n")
	s.Mkdir("d", 0o755)
	s.Symlink("d", "folder")
	p.read("a")
	s.want("onto a file", p.move("a", "b"), "exists next read")
	s.want("onto a folder", p.move("a", "d"), "exists next list")
	s.want("into no folder", p.move("a", "none/a"), "missing")
	if p.last.Path != "none/a" {
		t.Errorf("the path at fault is %s", p.last.Path)
	}
	s.want("through a link to a folder", p.move("a", "folder/c"), "ok")
	s.want("under its own name", p.edit("d/c", replacing("2", "3")), "ok")
	s.want("who never saw it", q.edit("d/c", replacing("1", "x")), "not-seen missing 1-1 shown 1-1 next same")
	s.put("a", "1\n3\n")
	s.want("the old name taken again", p.edit("a", replacing("3", "4")), "not-seen missing 2-2 shown 2-2 next same")
	p.read("b")
	s.want("gone", p.remove("b"), "ok")
	s.want("an unread file takes its place", q.move("d/c", "b"), "ok")
	s.want("nothing is widened", q.edit("b", replacing("3", "x")), "not-seen missing 2-2 shown 2-2 next same")
	s.want("P knew it", p.edit("b", replacing("3", "x")), "ok")
}

// Where the root folds case two spellings are one file, and a move between them is no obstacle.
func TestFoldedRoots(t *testing.T) {
	s := newStage(t, func(o *session.Options) { o.FoldCase = true })
	p := s.player("P")
	s.put("Read.me", "a\nb\n")
	p.read("Read.me")
	name, _ := s.ws.Admit("READ.ME")
	if err := s.ws.Overlays().Set("e", name, "dirty\n"); err != nil {
		t.Fatal(err)
	}
	s.want("a buffer of another spelling", p.edit("Read.me", replacing("a", "A")), "dirty-buffer")
}

// The answers of an edit stand in the call's own order, and a batch is all or nothing.
func TestAnswersStandInTheCallsOrder(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\nb\nc\n")
	p.read("f")
	a, err := p.s.Edit(context.Background(), session.EditRequest{Path: "f", Edits: []edit.Op{replacing("c", "C\nCC"), replacing("a", "A\nAA")}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(a.Edits), "[{[2,3) [3,5)} {[0,1) [0,2)}]"; got != want {
		t.Errorf("edits %s, want %s", got, want)
	}
	s.want("one cannot be found", p.edit("f", replacing("b", "B"), replacing("zzz", "y")), "not-found next read")
	s.holds("f", "A\nAA\nb\nC\nCC\n")
}
