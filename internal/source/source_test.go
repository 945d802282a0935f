package source

import (
	"context"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
)

// A file whose bytes are what they were is the very same capture, whatever its times say; one whose bytes moved is not,
// even where size and times are as before.
func TestEqualBytesAreOneCapture(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "a\nb\n", 0o644)
	first, err := w.files.Capture(context.Background(), name(t, "f"))
	if err != nil {
		t.Fatal(err)
	}
	w.Replace("f", "a\nb\n", 0o644)
	again, err := w.files.Capture(context.Background(), name(t, "f"))
	if err != nil || again.Capture != first.Capture {
		t.Errorf("an identical rewrite is another capture (%v)", err)
	}
	if again.Info.Stamp.Ino == first.Info.Stamp.Ino {
		t.Error("the rewrite kept its inode: the test shows nothing")
	}
	w.Write("f", "a\nc\n", 0o644)
	other, err := w.files.Capture(context.Background(), name(t, "f"))
	if err != nil || other.Capture == first.Capture || string(other.Capture.Text().Raw()) != "a\nc\n" {
		t.Errorf("changed bytes of one size are the old capture (%v)", err)
	}
	if string(first.Capture.Text().Raw()) != "a\nb\n" {
		t.Error("a later reading changed the bytes of an earlier capture")
	}
}

// What is found has its canonical name, and what is no file says so.
func TestCaptureAnswers(t *testing.T) {
	w := newWorld(t)
	w.Mkdir("d", 0o755)
	w.Write("d/f", "x\n", 0o644)
	w.Symlink("d/f", "link")
	found, err := w.files.Capture(context.Background(), name(t, "link"))
	if err != nil || found.Name != name(t, "d/f") || found.From != Disk {
		t.Errorf("a link is found as %+v, %v", found, err)
	}
	for rel, code := range map[string]fault.Code{"d": fault.NotRegular, "none": fault.Missing, "d/none": fault.Missing} {
		if _, err := w.files.Capture(context.Background(), name(t, rel)); fault.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", rel, err, code)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.files.Capture(ctx, name(t, "d/f")); fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("a cancelled reading: %v", err)
	}
}

// The memory of lately read files keeps its bound, drops what was longest unused, and takes nothing for equal by name.
func TestRecentKeepsItsBound(t *testing.T) {
	r := NewRecent(20)
	a, b, c := settled("aaaaaaaa"), settled("bbbbbbbb"), settled("cccccccc")
	r.Keep(name(t, "a"), a)
	r.Keep(name(t, "b"), b)
	if r.Same(name(t, "a"), []byte("aaaaaaaa")) != a {
		t.Error("a is not remembered")
	}
	if r.Same(name(t, "a"), []byte("aaaaaaab")) != nil || r.Same(name(t, "b"), []byte("aaaaaaaa")) != nil {
		t.Error("other bytes, or another file's, pass for those of a")
	}
	r.Same(name(t, "a"), a.Text().Raw()) // of use: b is the oldest now
	r.Keep(name(t, "c"), c)
	if r.Same(name(t, "b"), b.Text().Raw()) != nil || r.Same(name(t, "a"), a.Text().Raw()) != a || r.Same(name(t, "c"), c.Text().Raw()) != c {
		t.Error("not the least recently used was dropped")
	}
	r.Keep(name(t, "a"), settled("12345678901")) // above half of the bound
	if r.Same(name(t, "a"), a.Text().Raw()) != nil || r.used != 8 {
		t.Errorf("an outdated capture stayed; %d bytes are counted", r.used)
	}
}
