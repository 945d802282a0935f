package session_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
)

// A repeated request id is answered and not done again, for every verb that changes something; another id is another
// call.
func TestRepeatedCallsAreDoneOnce(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("i.ts", "import a\n")
	p.read("i.ts")
	for n := range 3 {
		id := p.with(func(m *session.Meta) { m.RequestID = "7" })
		s.want(fmt.Sprint("edit ", n), id.edit("i.ts", replacing("import a", "import a\nimport b")), "ok")
		s.want(fmt.Sprint("create ", n), id.create("new", "x\n"), "ok")
		s.want(fmt.Sprint("move ", n), id.move("i.ts", "j.ts"), "ok")
		s.want(fmt.Sprint("delete ", n), id.remove("new"), "ok")
	}
	s.holds("j.ts", "import a\nimport b\n")
	s.want("another id", p.with(func(m *session.Meta) { m.RequestID = "8" }).edit("j.ts", replacing("import a", "import a\nimport c")), "ok")
	s.holds("j.ts", "import a\nimport c\nimport b\n")
	s.want("the ids of one session are not another's", s.player("Q").with(func(m *session.Meta) { m.RequestID = "7" }).remove("j.ts"), "ok")
}

// While the first call of an id is running the second waits, and gets its answer.
func TestTheSecondWaits(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\n")
	p.read("f")
	results := make(chan error, 6)
	for range cap(results) {
		go func() {
			_, err := p.s.Edit(context.Background(), session.EditRequest{Path: "f", Edits: []edit.Op{replacing("a", "a\na")}, Meta: session.Meta{RequestID: "1"}})
			results <- err
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	s.holds("f", "a\na\n")
}

// Failures of the moment are not kept: the repeat tries for itself.
func TestFailuresAreNotKept(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\n")
	p.read("f")
	id := p.with(func(m *session.Meta) { m.RequestID = "1" })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := id.s.Edit(ctx, session.EditRequest{Path: "f", Edits: []edit.Op{replacing("a", "b")}, Meta: id.meta})
	if fault.CodeOf(err) != fault.Cancelled {
		t.Fatal(err)
	}
	s.fail = func(call string) error {
		if call == "Sync" {
			return syscall.EIO
		}
		return nil
	}
	s.want("the disk fails", id.edit("f", replacing("a", "b")), "io")
	s.holds("f", "a\n")
	s.fail = nil
	s.want("again", id.edit("f", replacing("a", "b")), "ok")
	s.holds("f", "b\n")
}

// A call that breaks off leaves nobody waiting for its answer.
func TestPanicsLeaveNobodyWaiting(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	s.put("f", "a\n")
	p.read("f")
	id := p.with(func(m *session.Meta) { m.RequestID = "1" })
	s.fail = func(string) error { panic("the kernel is gone") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		id.edit("f", replacing("a", "b"))
	}()
	s.fail = nil
	s.want("again", id.edit("f", replacing("a", "b")), "ok")
}
