package mcpserver_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// What is no message is answered as JSON-RPC has it, and costs nobody anything.
func TestGarbage(t *testing.T) {
	const parse, invalid = -32700, -32600
	c := spawn(t, "2025-06-18", folder(t, 3))
	for _, f := range []struct {
		line string
		code int
		id   string
	}{
		{"nonsense", parse, "null"},
		{"{", parse, "null"},
		{`"text"`, parse, "null"},
		{`7`, parse, "null"},
		{`null`, parse, "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} x`, parse, "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping",}`, parse, "null"},
		{`{"jsonrpc":"2.0","id":01,"method":"ping"}`, parse, "null"},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\x01\",\"method\":\"ping\"}", parse, "null"},
		{"\x00\x00", parse, "null"},
		{"\xff\xfe{}", parse, "null"},
		{strings.Repeat("[", 100_000), parse, "null"},
		{strings.Repeat(`{"a":`, 100_000), parse, "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, parse, "null"},
		{`{}`, invalid, "null"},
		{`{"jsonrpc":"2.0"}`, invalid, "null"},
		{`{"id":5,"method":"ping"}`, invalid, "5"},
		{`{"jsonrpc":"1.0","id":5,"method":"ping"}`, invalid, "5"},
		{`{"id":5,"method":"tools/call","params":{"name":"read","arguments":{"path":"f.txt"}}}`, invalid, "5"},
		{`{"jsonrpc":"2.0","id":5,"method":7}`, invalid, "5"},
		{`{"jsonrpc":"2.0","id":5,"id":6,"method":"ping"}`, invalid, "6"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, invalid, "1.5"},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, invalid, "9007199254740993"},
		{`{"jsonrpc":"2.0","id":5,"error":{"code":"x"}}`, invalid, "null"},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","method":"tools/call"}`, invalid, "5"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, invalid, "null"},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, invalid, "null"},
		{`[]`, invalid, "null"},
		{`[[]]`, invalid, "null"},
		{`[` + strings.Repeat(`1,`, 1000) + `1]`, invalid, "null"},
		{`[7]`, parse, "null"},
		{`[`, parse, "null"},
	} {
		c.send(f.line)
		if a := c.receive(); a.Error == nil || a.Error.Code != f.code || string(a.ID) != f.id {
			t.Errorf("%.60q is answered %s", f.line, a.raw)
		}
	}
	for _, silent := range []string{"", "  ", "\r", `{"jsonrpc":"2.0","method":"notifications/unheard-of"}`, `{"jsonrpc":"2.0","id":99,"result":{}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete","arguments":{"path":"f.txt"}}}`, // nobody wants the answer
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`} {
		c.send(silent)
	}
	c.send("  " + c.frame("7", "tools/call", callParams("read", `{"path":"f.txt"}`)) + "\t\r")
	c.await("7").ok(t)
	if rest, err := c.hangUp(); rest != "" || err != nil {
		t.Errorf("%q %v", rest, err)
	}
}

// Names of members are exact: a frame is what the SDK takes it for too.
func TestMembersAreExact(t *testing.T) {
	c := spawn(t, "2025-06-18", folder(t, 3))
	c.send(`{"jsonrpc":"2.0","id":1,"Method":"tools/call","method":"ping","params":{"name":"delete","arguments":{"path":"f.txt"}}}`)
	if a := c.await("1"); string(a.Result) != "{}" {
		t.Errorf("a ping is answered %s", a.raw)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"Name":"delete","arguments":{"path":"f.txt"}}}`)
	if a := c.await("2"); a.Error == nil {
		t.Errorf("a call without a name is answered %s", a.raw)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"\u006dethod":"tools\/call","params":{"\u006eame":"re\u0061d","arguments":{"p\u0061th":"f.txt"}}}`)
	c.await("3").ok(t)
}

// Frames of a batch are answered one by one; no frame is lost, whatever else is in it.
func TestBatch(t *testing.T) {
	c := spawn(t, "2025-06-18", folder(t, 50))
	var batch []string
	for i := 1; i <= 40; i++ {
		batch = append(batch, c.frame(fmt.Sprint(i), "tools/call", readLine(i)))
	}
	batch = append(batch, c.frame("41", "tools/call", editLine(41)), c.frame("42", "ping", "{}"), `7`, `[[]]`, `{"jsonrpc":"2.0","method":"notifications/unheard-of"}`,
		c.frame("43", "tools/call", callParams("frobnicate", "{}")))
	c.send(" [ " + strings.Join(batch, " , ") + " ] ")
	seen := map[string]answer{}
	nameless := 0
	for range 45 {
		a := c.receive()
		if string(a.ID) == "null" {
			nameless++
			continue
		}
		if _, twice := seen[string(a.ID)]; twice {
			t.Fatalf("two answers to %s", a.ID)
		}
		seen[string(a.ID)] = a
	}
	for i := 1; i <= 40; i++ {
		seen[fmt.Sprint(i)].ok(t)
	}
	seen["41"].refused(t, "not-seen")
	if nameless != 2 || string(seen["42"].Result) != "{}" || seen["43"].Error == nil {
		t.Errorf("%d nameless, %s, %s", nameless, seen["42"].raw, seen["43"].raw)
	}
}

// A frame of 70 MB is refused, one of 20 MB is read, and the connection goes on.
func TestLargeFrames(t *testing.T) {
	c := spawn(t, "2025-06-18", folder(t, 3))
	for _, mb := range []int{70, 20} {
		c.id++
		done := make(chan error, 1)
		go func() {
			_, err := io.WriteString(c.w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"write","arguments":{"path":"f.txt","mode":"replace","text":"`, c.id))
			for i := 0; i < mb && err == nil; i++ {
				_, err = io.WriteString(c.w, strings.Repeat("0123456789abcde\\n", 1<<16))
			}
			if err == nil {
				_, err = io.WriteString(c.w, "\"}}}\n")
			}
			done <- err
		}()
		a := c.receive()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if mb == 70 {
			if a.Error == nil || a.Error.Code != -32600 || !strings.Contains(a.Error.Message, "67108864") {
				t.Errorf("%.300s", a.raw)
			}
		} else {
			a.refused(t, "needs-full")
		}
		c.call("read", `{"path":"f.txt","first":1,"last":1}`).ok(t)
	}
}

