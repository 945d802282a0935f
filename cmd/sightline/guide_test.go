package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestGuides runs the commands of the documents, each document in a repository of its own, and compares what they
// print. With -update it writes what they print.
func TestGuides(t *testing.T) {
	for _, doc := range []string{"README.md", "docs/guides/command.md", "docs/guides/mcp.md"} {
		t.Run(filepath.Base(doc), func(t *testing.T) {
			name := filepath.Join("..", "..", filepath.FromSlash(doc))
			text := content(t, name)
			run := documented(t)
			n := 0
			now := console.ReplaceAllStringFunc(text, func(block string) string {
				var b strings.Builder
				b.WriteString("```console\n")
				for line := range strings.Lines(strings.TrimSuffix(block, "```")) {
					if command, ok := strings.CutPrefix(line, "$ "); ok {
						n++
						b.WriteString(line + run(strings.TrimSuffix(command, "\n")))
					}
				}
				return b.String() + "```"
			})
			if n == 0 {
				t.Fatal("no command was found")
			}
			if now == text {
				return
			}
			if *update {
				if err := os.WriteFile(name, []byte(now), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s does not show what the commands print; go test ./cmd/sightline -run Guides -update writes it:\n%s", doc, difference(text, now))
		})
	}
}

var console = regexp.MustCompile("(?ms)^```console\n.*?^```$")

// difference is the first line that differs.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			return fmt.Sprintf("line %d says  %s\nbut it is  %s", i+1, x[i], strings.Join(y[min(i, len(y)):min(i+1, len(y))], ""))
		}
	}
	return fmt.Sprintf("%d lines are missing at the end", len(y)-len(x))
}

// documented returns what runs a command line of a document in its repository: what it prints, with a status that is
// not 0 noted behind it.
func documented(t *testing.T) func(command string) string {
	t.Helper()
	work := t.TempDir()
	t.Cleanup(func() { endDaemons(t, work) })
	repo := filepath.Join(work, "repo")
	for name, text := range map[string]string{
		".git/HEAD":   "",
		"greet.go":    "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"helo\")\n}\n",
		"src/app.go":  app(),
		"calls.jsonl": calls,
	} {
		name = filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return func(command string) string {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = repo, append(os.Environ(), environment(work)...)
		out, err := cmd.CombinedOutput()
		if exit, ok := err.(*exec.ExitError); ok {
			out = fmt.Appendf(out, "(exit status %d)\n", exit.ExitCode())
		} else if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(out), runtime.Version(), "go1.26")
	}
}

// app is the file of the README: lines 40 and 41 are the ones that an agent changes unseen.
func app() string {
	lines := []string{"package app", "", "import \"fmt\"", ""}
	for len(lines) < 38 {
		lines = append(lines, fmt.Sprintf("// Line %d.", len(lines)+1))
	}
	lines = append(lines, "const (", "\ttimeout = 5", "\tretries = 1", ")", "", "func main() { fmt.Println(timeout, retries) }")
	return strings.Join(lines, "\n") + "\n"
}

const calls = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"by-hand","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"path":"greet.go","first":1,"last":3}}}
`

// TestReadmeRefusal makes the calls of the README's minute at the MCP door, and compares the answers.
func TestReadmeRefusal(t *testing.T) {
	_, section, _ := strings.Cut(content(t, filepath.Join("..", "..", "README.md")), "### MCP\n")
	section, _, _ = strings.Cut(section, "\n### ")
	blocks := regexp.MustCompile("(?ms)^```(?:json|text)\n(.*?)^```$").FindAllStringSubmatch(section, -1)
	if len(blocks) != 4 {
		t.Fatalf("%d blocks: a read, its text, an edit, and the refusal are wanted", len(blocks))
	}
	run := documented(t)
	frames := strings.Split(calls, "\n")[:2]
	for i, call := range []string{blocks[0][1], blocks[2][1]} {
		frames = append(frames, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, i+2, strings.ReplaceAll(call, "\n", " ")))
	}
	answers := strings.Split(strings.TrimSpace(run("sightline mcp --structured <<'END'\n"+strings.Join(frames, "\n")+"\nEND\n")), "\n")
	read, refusal := "", ""
	for _, frame := range answers {
		var a struct {
			ID     int
			Result struct {
				Content           []struct{ Text string }
				StructuredContent json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(frame), &a); err != nil {
			t.Fatalf("%v: %s", err, frame)
		}
		switch a.ID {
		case 2:
			read = a.Result.Content[0].Text
		case 3:
			refusal = string(a.Result.StructuredContent)
		}
	}
	if !strings.HasPrefix(read, blocks[1][1]) {
		t.Errorf("the read shows\n%s\nand the README says\n%s", read, blocks[1][1])
	}
	if said := unspaced(t, blocks[3][1]); unspaced(t, refusal) != said {
		t.Errorf("the refusal is\n%s\nand the README says\n%s", unspaced(t, refusal), said)
	}
}

// unspaced is a JSON value without the spaces between its parts.
func unspaced(t *testing.T, s string) string {
	t.Helper()
	var v json.RawMessage
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v: %s", err, s)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
