package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var toolNames = []string{"check", "delete", "edit", "list", "move", "read", "seen", "write"}

// One agent's way in every version of the protocol, frame by frame.
func TestEveryVersion(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			root := folder(t, 100)
			c := spawn(t, version, root)

			a := c.request("tools/list", "{}")
			var l struct {
				Tools []struct {
					Name        string
					InputSchema struct {
						Type       string
						Properties map[string]json.RawMessage
					}
				}
			}
			if err := json.Unmarshal(a.Result, &l); err != nil {
				t.Fatalf("%v: %s", err, a.raw)
			}
			var names []string
			for _, tool := range l.Tools {
				names = append(names, tool.Name)
				if tool.InputSchema.Type != "object" || tool.InputSchema.Properties["session"] == nil || tool.InputSchema.Properties["request_id"] == nil {
					t.Errorf("%s has the schema %+v", tool.Name, tool.InputSchema)
				}
			}
			slices.Sort(names)
			if !slices.Equal(names, toolNames) {
				t.Errorf("the tools are %v", names)
			}

			edit := `{"path":"f.txt","edits":[{"old":"line 000050 of","new":"LINE 000050 of"}]}`
			no := c.call("edit", edit).refused(t, "not-seen")
			if !strings.Contains(no.text, "    50\tline 000050 of the file\n") {
				t.Errorf("the refusal does not show line 50: %s", no.text)
			}
			if content(t, root, "f.txt") != numbered(100) {
				t.Fatal("a refused edit changed the file")
			}
			tool, args := no.nextCall(t)
			c.call(tool, args).ok(t)
			want := strings.Replace(numbered(100), "line 000050 of", "LINE 000050 of", 1)
			if content(t, root, "f.txt") != want {
				t.Fatal("the cured edit was not made")
			}

			c.call("edit", `{"path":"f.txt","edits":[{"first":11,"last":12,"new":"eleven\ntwelve\n"}]}`).refused(t, "not-seen")
			page := c.call("read", `{"path":"f.txt","first":20,"last":22}`).ok(t)
			if !strings.HasPrefix(page.text, "    20\tline 000020 of the file\n    21\tline 000021 of the file\n") {
				t.Errorf("a read shows %q", page.text)
			}
			c.call("edit", `{"path":"f.txt","edits":[{"first":20,"last":22,"new":"one\n"}]}`).ok(t)
			c.call("edit", `{"path":"f.txt","edits":[{"old":"one","new":"two"}]}`).ok(t) // own text needs no read
		})
	}
}

// Facts are given where they are asked for, for the server or for the call, and nowhere else.
func TestStructuredOnDemand(t *testing.T) {
	root := folder(t, 3)
	check := func(t *testing.T, a answer, want bool) {
		t.Helper()
		if (a.structured != nil) != want {
			t.Errorf("structured content is there: %t, want %t: %s", a.structured != nil, want, a.raw)
		}
		if want && !json.Valid(a.structured) {
			t.Errorf("no JSON: %s", a.structured)
		}
	}
	for _, version := range versions {
		c := spawn(t, version, root)
		check(t, c.call("read", `{"path":"f.txt"}`).ok(t), false)
		a := c.call("read", `{"path":"f.txt"}`, `"sightline/structured":true`).ok(t)
		check(t, a, true)
		var page struct {
			V      int
			Path   string
			Text   string
			Lines  [2]int
			Source string
		}
		if err := json.Unmarshal(a.structured, &page); err != nil || page.V != 1 || page.Path != "f.txt" || page.Text != numbered(3) || page.Lines != [2]int{1, 3} || page.Source != "disk" {
			t.Errorf("%v %s", err, a.structured)
		}
		check(t, c.call("read", `{"path":"f.txt"}`, `"sightline/structured":false`).ok(t), false)
		no := c.call("read", `{"path":"absent"}`, `"sightline/structured":true`).refused(t, "missing")
		check(t, no, true)
		c.call("read", `{"path":"f.txt"}`, `"sightline/structured":1`).refused(t, "invalid")

		always := spawn(t, version, root, factsEnv+"=1")
		check(t, always.call("read", `{"path":"f.txt"}`).ok(t), true)
	}
}

