package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/daemon"
)

// A place is a repository with one file, and the environment of the commands that work in it.
type place struct {
	testing.TB
	work, repo string
}

func newPlace(tb testing.TB) *place {
	tb.Helper()
	p := &place{TB: tb, work: tb.TempDir()}
	p.repo = filepath.Join(p.work, "repo")
	if err := os.MkdirAll(filepath.Join(p.repo, ".git"), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.repo, "f.txt"), []byte("one\n"), 0o644); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { endDaemons(tb, p.work) })
	return p
}

func (p *place) command(args ...string) *exec.Cmd {
	p.Helper()
	path, err := exec.LookPath("sightline")
	if err != nil {
		p.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = p.repo, append(os.Environ(), environment(p.work)...)
	return cmd
}

func (p *place) env(name string) string {
	for _, kv := range environment(p.work) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// up replaces the daemon that a verb started, prints both addresses at once, and its page shows what was decided, to
// requests that name its own address alone.
func TestUp(t *testing.T) {
	p := newPlace(t)
	if out, err := p.command("read", "f.txt").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	cmd := p.command("up", "--json")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(pipe).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("the addresses came after %v", took)
	}
	var a addresses
	if err := json.Unmarshal(line, &a); err != nil || a.Socket == "" || !strings.HasPrefix(a.Page, "http://127.0.0.1:") {
		t.Fatalf("%v: %s", err, line)
	}
	if out, err := p.command("edit", "f.txt", "--old", "one", "--new", "two").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	status, text := fetch(t, a.Page, "")
	if status != http.StatusOK || !strings.Contains(text, p.repo) || !strings.Contains(text, "<td>edit</td><td><code>f.txt</code></td><td>done</td>") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := fetch(t, a.Page, "evil.example"); status != http.StatusMisdirectedRequest || strings.Contains(text, p.repo) {
		t.Errorf("another host gets %d %s", status, text)
	}
	if status, _ := fetch(t, a.Page+"else", ""); status != http.StatusNotFound {
		t.Errorf("another path gets %d", status)
	}
	if out, err := p.command("up").CombinedOutput(); err == nil || !strings.Contains(string(out), a.Page) {
		t.Errorf("a second one says %v %s", err, out)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("interrupted, it ends with %v", err)
	}
}

func fetch(t *testing.T, url, host string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// A daemon of another version is ended politely, and what it knew is known to the next one.
func TestAnotherVersion(t *testing.T) {
	p := newPlace(t)
	ready, ended := make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		ended <- daemon.Run(ctx, daemon.RunOptions{Open: sightline.Options{Root: p.repo, State: sightline.StateDir(p.repo, p.env)}, Env: p.env,
			Version: "0.0.1", Ready: func(string) { close(ready) }})
	}()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	if out, err := p.command("read", "f.txt").CombinedOutput(); err != nil || !strings.Contains(string(out), "one") {
		t.Fatalf("%v %s", err, out)
	}
	if err := <-ended; err != nil {
		t.Errorf("the old one ends with %v", err)
	}
	out, err := p.command("status", "--json").Output()
	var st daemon.Status
	if err != nil || json.Unmarshal(out, &st) != nil || st.Version != build() || st.PID == os.Getpid() {
		t.Errorf("%v %s", err, out)
	}
	if out, err := p.command("edit", "f.txt", "--old", "one", "--new", "two").CombinedOutput(); err != nil {
		t.Errorf("%v %s", err, out)
	}
}

// Where a daemon cannot be started, a command works by itself and says so in one line.
func TestNoDaemonCanBeStarted(t *testing.T) {
	p := newPlace(t)
	state := sightline.StateDir(p.repo, p.env)
	if err := os.MkdirAll(filepath.Join(state, logName), 0o700); err != nil { // its log cannot be opened
		t.Fatal(err)
	}
	cmd := p.command("read", "f.txt")
	said := &strings.Builder{}
	cmd.Stderr = said
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "one") {
		t.Errorf("%v %s", err, out)
	}
	if text := said.String(); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "sightline: no daemon can be started, so this runs by itself: ") {
		t.Errorf("it says %q", text)
	}
}
