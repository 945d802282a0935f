package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the guard costs, and what others cost: one process a server, the same client and files, round by round.
//
//	go test ./internal/mcpserver -run '^$' -bench . -count 6
//
// bare is a responder on the same SDK that opens, reads and writes and knows nothing: what a guarded call takes more
// than it is the guard's tax. With SIGHTLINE_BENCH_PEER set to the start script of another server (the index.js of
// @modelcontextprotocol/server-filesystem) that one runs beside them.

// serveBare answers read and edit with nothing but the file calls they need.
func serveBare(root, durability string) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "0"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	answer := func(text string, err error) (*mcp.CallToolResult, error) {
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
	s.AddTool(&mcp.Tool{Name: "read", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a struct {
			Path        string
			First, Last int
		}
		if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
			return nil, err
		}
		b, err := os.ReadFile(filepath.Join(root, a.Path))
		if a.First > 0 {
			b = window(b, a.First, a.Last)
		}
		return answer(string(b), err)
	})
	s.AddTool(&mcp.Tool{Name: "edit", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a struct {
			Path  string
			Edits []struct{ Old, New string }
		}
		if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
			return nil, err
		}
		path := filepath.Join(root, a.Path)
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if strings.Count(string(b), a.Edits[0].Old) != 1 {
			return nil, fmt.Errorf("not exactly one place")
		}
		return answer("ok", replaceFile(path, []byte(strings.Replace(string(b), a.Edits[0].Old, a.Edits[0].New, 1)), durability))
	})
	return s.Run(context.Background(), &mcp.StdioTransport{})
}

func window(b []byte, first, last int) []byte {
	for ; first > 1; first, last = first-1, last-1 {
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	end := 0
	for ; last > 0; last-- {
		end += bytes.IndexByte(b[end:], '\n') + 1
	}
	return b[:end]
}

func replaceFile(path string, b []byte, durability string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".bare")
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		return err
	}
	if durability != "atomic" {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil || durability == "atomic" {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// peer is a server under measurement.
type peer struct {
	name string
	in   io.WriteCloser
	out  *bufio.Reader
	id   int
	buf  bytes.Buffer
}

func startPeer(tb testing.TB, name, root, durability string) *peer {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveEnv+"="+name, rootEnv+"="+root, durEnv+"="+durability)
	if name == "peer" {
		cmd = exec.Command("node", os.Getenv("SIGHTLINE_BENCH_PEER"), root)
	}
	cmd.Stderr = io.Discard
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	p := &peer{name: name, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	p.request(tb, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}`)
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		tb.Fatal(err)
	}
	return p
}

// request sends one request and returns the frame of its answer, which is valid until the next one.
func (p *peer) request(tb testing.TB, method, params string) []byte {
	p.id++
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", p.id, method, params); err != nil {
		tb.Fatal(err)
	}
	mine := fmt.Appendf(nil, `"id":%d`, p.id)
	for {
		p.buf.Reset()
		for {
			part, err := p.out.ReadSlice('\n')
			p.buf.Write(part)
			if err == nil {
				break
			}
			if err != bufio.ErrBufferFull {
				tb.Fatalf("%s: %v", p.name, err)
			}
		}
		if bytes.Contains(p.buf.Bytes(), mine) {
			break
		}
	}
	if b := p.buf.Bytes(); bytes.Contains(b, []byte(`"isError":true`)) || bytes.Contains(b, []byte(`"error":{`)) {
		tb.Fatalf("%s answers %s to %s", p.name, b[:min(len(b), 600)], params)
	}
	return p.buf.Bytes()
}

func (p *peer) tool(tb testing.TB, name, args string) {
	p.request(tb, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args))
}

func benchServers(b *testing.B, durability string, run func(b *testing.B, p *peer, root string)) {
	names := []string{"ours", "bare"}
	if os.Getenv("SIGHTLINE_BENCH_PEER") != "" {
		names = append(names, "peer")
	}
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			root := b.TempDir()
			run(b, startPeer(b, name, root, durability), root)
		})
	}
}

func sourceLines(n int) string {
	var s strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&s, "const anchor%05d = compute(%d); // a line\n", i, i)
	}
	return s.String()
}

func put(tb testing.TB, root, name, text string) {
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []struct {
		name  string
		lines int
	}{{"1KB", 23}, {"100KB", 2300}, {"5MB", 115_000}} {
		b.Run(size.name, func(b *testing.B) {
			benchServers(b, "", func(b *testing.B, p *peer, root string) {
				text := sourceLines(size.lines)
				put(b, root, "f.ts", text)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if p.name == "peer" {
						p.tool(b, "read_text_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(root, "f.ts")))
					} else {
						p.tool(b, "read", `{"path":"f.ts"}`)
					}
				}
			})
		})
	}
}

func BenchmarkWindow(b *testing.B) {
	benchServers(b, "", func(b *testing.B, p *peer, root string) {
		put(b, root, "f.ts", sourceLines(10_000))
		for b.Loop() {
			if p.name == "peer" {
				p.tool(b, "read_text_file", fmt.Sprintf(`{"path":%q,"head":5050}`, filepath.Join(root, "f.ts")))
			} else {
				p.tool(b, "read", `{"path":"f.ts","first":5001,"last":5050}`)
			}
		}
	})
}

func BenchmarkEdit(b *testing.B) {
	for _, durability := range []string{"durable", "atomic"} {
		for _, n := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", durability, n), func(b *testing.B) {
				benchServers(b, durability, func(b *testing.B, p *peer, root string) {
					put(b, root, "f.ts", sourceLines(n))
					if p.name != "peer" {
						p.tool(b, "read", `{"path":"f.ts"}`)
					}
					texts := [2]string{fmt.Sprintf("anchor%05d", n/2), fmt.Sprintf("ANCHOR%05d", n/2)}
					for i := 0; b.Loop(); i++ {
						from, to := texts[i%2], texts[(i+1)%2]
						if p.name == "peer" {
							p.tool(b, "edit_file", fmt.Sprintf(`{"path":%q,"edits":[{"oldText":%q,"newText":%q}]}`, filepath.Join(root, "f.ts"), from, to))
						} else {
							p.tool(b, "edit", fmt.Sprintf(`{"path":"f.ts","edits":[{"old":%q,"new":%q}]}`, from, to))
						}
					}
				})
			})
		}
	}
}

// BenchmarkWrite replaces a whole file of 1 KB, all of which is the session's own text.
func BenchmarkWrite(b *testing.B) {
	for _, durability := range []string{"durable", "atomic"} {
		b.Run(durability, func(b *testing.B) {
			benchServers(b, durability, func(b *testing.B, p *peer, root string) {
				if p.name == "bare" {
					b.Skip("the bare server has no such tool: its edit is the same work")
				}
				texts := [2]string{sourceLines(23), strings.ToUpper(sourceLines(23))}
				put(b, root, "f.ts", texts[1])
				if p.name != "peer" {
					p.tool(b, "read", `{"path":"f.ts"}`)
				}
				for i := 0; b.Loop(); i++ {
					if p.name == "peer" {
						p.tool(b, "write_file", fmt.Sprintf(`{"path":%q,"content":%q}`, filepath.Join(root, "f.ts"), texts[i%2]))
					} else {
						p.tool(b, "write", fmt.Sprintf(`{"path":"f.ts","mode":"replace","text":%q}`, texts[i%2]))
					}
				}
			})
		})
	}
}
