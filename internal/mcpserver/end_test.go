package mcpserver_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/engine"
	"github.com/sightline-io/sightline/internal/mcpserver"
)

// A call that is cancelled stops and is not answered; what it read is not evidence.
func TestCancel(t *testing.T) {
	for way := range over {
		for _, ids := range [][2]string{{`5`, `5`}, {`"a"`, `"\u0061"`}, {`12`, `1.2e1`}} {
			t.Run(way+ids[0], func(t *testing.T) {
				root := folder(t, 10)
				ws, fs := gated(t, root)
				c := serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
				c.send(c.frame(ids[0], "tools/call", callParams("read", `{"path":"f.txt"}`, `"progressToken":1`)))
				<-fs.entered
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"tired"}}`, ids[1]))
				if a := c.request("ping", "{}"); string(a.Result) != "{}" {
					t.Errorf("a ping is answered %s", a.raw) // await fails on any other answer
				}
				fs.open()
				c.call("edit", `{"path":"f.txt","edits":[{"old":"000003 of","new":"3 of"}]}`).refused(t, "not-seen")
				c.w.Close()
				if rest, err := io.ReadAll(c.r); len(rest) > 0 || err != nil && way == "pipes" {
					t.Errorf("after the end: %q %v", rest, err)
				}
			})
		}
	}
}

// A call that takes long holds up nobody.
func TestLongCalls(t *testing.T) {
	for way := range over {
		t.Run(way, func(t *testing.T) {
			root := folder(t, 10)
			put(t, root, "other.txt", "text\n")
			ws, fs := gated(t, root)
			c := serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
			const long = 30
			for i := range long {
				c.send(c.frame(fmt.Sprintf(`"long%d"`, i), "tools/call", callParams("read", `{"path":"f.txt"}`)))
				<-fs.entered
				c.call("read", `{"path":"other.txt"}`).ok(t)
			}
			fs.open()
			got := map[string]bool{}
			for range long {
				got[string(c.receive().ok(t).ID)] = true
			}
			if len(got) != long {
				t.Errorf("%d of %d calls are answered", len(got), long)
			}
		})
	}
}

// More calls than are run at once wait their turn; each is answered once.
func TestManyCalls(t *testing.T) {
	ws, fs := gated(t, folder(t, 1))
	c := serve(t, "pipes", "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
	const many = 3000
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := 0; i < many; i += 500 {
			var batch []string
			for j := range 500 {
				batch = append(batch, c.frame(fmt.Sprint(i+j+1), "tools/call", callParams("read", `{"path":"f.txt"}`)))
			}
			c.send("[" + strings.Join(batch, ",") + "]")
		}
	}()
	<-fs.entered
	fs.open()
	got := map[string]bool{}
	for range many {
		got[string(c.receive().ok(t).ID)] = true
	}
	<-sent
	if len(got) != many {
		t.Errorf("%d of %d calls are answered", len(got), many)
	}
}

// A client that hangs up while a call runs gets its answer, if it still listens.
func TestHangUpMidCall(t *testing.T) {
	for way := range over {
		t.Run(way, func(t *testing.T) {
			ws, fs := gated(t, folder(t, 10))
			c := serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
			c.send(c.frame("1", "tools/call", callParams("read", `{"path":"f.txt"}`)))
			<-fs.entered
			c.w.Close()
			fs.open()
			c.await("1").ok(t)
			c.over(t)
			if c.err != nil {
				t.Error(c.err)
			}
		})
	}
}

// The same of a real process, which edits.
func TestHangUpMidEdit(t *testing.T) {
	root := folder(t, 20_000)
	c := spawn(t, "2025-06-18", root, durEnv+"=durable")
	c.call("read", `{"path":"f.txt","first":10000,"last":10000}`).ok(t)
	c.send(c.frame("9", "tools/call", editLine(10_000)))
	rest, err := c.hangUp()
	if err != nil {
		t.Error(err)
	}
	c.parse([]byte(rest)).ok(t)
	if want := strings.Replace(numbered(20_000), "line 010000 of", "LINE 010000 of", 1); content(t, root, "f.txt") != want {
		t.Error("the edit is not made")
	}
}

// The end of the context ends a call that runs, and Serve returns.
func TestEndMidCall(t *testing.T) {
	for way := range over {
		t.Run(way, func(t *testing.T) {
			ws, fs := gated(t, folder(t, 10))
			c := serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
			c.send(c.frame("1", "tools/call", callParams("read", `{"path":"f.txt"}`)))
			<-fs.entered
			c.end()
			c.over(t)
			if rest, err := io.ReadAll(c.r); c.err != nil || len(rest) > 0 || err != nil {
				t.Errorf("%v; %q %v", c.err, rest, err)
			}
		})
	}
}

// A client that reads nothing cannot hold up the end, and what it did not read is not evidence.
func TestEndWithoutReader(t *testing.T) {
	for way := range over {
		t.Run(way, func(t *testing.T) {
			const lines = 30_000
			root := folder(t, lines)
			ws, fs := gated(t, root)
			fs.open()
			c := serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(ws), Session: "s", PageBytes: 16 << 20})
			for i := range 3 {
				c.send(c.frame(fmt.Sprint(i+10), "tools/call", callParams("read", `{"path":"f.txt"}`)))
			}
			<-fs.entered
			if _, err := c.r.Peek(1); err != nil { // the first answer has begun to be written
				t.Fatal(err)
			}
			c.end()
			c.over(t)
			if c.err != nil {
				t.Error(c.err)
			}
			again := serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(ws), Session: "s"})
			again.request("tools/call", editLine(5)).refused(t, "not-seen")
		})
	}
}

// A client that no longer listens ends the connection.
func TestNobodyListens(t *testing.T) {
	for way := range over {
		t.Run(way, func(t *testing.T) {
			c := serve(t, way, "2025-06-18", mcpserver.Options{Engine: engine.Local(workspace(t, folder(t, 10)))})
			c.closer.Close()
			c.send(c.frame("1", "tools/call", callParams("read", `{"path":"f.txt"}`)))
			c.over(t)
			if c.err == nil {
				t.Error("the broken connection is not told")
			}
		})
	}
}
