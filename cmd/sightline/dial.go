package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/engine"
)

// noDaemon says that a daemon cannot be started here, for a reason that does not hold for an engine in this process.
type noDaemon struct{ err error }

func (e *noDaemon) Error() string { return e.err.Error() }

// dial calls the daemon of the root, which is started where none answers.
func (c *commands) dial(ctx context.Context, w *world, set settings, state string, notice func(string, json.RawMessage)) (*opened, error) {
	opt := client.Options{Root: set.root, State: state, Env: w.env, Name: "sightline", Version: build(), Notice: notice,
		Profile: set.asked.profile, Durability: set.asked.durability}
	dialling, stop := context.WithCancel(ctx)
	defer stop()
	var failed atomic.Pointer[error]
	opt.Start = func(ctx context.Context) error {
		err := w.startDaemon(ctx, set, state)
		if err != nil {
			failed.Store(&err)
			stop() // nobody else is about to serve the root: that would have been told
		}
		return err
	}
	cl, err := client.Dial(dialling, opt)
	if err != nil {
		if cause := failed.Load(); cause != nil && ctx.Err() == nil {
			err = *cause
		}
		return nil, err
	}
	return &opened{Engine: engine.Dialled(cl), client: cl}, nil
}

// logName is the file in the state folder that a daemon writes what people may want to know into, and logMax the size
// beyond which the next daemon begins it anew.
const (
	logName = "daemon.log"
	logMax  = 1 << 20
)

// started is the one line in which a daemon tells who started it what became of it.
type started struct {
	Serves  bool           `json:"serves"` // or another one does
	Code    sightline.Code `json:"code,omitempty"`
	Path    string         `json:"path,omitempty"`
	Message string         `json:"message,omitempty"`
	Held    bool           `json:"held,omitempty"` // another process holds the root
}

// startDaemon starts a daemon that outlives this process and returns once it, or another one, serves the root. The
// error is a *noDaemon where an engine in this process may still do.
func (w *world) startDaemon(ctx context.Context, set settings, state string) error {
	self, err := os.Executable()
	if err != nil {
		return &noDaemon{err}
	}
	log, err := openLog(state)
	if err != nil {
		return &noDaemon{err}
	}
	defer log.Close()
	said, says, err := os.Pipe()
	if err != nil {
		return &noDaemon{err}
	}
	defer said.Close()
	cmd := &exec.Cmd{Path: self, Dir: state, Stdout: says, Stderr: log, SysProcAttr: apart(),
		Args: []string{os.Args[0], "--root", set.root, "--profile", set.profile.String(), "--durability", set.durability.String(),
			"daemon", "--idle", set.idle.String()}}
	err = cmd.Start()
	_ = says.Close()
	if err != nil {
		return &noDaemon{err}
	}
	defer func() { _ = cmd.Process.Release() }()
	stop := context.AfterFunc(ctx, func() { _ = said.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReader(io.LimitReader(said, 64<<10)).ReadString('\n')
	var s started
	switch {
	case ctx.Err() != nil:
		return &sightline.Error{Op: "start", Code: sightline.Cancelled, Message: "Given up before the daemon was ready.", Err: ctx.Err()}
	case err != nil || json.Unmarshal([]byte(line), &s) != nil:
		return &noDaemon{fmt.Errorf("it ended without a word; %s may tell why", filepath.Join(state, logName))}
	case s.Serves:
		return nil
	}
	e := &sightline.Error{Code: s.Code, Path: s.Path, Message: s.Message}
	if s.Held || s.Code.Refusal() {
		return e
	}
	return &noDaemon{e}
}

// openLog opens the daemon's log in the state folder, making both.
func openLog(state string) (*os.File, error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(state, logName)
	how := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := os.Lstat(name); err == nil && info.Size() > logMax {
		how |= os.O_TRUNC
	}
	return os.OpenFile(name, how, 0o600)
}

// tell says what became of a daemon, in one line on standard output, which is nobody's afterwards.
func (w *world) tell(err error) error {
	s := started{Serves: err == nil}
	if err != nil {
		s.Code, s.Message, s.Held = sightline.CodeOf(err), err.Error(), sightline.IsHeld(err)
		var f *sightline.Error
		if errors.As(err, &f) {
			s.Path, s.Message = f.Path, f.Text()
		}
	}
	line, encoding := json.Marshal(s)
	if encoding != nil {
		return encoding
	}
	_, writing := fmt.Fprintln(w.out, strings.TrimSpace(string(line)))
	return writing // whoever started it has gone: nobody wants to know
}