// Half a frame at the end is answered as what it is, and a whole one without its newline is a frame.
func TestEndOfInput(t *testing.T) {
	c := spawn(t, "2025-06-18", folder(t, 3))
	call := c.frame("7", "tools/call", callParams("read", `{"path":"f.txt"}`))
	if _, err := io.WriteString(c.w, call[:len(call)-10]); err != nil {
		t.Fatal(err)
	}
	rest, err := c.hangUp()
	if a := c.parse([]byte(rest)); err != nil || a.Error == nil || a.Error.Code != -32700 || string(a.ID) != "null" {
		t.Errorf("%v %s", err, rest)
	}

	c = spawn(t, "2025-06-18", folder(t, 3))
	if _, err := io.WriteString(c.w, c.frame("6", "ping", "{}")+"\n"+call); err != nil {
		t.Fatal(err)
	}
	rest, err = c.hangUp()
	if err != nil || strings.Count(rest, "\n") != 2 || !strings.Contains(rest, `"id":7`) || !strings.Contains(rest, `"id":6`) {
		t.Errorf("%v %s", err, rest)
	}
}

// A whole conversation may be poured in at once: everything that was sent before the end is answered.
func TestPouredIn(t *testing.T) {
	c := spawn(t, sessionless, folder(t, 3))
	var frames []string
	for i := range 500 {
		frames = append(frames, c.frame(fmt.Sprint(i), "tools/call", callParams("read", `{"path":"f.txt"}`)))
	}
	frames = append(frames, c.frame("500", "tools/list", "{}"))
	go func() {
		_, _ = io.WriteString(c.w, strings.Join(frames, "\n")) // hanging up tells
		c.w.Close()
	}()
	out, err := io.ReadAll(c.r)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(out), "\n"); n != 501 {
		t.Errorf("%d answers to 501 requests", n)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}
