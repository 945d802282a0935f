package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/engine"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/session"
)

// FuzzFrames sends lines to a server over a file system in memory and ends. Whatever they hold, it never panics, every
// request that has an id gets exactly one answer with that id, and every line that is no message gets one without.
func FuzzFrames(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"f.txt"}}}`,
		`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"edit","arguments":{"path":"f.txt","edits":[{"old":"two","new":"2"}]},"_meta":{"sightline/round":3,"sightline/structured":true}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write","arguments":{"path":"g","text":"","mode":"create","request_id":"r"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"none"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{}}` + "\n" + `{"jsonrpc":"2.0","id":5,"method":"ping"}`,
		`[{"jsonrpc":"2.0","id":6,"method":"ping"},7,{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"seen","arguments":{"path":"f.txt"}}}]`,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"list","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":9,"result":{}}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":10,"method":7}`, "", "{", "\x00", `{"id":1}`, `{"jsonrpc":"2.0","id":11,"id":12,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":13,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":14,"method":"","params":[]}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":15,"method":"ping","error":{}}`, `{"jsonrpc":"2.0","error":7}`, `{"jsonrpc":"2.0","id":16,"error":{"code":"x"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		if bytes.Contains(lines, []byte("subscriptions")) || bytes.Contains(lines, []byte("notifications/c")) || len(lines) > 1<<16 {
			return // a subscription is not answered until it ends, and a call that is cancelled not at all
		}
		want := expected(lines)
		if want["?"] > 0 {
			delete(want, "?")
			delete(want, "null")
		}
		got := map[string]int{}
		for _, line := range bytes.SplitAfter(poured(t, lines), []byte{'\n'}) {
			if len(line) == 0 {
				continue
			}
			var a struct {
				ID     json.RawMessage
				Method *string
			}
			if err := json.Unmarshal(line, &a); err != nil || line[len(line)-1] != '\n' {
				t.Fatalf("no frame: %q: %v", line, err)
			}
			if a.Method == nil {
				got[idKey(a.ID)]++
			}
		}
		for id, n := range want {
			if got[id] != n {
				t.Errorf("%d answers to %s, want %d, for %q", got[id], id, n, lines)
			}
		}
		for id, n := range got {
			if _, due := want[id]; !due && id != "null" {
				t.Errorf("%d answers to %s, want %d, for %q", n, id, want[id], lines)
			}
		}
	})
}

// expected says how many answers each id gets; null stands for frames that are no messages.
func expected(lines []byte) map[string]int {
	want := map[string]int{}
	for _, line := range bytes.Split(lines, []byte{'\n'}) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) == nil && batch != nil {
			if len(batch) == 0 || len(batch) > batchMax {
				want["null"]++
			}
			for _, one := range batch {
				want[answered(one)]++
			}
		} else {
			want[answered(line)]++
		}
	}
	delete(want, "")
	return want
}

// answered returns the id of the answer to one frame, null for one without an id, and nothing where none is due. It
// takes the frame apart by tokens, so that it knows of doubled members.
func answered(frame []byte) string {
	if !json.Valid(frame) || frame[0] != '{' {
		return "null"
	}
	d := json.NewDecoder(bytes.NewReader(frame))
	_, _ = d.Token() // {
	m := map[string]json.RawMessage{}
	twice := false
	for d.More() {
		name, _ := d.Token()
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return "null"
		}
		if key := name.(string); m[key] != nil && (key == "id" || key == "method" || key == "params") {
			twice = true
		} else if key == "id" && raw == nil {
			raw = json.RawMessage("null")
		}
		m[name.(string)] = raw
	}
	id := "null"
	if raw := m["id"]; len(raw) > 0 && m["method"] != nil && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		id = idKey(raw)
	}
	var method string
	isMethod := m["method"] != nil && m["method"][0] == '"' && json.Unmarshal(m["method"], &method) == nil
	switch {
	case twice || string(m["jsonrpc"]) != `"2.0"` || m["method"] != nil && !isMethod:
		return id
	case isMethod && m["id"] != nil && id == "null":
		return "null"
	case isMethod && id == "null":
		return "" // a notification
	case isMethod:
		return id
	case m["id"] == nil:
		return "null" // neither a request nor an answer
	}
	return "?" // an answer to something that we did not ask, or a broken one, which is told
}

// poured serves a client that sends lines and hangs up, and returns what was answered.
func poured(t *testing.T, lines []byte) []byte {
	fs, err := disktest.NewMemory(1).FS()
	if err != nil {
		t.Fatal(err)
	}
	name, err := scope.NameOf("f.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Swap(name, disk.Absent(), []byte("one\ntwo\nthree\n"), disk.SwapOptions{}); err != nil {
		t.Fatal(err)
	}
	ws, err := session.Open(context.Background(), session.Options{FS: fs, Clock: func() int64 { return 0 }, Entropy: strings.NewReader(strings.Repeat("entropy ", 1000))})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), Options{Engine: engine.Local(ws), In: in, Out: out, Version: "fuzz"})
	}()
	const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"fuzz","version":"0"}}}` + "\n"
	r := bufio.NewReader(outR)
	go func() {
		_, _ = io.WriteString(inW, hello) // an end too early is told by the answers
		_, _ = inW.Write(lines)
		inW.Close()
	}()
	if greeting, err := r.ReadString('\n'); err != nil || !strings.Contains(greeting, "protocolVersion") {
		t.Fatalf("%q %v", greeting, err)
	}
	answers, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatalf("%v for %q", err, lines)
	}
	return answers
}
