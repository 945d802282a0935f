package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Embedded commands are killed without warning, at moments spread over their whole life: starting, taking the root, reading,
// writing. Each time the file is the old one or the new one, nothing that a listing shows is left beside it, and the next
// commands work.
func TestKilled(t *testing.T) {
	path, err := exec.LookPath("sightline")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	repo := filepath.Join(work, "repo")
	if err := os.MkdirAll(filepath.Join(repo, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(repo, "f.txt")
	body := strings.Repeat("a line that stays\n", 20_000)
	if err := os.WriteFile(name, []byte("0\n"+body), 0o644); err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) (*exec.Cmd, *strings.Builder) {
		cmd, said := exec.Command(path, append([]string{"--embedded"}, args...)...), &strings.Builder{}
		cmd.Dir, cmd.Stdout, cmd.Stderr = repo, said, said
		cmd.Env = append(os.Environ(), environment(work)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, said
	}
	const first, second = "0", "1"
	made, kept := 0, 0
	cmd, _ := start("read", "f.txt", "--lines", "1-1")
	began := time.Now()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	life := time.Since(began)
	const rounds = 24
	for i := range rounds {
		now, then := first, second
		if text := content(t, name); strings.HasPrefix(text, second) {
			now, then = second, first
		}
		cmd, _ := start("edit", "f.txt", "--lines", "1-1", "--new", then)
		killing := time.AfterFunc(2*life*time.Duration(i)/rounds, func() { _ = cmd.Process.Kill() }) // fails where it ended
		_ = cmd.Wait()                                                                               // however it ended
		killing.Stop()
		switch text := content(t, name); text {
		case now + "\n" + body:
			kept++
		case then + "\n" + body:
			made++
		default:
			t.Fatalf("round %d: the file is neither the old nor the new one: %d bytes", i, len(text))
		}
		// The state is sound: the file can be looked at, and edited from there.
		cmd, said := start("read", "f.txt", "--lines", "1-1")
		if err := cmd.Wait(); err != nil {
			t.Fatalf("round %d: %v %s", i, err, said)
		}
	}
	if made == 0 || kept == 0 {
		t.Errorf("of %d edits %d were made and %d were not: the moments are not spread", rounds, made, kept)
	}
	cmd, said := start("edit", "f.txt", "--lines", "1-1", "--new", "done")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v %s", err, said)
	}
	cmd, said = start("list")
	if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), "f.txt\n\n[sightline] 1 name") {
		t.Errorf("%v %s", err, said)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
