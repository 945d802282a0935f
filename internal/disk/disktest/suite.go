package disktest

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// Suite is what every [disk.FS] must do. world makes a fresh, empty world for each part of it.
func Suite(t *testing.T, world func(t *testing.T) World) {
	parts := []struct {
		name string
		run  func(t *testing.T, w World)
	}{
		{"read", suiteRead},
		{"look", suiteLook},
		{"list", suiteList},
		{"links", suiteLinks},
		{"outside", suiteOutside},
		{"special", suiteSpecial},
		{"swap", suiteSwap},
		{"swap refused", suiteSwapRefused},
		{"create", suiteCreate},
		{"hard links", suiteHardLinks},
		{"remove", suiteRemove},
		{"move", suiteMove},
		{"closed", suiteClosed},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) { p.run(t, world(t)) })
	}
}

// Name returns the name of a root-relative path.
func Name(t testing.TB, rel string) scope.Name {
	t.Helper()
	n, err := scope.NameOf(rel)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Holding is the precondition that a file holds exactly the text.
func Holding(text string) disk.Expect { return disk.Exactly(content.RefOf([]byte(text))) }

// Refused fails the test unless err is a fault of the code and speaks of the path.
func Refused(t testing.TB, err error, code fault.Code, path string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	if f := err.(*fault.Error); f.Path != path {
		t.Errorf("the fault speaks of %q, want %q", f.Path, path)
	}
}

func read(t *testing.T, w World, name string) string {
	t.Helper()
	f, err := w.FS().Open(Name(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, more, err := f.ReadAll(context.Background(), 1<<30, nil)
	if err != nil || more {
		t.Fatalf("reading %s: more %v, %v", name, more, err)
	}
	return string(b)
}

// clean fails the test where a temporary file was left in the folder.
func clean(t *testing.T, w World, folder string) {
	t.Helper()
	for _, n := range w.Names(folder) {
		if disk.Temporary(n) {
			t.Errorf("%s was left in %s", n, folder)
		}
	}
}

func suiteRead(t *testing.T, w World) {
	big := strings.Repeat("0123456789abcdef\n", 20_000)
	w.Write("big.txt", big, 0o644)
	w.Write("empty.txt", "", 0o644)
	w.Mkdir("a b", 0o755)
	w.Mkdir("a b/100%", 0o755)
	w.Write("a b/100%/f.txt", "percent\n", 0o644)
	if got := read(t, w, "big.txt"); got != big {
		t.Errorf("big.txt: %d bytes, want %d", len(got), len(big))
	}
	if got := read(t, w, "empty.txt"); got != "" {
		t.Errorf("empty.txt: %q", got)
	}
	if got := read(t, w, "a b/100%/f.txt"); got != "percent\n" {
		t.Errorf("blanks and percent signs: %q", got)
	}

	f, err := w.FS().Open(Name(t, "big.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 0, 64)
	for _, limit := range []int64{0, 1, 63, 64, 65, int64(len(big)) - 1, int64(len(big)), int64(len(big)) + 1} {
		b, more, err := f.ReadAll(context.Background(), limit, buf)
		want := min(limit, int64(len(big)))
		if err != nil || string(b) != big[:want] || more != (limit < int64(len(big))) {
			t.Errorf("limit %d: %d bytes, more %v, %v", limit, len(b), more, err)
		}
		if want > 0 && want <= 64 && &b[0] != &buf[:1][0] {
			t.Errorf("limit %d: the given buffer was not used", limit)
		}
	}
	part := make([]byte, 17)
	if n, err := f.ReadAt(part, 17*7); n != 17 || err != nil || string(part) != "0123456789abcdef\n" {
		t.Errorf("ReadAt: %d, %v, %q", n, err, part)
	}
	if n, err := f.ReadAt(part, int64(len(big))-1); n != 1 || err == nil || err.Error() != "EOF" {
		t.Errorf("ReadAt at the end: %d, %v", n, err)
	}
	if n, err := f.ReadAt(part, int64(len(big))+100); n != 0 || err == nil || err.Error() != "EOF" {
		t.Errorf("ReadAt beyond the end: %d, %v", n, err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = f.ReadAll(ctx, 1<<30, nil)
	Refused(t, err, fault.Cancelled, "big.txt")

	// An open file stays the file that was opened, and its shrinking is no error.
	w.Write("big.txt", "short\n", 0o644)
	if b, more, err := f.ReadAll(context.Background(), 1<<30, nil); string(b) != "short\n" || more || err != nil {
		t.Errorf("after shrinking: %q, %v, %v", b, more, err)
	}
	now, err := f.Stat()
	if err != nil || now.Stamp != f.Info().Stamp || now.Size != 6 {
		t.Errorf("the stamp after reading is %+v, the file's %+v (%v)", f.Info().Stamp, now.Stamp, err)
	}
}

func suiteLook(t *testing.T, w World) {
	w.Write("f.txt", "abc", 0o640)
	w.Write("locked.txt", "abc", 0o444)
	w.Mkdir("d", 0o755)
	info, err := w.FS().Stat(Name(t, "f.txt"))
	if err != nil || info.Kind != disk.Regular || info.Size != 3 || info.Mode.Perm() != 0o640 || info.ReadOnly || info.Name != Name(t, "f.txt") {
		t.Errorf("f.txt: %+v, %v", info, err)
	}
	again, err := w.FS().Stat(Name(t, "f.txt"))
	if err != nil || again.Stamp != info.Stamp || info.Stamp.IsZero() {
		t.Errorf("two looks at an unchanged file differ: %+v %+v", again.Stamp, info.Stamp)
	}
	w.Write("f.txt", "abcd", 0o640)
	if again, err = w.FS().Stat(Name(t, "f.txt")); err != nil || again.Stamp == info.Stamp {
		t.Errorf("a changed file has the same stamp: %+v", again.Stamp)
	}
	if info, err = w.FS().Stat(Name(t, "locked.txt")); err != nil || !info.ReadOnly {
		t.Errorf("locked.txt: %+v, %v", info, err)
	}
	if info, err = w.FS().Stat(Name(t, "d")); err != nil || info.Kind != disk.Folder {
		t.Errorf("d: %+v, %v", info, err)
	}
	if info, err = w.FS().Stat(Name(t, ".")); err != nil || info.Kind != disk.Folder || !info.Name.IsRoot() {
		t.Errorf("the root: %+v, %v", info, err)
	}
	for _, gone := range []string{"none.txt", "d/none.txt", "none/none.txt", "f.txt/none.txt"} {
		_, err = w.FS().Stat(Name(t, gone))
		Refused(t, err, fault.Missing, gone)
		_, err = w.FS().Open(Name(t, gone))
		Refused(t, err, fault.Missing, gone)
	}
	_, err = w.FS().Stat(scope.Name{})
	Refused(t, err, fault.Invalid, "")
}

func suiteList(t *testing.T, w World) {
	w.Mkdir("d", 0o755)
	w.Write("d/b.txt", "", 0o644)
	w.Write("d/B.md", "", 0o644)
	w.Write("d/.sightline-0123456789abcdef.tmp", "left", 0o600)
	w.Write("d/.sightline-x.tmp", "not ours", 0o600)
	w.Mkdir("d/sub", 0o755)
	w.Symlink(w.Outside(), "d/out")
	w.Symlink("b.txt", "d/in")
	w.Pipe("d/pipe")
	var got []string
	take := func(e disk.Entry) bool { got = append(got, e.Base+" "+e.Kind.String()); return true }
	if err := w.FS().List(Name(t, "d"), take); err != nil {
		t.Fatal(err)
	}
	want := []string{".sightline-x.tmp file", "B.md file", "b.txt file", "in link", "out link", "pipe special", "sub folder"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = nil
	if err := w.FS().List(Name(t, "."), take); err != nil || !slices.Equal(got, []string{"d folder"}) {
		t.Errorf("the root: %q, %v", got, err)
	}
	n := 0
	if err := w.FS().List(Name(t, "d"), func(disk.Entry) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("stopped after %d entries, %v", n, err)
	}
	Refused(t, w.FS().List(Name(t, "d/b.txt"), take), fault.Invalid, "d/b.txt")
	Refused(t, w.FS().List(Name(t, "d/pipe"), take), fault.Invalid, "d/pipe")
	Refused(t, w.FS().List(Name(t, "none"), take), fault.Missing, "none")
	Refused(t, w.FS().List(Name(t, "d/out"), take), fault.OutsideRoot, "d/out")
}

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

func suiteSwap(t *testing.T, w World) {
	big := bytes.Repeat([]byte("row 0001 ....\n"), 20_000)
	for _, mode := range []fs.FileMode{0o755, 0o600, 0o644, 0o200 | 0o444} {
		for _, c := range []struct {
			before, after string
		}{{"a\n", "b\n"}, {"", "x"}, {"x", ""}, {"a\r\nb", "a\r\nc"}, {string(big), string(big) + "THE END\n"}, {string(big), "short"}} {
			for _, d := range []disk.Durability{disk.Durable, disk.Atomic} {
				w.Write("f", c.before, mode)
				for _, e := range []disk.Expect{Holding(c.before), Holding(c.before).Holding([]byte(c.before)), disk.Holding([]byte(c.before))} {
					s, err := w.FS().Swap(Name(t, "f"), e, []byte(c.after), disk.SwapOptions{Durability: d})
					if err != nil {
						t.Fatal(err)
					}
					if s.Durability != d || s.Warnings != nil || s.Name.String() != "f" {
						t.Errorf("outcome %+v", s)
					}
					if got := w.Read("f"); got != c.after {
						t.Errorf("%d bytes, want %d", len(got), len(c.after))
					}
					if w.Mode("f") != mode {
						t.Errorf("mode %v, want %v", w.Mode("f"), mode)
					}
					if info, err := w.FS().Stat(Name(t, "f")); err != nil || info.Stamp != s.Stamp {
						t.Errorf("the stamp of the swap is %+v, of the file %+v", s.Stamp, info.Stamp)
					}
					w.Write("f", c.before, mode)
				}
			}
		}
	}
	clean(t, w, ".")
}

func suiteSwapRefused(t *testing.T, w World) {
	w.Write("f", "old", 0o644)
	w.Write("locked", "old", 0o444)
	w.Write("bare", "old", 0o555)
	type row struct {
		name   string
		expect disk.Expect
		code   fault.Code
	}
	for _, r := range []row{
		{"f", Holding("other"), fault.Conflict},
		{"f", disk.Holding([]byte("olD")), fault.Conflict},
		{"f", disk.Holding([]byte("old ")), fault.Conflict},
		{"f", disk.Holding([]byte("ol")), fault.Conflict},
		{"f", disk.Holding(nil), fault.Conflict},
		{"f", disk.Exactly(content.Ref{}), fault.Conflict},
		{"f", disk.Expect{}, fault.Conflict},
		{"f", disk.Absent(), fault.Exists},
		{"none", Holding("old"), fault.Missing},
		{"none/none", Holding("old"), fault.Missing},
		{"f/none", Holding("old"), fault.Missing},
		{"none/none", disk.Absent(), fault.Missing},
		{"locked", Holding("old"), fault.ReadOnly},
		{"locked", Holding("other"), fault.ReadOnly},
		{"locked", disk.Absent(), fault.Exists},
		{"bare", Holding("old"), fault.ReadOnly},
	} {
		before := w.Names(".")
		_, err := w.FS().Swap(Name(t, r.name), r.expect, []byte("new"), disk.SwapOptions{})
		Refused(t, err, r.code, r.name)
		if !slices.Equal(before, w.Names(".")) {
			t.Errorf("%s: names changed from %q to %q", r.name, before, w.Names("."))
		}
	}
	_, err := w.FS().Swap(Name(t, "f/none"), disk.Absent(), []byte("new"), disk.SwapOptions{MakeParents: true})
	Refused(t, err, fault.Exists, "f/none")
	_, err = w.FS().Swap(Name(t, strings.Repeat("n", 300)), disk.Absent(), []byte("new"), disk.SwapOptions{})
	Refused(t, err, fault.Invalid, strings.Repeat("n", 300))
	if w.Read("f") != "old" || w.Read("locked") != "old" || w.Mode("locked") != 0o444 {
		t.Error("a refusal changed something")
	}
}

func suiteCreate(t *testing.T, w World) {
	w.Mkdir("d", 0o755)
	for _, d := range []disk.Durability{disk.Durable, disk.Atomic} {
		for _, name := range []string{"n.txt", "d/n.txt", "x/y/z/n.txt", "d/x/n.txt"} {
			s, err := w.FS().Swap(Name(t, name), disk.Absent(), []byte("new\n"), disk.SwapOptions{Durability: d, MakeParents: true})
			if err != nil {
				t.Fatal(err)
			}
			if s.Durability != d || s.Warnings != nil || w.Read(name) != "new\n" {
				t.Errorf("%s: %+v, %q", name, s, w.Read(name))
			}
			if m := w.Mode(name); m&0o111 != 0 || m&0o600 != 0o600 {
				t.Errorf("%s has mode %v", name, m)
			}
			_, err = w.FS().Swap(Name(t, name), disk.Absent(), []byte("again\n"), disk.SwapOptions{Durability: d, MakeParents: true})
			Refused(t, err, fault.Exists, name)
			w.Unlink(name)
		}
		w.Unlink("x/y/z")
		w.Unlink("x/y")
		w.Unlink("x")
		w.Unlink("d/x")
	}
	if _, err := w.FS().Swap(Name(t, "run.sh"), disk.Absent(), nil, disk.SwapOptions{Mode: 0o700}); err != nil || w.Mode("run.sh") != 0o700 {
		t.Errorf("a new file of mode 0700 has %v (%v)", w.Mode("run.sh"), err)
	}
	for _, folder := range []string{".", "d"} {
		clean(t, w, folder)
	}
}

func suiteHardLinks(t *testing.T, w World) {
	long := strings.Repeat("line\n", 1000)
	for _, c := range []struct{ before, after string }{{"1\n2\n", "1\n3\n"}, {"1\n2\n", "1\n2\n3\n"}, {"1\n2\n", "1\n"}, {"", "x"}, {"x", ""}, {long, long + long}, {long, "no"}, {"same", "same"}} {
		w.Write("s.md", c.before, 0o640)
		w.Hardlink("s.md", "d.md")
		s, err := w.FS().Swap(Name(t, "s.md"), Holding(c.before), []byte(c.after), disk.SwapOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Durability != disk.InPlace || !slices.Equal(s.Warnings, []string{disk.WarnHardLink}) {
			t.Errorf("outcome %+v", s)
		}
		if !w.Same("s.md", "d.md") || w.Read("d.md") != c.after || w.Mode("s.md") != 0o640 {
			t.Errorf("%q to %q: the names were split, or hold %q", c.before, c.after, w.Read("d.md"))
		}
		// Removing one name leaves the other.
		if _, err := w.FS().Remove(Name(t, "s.md"), Holding(c.after), disk.SwapOptions{}); err != nil || w.Has("s.md") || w.Read("d.md") != c.after {
			t.Errorf("removing one of two names: %v", err)
		}
		w.Unlink("d.md")
	}
	w.Write("s.md", "1\n", 0o440)
	w.Hardlink("s.md", "d.md")
	_, err := w.FS().Swap(Name(t, "s.md"), Holding("1\n"), []byte("2\n"), disk.SwapOptions{})
	Refused(t, err, fault.ReadOnly, "s.md")
	clean(t, w, ".")
}

func suiteRemove(t *testing.T, w World) {
	w.Write("f", "old", 0o644)
	w.Write("locked", "old", 0o444)
	_, err := w.FS().Remove(Name(t, "f"), Holding("other"), disk.SwapOptions{})
	Refused(t, err, fault.Conflict, "f")
	_, err = w.FS().Remove(Name(t, "none"), Holding("old"), disk.SwapOptions{})
	Refused(t, err, fault.Missing, "none")
	_, err = w.FS().Remove(Name(t, "locked"), Holding("old"), disk.SwapOptions{})
	Refused(t, err, fault.ReadOnly, "locked")
	_, err = w.FS().Remove(Name(t, "f"), disk.Absent(), disk.SwapOptions{})
	Refused(t, err, fault.Exists, "f")
	_, err = w.FS().Remove(Name(t, "none"), disk.Absent(), disk.SwapOptions{})
	Refused(t, err, fault.Missing, "none")
	if w.Read("f") != "old" || w.Read("locked") != "old" {
		t.Error("a refusal changed something")
	}
	s, err := w.FS().Remove(Name(t, "f"), Holding("old"), disk.SwapOptions{})
	if err != nil || s.Durability != disk.Durable || s.Warnings != nil || w.Has("f") {
		t.Errorf("removing: %+v, %v", s, err)
	}
	clean(t, w, ".")
}

func suiteMove(t *testing.T, w World) {
	w.Write("a.txt", "1\n2\n", 0o755)
	w.Write("b.txt", "keep\n", 0o644)
	w.Write("locked", "l", 0o444)
	w.Mkdir("d", 0o755)
	w.Symlink("nothing", "dangling")
	move := func(from, to string, e disk.Expect, opt disk.SwapOptions) error {
		_, err := w.FS().Move(Name(t, from), Name(t, to), e, opt)
		return err
	}
	held := Holding("1\n2\n")
	for _, to := range []string{"b.txt", "a.txt", "d", "dangling", "."} {
		Refused(t, move("a.txt", to, held, disk.SwapOptions{}), fault.Exists, to)
	}
	Refused(t, move("a.txt", "b.txt/c.txt", held, disk.SwapOptions{MakeParents: true}), fault.Exists, "b.txt/c.txt")
	Refused(t, move("a.txt", "x/c.txt", held, disk.SwapOptions{}), fault.Missing, "x/c.txt")
	Refused(t, move("a.txt", "c.txt", Holding("1\n"), disk.SwapOptions{}), fault.Conflict, "a.txt")
	Refused(t, move("none", "c.txt", held, disk.SwapOptions{}), fault.Missing, "none")
	_, err := w.FS().Move(Name(t, "a.txt"), scope.Name{}, held, disk.SwapOptions{})
	Refused(t, err, fault.Invalid, "")
	if w.Read("a.txt") != "1\n2\n" || w.Read("b.txt") != "keep\n" || w.Target("dangling") != "nothing" {
		t.Error("a refusal changed something")
	}
	s, err := w.FS().Move(Name(t, "a.txt"), Name(t, "d/c.txt"), held, disk.SwapOptions{})
	if err != nil || s.Name.String() != "d/c.txt" || s.Durability != disk.Durable || s.Warnings != nil {
		t.Errorf("moving: %+v, %v", s, err)
	}
	if w.Has("a.txt") || w.Read("d/c.txt") != "1\n2\n" || w.Mode("d/c.txt") != 0o755 {
		t.Error("the file did not arrive as it was")
	}
	if info, err := w.FS().Stat(Name(t, "d/c.txt")); err != nil || info.Stamp != s.Stamp {
		t.Errorf("the stamp of the move is %+v, of the file %+v", s.Stamp, info.Stamp)
	}
	if err := move("d/c.txt", "x/y/c.txt", held, disk.SwapOptions{MakeParents: true, Durability: disk.Atomic}); err != nil || w.Read("x/y/c.txt") != "1\n2\n" {
		t.Errorf("moving into new folders: %v", err)
	}
	if err := move("locked", "still-locked", Holding("l"), disk.SwapOptions{}); err != nil || w.Mode("still-locked") != 0o444 {
		t.Errorf("moving a file without write bits: %v", err)
	}
	clean(t, w, ".")
	clean(t, w, "d")
}

func suiteClosed(t *testing.T, w World) {
	w.Write("f", "text", 0o644)
	f, err := w.FS().Open(Name(t, "f"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.FS().Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err = w.FS().Open(Name(t, "f"))
	Refused(t, err, fault.IO, "f")
	_, err = w.FS().Swap(Name(t, "f"), Holding("text"), nil, disk.SwapOptions{})
	Refused(t, err, fault.IO, "f")
	if b, _, err := f.ReadAll(context.Background(), 100, nil); string(b) != "text" || err != nil {
		t.Errorf("an open file after closing the tree: %q, %v", b, err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
