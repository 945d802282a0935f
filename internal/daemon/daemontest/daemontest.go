// Package daemontest runs daemons for tests: in processes of their own, which can be killed, and speaks to their sockets
// frame by frame. The test binary is the daemon too: a package that uses this one calls [Main] from its TestMain.
package daemontest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/daemon"
)

// Environment of a process that is a daemon.
const (
	rootEnv    = "SIGHTLINE_TEST_DAEMON_ROOT" // set: this process is a daemon
	stateEnv   = "SIGHTLINE_TEST_DAEMON_STATE"
	versionEnv = "SIGHTLINE_TEST_DAEMON_VERSION"
	idleEnv    = "SIGHTLINE_TEST_DAEMON_IDLE"
	syncEnv    = "SIGHTLINE_TEST_DAEMON_DURABLE"
	strictEnv  = "SIGHTLINE_TEST_DAEMON_STRICT"
)

// Version is that of a daemon where a test names none.
const Version = "1.0.0"

// Main runs the tests, or, in a process that [World.Start] made, a daemon. It does not return.
func Main(m *testing.M) {
	if os.Getenv(rootEnv) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	open := sightline.Options{Root: os.Getenv(rootEnv), State: os.Getenv(stateEnv), Durability: sightline.Atomic}
	if os.Getenv(syncEnv) != "" {
		open.Durability = sightline.Durable
	}
	if os.Getenv(strictEnv) != "" {
		open.Profile = sightline.Strict
	}
	var idle time.Duration
	if text := os.Getenv(idleEnv); text != "" {
		idle, _ = time.ParseDuration(text) // what a test set itself
	}
	err := daemon.Run(ctx, daemon.RunOptions{Open: open, Env: os.Getenv, Version: os.Getenv(versionEnv), IdleAfter: idle,
		Ready: func(socket string) { fmt.Println("ready " + socket) }})
	switch {
	case errors.Is(err, daemon.ErrServed):
		fmt.Println("served")
	case err != nil:
		fmt.Println("failed " + strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(1)
	default:
		fmt.Println("ended")
	}
	os.Exit(0)
}

// World is a root with its folders, which outlive the daemons that serve it.
type World struct {
	testing.TB
	Root, State, Runtime string
}

// New returns a world with an empty root.
func New(tb testing.TB) *World {
	tb.Helper()
	base, err := os.MkdirTemp("", "sld") // short: a socket's path is bounded
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			tb.Error(err)
		}
	})
	w := &World{tb, filepath.Join(base, "root"), filepath.Join(base, "state"), filepath.Join(base, "run")}
	for _, dir := range []string{w.Root, w.Runtime} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

// Env looks variables up as a daemon of this world does.
func (w *World) Env(name string) string {
	if name == "XDG_RUNTIME_DIR" {
		return w.Runtime
	}
	return ""
}

// Put writes a file of the root.
func (w *World) Put(name, text string) {
	w.Helper()
	path := filepath.Join(w.Root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// Holds returns the text of a file of the root.
func (w *World) Holds(name string) string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.Root, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// Process is a daemon in a process of its own.
type Process struct {
	Socket string // where it listens; empty where it does not
	Said   string // the first line it printed: ready SOCKET, served, or failed WHY

	w    *World
	cmd  *exec.Cmd
	out  *bufio.Scanner
	once sync.Once
	last string
}

// How a process is started besides the ordinary.
type How struct {
	Version string        // empty is [Version]
	Idle    time.Duration // zero is never
	Durable bool          // writes are synced
	Strict  bool          // the profile
}

// Begin starts a daemon and does not wait for what it says; see [Process.Await].
func (w *World) Begin(how How) *Process {
	w.Helper()
	if how.Version == "" {
		how.Version = Version
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), rootEnv+"="+w.Root, stateEnv+"="+w.State, versionEnv+"="+how.Version, "XDG_RUNTIME_DIR="+w.Runtime)
	if how.Idle > 0 {
		cmd.Env = append(cmd.Env, idleEnv+"="+how.Idle.String())
	}
	if how.Durable {
		cmd.Env = append(cmd.Env, syncEnv+"=1")
	}
	if how.Strict {
		cmd.Env = append(cmd.Env, strictEnv+"=1")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	p := &Process{w: w, cmd: cmd, out: bufio.NewScanner(out)}
	w.Cleanup(p.Kill)
	return p
}

// Await waits for the first line.
func (p *Process) Await() *Process {
	p.w.Helper()
	if !p.out.Scan() {
		p.w.Fatalf("the daemon said nothing: %v", p.out.Err())
	}
	p.Said = p.out.Text()
	p.Socket, _ = strings.CutPrefix(p.Said, "ready ")
	if p.Socket == p.Said {
		p.Socket = ""
	}
	return p
}

// Start starts a daemon and waits until it listens.
func (w *World) Start(how How) *Process {
	w.Helper()
	p := w.Begin(how).Await()
	if p.Socket == "" {
		w.Fatalf("the daemon does not listen: %s", p.Said)
	}
	return p
}

// Kill ends the process as kill -9 does, and waits until it is gone. It may have ended before.
func (p *Process) Kill() {
	p.once.Do(func() {
		_ = p.cmd.Process.Kill() // it may have ended by itself
		p.wait()
	})
}

// Wait waits until the process has ended by itself, and returns the last line it printed.
func (p *Process) Wait() string {
	p.once.Do(p.wait)
	return p.last
}

func (p *Process) wait() {
	for p.out.Scan() {
		p.last = p.out.Text()
	}
	_ = p.cmd.Wait() // killed, or told its failure on its output
}

// PID returns the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal to the process.
func (p *Process) Signal(sig os.Signal) {
	p.w.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.w.Fatal(err)
	}
}
