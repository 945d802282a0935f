package disktest

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/fault"
)

func suiteLinks(t *testing.T, w World) {
	w.Mkdir("src", 0o755)
	w.Mkdir("src/.deep", 0o755)
	w.Write("src/A.txt", "a\n", 0o644)
	w.Write("src/.deep/d.txt", "deep\n", 0o644)
	root := w.FS().Root()
	for _, l := range []struct{ target, name, leads, text string }{
		{"src/A.txt", "link.txt", "src/A.txt", "a\n"},
		{"src", "s2", "src", ""},
		{"link.txt", "twice.txt", "src/A.txt", "a\n"},
		{"./src/../s2/.deep/d.txt", "winding", "src/.deep/d.txt", "deep\n"},
		{root + "/src/A.txt", "absolute", "src/A.txt", "a\n"},
		{root, "self", ".", ""},
		{"../A.txt", "src/.deep/up", "src/A.txt", "a\n"},
	} {
		w.Symlink(l.target, l.name)
		info, err := w.FS().Stat(Name(t, l.name))
		if err != nil || info.Name.String() != l.leads {
			t.Errorf("%s leads to %q, want %q (%v)", l.name, info.Name, l.leads, err)
		}
		if l.text != "" {
			if got := read(t, w, l.name); got != l.text {
				t.Errorf("%s reads %q", l.name, got)
			}
		}
	}
	if got := read(t, w, "self/s2/.deep/up"); got != "a\n" {
		t.Errorf("through three links: %q", got)
	}
	var got []string
	err := w.FS().List(Name(t, "s2"), func(e disk.Entry) bool { got = append(got, e.Base); return true })
	if err != nil || !slices.Equal(got, []string{".deep", "A.txt"}) {
		t.Errorf("listing through a link: %q, %v", got, err)
	}

	// The target is replaced and the link stays.
	s, err := w.FS().Swap(Name(t, "twice.txt"), Holding("a\n"), []byte("b\n"), disk.SwapOptions{})
	if err != nil || s.Name.String() != "src/A.txt" {
		t.Errorf("swap through a link: %+v, %v", s, err)
	}
	if w.Read("src/A.txt") != "b\n" || w.Target("twice.txt") != "link.txt" || w.Target("link.txt") != "src/A.txt" {
		t.Error("the link was replaced, or its target was not")
	}
	if s, err = w.FS().Swap(Name(t, "s2/.deep/new.txt"), disk.Absent(), []byte("n"), disk.SwapOptions{}); err != nil || s.Name.String() != "src/.deep/new.txt" {
		t.Errorf("creating through a link: %+v, %v", s, err)
	}
	if s, err = w.FS().Swap(Name(t, "s2/x/y/new.txt"), disk.Absent(), []byte("n"), disk.SwapOptions{MakeParents: true}); err != nil || s.Name.String() != "src/x/y/new.txt" {
		t.Errorf("creating with folders through a link: %+v, %v", s, err)
	}

	// A link that leads to nothing is taken, and leads to nothing.
	w.Symlink("src/nothing.txt", "dangling")
	_, err = w.FS().Open(Name(t, "dangling"))
	Refused(t, err, fault.Missing, "dangling")
	_, err = w.FS().Swap(Name(t, "dangling"), Holding(""), []byte("x"), disk.SwapOptions{})
	Refused(t, err, fault.Missing, "dangling")
	_, err = w.FS().Swap(Name(t, "dangling"), disk.Absent(), []byte("x"), disk.SwapOptions{MakeParents: true})
	Refused(t, err, fault.Exists, "dangling")
	if w.Has("src/nothing.txt") {
		t.Error("a file was made behind a dangling link")
	}
	w.Symlink("circle2", "circle1")
	w.Symlink("circle1", "circle2")
	_, err = w.FS().Open(Name(t, "circle1"))
	Refused(t, err, fault.NotRegular, "circle1")

	// Removing a link removes the link.
	if _, err := w.FS().Remove(Name(t, "link.txt"), Holding("b\n"), disk.SwapOptions{}); err != nil {
		t.Error(err)
	}
	if w.Has("link.txt") || w.Read("src/A.txt") != "b\n" {
		t.Error("removing a link did not remove just the link")
	}
	w.Write("src/locked.txt", "l", 0o444)
	w.Symlink("src/locked.txt", "locklink")
	if _, err := w.FS().Remove(Name(t, "locklink"), Holding("l"), disk.SwapOptions{}); err != nil || w.Has("locklink") || !w.Has("src/locked.txt") {
		t.Errorf("removing a link to a file without write bits: %v", err)
	}
	w.Symlink("src/A.txt", "link.txt")
	_, err = w.FS().Move(Name(t, "link.txt"), Name(t, "moved.txt"), Holding("b\n"), disk.SwapOptions{})
	Refused(t, err, fault.NotRegular, "link.txt")
	clean(t, w, ".")
	clean(t, w, "src")
}

