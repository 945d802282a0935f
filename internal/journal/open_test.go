package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
)

// Only the owner may look at the files, whatever the folder was before.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("modes mean little here")
		return
	}
	dir := filepath.Join(t.TempDir(), "state")
	must(t, os.Mkdir(dir, 0o777))
	j, _, _ := opened(t, dir)
	must(t, j.Append(every()...))
	must(t, j.Compact(func(func(Record) error) error { return nil }))
	closed(t, j)
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		must(t, err)
		info, err := d.Info()
		must(t, err)
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return nil
	}))
}

// A key that is lost or damaged, by whatever bit, costs what was known and nothing else: a fresh key, and the old log is
// set aside.
func TestLostKey(t *testing.T) {
	dir := logOf(t, every())
	j, _, _ := opened2(t, dir)
	old := j.Key()
	key, err := os.ReadFile(filepath.Join(dir, keyName))
	must(t, err)
	log := raw(t, dir)
	lose := map[string]func() error{
		"gone":      func() error { return os.Remove(filepath.Join(dir, keyName)) },
		"empty":     func() error { return os.WriteFile(filepath.Join(dir, keyName), nil, 0o600) },
		"long":      func() error { return os.WriteFile(filepath.Join(dir, keyName), append(key, 0), 0o600) },
		"another's": func() error { _, err := writeKey(dir, chance(9)); return err },
	}
	for bit := 0; bit < len(key)*8; bit += 11 {
		lose["bit "+string(rune('0'+bit%8))+" of byte "+string(rune('a'+bit/8))] = func() error {
			b := bytes.Clone(key)
			b[bit/8] ^= 1 << (bit % 8)
			return os.WriteFile(filepath.Join(dir, keyName), b, 0o600)
		}
	}
	for name, f := range lose {
		must(t, os.WriteFile(filepath.Join(dir, logName), log, 0o600))
		must(t, f())
		opt := options(dir)
		opt.Entropy = chance(2)
		j, err := Open(opt)
		must(t, err)
		rep, err := j.Replay(func(r Record) error { t.Errorf("%s: replayed %+v", name, r); return nil })
		must(t, err)
		if !rep.Fresh || rep.Aside != filepath.Join(dir, oldName) || j.Key() == old {
			t.Errorf("%s: report %+v", name, rep)
		}
		if aside, err := os.ReadFile(rep.Aside); err != nil || !bytes.Equal(aside, log) {
			t.Errorf("%s: the log is not set aside as it was: %v", name, err)
		}
		must(t, j.Append(every()...))
		closed(t, j)
		k := j.Key()
		if j, got, rep := opened2(t, dir); len(got) != len(every()) || rep.Fresh || j.Key() != k {
			t.Errorf("%s: afterwards %d records, report %+v", name, len(got), rep)
		}
	}
}

// A log that a rewriting left half done is not looked at.
func TestHalfACompaction(t *testing.T) {
	dir := logOf(t, every())
	must(t, os.WriteFile(filepath.Join(dir, newName), raw(t, dir)[:50], 0o600))
	_, got, rep := opened2(t, dir)
	if len(got) != len(every()) || rep.Cut != 0 {
		t.Fatalf("%d records, report %+v", len(got), rep)
	}
	if _, err := os.Stat(filepath.Join(dir, newName)); !os.IsNotExist(err) {
		t.Fatalf("it is left: %v", err)
	}
}

// After a compaction the log holds what was told then and what was appended since.
func TestCompaction(t *testing.T) {
	all := every()
	dir := logOf(t, append(append([]Record(nil), all...), all...))
	j, _, _ := opened(t, dir)
	must(t, j.Compact(func(emit func(Record) error) error {
		for _, r := range all[:5] {
			must(t, emit(r))
		}
		return nil
	}))
	must(t, j.Append(all[5:]...))
	if int64(len(raw(t, dir))) != j.Size() {
		t.Errorf("size %d of %d", j.Size(), len(raw(t, dir)))
	}
	closed(t, j)
	_, got, rep := opened2(t, dir)
	if prefix(t, got, all, "compacted") != len(all) || rep.Cut != 0 || rep.Dumped != 5 {
		t.Fatalf("%d records, report %+v", len(got), rep)
	}
}

// A log is rewritten when it is past the bound and past twice what the last rewriting left, also when it was opened
// anew in between.
func TestNeedsCompaction(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	big := &Version{}
	big.State.Ref, big.State.N, big.State.Skeleton = refOf(1), SkeletonLinesMax, make([]content.Hash, SkeletonLinesMax) // 16 MiB
	j, _, _ := opened(t, dir)
	step := func(want bool) {
		t.Helper()
		must(t, j.Append(big))
		if got := j.NeedsCompaction(); got != want {
			t.Fatalf("at %d bytes: %t", j.Size(), got)
		}
	}
	step(false)
	step(true)
	must(t, j.Compact(func(emit func(Record) error) error {
		must(t, emit(big))
		must(t, emit(big))
		return emit(big)
	}))
	closed(t, j)
	j, _, _ = opened(t, dir)
	for range 3 {
		step(false)
	}
	step(true)
}

