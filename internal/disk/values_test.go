package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
)

func TestStampRacy(t *testing.T) {
	const second = 1_000_000_000
	const now = 1_700_000_000 * second
	for _, c := range []struct {
		mtime, ctime int64
		racy         bool
	}{
		{now - 2*second, now - 2*second, false},
		{now - 2*second + 1, now - 100*second, true},
		{now - 100*second, now - 2*second + 1, true},
		{now, now, true},
		{now + 5*second, now - 5*second, true}, // a date in the future proves nothing
		{0, 0, false},
	} {
		s := disk.Stamp{Ino: 1, Mtime: c.mtime, Ctime: c.ctime}
		if s.Racy(now) != c.racy {
			t.Errorf("%+v: racy %v", c, !c.racy)
		}
	}
	if !(disk.Stamp{}).IsZero() || (disk.Stamp{Size: 1}).IsZero() {
		t.Error("only the zero stamp is zero")
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		disk.Durable.String(): "durable", disk.Atomic.String(): "atomic", disk.InPlace.String(): "in-place",
		disk.Regular.String(): "file", disk.Folder.String(): "folder", disk.Link.String(): "link", disk.Special.String(): "special",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestExpect(t *testing.T) {
	a, b := []byte("a"), []byte("b")
	for _, c := range []struct {
		name   string
		expect disk.Expect
		met    string // of "a", "b" and "", those that meet it
	}{
		{"absent", disk.Absent(), ""},
		{"zero", disk.Expect{}, ""},
		{"zero ref", disk.Exactly(content.Ref{}), ""},
		{"ref", disk.Exactly(content.RefOf(a)), "a"},
		{"bytes", disk.Holding(b), "b"},
		{"ref and bytes", disk.Exactly(content.RefOf(b)).Holding(b), "b"},
		{"the bytes decide", disk.Exactly(content.RefOf(a)).Holding(b), "b"},
		{"empty ref", disk.Exactly(content.RefOf(nil)), "empty"},
		{"empty bytes", disk.Holding(nil), "empty"},
	} {
		for _, data := range []string{"a", "b", ""} {
			want := data == c.met && data != "" || data == "" && c.met == "empty"
			if c.expect.Met([]byte(data)) != want {
				t.Errorf("%s: met by %q: %v", c.name, data, !want)
			}
		}
	}
	if !disk.Absent().IsAbsent() || disk.Holding(nil).IsAbsent() || disk.Exactly(content.RefOf(a)).Ref() != content.RefOf(a) {
		t.Error("an expectation does not tell what it is")
	}
}

func TestTemporaryNames(t *testing.T) {
	name, err := disk.TempName(func(p []byte) (int, error) { copy(p, "\x01\x23\x45\x67\x89\xab\xcd\xef"); return len(p), nil })
	if err != nil || name != ".sightline-0123456789abcdef.tmp" || !disk.Temporary(name) {
		t.Errorf("%q, %v", name, err)
	}
	for _, n := range []string{"", "a.tmp", ".sightline-.tmp", ".sightline-0123456789abcde.tmp", ".sightline-0123456789abcdef0.tmp", ".sightline-0123456789ABCDEF.tmp",
		".sightline-0123456789abcdeg.tmp", ".sightline-0123456789abcdef.tmp~", "x.sightline-0123456789abcdef.tmp"} {
		if disk.Temporary(n) {
			t.Errorf("%q counts as ours", n)
		}
	}
	for _, dry := range []func([]byte) (int, error){
		func([]byte) (int, error) { return 0, errors.New("no entropy") },
		func(p []byte) (int, error) { return len(p) - 1, nil },
	} {
		if _, err := disk.TempName(dry); fault.CodeOf(err) != fault.IO {
			t.Errorf("without entropy: %v", err)
		}
	}
	if _, err := disk.TempName(nil); fault.CodeOf(err) != fault.Internal {
		t.Errorf("without a source of entropy: %v", err)
	}
}

func TestOpenOSRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(string, disk.Options) (disk.FS, error){"own calls": disk.OpenOS, "os.Root": disk.OpenPortable} {
		for path, code := range map[string]fault.Code{"relative": fault.Invalid, "": fault.Invalid, file: fault.NotRegular, filepath.Join(dir, "none"): fault.Missing} {
			if _, err := open(path, disk.Options{}); fault.CodeOf(err) != code {
				t.Errorf("%s, %q: %v, want %s", name, path, err, code)
			}
		}
		f, err := open(dir+"/.", disk.Options{})
		if err != nil || f.Root() != filepath.Clean(dir) {
			t.Fatalf("%s: %v", name, err)
		}
		n := disktest.Name(t, "n")
		if _, err := f.Swap(n, disk.Absent(), nil, disk.SwapOptions{}); fault.CodeOf(err) != fault.Internal {
			t.Errorf("%s: writing without entropy: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFoldsCase(t *testing.T) {
	// The truth, found by writing, which FoldsCase never does.
	probe := t.TempDir()
	if err := os.WriteFile(filepath.Join(probe, "probe"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := os.Stat(filepath.Join(probe, "PROBE"))
	folds := err == nil

	for _, names := range [][]string{nil, {"name"}, {"name", "Name2"}, {"123"}, {"größe"}} {
		dir := filepath.Join(t.TempDir(), "Folder")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if disk.FoldsCase(dir) != folds {
			t.Errorf("with %q: folds %v", names, !folds)
		}
	}
	if !folds {
		// Two hard links of one file that differ in case alone look like one folded name, and are none.
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "A")); err != nil {
			t.Fatal(err)
		}
		if disk.FoldsCase(dir) {
			t.Error("two hard links were taken for one name")
		}
	}
	if got, want := disk.FoldsCase(filepath.Join(t.TempDir(), "123")), runtime.GOOS == "darwin" || runtime.GOOS == "windows"; got != want {
		t.Errorf("where nothing tells: %v", got)
	}
}

func TestFaultsSayNothingTwice(t *testing.T) {
	f, err := disk.OpenOS(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.Open(disktest.Name(t, "gone.txt"))
	if got := err.Error(); got != "gone.txt: missing: gone.txt does not exist." || strings.Contains(got, f.Root()) {
		t.Errorf("%s", got)
	}
}
