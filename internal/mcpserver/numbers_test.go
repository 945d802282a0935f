package mcpserver_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Two edits by line numbers that are written in one go mean the lines as they were before both: the first makes the
// file longer, and the second must not hit the line that its number stands for afterwards.
func TestNumbersOfOneBatch(t *testing.T) {
	root := t.TempDir()
	p := startPeer(t, "ours", root, "atomic")
	for i := range 100 {
		name := fmt.Sprintf("f%d.txt", i)
		put(t, root, name, "1\n2\n3\n4\n")
		p.tool(t, "read", fmt.Sprintf(`{"path":%q}`, name))
		edit := func(line int, text string) string {
			p.id++
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"edit","arguments":{"path":%q,"edits":[{"first":%d,"last":%d,"new":%q}]}}}`+"\n",
				p.id, name, line, line, text)
		}
		if _, err := p.in.Write([]byte(edit(1, "1a\n1b") + edit(3, "X"))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			line, err := p.out.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(line, []byte(`"isError":true`)) {
				t.Fatalf("refused: %s", line)
			}
		}
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if want := "1a\n1b\n2\nX\n4\n"; string(got) != want {
			t.Fatalf("round %d: the file holds %q, want %q", i, got, want)
		}
		// The answers are read: numbers mean the file as it is now.
		p.tool(t, "edit", fmt.Sprintf(`{"path":%q,"edits":[{"first":5,"last":5,"new":"Y"}]}`, name))
		if got, _ = os.ReadFile(filepath.Join(root, name)); string(got) != "1a\n1b\n2\nX\nY\n" {
			t.Fatalf("round %d: the file holds %q after an edit of line 5", i, got)
		}
	}
}
