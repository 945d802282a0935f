package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/daemon"
	"github.com/sightline-io/sightline/internal/rpc"
)

type doctorCmd struct{}

func (*doctorCmd) Help() string {
	return `Looks at what Sightline stands on here. It starts a daemon where none runs, and changes nothing else. A warning says
what to do; the exit status is 0 all the same, and 2 where nothing can be served.

Examples:

  sightline doctor
  sightline doctor --json
`
}

// finding is one line of the doctor.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
	Do   string `json:"do,omitempty"` // what mends it
}

type findings struct {
	V        int       `json:"v"`
	OK       bool      `json:"ok"`
	Findings []finding `json:"findings"`
}

func (f *findings) good(what, format string, args ...any) {
	f.Findings = append(f.Findings, finding{what, true, fmt.Sprintf(format, args...), ""})
}

func (f *findings) warn(what, do, format string, args ...any) {
	f.OK = false
	f.Findings = append(f.Findings, finding{what, false, fmt.Sprintf(format, args...), do})
}

func (*doctorCmd) Run(ctx context.Context, c *commands, w *world) error {
	cwd, err := w.getwd()
	if err != nil {
		return err
	}
	set, err := c.settings(w, cwd)
	if err != nil {
		return err
	}
	end := w.progress("doctor in " + set.root)
	f := &findings{V: 1, OK: true}
	state := sightline.StateDir(set.root, w.env)
	f.root(c, set)
	f.state(state)
	failed := f.engine(ctx, c, w, set, state)
	f.session(c, w)
	f.good("rounds", "an MCP client that sends sightline/round is exact; for others a read counts once its answer has left")
	end()
	err = c.show(w, f, func(t terminal) string {
		var b strings.Builder
		for _, one := range f.Findings {
			mark := t.paint(green, "ok  ")
			if !one.OK {
				mark = t.paint(yellow, "warn")
			}
			fmt.Fprintf(&b, "%s  %-8s  %s\n", mark, one.What, t.safe([]byte(one.Says)))
			if one.Do != "" {
				fmt.Fprintf(&b, "%16s%s\n", "", t.safe([]byte(one.Do)))
			}
		}
		return b.String()
	})
	if err == nil && failed {
		return exitStatus(exitFailed)
	}
	return err
}

func (f *findings) root(c *commands, set settings) {
	how := "found from the working directory"
	if c.Root != "" || c.Config != "" {
		how = "named by a flag"
	}
	f.good("root", "%s, %s", set.root, how)
}

func (f *findings) state(state string) {
	if state == "" {
		f.warn("state", "Set XDG_STATE_HOME to a folder outside the root.", "there is no state folder: nothing is remembered")
		return
	}
	at := state
	info, err := os.Stat(at)
	for err != nil && os.IsNotExist(err) && at != filepath.Dir(at) {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	switch {
	case err != nil:
		f.warn("state", "Make it accessible, or set XDG_STATE_HOME.", "%s: %v", state, err)
	case at == state && info.Mode().Perm()&0o077 != 0:
		f.warn("state", "chmod 700 "+quote(state), "%s can be entered by others (%o)", state, info.Mode().Perm())
	default:
		f.good("state", "%s", state)
	}
}

// engine reaches the engine as every verb does. It answers true where there is none.
func (f *findings) engine(ctx context.Context, c *commands, w *world, set settings, state string) (failed bool) {
	running := false
	if state != "" && !c.Embedded {
		if cl, err := client.Dial(ctx, client.Options{Root: set.root, State: state, Env: w.env, Name: "doctor"}); err == nil {
			running = true
			_ = cl.Close() // it was only to see whether somebody answers
		}
	}
	o, err := c.reach(ctx, w, set, "doctor")
	if err != nil {
		f.warn("engine", "End who holds the root, or mend what the message names.", "%v", err)
		return true
	}
	o.quiet = func() {}
	st, err := o.status(ctx)
	if err = o.close(err); err != nil {
		f.warn("engine", "Run sightline up and read what it says.", "%v", err)
		return true
	}
	f.good("engine", "version %s, %s, %s", st.Version, st.Profile, st.Durability)
	switch {
	case st.Socket != "":
		how := "started just now"
		if running {
			how = "running since " + when(st.Started)
		}
		f.good("daemon", "process %d, %s", st.PID, how)
		f.socket(&st)
	case c.Embedded:
		f.good("daemon", "none, as --embedded asks; this process held the root's lease")
	default:
		f.warn("daemon", "See the note on standard error.", "none can be started: every command works by itself, one at a time")
	}
	if st.Unrecorded > 0 || st.Cut > 0 || st.Gap {
		f.warn("journal", "Look whether the disk is full or damaged.", "%d records are not written, %d bytes were damaged", st.Unrecorded, st.Cut)
	} else {
		f.good("journal", "%s resumed, nothing is unrecorded", counted(st.Resumed, "record"))
	}
	if now := w.now(); st.Started > now+1000 {
		f.warn("clock", "Set the clock; times in receipts are wrong until then.", "the clock was set back: the engine began at %s", when(st.Started))
	} else {
		f.good("clock", "%s", when(now))
	}
	return false
}

func (f *findings) socket(st *daemon.Status) {
	info, err := os.Stat(st.Socket)
	switch {
	case err != nil:
		f.warn("socket", "End the daemon; the next verb starts another one.", "%s: %v", st.Socket, err)
	case info.Mode().Perm()&0o077 != 0:
		f.warn("socket", "chmod 600 "+quote(st.Socket), "%s can be used by others (%o)", st.Socket, info.Mode().Perm())
	default:
		f.good("socket", "%s, mode %o, protocol %d to %d", st.Socket, info.Mode().Perm(), rpc.ProtocolMin, st.Protocol)
	}
}

func (f *findings) session(c *commands, w *world) {
	from := "the default of the command line"
	switch {
	case c.Session != "":
		from = "from --session"
	case w.env("SIGHTLINE_SESSION") != "":
		from = "from SIGHTLINE_SESSION"
	}
	f.good("session", "%s, %s; over MCP without either, the client's own conversation or a fresh one", c.sessionID(w), from)
}