func suiteOutside(t *testing.T, w World) {
	w.Symlink(w.Outside()+"/s.txt", "leak")
	w.Symlink(w.Outside(), "dirlink")
	w.Symlink("../outside", "relative")
	w.Symlink("../../../../../../../../../../etc", "far")
	w.Symlink(w.Outside()+"/none.txt", "nowhere")
	w.Mkdir("d", 0o755)
	w.Symlink("../../outside/s.txt", "d/leak")
	w.Symlink("../leak", "d/again")
	w.Write("f.txt", "f", 0o644)
	for _, name := range []string{"leak", "dirlink", "dirlink/s.txt", "dirlink/none.txt", "dirlink/none/none.txt", "relative/s.txt", "relative/none", "far/passwd", "nowhere", "d/leak", "d/again"} {
		n := Name(t, name)
		_, err := w.FS().Open(n)
		Refused(t, err, fault.OutsideRoot, name)
		if strings.Contains(err.Error(), "outside/") || strings.Contains(err.Error(), "secret") {
			t.Errorf("the refusal tells what lies outside: %v", err)
		}
		_, err = w.FS().Stat(n)
		Refused(t, err, fault.OutsideRoot, name)
		for _, e := range []disk.Expect{disk.Absent(), Holding("secret\n")} {
			_, err = w.FS().Swap(n, e, []byte("x"), disk.SwapOptions{MakeParents: true})
			Refused(t, err, fault.OutsideRoot, name)
		}
		_, err = w.FS().Remove(n, Holding("secret\n"), disk.SwapOptions{})
		Refused(t, err, fault.OutsideRoot, name)
	}
	_, err := w.FS().Move(Name(t, "f.txt"), Name(t, "dirlink/f.txt"), Holding("f"), disk.SwapOptions{MakeParents: true})
	Refused(t, err, fault.OutsideRoot, "dirlink/f.txt")
	_, err = w.FS().Move(Name(t, "dirlink/s.txt"), Name(t, "got.txt"), Holding("secret\n"), disk.SwapOptions{})
	Refused(t, err, fault.OutsideRoot, "dirlink/s.txt")
	if w.Read("leak") != "secret\n" || w.Has("got.txt") {
		t.Error("something outside was touched")
	}
}

func suiteSpecial(t *testing.T, w World) {
	w.Pipe("p")
	w.Mkdir("d", 0o755)
	for name, kind := range map[string]disk.Kind{"p": disk.Special, "d": disk.Folder, ".": disk.Folder} {
		n := Name(t, name)
		_, err := w.FS().Open(n)
		Refused(t, err, fault.NotRegular, name)
		if info, err := w.FS().Stat(n); err != nil || info.Kind != kind {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
		for _, e := range []disk.Expect{disk.Absent(), Holding("")} {
			_, err = w.FS().Swap(n, e, []byte("x"), disk.SwapOptions{MakeParents: true})
			Refused(t, err, fault.NotRegular, name)
		}
		_, err = w.FS().Remove(n, Holding(""), disk.SwapOptions{})
		Refused(t, err, fault.NotRegular, name)
		_, err = w.FS().Move(n, Name(t, "q"), Holding(""), disk.SwapOptions{})
		Refused(t, err, fault.NotRegular, name)
	}
}