// A round licenses nothing of itself: what its calls were shown counts for the calls of a later one.
func TestRounds(t *testing.T) {
	root := folder(t, 10)
	c := spawn(t, "2025-06-18", root)
	edit := func(n int) string {
		return fmt.Sprintf(`{"path":"f.txt","edits":[{"old":"line %06d of","new":"LINE %06d of"}]}`, n, n)
	}
	c.call("read", `{"path":"f.txt"}`, `"sightline/round":7`).ok(t)
	c.call("edit", edit(1), `"sightline/round":7`).refused(t, "not-seen")
	c.call("edit", edit(1), `"sightline/round":6`).refused(t, "not-seen") // an older round knows no more
	c.call("edit", edit(2), `"sightline/round":8`).ok(t)
	c.call("edit", edit(3), `"sightline/round":7`).refused(t, "not-seen")
	c.call("edit", edit(4)).ok(t) // no round: its answer has left
	for _, bad := range []string{`"7"`, `-1`, `7.5`, `null`, `9007199254740993`, `{}`} {
		c.call("edit", edit(5), `"sightline/round":`+bad).refused(t, "invalid")
	}
}

// A request id returns what was returned before, is spent by nothing, and belongs to one call.
func TestRequestIDs(t *testing.T) {
	root := folder(t, 10)
	c := spawn(t, "2025-11-25", root)
	c.call("read", `{"path":"f.txt"}`).ok(t)
	edit := `{"path":"f.txt","edits":[{"old":"000003 of","new":"three of"}],"request_id":"a"}`
	first := c.call("edit", edit).ok(t)
	again := c.call("edit", edit).ok(t)
	if first.text != again.text {
		t.Errorf("a repeat answers %q, the first time %q", again.text, first.text)
	}
	if content(t, root, "f.txt") != strings.Replace(numbered(10), "000003 of", "three of", 1) {
		t.Error("the repeat was made again")
	}
	c.call("edit", `{"path":"f.txt","edits":[{"old":"000004 of","new":"four of"}],"request_id":"a"}`).refused(t, "invalid")
	c.call("read", `{"path":"f.txt","request_id":"a"}`).ok(t) // another tool's ids are its own
	no := `{"path":"g.txt","request_id":"n"}`
	c.call("read", no).refused(t, "missing")
	put(t, root, "g.txt", "g\n")
	c.call("read", no).refused(t, "missing") // refusals are recorded too
	c.call("read", `{"path":"g.txt","request_id":""}`).refused(t, "invalid")
	c.call("read", `{"path":"g.txt","request_id":"`+strings.Repeat("x", 201)+`"}`).refused(t, "invalid")

	// A replayed read shows its text again, and what it shows counts again.
	put(t, root, "h.txt", numbered(5))
	replayed := spawn(t, "2025-11-25", root)
	one := replayed.call("read", `{"path":"h.txt","request_id":"r"}`).ok(t)
	two := replayed.call("read", `{"path":"h.txt","request_id":"r"}`).ok(t)
	if !strings.HasPrefix(one.text, two.text) {
		t.Errorf("the replay shows %q, the first %q", two.text, one.text)
	}
	replayed.call("edit", `{"path":"h.txt","edits":[{"old":"000003 of","new":"three of"}]}`).ok(t)
}

// Misuse is a result that a model can read; only what is no tool is a protocol error.
func TestMisuse(t *testing.T) {
	root := folder(t, 10)
	for _, version := range versions {
		c := spawn(t, version, root)
		for _, args := range []string{`{}`, `[]`, `"f.txt"`, `{"path":7}`, `{"path":"f.txt","line":1}`, `{"path":"f.txt","path":"f.txt"}`,
			`{"path":"f.txt","first":0}`, `{"path":"f.txt","first":3,"last":2}`, `{"path":""}`, `{"path":"\ud800"}`} {
			c.call("read", args).refused(t, "invalid")
		}
		if a := c.call("frobnicate", `{}`); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("an unknown tool: %s", a.raw)
		}
		if a := c.request("tools/call", `{"arguments":{}}`); a.Error == nil {
			t.Errorf("no name: %s", a.raw)
		}
		if a := c.request("no/such", `{}`); a.Error == nil || a.Error.Code != -32601 {
			t.Errorf("an unknown method: %s", a.raw)
		}
		c.call("list", `null`).ok(t)
		if a := c.request("tools/call", `{"name":"list"}`); a.isError || a.text == "" {
			t.Errorf("a call without arguments: %s", a.raw)
		}
	}
}

// Before the handshake of the older protocols no tool answers, and the handshake is still possible afterwards.
func TestCallsBeforeInitialize(t *testing.T) {
	root := folder(t, 3)
	c := spawn(t, "", root)
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"f.txt"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"f.txt"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, // no capabilities
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"f.txt"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"f.txt"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":7}}}`,
	} {
		c.send(frame)
		if a := c.await("1"); a.Error == nil {
			t.Errorf("%s is answered %s", frame, a.raw)
		}
	}
	c.version = "2024-11-05"
	c.greet()
	c.call("read", `{"path":"f.txt"}`).ok(t)
}

