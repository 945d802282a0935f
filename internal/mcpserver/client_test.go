package mcpserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// client speaks raw frames with a server: a process, or one in this process.
type client struct {
	tb      testing.TB
	w       io.WriteCloser
	r       *bufio.Reader
	version string // of the protocol; since 2026-07-28 it stands in every request
	name    string // clientInfo.name
	id      int
	cmd     *exec.Cmd // nil for a server in this process
	out     *os.File  // what r reads; nil for a server in this process
}

// sessionless is the first protocol without a handshake.
const sessionless = "2026-07-28"

var versions = []string{sessionless, "2025-11-25", "2025-06-18", "2024-11-05"}

// spawn starts a server process on root and greets it in that version of the protocol; env are further settings.
func spawn(tb testing.TB, version, root string, env ...string) *client {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), serveEnv+"=ours", rootEnv+"="+root, durEnv+"=atomic"), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, child, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stdout = child
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	child.Close()
	c := &client{out: out, tb: tb, w: in, r: bufio.NewReaderSize(out, 1<<20), version: version, name: "test", cmd: cmd}
	tb.Cleanup(func() {
		in.Close()
		if cmd.ProcessState == nil {
			_, _ = io.Copy(io.Discard, c.r)
			_ = cmd.Wait()
		}
		out.Close()
	})
	c.greet()
	return c
}

func (c *client) greet() {
	if c.version == sessionless || c.version == "" {
		return
	}
	a := c.request("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":%q,"version":"0"}}`, c.version, c.name))
	var r struct{ ProtocolVersion string }
	if err := json.Unmarshal(a.Result, &r); err != nil || r.ProtocolVersion != c.version {
		c.tb.Fatalf("initialize answers %s", a.raw)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// frame is one request; params is an object.
func (c *client) frame(id, method, params string) string {
	if c.version == sessionless {
		meta := fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":%q,"version":"0"},"io.modelcontextprotocol/clientCapabilities":{}`, sessionless, c.name)
		if strings.Contains(params, `"_meta":{`) {
			params = strings.Replace(params, `"_meta":{`, `"_meta":{`+meta+`,`, 1)
		} else {
			params = strings.TrimSuffix(params, "}") + map[bool]string{true: "", false: ","}[params == "{}"] + `"_meta":{` + meta + `}}`
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// send writes frames in one write.
func (c *client) send(frames ...string) {
	c.tb.Helper()
	if _, err := io.WriteString(c.w, strings.Join(frames, "\n")+"\n"); err != nil {
		c.tb.Fatal(err)
	}
}

// answer is a frame from the server.
type answer struct {
	ID     json.RawMessage
	Method string
	Error  *struct {
		Code    int
		Message string
	}
	Result json.RawMessage
	raw    []byte

	// Of the result of a tool call.
	text       string
	structured json.RawMessage
	isError    bool
}

// receive returns the next frame.
func (c *client) receive() answer {
	c.tb.Helper()
	line, err := c.r.ReadBytes('\n')
	if err != nil {
		c.tb.Fatalf("no answer: %v %q", err, line)
	}
	return c.parse(line)
}

func (c *client) parse(line []byte) answer {
	c.tb.Helper()
	a := answer{raw: bytes.TrimSpace(line)}
	if err := json.Unmarshal(line, &a); err != nil {
		c.tb.Fatalf("a frame is not JSON: %v: %.300q", err, line)
	}
	var r struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
		ResultType        string
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if len(a.Result) > 0 && json.Unmarshal(a.Result, &r) == nil && len(r.Content) > 0 {
		a.text, a.structured, a.isError = r.Content[0].Text, r.StructuredContent, r.IsError
		if len(r.Content) != 1 || r.Content[0].Type != "text" {
			c.tb.Fatalf("not one text: %s", a.raw)
		}
		if c.version == sessionless && (r.ResultType != "complete" || r.Meta["io.modelcontextprotocol/serverInfo"] == nil) {
			c.tb.Fatalf("a result of the sessionless protocol lacks its marks: %s", a.raw)
		}
	}
	return a
}

// await returns the frame with that id; others are notifications and passed over.
func (c *client) await(id string) answer {
	c.tb.Helper()
	for {
		a := c.receive()
		if string(a.ID) == id {
			return a
		}
		if a.Method == "" {
			c.tb.Fatalf("an answer to %s nobody asked for: %s", a.ID, a.raw)
		}
	}
}

func (c *client) next() string { c.id++; return fmt.Sprint(c.id) }

func (c *client) request(method, params string) answer {
	c.tb.Helper()
	id := c.next()
	c.send(c.frame(id, method, params))
	return c.await(id)
}

// call calls a tool; meta may hold members of _meta.
func (c *client) call(tool, args string, meta ...string) answer {
	c.tb.Helper()
	return c.request("tools/call", callParams(tool, args, meta...))
}

func callParams(tool, args string, meta ...string) string {
	p := fmt.Sprintf(`{"name":%q,"arguments":%s`, tool, args)
	if len(meta) > 0 {
		p += `,"_meta":{` + strings.Join(meta, ",") + `}`
	}
	return p + "}"
}

// ok fails the test unless the call was done.
func (a answer) ok(tb testing.TB) answer {
	tb.Helper()
	if a.Error != nil || a.isError || a.text == "" {
		tb.Fatalf("not done: %s", a.raw)
	}
	return a
}

// refused fails the test unless the call was refused, or failed, with the code.
func (a answer) refused(tb testing.TB, code string) answer {
	tb.Helper()
	if a.Error != nil || !a.isError || !strings.HasPrefix(a.text, code+":") {
		tb.Fatalf("want %s, have %s", code, a.raw)
	}
	return a
}

// nextCall is the call that a refusal says to make.
func (a answer) nextCall(tb testing.TB) (tool, args string) {
	tb.Helper()
	_, line, ok := strings.Cut(a.text, "[sightline] next call: ")
	var n struct {
		Tool      string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &n); !ok || err != nil {
		tb.Fatalf("no next call: %s", a.raw)
	}
	return n.Tool, string(n.Arguments)
}

// hangUp closes the client's side and returns what the server still says and how it ends.
func (c *client) hangUp() (rest string, err error) {
	c.tb.Helper()
	if err := c.w.Close(); err != nil {
		c.tb.Fatal(err)
	}
	b, rerr := io.ReadAll(c.r)
	if rerr != nil {
		c.tb.Fatal(rerr)
	}
	return string(b), c.cmd.Wait()
}

// folder is a root with one file of n numbered lines, f.txt.
func folder(tb testing.TB, n int) string {
	root := tb.TempDir()
	put(tb, root, "f.txt", numbered(n))
	return root
}

func numbered(n int) string {
	var s strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&s, "line %06d of the file\n", i)
	}
	return s.String()
}

func content(tb testing.TB, root, name string) string {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
