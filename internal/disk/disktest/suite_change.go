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