// Everything in one write, and the end of the input behind it: each request is answered, and the server ends.
func TestAllAtOnce(t *testing.T) {
	root := folder(t, 3)
	for range 20 {
		c := spawn(t, "", root)
		c.version = "2025-06-18"
		c.send(c.frame("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}`),
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			c.frame("2", "tools/list", `{}`), c.frame("3", "ping", `{}`),
			c.frame("4", "tools/call", callParams("read", `{"path":"f.txt"}`)))
		rest, err := c.hangUp()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"id":1,`, `"id":2,`, `"id":3,`, `"id":4,`, `"serverInfo"`, `"inputSchema"`, `line 000003`} {
			if !strings.Contains(rest, want) {
				t.Fatalf("%s is not in %s", want, rest)
			}
		}
	}
	c := spawn(t, "", root)
	c.send(c.frame("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}`))
	if rest, err := c.hangUp(); err != nil || !strings.Contains(rest, `"serverInfo"`) {
		t.Errorf("%v %q", err, rest)
	}
}

// Ids come back as they were sent, whatever spelling they have; the handshake notices them too.
func TestIDs(t *testing.T) {
	root := folder(t, 3)
	for _, id := range []string{`0`, `-7`, `9007199254740991`, `"a"`, `""`, `"é \" \\ \u0041"`, `1.0`, `2e1`} {
		c := spawn(t, "", root)
		c.version = "2025-06-18"
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`, id))
		if a := c.receive(); a.Error != nil {
			t.Fatalf("%s: %s", id, a.raw)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, c.frame(id, "tools/call", callParams("read", `{"path":"f.txt"}`)))
		if a := c.receive().ok(t); string(a.ID) != id {
			t.Errorf("the id %s came back as %s", id, a.ID)
		}
	}
	c := spawn(t, "2025-06-18", root)
	for _, id := range []string{`null`, `{}`, `[1]`, `true`} {
		c.send(c.frame(id, "tools/call", callParams("read", `{"path":"f.txt"}`)))
		if a := c.receive(); a.Error == nil || string(a.ID) != "null" {
			t.Errorf("the id %s is answered %s", id, a.raw)
		}
	}
}

// Pages stay within what the client is known to let through.
func TestBudgets(t *testing.T) {
	root := folder(t, 20_000)
	for _, b := range []struct {
		name string
		max  int
	}{
		{"somebody", 7500}, {"", 7500}, {"pipeline", 7500}, {"pi", 18_000}, {"opencode", 16_000}, {"reasonix", 30_000}, {"@cline/core", 3900},
		{"qwen-cli-mcp-client-sl", 24_000}, {"gemini-cli-mcp-client", 36_000}, {"codex-mcp-client", 19_500}, {"claude-code", 44_000},
	} {
		for _, version := range []string{sessionless, "2025-11-25"} {
			c := spawn(t, "", root, pageEnv+"=0")
			c.name, c.version = b.name, version
			c.greet()
			for range 2 { // the first has the notice of the session
				a := c.call("read", `{"path":"f.txt"}`).ok(t)
				if n := len(a.text); n > b.max || n < b.max-600 {
					t.Errorf("%q is shown %d bytes, of %d", b.name, n, b.max)
				}
			}
		}
	}
	c := spawn(t, "2025-11-25", root, pageEnv+"=3000")
	if n := len(c.call("read", `{"path":"f.txt"}`).ok(t).text); n > 3000 || n < 2400 {
		t.Errorf("a page of 3000 bytes has %d", n)
	}
}

// Some clients hand the model the whole result as JSON and cut that. What JSON doubles still fits; what it makes six
// bytes of each does not, and then nothing of the page counts as shown.
func TestBudgetsOfJSON(t *testing.T) {
	root := t.TempDir()
	for name, line := range map[string]string{"quotes": "\t\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"", "escapes": "\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(strings.Repeat(line+"\n", 5000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, most := range map[string]int{"@cline/core": 8000, "codex-mcp-client": 40_000} {
		c := spawn(t, "", root, pageEnv+"=0")
		c.name, c.version = name, "2025-11-25"
		c.greet()
		for range 2 {
			if a := c.call("read", `{"path":"quotes"}`).ok(t); len(a.raw) > most || len(a.raw) < most*3/4 {
				t.Errorf("%s: a page of quotes has %d bytes of JSON, of %d", name, len(a.raw), most)
			}
		}
		c.call("edit", `{"path":"quotes","edits":[{"first":2,"last":2,"new":"two"}]}`).ok(t)
		if a := c.call("read", `{"path":"escapes"}`).ok(t); len(a.raw) <= most || !strings.HasSuffix(a.text, "ask for fewer lines\n") {
			t.Errorf("%s: a page that will be cut has %d bytes of JSON and ends in %q", name, len(a.raw), a.text[len(a.text)-60:])
		}
		c.call("edit", `{"path":"escapes","edits":[{"first":2,"last":2,"new":"two"}]}`).refused(t, "not-seen")
		c.call("read", `{"path":"escapes","first":5,"last":9}`).ok(t)
		c.call("edit", `{"path":"escapes","edits":[{"first":6,"last":6,"new":"six"}]}`).ok(t)
	}
}

// The official client, in the protocol it prefers, which has no handshake.
func TestOfficialClient(t *testing.T) {
	root := folder(t, 100)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveEnv+"=ours", rootEnv+"="+root)
	cmd.Stderr = os.Stderr
	progress := 0
	cl := mcp.NewClient(&mcp.Implementation{Name: "official", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress++ }})
	cs, err := cl.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := cs.InitializeResult().ProtocolVersion; v != sessionless {
		t.Errorf("the protocol is %s", v)
	}
	tools, err := cs.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != len(toolNames) {
		t.Fatalf("%v, %d tools", err, len(tools.Tools))
	}
	call := func(tool string, args string, meta mcp.Meta) *mcp.CallToolResult {
		t.Helper()
		p := &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args), Meta: meta}
		r, err := cs.CallTool(t.Context(), p)
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		return r
	}
	text := func(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }
	edit := `{"path":"f.txt","edits":[{"old":"000050 of","new":"fifty of"}]}`
	no := call("edit", edit, nil)
	if !no.IsError || !strings.HasPrefix(text(no), "not-seen:") || no.StructuredContent != nil {
		t.Fatalf("%+v", no)
	}
	if yes := call("edit", edit, nil); yes.IsError {
		t.Fatalf("after its cure: %s", text(yes))
	}
	r := call("read", `{"path":"f.txt"}`, mcp.Meta{"sightline/structured": true, "progressToken": "p"})
	if r.IsError || r.StructuredContent == nil || !strings.Contains(text(r), "    50\tline fifty of the file") {
		t.Fatalf("%+v", r)
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "frobnicate"}); err == nil {
		t.Error("an unknown tool is no error")
	}
	if err := cs.Close(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if progress > 0 {
		t.Errorf("%d notices of progress for calls that take no time", progress)
	}
}

// The handle of a fresh session is printed once, and a later server can be started with it.
func TestHandle(t *testing.T) {
	root := folder(t, 10)
	c := spawn(t, "2025-06-18", root)
	c.call("read", `{"path":"absent"}`).refused(t, "missing")
	handle := regexp.MustCompile(`(?m)^\[sightline\] session (s-[0-9a-f]+)$`)
	m := handle.FindStringSubmatch(c.call("read", `{"path":"f.txt"}`).ok(t).text)
	if m == nil {
		t.Fatal("no handle in the first read")
	}
	if handle.MatchString(c.call("read", `{"path":"f.txt"}`).ok(t).text) {
		t.Error("the handle is printed twice")
	}
	// Its own handle is a session that this connection opened.
	c.call("edit", fmt.Sprintf(`{"path":"f.txt","session":%q,"edits":[{"old":"000003 of","new":"three of"}]}`, m[1])).ok(t)

	named := spawn(t, "2025-06-18", root, sessionEnv+"="+m[1])
	if handle.MatchString(named.call("read", `{"path":"f.txt"}`).ok(t).text) {
		t.Error("a session that was named is printed")
	}
	facts := named.call("seen", fmt.Sprintf(`{"path":"f.txt","session":%q}`, m[1])).ok(t)
	if !strings.Contains(facts.text, m[1]) {
		t.Errorf("the session is not the one named: %s", facts.text)
	}
}

func TestRootIsLeftAlone(t *testing.T) {
	root := folder(t, 3)
	c := spawn(t, "2025-06-18", root)
	c.call("read", `{"path":"f.txt"}`).ok(t)
	if rest, err := c.hangUp(); rest != "" || err != nil {
		t.Errorf("%q %v", rest, err)
	}
	names, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(names) != 1 {
		t.Errorf("%v %v", names, err)
	}
}
