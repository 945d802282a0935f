package source

import (
	"context"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// overlaid tells where the text of rel comes from and what it is.
func (w *world) overlaid(t *testing.T, o *Overlays, rel string) string {
	t.Helper()
	found, err := o.Capture(context.Background(), name(t, rel))
	if err != nil {
		return string(fault.CodeOf(err))
	}
	return found.From.String() + " " + string(found.Capture.Text().Body())
}

// Every row sets one buffer over a disk, changes the disk, and says what is read then.
func TestOverlayRouting(t *testing.T) {
	for title, c := range map[string]struct {
		disk, buffer, later string
		want                string
	}{
		"a dirty buffer hides the disk":           {"a\n", "A\n", "a\n", "overlay A\n"},
		"and a newer disk":                        {"a\n", "A\n", "b\n", "overlay A\n"},
		"until it was saved":                      {"a\n", "A\n", "A\n", "disk A\n"},
		"a clean buffer claims nothing":           {"a\n", "a\n", "b\n", "disk b\n"},
		"clean is said of text: BOM":              {"\xef\xbb\xbfa\n", "a\n", "b\n", "disk b\n"},
		"clean is said of text: UTF-16":           {"\xff\xfea\x00\n\x00", "a\n", "b\n", "disk b\n"},
		"a BOM of the buffer is none of its text": {"a\n", "\ufeffa\n", "b\n", "disk b\n"},
		"endings are text":                        {"a\r\n", "a\n", "a\r\n", "overlay a\n"},
	} {
		t.Run(title, func(t *testing.T) {
			w := newWorld(t)
			o := NewOverlays(w.files, w.root)
			w.Write("f", c.disk, 0o644)
			if err := o.Set("e", name(t, "f"), c.buffer); err != nil {
				t.Fatal(err)
			}
			w.Write("f", c.later, 0o644)
			if got := w.overlaid(t, o, "f"); got != c.want {
				t.Errorf("read %q, want %q", got, c.want)
			}
		})
	}
}

// A buffer lies over the file, not over a spelling of it, and only its owner takes it away.
func TestOverlaysBelongToFilesAndOwners(t *testing.T) {
	w := newWorld(t)
	o := NewOverlays(w.files, w.root)
	w.Write("f", "disk\n", 0o644)
	w.Symlink("f", "link")
	if err := o.Set("one", name(t, "link"), "buffer\n"); err != nil {
		t.Fatal(err)
	}
	for _, rel := range []string{"f", "link"} {
		if got := w.overlaid(t, o, rel); got != "overlay buffer\n" {
			t.Errorf("%s reads %q", rel, got)
		}
	}
	if err := o.Set("two", name(t, "f"), "mine\n"); fault.CodeOf(err) != fault.DirtyBuffer {
		t.Errorf("another editor's dirty buffer: %v", err)
	}
	if err := o.Set("two", name(t, "f"), "disk\n"); err != nil {
		t.Errorf("another editor's clean buffer: %v", err)
	}
	o.Drop("two", name(t, "f"))
	o.DropOwner("two")
	if got := w.overlaid(t, o, "f"); got != "overlay buffer\n" {
		t.Errorf("a stranger took the buffer away: %q", got)
	}
	o.Drop("one", name(t, "f"))
	if got := w.overlaid(t, o, "f"); got != "disk disk\n" {
		t.Errorf("after the drop %q", got)
	}
	if err := o.Set("one", name(t, "f"), "x\xff"); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a buffer of other bytes: %v", err)
	}
}

// A buffer of a file that is not on disk is read, and its connection's end takes it away.
func TestOverlayOfAnAbsentFile(t *testing.T) {
	w := newWorld(t)
	o := NewOverlays(w.files, w.root)
	if err := o.Set("e", name(t, "new"), ""); err != nil {
		t.Fatal(err)
	}
	if got := w.overlaid(t, o, "new"); got != "overlay " || !o.Has(name(t, "new")) {
		t.Errorf("an empty buffer of an absent file reads %q", got)
	}
	o.DropOwner("e")
	if got := w.overlaid(t, o, "new"); got != "missing" {
		t.Errorf("after the connection's end %q", got)
	}
}

// Where the root folds case a buffer lies over every spelling.
func TestOverlaysFoldCase(t *testing.T) {
	w := newWorld(t)
	root, err := scope.NewRoot(w.FS().Root(), true)
	if err != nil {
		t.Fatal(err)
	}
	o := NewOverlays(w.files, root)
	if err := o.Set("e", name(t, "New.txt"), "x\n"); err != nil {
		t.Fatal(err)
	}
	if got := w.overlaid(t, o, "new.TXT"); got != "overlay x\n" {
		t.Errorf("another spelling reads %q", got)
	}
}