func TestOpenRefuses(t *testing.T) {
	root := t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, "sub"), 0o700))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(filepath.Join(root, "sub"), link))
	own := filepath.Join(t.TempDir(), "own")
	j, err := Open(Options{Dir: own, Root: "/another/root", Entropy: chance(1)})
	must(t, err)
	closed(t, j)
	for name, c := range map[string]struct {
		opt  Options
		code fault.Code
	}{
		"relative":               {Options{Dir: "state", Root: root, Entropy: chance(1)}, fault.Invalid},
		"the root":               {Options{Dir: root, Root: root, Entropy: chance(1)}, fault.Invalid},
		"inside the root":        {Options{Dir: filepath.Join(root, "not", "yet"), Root: root, Entropy: chance(1)}, fault.Invalid},
		"by a link":              {Options{Dir: filepath.Join(link, "state"), Root: root, Entropy: chance(1)}, fault.Invalid},
		"no entropy":             {Options{Dir: filepath.Join(link, "state"), Root: "/elsewhere"}, fault.Invalid},
		"entropy that ends":      {Options{Dir: filepath.Join(t.TempDir(), "s"), Root: root, Entropy: strings.NewReader("short")}, fault.IO},
		"of another root":        {Options{Dir: own, Root: root, Entropy: chance(1)}, fault.Invalid},
		"a file in the way":      {Options{Dir: filepath.Join(own, keyName), Root: root, Entropy: chance(1)}, fault.IO},
		"a file further up":      {Options{Dir: filepath.Join(own, keyName, "state"), Root: root, Entropy: chance(1)}, fault.IO},
		"of another root, again": {Options{Dir: own, Root: root, Entropy: chance(1)}, fault.Invalid}, // the lease was given back
	} {
		if _, err := Open(c.opt); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := os.ReadDir(root)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("the root has %d entries", len(entries))
	}
}

// An error of whoever resumes ends the replay, and nothing is cut.
func TestReplayEndsWithItsReader(t *testing.T) {
	dir := logOf(t, every())
	must(t, os.WriteFile(filepath.Join(dir, logName), append(raw(t, dir), 1, 2, 3), 0o600))
	j, err := Open(options(dir))
	must(t, err)
	mine := errors.New("mine")
	n := 0
	_, err = j.Replay(func(Record) error {
		if n++; n == 3 {
			return mine
		}
		return nil
	})
	if !errors.Is(err, mine) || n != 3 {
		t.Fatalf("%v after %d", err, n)
	}
	closed(t, j)
	if _, _, rep := opened2(t, dir); rep.Cut != 3 {
		t.Fatalf("report %+v", rep)
	}
}

func TestDefaultDir(t *testing.T) {
	root := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(root, link))
	env := func(m map[string]string) func(string) string { return func(k string) string { return m[k] } }
	home := env(map[string]string{"HOME": "/home/u"})
	dir := func(system, root string, e func(string) string) string {
		t.Helper()
		d, err := defaultDir(system, root, e)
		must(t, err)
		if inside(d, root) {
			t.Errorf("%s lies in %s", d, root)
		}
		return d
	}
	hash := filepath.Base(dir("linux", root, home))
	if len(hash) != 32 || hash == filepath.Base(dir("linux", filepath.Dir(root), home)) {
		t.Errorf("hash %q", hash)
	}
	for _, c := range []struct {
		system, root, want string
		env                map[string]string
	}{
		{"linux", root, "/home/u/.local/state/sightline/", map[string]string{"HOME": "/home/u"}},
		{"linux", link, "/home/u/.local/state/sightline/", map[string]string{"HOME": "/home/u"}},
		{"linux", root + "/./", "/home/u/.local/state/sightline/", map[string]string{"HOME": "/home/u"}},
		{"freebsd", root, "/var/state/sightline/", map[string]string{"HOME": "/home/u", "XDG_STATE_HOME": "/var/state"}},
		{"linux", root, "/home/u/.local/state/sightline/", map[string]string{"HOME": "/home/u", "XDG_STATE_HOME": "relative"}},
		{"darwin", root, "/home/u/Library/Application Support/sightline/", map[string]string{"HOME": "/home/u"}},
		{"darwin", root, "/var/state/sightline/", map[string]string{"HOME": "/home/u", "XDG_STATE_HOME": "/var/state"}},
		{"windows", root, "/local/sightline/", map[string]string{"HOME": "/home/u", "LOCALAPPDATA": "/local"}},
	} {
		if got := dir(c.system, c.root, env(c.env)); got != filepath.FromSlash(c.want)+hash {
			t.Errorf("%s, %v: %s", c.system, c.env, got)
		}
	}
	for _, c := range []struct{ root, home string }{{root, ""}, {root, root}, {"/", "/home/u"}, {root, filepath.Join(link, "home")}} {
		if got, err := DefaultDir(c.root, env(map[string]string{"HOME": c.home})); runtime.GOOS == "linux" && fault.CodeOf(err) != fault.Invalid {
			t.Errorf("root %s, home %s: %s, %v", c.root, c.home, got, err)
		}
	}
}
