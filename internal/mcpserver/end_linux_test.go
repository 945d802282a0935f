package mcpserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A process whose client reads nothing is blocked in a write that nothing can wake. It ends all the same.
func TestProcessEndsWithoutReader(t *testing.T) {
	end := filepath.Join(t.TempDir(), "end")
	if err := unix.Mkfifo(end, 0o600); err != nil {
		t.Fatal(err)
	}
	c := spawn(t, "2025-06-18", folder(t, 30_000), endEnv+"="+end)
	c.send(c.frame("9", "tools/call", callParams("read", `{"path":"f.txt"}`)))
	awaitHeld(t, c.out, 60<<10)
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}
