package disktest

import (
	"sync/atomic"
	"syscall"

	"github.com/sightline-io/sightline/internal/disk"
)

// Trap is a [disk.Kernel] that stands before every call of another one but Close, which cannot fail. Before is given
// the name of the method; what it returns, if anything, is answered instead of making the call. It may also act: a
// change made in it happens exactly between two calls. It runs on the goroutine of the caller.
type Trap struct {
	Kernel disk.Kernel
	Before func(call string) error
}

func trapped[T any](t *Trap, call string, f func() (T, error)) (T, error) {
	if t.Before != nil {
		if err := t.Before(call); err != nil {
			var none T
			return none, err
		}
	}
	return f()
}

func (t *Trap) do(call string, f func() error) error {
	_, err := trapped(t, call, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

func (t *Trap) fd(call string, f func() (disk.FD, error)) (disk.FD, error) {
	fd, err := trapped(t, call, f)
	if err != nil {
		return -1, err
	}
	return fd, nil
}

// OpenRoot implements [disk.Kernel].
func (t *Trap) OpenRoot(abs string) (fd disk.FD, real string, err error) {
	err = t.do("OpenRoot", func() error { fd, real, err = t.Kernel.OpenRoot(abs); return err })
	return fd, real, err
}

// OpenBeneath implements [disk.Kernel].
func (t *Trap) OpenBeneath(dir disk.FD, path string, how disk.How) (disk.FD, error) {
	return t.fd("OpenBeneath", func() (disk.FD, error) { return t.Kernel.OpenBeneath(dir, path, how) })
}

// Open implements [disk.Kernel].
func (t *Trap) Open(dir disk.FD, base string, how disk.How, mode uint32) (disk.FD, error) {
	return t.fd("Open", func() (disk.FD, error) { return t.Kernel.Open(dir, base, how, mode) })
}

// Close implements [disk.Kernel].
func (t *Trap) Close(fd disk.FD) { t.Kernel.Close(fd) }

// Stat implements [disk.Kernel].
func (t *Trap) Stat(fd disk.FD) (disk.Node, error) {
	return trapped(t, "Stat", func() (disk.Node, error) { return t.Kernel.Stat(fd) })
}

// Lstat implements [disk.Kernel].
func (t *Trap) Lstat(dir disk.FD, base string) (disk.Node, error) {
	return trapped(t, "Lstat", func() (disk.Node, error) { return t.Kernel.Lstat(dir, base) })
}

// Find implements [disk.Kernel].
func (t *Trap) Find(abs string) (disk.Node, error) {
	return trapped(t, "Find", func() (disk.Node, error) { return t.Kernel.Find(abs) })
}

// ReadLink implements [disk.Kernel].
func (t *Trap) ReadLink(dir disk.FD, base string) (string, error) {
	return trapped(t, "ReadLink", func() (string, error) { return t.Kernel.ReadLink(dir, base) })
}

// Entries implements [disk.Kernel].
func (t *Trap) Entries(dir disk.FD, buf []byte) ([]disk.Entry, error) {
	return trapped(t, "Entries", func() ([]disk.Entry, error) { return t.Kernel.Entries(dir, buf) })
}

// User implements [disk.Kernel].
func (t *Trap) User() uint32 { return t.Kernel.User() }

// Read implements [disk.Kernel].
func (t *Trap) Read(fd disk.FD, p []byte, off int64) (int, error) {
	return trapped(t, "Read", func() (int, error) { return t.Kernel.Read(fd, p, off) })
}

// Write implements [disk.Kernel].
func (t *Trap) Write(fd disk.FD, p []byte, off int64) (int, error) {
	return trapped(t, "Write", func() (int, error) { return t.Kernel.Write(fd, p, off) })
}

// Truncate implements [disk.Kernel].
func (t *Trap) Truncate(fd disk.FD, size int64) error {
	return t.do("Truncate", func() error { return t.Kernel.Truncate(fd, size) })
}

// Reserve implements [disk.Kernel].
func (t *Trap) Reserve(fd disk.FD, size int64) error {
	return t.do("Reserve", func() error { return t.Kernel.Reserve(fd, size) })
}

// Sync implements [disk.Kernel].
func (t *Trap) Sync(fd disk.FD) error {
	return t.do("Sync", func() error { return t.Kernel.Sync(fd) })
}

// Chmod implements [disk.Kernel].
func (t *Trap) Chmod(fd disk.FD, mode uint32) error {
	return t.do("Chmod", func() error { return t.Kernel.Chmod(fd, mode) })
}

// Chown implements [disk.Kernel].
func (t *Trap) Chown(fd disk.FD, uid, gid int) error {
	return t.do("Chown", func() error { return t.Kernel.Chown(fd, uid, gid) })
}

// CopyAttributes implements [disk.Kernel]; a failure injected here is an attribute lost.
func (t *Trap) CopyAttributes(from, to disk.FD) bool {
	return t.do("CopyAttributes", func() error {
		if !t.Kernel.CopyAttributes(from, to) {
			return syscall.EPERM
		}
		return nil
	}) == nil
}

// Mkdir implements [disk.Kernel].
func (t *Trap) Mkdir(dir disk.FD, base string) error {
	return t.do("Mkdir", func() error { return t.Kernel.Mkdir(dir, base) })
}

// Unlink implements [disk.Kernel].
func (t *Trap) Unlink(dir disk.FD, base string) error {
	return t.do("Unlink", func() error { return t.Kernel.Unlink(dir, base) })
}

// Rmdir implements [disk.Kernel].
func (t *Trap) Rmdir(dir disk.FD, base string) error {
	return t.do("Rmdir", func() error { return t.Kernel.Rmdir(dir, base) })
}

// Rename implements [disk.Kernel].
func (t *Trap) Rename(dir disk.FD, base string, toDir disk.FD, toBase string) error {
	return t.do("Rename", func() error { return t.Kernel.Rename(dir, base, toDir, toBase) })
}

// RenameNew implements [disk.Kernel].
func (t *Trap) RenameNew(dir disk.FD, base string, toDir disk.FD, toBase string) error {
	return t.do("RenameNew", func() error { return t.Kernel.RenameNew(dir, base, toDir, toBase) })
}

// Exchange implements [disk.Kernel].
func (t *Trap) Exchange(dir disk.FD, a, b string) error {
	return t.do("Exchange", func() error { return t.Kernel.Exchange(dir, a, b) })
}

// Link implements [disk.Kernel].
func (t *Trap) Link(dir disk.FD, base string, toDir disk.FD, toBase string) error {
	return t.do("Link", func() error { return t.Kernel.Link(dir, base, toDir, toBase) })
}

// Nth fails the call of number N, counted from 1, or every call from that one on. It is safe for concurrent use.
type Nth struct {
	N       int64
	Lasting bool
	Err     error
	count   atomic.Int64
}

// Next counts one call and returns the error it is to fail with, or nil.
func (n *Nth) Next() error {
	if c := n.count.Add(1); c == n.N || n.Lasting && c > n.N && n.N > 0 {
		return n.Err
	}
	return nil
}

// Count returns how many calls were counted.
func (n *Nth) Count() int64 { return n.count.Load() }

// Hit reports whether a call was failed.
func (n *Nth) Hit() bool { return n.N > 0 && n.Count() >= n.N }

// Before is Next as [Trap] wants it.
func (n *Nth) Before(string) error { return n.Next() }

// Lacking returns a Before for [Trap] under which the named calls answer that the system does not have them.
func Lacking(calls ...string) func(string) error {
	return func(call string) error {
		for _, c := range calls {
			if c == call {
				return syscall.ENOSYS
			}
		}
		return nil
	}
}
