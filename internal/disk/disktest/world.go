package disktest

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-io/sightline/internal/disk"
)

// World is a tree with a file system over it, and the hands of somebody else who works in the tree without asking.
// Names are relative to the root; the hands fail the test where they cannot do what they are told. Hands see
// everything, temporary files included.
//
// Outside is the absolute path of a folder that is no part of the root and holds the file s.txt with "secret\n".
type World interface {
	FS() disk.FS
	Outside() string

	Write(name, data string, mode fs.FileMode)   // make a file, or overwrite the one there, links followed
	Replace(name, data string, mode fs.FileMode) // put another file under the name, by renaming
	Mkdir(name string, mode fs.FileMode)
	Symlink(target, name string)
	Hardlink(old, name string)
	Pipe(name string)
	Unlink(name string)
	Chmod(name string, mode fs.FileMode)
	Rename(from, to string)

	Read(name string) string // links followed
	Has(name string) bool    // a link counts, wherever it leads
	Mode(name string) fs.FileMode
	Target(name string) string // of a link; empty where it is none
	Names(folder string) []string
	Same(a, b string) bool // whether two names are one file
}

// Entropy is the entropy of worlds on the real disk.
func Entropy(p []byte) (int, error) { return rand.Read(p) }

// NewOSWorld returns a world in a temporary folder of the real disk. open opens the file system over the given root.
func NewOSWorld(t testing.TB, open func(root string) (disk.FS, error)) World {
	t.Helper()
	// The folder may itself lie behind a link; its own path must not, or links into it would look foreign.
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &osWorld{t: t, root: filepath.Join(base, "root"), outside: filepath.Join(base, "outside")}
	w.do(os.Mkdir(w.root, 0o755))
	w.do(os.Mkdir(w.outside, 0o755))
	w.do(os.WriteFile(filepath.Join(w.outside, "s.txt"), []byte("secret\n"), 0o644))
	if w.fs, err = open(w.root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.do(w.fs.Close()) })
	return w
}

type osWorld struct {
	t             testing.TB
	fs            disk.FS
	root, outside string
}

func (w *osWorld) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *osWorld) at(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }
func (w *osWorld) FS() disk.FS           { return w.fs }
func (w *osWorld) Outside() string       { return w.outside }

func (w *osWorld) Write(name, data string, mode fs.FileMode) {
	w.t.Helper()
	w.do(os.WriteFile(w.at(name), []byte(data), 0o600))
	w.do(os.Chmod(w.at(name), mode))
}

func (w *osWorld) Replace(name, data string, mode fs.FileMode) {
	w.t.Helper()
	w.Write(name+".new", data, mode)
	w.do(os.Rename(w.at(name+".new"), w.at(name)))
}

func (w *osWorld) Mkdir(name string, mode fs.FileMode) {
	w.t.Helper()
	w.do(os.Mkdir(w.at(name), 0o755))
	w.do(os.Chmod(w.at(name), mode))
}

func (w *osWorld) Symlink(target, name string) { w.t.Helper(); w.do(os.Symlink(target, w.at(name))) }
func (w *osWorld) Hardlink(old, name string)   { w.t.Helper(); w.do(os.Link(w.at(old), w.at(name))) }
func (w *osWorld) Pipe(name string)            { w.t.Helper(); w.do(makePipe(w.at(name))) }
func (w *osWorld) Unlink(name string)          { w.t.Helper(); w.do(os.Remove(w.at(name))) }
func (w *osWorld) Chmod(name string, mode fs.FileMode) {
	w.t.Helper()
	w.do(os.Chmod(w.at(name), mode))
}

func (w *osWorld) Rename(from, to string) { w.t.Helper(); w.do(os.Rename(w.at(from), w.at(to))) }

func (w *osWorld) Read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.at(name))
	w.do(err)
	return string(b)
}

func (w *osWorld) Has(name string) bool {
	_, err := os.Lstat(w.at(name))
	return err == nil
}

func (w *osWorld) Mode(name string) fs.FileMode {
	w.t.Helper()
	fi, err := os.Stat(w.at(name))
	w.do(err)
	return fi.Mode() &^ fs.ModeType
}

func (w *osWorld) Target(name string) string {
	target, err := os.Readlink(w.at(name))
	if err != nil {
		return ""
	}
	return target
}

func (w *osWorld) Names(folder string) []string {
	w.t.Helper()
	list, err := os.ReadDir(w.at(folder))
	w.do(err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func (w *osWorld) Same(a, b string) bool {
	w.t.Helper()
	x, err := os.Lstat(w.at(a))
	w.do(err)
	y, err := os.Lstat(w.at(b))
	w.do(err)
	return os.SameFile(x, y)
}

// Clock is the real one, for worlds on the real disk.
func Clock() int64 { return time.Now().UnixNano() }
