package mcpserver_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/engine"
	"github.com/sightline-io/sightline/internal/mcpserver"
)

// A call was received after an answer left when the client could have read the answer before it wrote the call. These
// tests write calls at every moment there is.

func readLine(n int) string {
	return callParams("read", fmt.Sprintf(`{"path":"f.txt","first":%d,"last":%d}`, n, n))
}

func editLine(n int) string {
	return callParams("edit", fmt.Sprintf(`{"path":"f.txt","edits":[{"old":"line %06d of","new":"LINE %06d of"}]}`, n, n))
}

// both awaits the answers to two requests, in whichever order they come.
func (c *client) both(a, b string) (answer, answer) {
	c.tb.Helper()
	first := c.receive()
	second := c.receive()
	if string(first.ID) == b {
		first, second = second, first
	}
	if string(first.ID) != a || string(second.ID) != b {
		c.tb.Fatalf("answers to %s and %s, not to %s and %s", first.ID, second.ID, a, b)
	}
	return first, second
}

// In one write there is no answer that the second call could know.
func TestOneWriteIsOneRound(t *testing.T) {
	const rounds = 400
	for _, how := range []string{"two frames", "one batch"} {
		t.Run(how, func(t *testing.T) {
			c := spawn(t, "2025-06-18", folder(t, rounds))
			for n := 1; n <= rounds; n++ {
				r, e := c.next(), c.next()
				read, edit := c.frame(r, "tools/call", readLine(n)), c.frame(e, "tools/call", editLine(n))
				if how == "one batch" {
					c.send("[" + read + "," + edit + "]")
				} else {
					c.send(read, edit)
				}
				page, no := c.both(r, e)
				page.ok(t)
				no.refused(t, "not-seen")
			}
		})
	}
}

// Whoever has the answer may rely on it, however fast.
func TestAnswerThenCall(t *testing.T) {
	const files, lines = 100, 30
	root := t.TempDir()
	for i := range files {
		put(t, root, fmt.Sprintf("f%d.txt", i), numbered(lines))
	}
	c := spawn(t, "2025-06-18", root)
	for i := range files {
		for n := 1; n <= lines; n++ {
			c.call("read", fmt.Sprintf(`{"path":"f%d.txt","first":%d,"last":%d}`, i, n, n)).ok(t)
			c.call("edit", fmt.Sprintf(`{"path":"f%d.txt","edits":[{"old":"%06d of","new":"%d of"}]}`, i, n, n)).ok(t)
		}
	}
}

// The same while answers leave from several goroutines and another one takes input off.
func TestAnswerThenCallBesideOthers(t *testing.T) {
	const rounds, width = 150, 6
	c := spawn(t, "2025-06-18", folder(t, rounds*width))
	for round := range rounds {
		var batch []string
		line := map[string]int{} // by the id of the read that shows it
		edits := map[string]bool{}
		for i := range width {
			id := c.next()
			line[id] = round*width + i + 1
			batch = append(batch, c.frame(id, "tools/call", readLine(line[id])))
		}
		c.send("[" + strings.Join(batch, ",") + "]")
		for len(line)+len(edits) > 0 {
			a := c.receive().ok(t)
			id := string(a.ID)
			if n := line[id]; n > 0 {
				delete(line, id)
				e := c.next()
				edits[e] = true
				c.send(c.frame(e, "tools/call", editLine(n))) // while the others are still on their way
			} else if !edits[id] {
				t.Fatalf("an answer to %s", id)
			}
			delete(edits, id)
		}
	}
}

// Until the last byte of an answer is written nobody can have read it.
func TestHalfAnAnswer(t *testing.T) {
	const lines = 40_000
	root := folder(t, lines)
	whole := callParams("read", fmt.Sprintf(`{"path":"f.txt","first":1,"last":%d}`, lines))
	check := func(t *testing.T, c *client) {
		r, e, then := c.next(), c.next(), c.next()
		c.send(c.frame(r, "tools/call", whole))
		half := make([]byte, 500_000)
		if _, err := io.ReadFull(c.r, half); err != nil {
			t.Fatal(err)
		}
		c.send(c.frame(e, "tools/call", editLine(10))) // a line that was in the half that came
		rest, err := c.r.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		if a := c.parse(append(half, rest...)).ok(t); len(a.raw) < 1<<20 {
			t.Fatalf("the answer has only %d bytes", len(a.raw))
		}
		c.await(e).refused(t, "not-seen")
		c.send(c.frame(then, "tools/call", editLine(20)))
		c.await(then).ok(t)
	}
	t.Run("process", func(t *testing.T) { check(t, spawn(t, "2025-06-18", root)) })
	for way := range over {
		t.Run(way, func(t *testing.T) {
			ws := workspace(t, folder(t, lines))
			check(t, serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(ws), PageBytes: 16 << 20}).client)
		})
	}
}

// In this process, over both kinds of pipe: one write is one round, and an answer that was read may be relied on. Over
// io.Pipe nobody can tell what is on its way, so there a call counts as written when it is taken: one whose write
// waits while an answer is written may be taken as later than it.
func TestArrivalInProcess(t *testing.T) {
	const rounds = 300
	for way := range over {
		t.Run(way, func(t *testing.T) {
			ws := workspace(t, folder(t, 2*rounds))
			c := serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
			for n := 1; n <= rounds; n++ {
				r, e := c.next(), c.next()
				c.send(c.frame(r, "tools/call", readLine(n)), c.frame(e, "tools/call", editLine(n)))
				page, no := c.both(r, e)
				page.ok(t)
				no.refused(t, "not-seen")

				c.request("tools/call", readLine(rounds+n)).ok(t)
				c.request("tools/call", editLine(rounds+n)).ok(t)
			}
		})
	}
}
