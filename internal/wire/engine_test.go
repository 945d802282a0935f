package wire

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
)

var _ Session = (*sightline.Session)(nil)

// open returns a session on a folder with one file of n lines, and the folder.
func open(t *testing.T, n int) (*sightline.Session, string) {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	if err := os.WriteFile(filepath.Join(dir, "f.txt"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := sightline.Open(t.Context(), sightline.Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	s, err := w.Session("t")
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// nextOf returns the next call that stands on the last line of a refusal's text, read from the text alone.
func nextOf(t *testing.T, a *Answer) (tool string, args json.RawMessage) {
	t.Helper()
	line, ok := strings.CutPrefix(lastLine(a.Text), "[sightline] next call: ")
	if !a.Refused || !ok {
		t.Fatalf("%s: no refusal with a next call: %s", a.Tool, a.Text)
	}
	var n struct {
		Tool      string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &n); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return n.Tool, n.Arguments
}

// Whoever sees nothing but the texts gets every change through by following next calls, two at most and then the call
// itself, and every answer fits the room of the client.
func TestFollowingTheTextsSucceeds(t *testing.T) {
	for _, c := range []struct {
		name, tool, args string
		lines            int
	}{
		{"text", "edit", `{"path":"f.txt","edits":[{"old":"line 3","new":"LINE 3"}],"request_id":"1"}`, 10},
		{"numbers", "edit", `{"path":"f.txt","edits":[{"first":2,"last":3,"new":"x"},{"first":9,"last":8,"new":"y"}]}`, 10},
		{"append", "edit", `{"path":"f.txt","edits":[{"append":"end\n"}]}`, 10},
		{"whole file", "write", `{"path":"f.txt","text":"z\n","mode":"replace","request_id":"w"}`, 10},
		{"whole file, beyond the bound", "write", `{"path":"f.txt","text":"z\n","mode":"replace"}`, 1200},
		{"many numbers", "edit", `{"path":"f.txt","edits":[{"first":1,"last":300,"new":"x"}]}`, 1200},
		{"every second line", "edit", secondLines(200), 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := open(t, c.lines)
			tool, args := c.tool, json.RawMessage(c.args)
			for step := 0; ; step++ {
				a := Call(t.Context(), s, tool, args, sightline.Meta{PageBytes: 7500})
				if len(a.Text) > 7500 {
					t.Fatalf("%s: %d bytes of text", tool, len(a.Text))
				}
				if !json.Valid(a.Structured()) {
					t.Fatalf("%s", a.Structured())
				}
				switch {
				case a.Failed || step == 40:
					t.Fatalf("step %d: %s", step, a.Text)
				case a.Refused && strings.HasSuffix(string(a.Text), "\n[sightline] next call: the same "+tool+" again, unchanged\n"):
				case a.Refused:
					tool, args = nextOf(t, a)
				case tool == c.tool:
					return
				default: // a read: its pages first, then the call itself again, under a new request id
					var more struct{ Cursor string }
					if err := json.Unmarshal(a.Structured(), &more); err != nil {
						t.Fatal(err)
					}
					if more.Cursor != "" {
						args = json.RawMessage(`{"path":"f.txt","cursor":"` + more.Cursor + `"}`)
						continue
					}
					tool, args = c.tool, json.RawMessage(strings.Replace(c.args, `"request_id":"`, `"request_id":"again`, 1))
				}
			}
		})
	}
}

func secondLines(n int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"first":%d,"last":%d,"new":"x"}`, 2*i+1, 2*i+1))
	}
	return `{"path":"f.txt","edits":[` + strings.Join(items, ",") + `]}`
}

// The structured answer to a read holds what only the engine knows: the ref of the bytes, and what the session holds.
func TestReadOfTheEngine(t *testing.T) {
	s, dir := open(t, 10)
	a := Call(t.Context(), s, "read", json.RawMessage(`{"path":"f.txt","first":2,"last":3}`), sightline.Meta{})
	v := decoded(t, a)
	raw, err := os.ReadFile(filepath.Join(dir, "f.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(raw)); v["ref"] != want {
		t.Errorf("ref is %v, not %s", v["ref"], want)
	}
	if got := fmt.Sprintf("%v %q %v %v", v["lines"], v["text"], v["covered"], v["total_lines"]); got != `[2 3] "line 2\nline 3\n" [[2 3]] 10` {
		t.Errorf("got %s", got)
	}
	if !strings.HasPrefix(string(a.Text), "     2\tline 2\n     3\tline 3\n\n[sightline] ") {
		t.Errorf("got %s", a.Text)
	}
}
