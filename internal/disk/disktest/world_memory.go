package disktest

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
)

// NewMemoryWorld returns a world in m. open opens the file system over a kernel whose root is [MemoryRoot].
func NewMemoryWorld(t testing.TB, m *Memory, open func() (disk.FS, error)) World {
	t.Helper()
	f, err := open()
	if err != nil {
		t.Fatal(err)
	}
	w := &memoryWorld{t: t, m: m, fs: f}
	w.hands(func() {
		dir, err := m.find(MemoryOutside, true)
		if err != nil {
			t.Fatal(err)
		}
		if dir.kids[m.key("s.txt")].node == nil {
			n := m.node(disk.ModeRegular | 0o644)
			n.data = []byte("secret\n")
			m.put(dir, "s.txt", n)
		}
	})
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

type memoryWorld struct {
	t  testing.TB
	m  *Memory
	fs disk.FS
}

func (w *memoryWorld) FS() disk.FS     { return w.fs }
func (w *memoryWorld) Outside() string { return MemoryOutside }

// hands does f, and brings it and everything before it onto the medium.
func (w *memoryWorld) hands(f func()) {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	f()
	w.m.settle()
}

func (w *memoryWorld) look(name string, follow bool) *inode {
	w.t.Helper()
	n, err := w.m.find(MemoryRoot+"/"+name, follow)
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	return n
}

func (w *memoryWorld) make(name string, n *inode) {
	dir, base := w.m.parent(MemoryRoot + "/" + name)
	w.m.put(dir, base, n)
}

func unixMode(mode fs.FileMode) uint32 {
	m := uint32(mode.Perm())
	if mode&fs.ModeSetuid != 0 {
		m |= 0o4000
	}
	if mode&fs.ModeSetgid != 0 {
		m |= 0o2000
	}
	return m
}

func (w *memoryWorld) Write(name, data string, mode fs.FileMode) {
	w.t.Helper()
	w.hands(func() {
		n, err := w.m.find(MemoryRoot+"/"+name, true)
		if err != nil {
			n = w.m.node(disk.ModeRegular)
			w.make(name, n)
		}
		n.data, n.mode = []byte(data), disk.ModeRegular|unixMode(mode)
		w.m.touch(n)
	})
}

func (w *memoryWorld) Replace(name, data string, mode fs.FileMode) {
	w.t.Helper()
	w.hands(func() {
		n := w.m.node(disk.ModeRegular | unixMode(mode))
		n.data = []byte(data)
		w.make(name, n)
	})
}

func (w *memoryWorld) Mkdir(name string, mode fs.FileMode) {
	w.t.Helper()
	w.hands(func() { w.make(name, w.m.node(disk.ModeFolder|unixMode(mode))) })
}

func (w *memoryWorld) Symlink(target, name string) {
	w.t.Helper()
	w.hands(func() {
		n := w.m.node(disk.ModeLink | 0o777)
		n.target = target
		w.make(name, n)
	})
}

func (w *memoryWorld) Hardlink(old, name string) {
	w.t.Helper()
	w.hands(func() { w.make(name, w.look(old, false)) })
}

func (w *memoryWorld) Pipe(name string) {
	w.t.Helper()
	w.hands(func() { w.make(name, w.m.node(disk.ModePipe|0o644)) })
}

func (w *memoryWorld) Unlink(name string) {
	w.t.Helper()
	w.hands(func() {
		w.look(name, false)
		dir, base := w.m.parent(MemoryRoot + "/" + name)
		w.m.take(dir, base)
	})
}

func (w *memoryWorld) Chmod(name string, mode fs.FileMode) {
	w.t.Helper()
	w.hands(func() {
		n := w.look(name, true)
		n.mode = n.mode&disk.ModeKind | unixMode(mode)
		w.m.note(n)
	})
}

func (w *memoryWorld) Rename(from, to string) {
	w.t.Helper()
	w.hands(func() {
		n := w.look(from, false)
		dir, base := w.m.parent(MemoryRoot + "/" + from)
		w.make(to, n)
		w.m.take(dir, base)
	})
}

func (w *memoryWorld) Read(name string) (s string) {
	w.t.Helper()
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	return string(w.look(name, true).data)
}

func (w *memoryWorld) Has(name string) bool {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	_, err := w.m.find(MemoryRoot+"/"+name, false)
	return err == nil
}

func (w *memoryWorld) Mode(name string) fs.FileMode {
	w.t.Helper()
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	n := w.look(name, true)
	mode := fs.FileMode(n.mode & 0o777)
	if n.mode&0o4000 != 0 {
		mode |= fs.ModeSetuid
	}
	if n.mode&0o2000 != 0 {
		mode |= fs.ModeSetgid
	}
	return mode
}

func (w *memoryWorld) Target(name string) string {
	w.t.Helper()
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	n, err := w.m.find(MemoryRoot+"/"+name, false)
	if err != nil {
		return ""
	}
	return n.target
}

func (w *memoryWorld) Names(folder string) []string {
	w.t.Helper()
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	var names []string
	for _, k := range w.look(strings.TrimSuffix(folder, "/"), true).kids {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return names
}

func (w *memoryWorld) Same(a, b string) bool {
	w.t.Helper()
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	return w.look(a, false) == w.look(b, false)
}
