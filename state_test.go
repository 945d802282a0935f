package sightline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-io/sightline"
)

// A command is a process of its own: it opens, makes one call, and closes. What one was shown the next may edit.
func TestCommandAfterCommand(t *testing.T) {
	root, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	file := filepath.Join(root, "f.txt")
	if err := os.WriteFile(file, []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	command := func(do func(s *sightline.Session) error) {
		t.Helper()
		w, err := sightline.Open(t.Context(), sightline.Options{Root: root, State: state, Purpose: "test"})
		if err != nil {
			t.Fatal(err)
		}
		s, err := w.Session("cli")
		if err == nil {
			err = do(s)
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	command(func(s *sightline.Session) error {
		_, err := s.Read(t.Context(), sightline.ReadRequest{Path: "f.txt"})
		return err
	})
	for _, e := range []sightline.ReplaceText{{Old: "two", New: "2"}, {Old: "2", New: "zwei"}} {
		command(func(s *sightline.Session) error {
			_, err := s.Edit(t.Context(), sightline.EditRequest{Path: "f.txt", Edits: []sightline.Op{e}})
			return err
		})
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "one\nzwei\n" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

// A state folder has one holder: who else wants it is told who that is, after waiting no longer than its context.
func TestStateIsHeld(t *testing.T) {
	root, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	opt := sightline.Options{Root: root, State: state, Purpose: "first"}
	w, err := sightline.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sightline.Open(ctx, opt)
	if sightline.CodeOf(err) != sightline.Cancelled || !strings.Contains(err.Error(), "(first)") {
		t.Errorf("a second one: %v", err)
	}
	// One that waits gets it as soon as it is free.
	type opened struct {
		w   *sightline.Workspace
		err error
	}
	second := make(chan opened)
	go func() {
		w, err := sightline.Open(t.Context(), opt)
		second <- opened{w, err}
	}()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case o := <-second:
		if o.err != nil {
			t.Fatal(o.err)
		}
		if err := o.w.Close(); err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the second one never got it")
	}
}

func TestStateIsNeverInTheRoot(t *testing.T) {
	root := t.TempDir()
	if _, err := sightline.Open(t.Context(), sightline.Options{Root: root, State: filepath.Join(root, ".state")}); sightline.CodeOf(err) != sightline.Invalid {
		t.Errorf("state in the root: %v", err)
	}
	env := func(home string) func(string) string {
		return func(k string) string { return map[string]string{"HOME": home, "LOCALAPPDATA": home}[k] }
	}
	other := t.TempDir()
	if dir := sightline.StateDir(root, env(other)); !strings.HasPrefix(dir, other) {
		t.Errorf("state of %s is in %q", root, dir)
	}
	if dir := sightline.StateDir(root, env(root)); dir != "" {
		t.Errorf("state of the home folder is in %q", dir)
	}
	if _, err := os.Stat(filepath.Join(root, ".state")); !os.IsNotExist(err) {
		t.Errorf("something was made in the root: %v", err)
	}
}

// A root that is none leaves the state free.
func TestNoRootLeavesNoLease(t *testing.T) {
	root, state := filepath.Join(t.TempDir(), "later"), filepath.Join(t.TempDir(), "state")
	if w, err := sightline.Open(t.Context(), sightline.Options{Root: root, State: state}); err == nil {
		t.Error("opened nothing", w.Close())
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := sightline.Open(t.Context(), sightline.Options{Root: root, State: state})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
