//go:build linux || darwin

package disk_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
)

// scenario is one change, for the tests that break it at every call.
type scenario struct {
	name    string
	before  func(w disktest.World)
	run     func(t testing.TB, fs disk.FS) error
	old     map[string]string // what the names hold before; a name that is not in it is absent
	new     map[string]string // and after
	modes   map[string]fs.FileMode
	inPlace bool // the bytes are overwritten: readers may see a mixture
	atomic  bool // not synced: a loss of power may cost the new bytes
}

const (
	oldText = "one\ntwo\n"
	newText = "one\nTWO\nthree\n"
)

var longText = strings.Repeat("a line of the long file\n", 9000)

func swap(name, before, after string, opt disk.SwapOptions) func(testing.TB, disk.FS) error {
	return func(t testing.TB, fs disk.FS) error {
		_, err := fs.Swap(disktest.Name(t, name), disktest.Holding(before), []byte(after), opt)
		return err
	}
}

func create(name string, opt disk.SwapOptions) func(testing.TB, disk.FS) error {
	return func(t testing.TB, fs disk.FS) error {
		_, err := fs.Swap(disktest.Name(t, name), disk.Absent(), []byte(newText), opt)
		return err
	}
}

var (
	durable = disk.SwapOptions{}
	atomic  = disk.SwapOptions{Durability: disk.Atomic}
	parents = disk.SwapOptions{MakeParents: true}
)

func put(name, text string, mode fs.FileMode) func(disktest.World) {
	return func(w disktest.World) { w.Write(name, text, mode) }
}

var scenarios = []scenario{
	{name: "swap", before: put("f", oldText, 0o755), run: swap("f", oldText, newText, durable),
		old: map[string]string{"f": oldText}, new: map[string]string{"f": newText}, modes: map[string]fs.FileMode{"f": 0o755}},
	{name: "swap long", before: put("f", longText, 0o600), run: swap("f", longText, longText+newText, durable),
		old: map[string]string{"f": longText}, new: map[string]string{"f": longText + newText}, modes: map[string]fs.FileMode{"f": 0o600}},
	{name: "swap atomic", before: put("f", oldText, 0o644), run: swap("f", oldText, newText, atomic), atomic: true,
		old: map[string]string{"f": oldText}, new: map[string]string{"f": newText}, modes: map[string]fs.FileMode{"f": 0o644}},
	{name: "swap through a link", run: swap("link", oldText, newText, durable),
		before: func(w disktest.World) { w.Mkdir("d", 0o755); w.Write("d/f", oldText, 0o644); w.Symlink("d/f", "link") },
		old:    map[string]string{"d/f": oldText, "link": oldText}, new: map[string]string{"d/f": newText, "link": newText}},
	{name: "swap a hard link", run: swap("f", oldText, newText, durable), inPlace: true,
		before: func(w disktest.World) { w.Write("f", oldText, 0o640); w.Hardlink("f", "g") },
		old:    map[string]string{"f": oldText, "g": oldText}, new: map[string]string{"f": newText, "g": newText}, modes: map[string]fs.FileMode{"f": 0o640}},
	{name: "shrink a hard link", run: swap("f", longText, newText, durable), inPlace: true,
		before: func(w disktest.World) { w.Write("f", longText, 0o640); w.Hardlink("f", "g") },
		old:    map[string]string{"f": longText, "g": longText}, new: map[string]string{"f": newText, "g": newText}, modes: map[string]fs.FileMode{"f": 0o640}},
	{name: "create", before: func(disktest.World) {}, run: create("n", durable), new: map[string]string{"n": newText}},
	{name: "create with folders", before: func(disktest.World) {}, run: create("x/y/n", parents), new: map[string]string{"x/y/n": newText}},
	{name: "remove", before: put("f", oldText, 0o644), old: map[string]string{"f": oldText},
		run: func(t testing.TB, fs disk.FS) error {
			_, err := fs.Remove(disktest.Name(t, "f"), disktest.Holding(oldText), durable)
			return err
		}},
	{name: "move", before: put("f", oldText, 0o755), old: map[string]string{"f": oldText}, new: map[string]string{"g": oldText},
		run: func(t testing.TB, fs disk.FS) error {
			_, err := fs.Move(disktest.Name(t, "f"), disktest.Name(t, "g"), disktest.Holding(oldText), durable)
			return err
		}},
	{name: "move into new folders", before: put("f", oldText, 0o755), old: map[string]string{"f": oldText}, new: map[string]string{"x/g": oldText},
		run: func(t testing.TB, fs disk.FS) error {
			_, err := fs.Move(disktest.Name(t, "f"), disktest.Name(t, "x/g"), disktest.Holding(oldText), parents)
			return err
		}},
}

// names are all names that a scenario speaks of.
func (s *scenario) names() []string {
	var all []string
	for n := range s.old {
		all = append(all, n)
	}
	for n := range s.new {
		if _, ok := s.old[n]; !ok {
			all = append(all, n)
		}
	}
	return all
}

// is reports whether the world holds exactly the given files.
func (s *scenario) is(w disktest.World, files map[string]string) bool {
	for _, n := range s.names() {
		want, ok := files[n]
		if w.Has(n) != ok || ok && w.Read(n) != want {
			return false
		}
	}
	return true
}

// show tells what the world holds.
func (s *scenario) show(w disktest.World) string {
	var b strings.Builder
	for _, n := range s.names() {
		b.WriteString(n)
		if w.Has(n) {
			text := w.Read(n)
			if len(text) > 40 {
				text = text[:20] + "..." + text[len(text)-20:]
			}
			b.WriteString(" holds " + strings.ReplaceAll(text, "\n", "$") + "; ")
		} else {
			b.WriteString(" is absent; ")
		}
	}
	return b.String()
}

// unsynced is the real kernel without the waiting: a test that makes thousands of changes and never cuts the power
// counts and fails the calls of Sync like all others, but the medium needs not follow. The suite and TestKill sync.
type unsynced struct{ disk.Kernel }

func (unsynced) Sync(disk.FD) error { return nil }

// kernels are the worlds that can be broken: a kernel, and the world around the file system over a trap before it.
var kernels = map[string]func(t testing.TB, before func(string) error) (disktest.World, *disktest.Memory){
	"memory": func(t testing.TB, before func(string) error) (disktest.World, *disktest.Memory) {
		m := disktest.NewMemory(7)
		return disktest.NewMemoryWorld(t, m, func() (disk.FS, error) {
			return disk.Over(&disktest.Trap{Kernel: m, Before: before}, disktest.MemoryRoot, m.Options())
		}), m
	},
	"disk": func(t testing.TB, before func(string) error) (disktest.World, *disktest.Memory) {
		return disktest.NewOSWorld(t, func(root string) (disk.FS, error) {
			return disk.Over(&disktest.Trap{Kernel: unsynced{disk.System}, Before: before}, root, realOptions)
		}), nil
	},
}

// leftover returns the temporary files in the root and its folders.
func leftover(w disktest.World) []string {
	var left []string
	for _, folder := range []string{".", "d", "x", "x/y"} {
		if !w.Has(folder) {
			continue
		}
		for _, n := range w.Names(folder) {
			if disk.Temporary(n) {
				left = append(left, folder+"/"+n)
			}
		}
	}
	return left
}
