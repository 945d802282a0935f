package session

import (
	"testing"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
)

// both runs a test with a process that ends in good order, and with one that is killed.
func both(t *testing.T, run func(p *place, restart func())) {
	t.Run("restarted", func(t *testing.T) { p := newPlace(t); run(p, p.restart) })
	t.Run("killed", func(t *testing.T) { p := newPlace(t); run(p, p.kill) })
}

// F03: evidence survives a restart, and is verified again by content.
func TestRestart(t *testing.T) {
	both(t, func(p *place, restart func()) {
		p.put("f.txt", "one\ntwo\nthree\n")
		p.full("s", "f.txt")
		restart()
		p.admitted(p.edit("s", "f.txt", replace("two", "TWO")), "one\nTWO\nthree\n")
		p.refused(p.edit("t", "f.txt", replace("one", "1")), fault.NotSeen, "[[0,1)]", "[]") // another session saw nothing
	})
	both(t, func(p *place, restart func()) {
		p.put("f.txt", "one\ntwo\nthree\n")
		p.full("s", "f.txt")
		restart()
		p.put("f.txt", "one\n2\nthree\n")
		p.refused(p.edit("s", "f.txt", replace("two", "TWO")), fault.Stale, "[]", "[[1,2)]")
	})
}

// F96: own edits carry evidence forward with shifted lines, also over a restart.
func TestRestartAfterOwnEdits(t *testing.T) {
	both(t, func(p *place, restart func()) {
		p.put("f.txt", "a\nb\nc\nd\n")
		p.full("s", "f.txt")
		p.admitted(p.edit("s", "f.txt", replace("a", "a1\na2\na3")), "a1\na2\na3\nb\nc\nd\n")
		restart()
		p.admitted(p.edit("s", "f.txt", replace("d", "D")), "a1\na2\na3\nb\nc\nD\n")
		restart()
		p.admitted(p.edit("s", "f.txt", numbers(2, 2, "A2")), "a1\nA2\na3\nb\nc\nD\n")
		p.put("f.txt", "a1\nA2\na3\nb\nC!\nD\n")
		restart()
		p.refused(p.edit("s", "f.txt", replace("c", "cc")), fault.Stale, "[]", "[[4,5)]")

		p.put("g.txt", "a\nb\nc\nd\n")
		p.read("s", "g.txt", lines(1, 2))
		p.edit("s", "g.txt", replace("b", "b1\nb2"))
		restart()
		p.refused(p.edit("s", "g.txt", numbers(4, 4, "Z")), fault.NotSeen, "[[3,4)]", "[]")
	})
}

// F69: a delete of one's own clears what was seen, for good: what appears there later is unseen.
func TestRestartAfterDelete(t *testing.T) {
	both(t, func(p *place, restart func()) {
		p.put("f.txt", "a\nb\n")
		p.full("s", "f.txt")
		p.remove("s", "f.txt")
		restart()
		p.put("f.txt", "a\nZ\n")
		p.refused(p.edit("s", "f.txt", replace("Z", "Y")), fault.NotSeen, "[[1,2)]", "[]")
		p.put("f.txt", "a\nb\n") // the very same, but somebody else's
		restart()
		p.refused(p.edit("s", "f.txt", replace("a", "A")), fault.NotSeen, "[[0,1)]", "[]")
	})
}

// A rewind takes back what was shown and written after it, for good, and what was shown before stays.
func TestRestartAfterRewind(t *testing.T) {
	both(t, func(p *place, restart func()) {
		p.put("f.txt", "a\nb\nc\n")
		p.read("s", "f.txt", lines(1, 1))
		kept := p.session("s").Calls()
		p.read("s", "f.txt", lines(3, 3))
		p.must(p.session("s").Rewind(func(c evidence.CallID) bool { return c <= kept }))
		restart()
		p.refused(p.edit("s", "f.txt", replace("c", "C")), fault.NotSeen, "[[2,3)]", "[]")
		p.admitted(p.edit("s", "f.txt", replace("a", "A")), "A\nb\nc\n")
	})
	// Calls after the restart have numbers of their own: a rewind to before them takes them back.
	both(t, func(p *place, restart func()) {
		p.put("f.txt", "a\nb\n")
		p.read("s", "f.txt", lines(1, 1))
		p.seen("f.txt") // a call that leaves nothing
		kept := p.session("s").Calls()
		restart()
		p.read("s", "f.txt", lines(2, 2))
		p.must(p.session("s").Rewind(func(c evidence.CallID) bool { return c <= kept }))
		p.refused(p.edit("s", "f.txt", replace("b", "B")), fault.NotSeen, "[[1,2)]", "[]")
		p.admitted(p.edit("s", "f.txt", replace("a", "A")), "A\nb\n")
	})
}

// What was shown in a round counts from the next round on, though the process was another in between.
func TestRestartWithinARound(t *testing.T) {
	both(t, func(p *place, restart func()) {
		p.put("f.txt", "a\nb\n")
		p.rounds["s"] = 7
		p.full("s", "f.txt")
		restart()
		p.refused(p.edit("s", "f.txt", replace("a", "A")), fault.NotSeen, "[[0,1)]", "[]")
		p.rounds["s"] = 8
		p.admitted(p.edit("s", "f.txt", replace("a", "A")), "A\nb\n")
	})
}

// A fresh key costs what was known and nothing else.
func TestRestartWithoutTheKey(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\nb\n")
	p.full("s", "f.txt")
	p.must(p.ws.Close())
	p.must(removeKey(p))
	p.open()
	if r := p.ws.Resumed(); !r.Fresh || r.Aside == "" {
		t.Fatalf("resumed %+v", r)
	}
	p.refused(p.edit("s", "f.txt", replace("a", "A")), fault.NotSeen, "[[0,1)]", "[]")
	p.admitted(p.edit("s", "f.txt", replace("a", "A")), "A\nb\n") // the refusal was the cure
}
