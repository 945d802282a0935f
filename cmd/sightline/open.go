package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sightline-io/sightline"
)

// opened is a workspace as one command uses it.
type opened struct {
	ws        *sightline.Workspace
	dir       string // the working directory relative to the root; empty at the root
	outside   string // the working directory, where it lies outside the root; else empty
	pageBytes int    // 0 where nobody said
	quiet     func() // ends the telling of progress; to be called before anything is printed
}

// open opens the workspace that the command line names or the working directory lies in. Another process that holds it
// is waited for; the failure io names it then. The caller closes the workspace.
func (c *commands) open(ctx context.Context, w *world, verb string) (*opened, error) {
	cwd, err := w.getwd()
	if err != nil {
		return nil, err
	}
	set, err := c.settings(w, cwd)
	if err != nil {
		return nil, err
	}
	state := sightline.StateDir(set.root, w.env)
	if state == "" {
		fmt.Fprintf(w.err, "sightline: nothing is remembered when this ends: there is no state folder outside %s; XDG_STATE_HOME names one\n", set.root)
	}
	opt := sightline.Options{Root: set.root, State: state, Purpose: verb, Profile: set.profile,
		PageBytes: set.pageBytes, Durability: set.durability}
	end := w.progress(verb + " in " + set.root)
	ws, err := sightline.Open(ctx, opt)
	if err != nil {
		end()
		if sightline.CodeOf(err).Refusal() {
			return nil, &usageError{err}
		}
		return nil, err
	}
	o := &opened{ws: ws, pageBytes: set.pageBytes, quiet: end}
	o.place(cwd, set.root)
	return o, nil
}

// place finds out where the working directory lies. The root may be known by several spellings, with links above it and
// without.
func (o *opened) place(cwd, asked string) {
	for _, root := range []string{asked, o.ws.Root()} {
		if rel, err := filepath.Rel(root, cwd); err == nil && filepath.IsLocal(rel) {
			if rel != "." {
				o.dir = filepath.ToSlash(rel)
			}
			return
		}
	}
	if name, err := o.ws.Admit(cwd); err == nil {
		if !name.IsRoot() {
			o.dir = name.String()
		}
		return
	}
	o.outside = cwd
}

// close closes the workspace after a command that ended with err. That it could not be closed outweighs a success:
// what was shown may not be remembered.
func (o *opened) close(err error) error {
	o.quiet()
	closing := o.ws.Close()
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
