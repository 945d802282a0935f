package disktest

import (
	"context"
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
		{"sizes", suiteSizes},
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
