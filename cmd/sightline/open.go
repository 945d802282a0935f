package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/daemon"
	"github.com/sightline-io/sightline/internal/engine"
)

// opened is the engine as one command uses it: dialled, or, embedded, in this process.
type opened struct {
	engine.Engine
	client    *client.Client       // nil where it is embedded
	ws        *sightline.Workspace // nil where it was dialled
	tally     *daemon.Tally        // of an embedded engine
	started   int64                // when an embedded engine was
	dir       string               // the working directory relative to the root; empty at the root
	outside   string               // the working directory, where it lies outside the root; else empty
	asked     string               // the root as it was asked for, which a daemon may know by another spelling
	pageBytes int                  // 0 where nobody said
	quiet     func()               // ends the telling of progress; to be called before anything is printed
}

// open reaches the engine of the root that the command line names or the working directory lies in. That is the root's
// daemon, which is started where none answers; with --embedded, and where no daemon can be had, it is an engine in this
// process, under the root's lease. Another process that holds the lease is waited for; the failure io names it then. The
// caller closes what was opened.
func (c *commands) open(ctx context.Context, w *world, verb string) (*opened, error) {
	cwd, err := w.getwd()
	if err != nil {
		return nil, err
	}
	set, err := c.settings(w, cwd)
	if err != nil {
		return nil, err
	}
	end := w.progress(verb + " in " + set.root)
	o, err := c.reach(ctx, w, set, verb)
	if err != nil {
		end()
		if sightline.CodeOf(err).Refusal() {
			return nil, &usageError{err}
		}
		return nil, err
	}
	o.pageBytes, o.quiet = set.pageBytes, end
	o.asked = set.root
	o.place(cwd, set.root)
	return o, nil
}

func (c *commands) reach(ctx context.Context, w *world, set settings, verb string) (*opened, error) {
	state := sightline.StateDir(set.root, w.env)
	switch {
	case state == "":
		fmt.Fprintf(w.err, "sightline: nothing is remembered when this ends: there is no state folder outside %s; XDG_STATE_HOME names one\n", set.root)
		return c.embed(ctx, w, set, state, verb)
	case c.Embedded:
		return c.embed(ctx, w, set, state, verb)
	}
	o, err := c.dial(ctx, w, set, state, nil)
	var no *noDaemon
	if !errors.As(err, &no) {
		return o, err
	}
	o, err = c.embed(ctx, w, set, state, verb)
	if err == nil {
		fmt.Fprintf(w.err, "sightline: no daemon can be started, so this runs by itself: %v\n", no.err)
	}
	return o, err
}

// embed opens an engine in this process.
func (c *commands) embed(ctx context.Context, w *world, set settings, state, verb string) (*opened, error) {
	tally := &daemon.Tally{}
	ws, err := sightline.Open(ctx, sightline.Options{Root: set.root, State: state, Purpose: verb, Profile: set.profile,
		PageBytes: set.pageBytes, Durability: set.durability, Receipts: tally.Tell})
	if err != nil {
		return nil, err
	}
	return &opened{Engine: engine.Local(ws), ws: ws, tally: tally, started: w.now()}, nil
}

// place finds out where the working directory lies. The root may be known by several spellings, with links above it and
// without.
func (o *opened) place(cwd, asked string) {
	for _, root := range []string{asked, o.Root()} {
		if rel, err := filepath.Rel(root, cwd); err == nil && filepath.IsLocal(rel) {
			if rel != "." {
				o.dir = filepath.ToSlash(rel)
			}
			return
		}
	}
	real, err := filepath.EvalSymlinks(cwd)
	root, rootErr := filepath.EvalSymlinks(o.Root())
	if rel, relErr := filepath.Rel(root, real); err == nil && rootErr == nil && relErr == nil && filepath.IsLocal(rel) {
		if rel != "." {
			o.dir = filepath.ToSlash(rel)
		}
		return
	}
	o.outside = cwd
}

// flushWithin bounds how long a command waits at its end for a daemon that is busy.
const flushWithin = 5 * time.Second

// close closes what a command opened, after it ended with err. That an engine could not be closed outweighs a success:
// what was shown may not be remembered.
func (o *opened) close(err error) error {
	o.quiet()
	var closing error
	if o.client != nil {
		ctx, stop := context.WithTimeout(context.Background(), flushWithin)
		o.client.Flush(ctx)
		stop()
		closing = o.client.Close()
	} else {
		closing = o.ws.Close()
	}
	switch {
	case closing == nil:
		return err
	case err == nil:
		return &closeError{closing}
	}
	return errors.Join(&closeError{closing}, err)
}

// closeError says that the command was done and what it showed may be forgotten.
type closeError struct{ err error }

func (e *closeError) Error() string {
	return "what was shown may not be remembered: " + e.err.Error()
}

// findRoot returns the nearest folder at or above dir that holds .git, else dir itself. The home directory and the
// root of the file system are never served unasked: they hold much that no agent should touch.
func findRoot(dir, home string) (string, error) {
	root := dir
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			root = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if root == filepath.Dir(root) || sameFolder(root, home) {
		return "", badUsage("%s is served only when --root names it", root)
	}
	return root, nil
}

func sameFolder(a, b string) bool {
	if b == "" {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// sessionID is the session of a call on the command line.
func (c *commands) sessionID(w *world) string {
	if c.Session != "" {
		return c.Session
	}
	if id := w.env("SIGHTLINE_SESSION"); id != "" {
		return id
	}
	return "cli"
}
