//go:build linux || darwin

package disk

import "golang.org/x/sys/unix"

// Every system call of the room goes through the methods of this file, so that a test can stand before each of them.
// They repeat what a signal interrupted.

func (o *OS) call(name string, f func() error) error {
	for {
		if o.gate != nil {
			if err := o.gate(name); err != nil {
				return err
			}
		}
		if err := f(); err != unix.EINTR {
			return err
		}
	}
}

func (o *OS) openat(dir int, base string, flags int, mode uint32) (fd int, err error) {
	err = o.call("openat", func() (err error) {
		fd, err = unix.Openat(dir, base, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

func (o *OS) fstat(fd int, st *unix.Stat_t) error {
	return o.call("fstat", func() error { return unix.Fstat(fd, st) })
}

func (o *OS) lstatat(dir int, base string, st *unix.Stat_t) error {
	return o.call("fstatat", func() error { return unix.Fstatat(dir, base, st, unix.AT_SYMLINK_NOFOLLOW) })
}

func (o *OS) pread(fd int, p []byte, off int64) (n int, err error) {
	err = o.call("pread", func() (err error) { n, err = unix.Pread(fd, p, off); return err })
	return max(n, 0), err
}

// pwrite writes all of p.
func (o *OS) pwrite(fd int, p []byte, off int64) error {
	for len(p) > 0 {
		var n int
		if err := o.call("pwrite", func() (err error) { n, err = unix.Pwrite(fd, p, off); return err }); err != nil {
			return err
		}
		if n <= 0 {
			return unix.EIO // a disk that takes nothing and says nothing
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

func (o *OS) ftruncate(fd int, size int64) error {
	return o.call("ftruncate", func() error { return unix.Ftruncate(fd, size) })
}

func (o *OS) fchmod(fd int, mode uint32) error {
	return o.call("fchmod", func() error { return unix.Fchmod(fd, mode) })
}

func (o *OS) fchown(fd, uid, gid int) error {
	return o.call("fchown", func() error { return unix.Fchown(fd, uid, gid) })
}

func (o *OS) fsync(fd int) error {
	return o.call("fsync", func() error { return syncAll(fd) })
}

func (o *OS) mkdirat(dir int, base string) error {
	return o.call("mkdirat", func() error { return unix.Mkdirat(dir, base, 0o777) })
}

func (o *OS) unlinkat(dir int, base string) error {
	return o.call("unlinkat", func() error { return unix.Unlinkat(dir, base, 0) })
}

func (o *OS) rmdirat(dir int, base string) error {
	return o.call("unlinkat", func() error { return unix.Unlinkat(dir, base, unix.AT_REMOVEDIR) })
}

func (o *OS) renameat(dir int, base string, toDir int, toBase string) error {
	return o.call("renameat", func() error { return unix.Renameat(dir, base, toDir, toBase) })
}

// renameNew renames onto a free name alone.
func (o *OS) renameNew(dir int, base string, toDir int, toBase string) error {
	if !o.exchanges {
		return unix.EINVAL
	}
	return o.call("renamenew", func() error { return renameNoReplace(dir, base, toDir, toBase) })
}

func (o *OS) exchange(dir int, a, b string) error {
	if !o.exchanges {
		return unix.EINVAL
	}
	return o.call("exchange", func() error { return renameExchange(dir, a, b) })
}

func (o *OS) linkat(dir int, base string, toDir int, toBase string) error {
	return o.call("linkat", func() error { return unix.Linkat(dir, base, toDir, toBase, 0) })
}

// readlinkat returns the target of a link; EINVAL for everything that is none.
func (o *OS) readlinkat(dir int, base string) (string, error) {
	buf := make([]byte, 4096)
	var n int
	if err := o.call("readlinkat", func() (err error) { n, err = unix.Readlinkat(dir, base, buf); return err }); err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

// close gives a descriptor back. It is the one call that is not repeated, because the descriptor is gone even when a
// signal interrupted it, and whose error tells nothing: what must be on the disk was synced before.
func (o *OS) close(fd int) { _ = unix.Close(fd) }

// unsupported tells that the file system, or the kernel, lacks the call.
func unsupported(err error) bool {
	return err == unix.EINVAL || err == unix.ENOSYS || err == unix.EOPNOTSUPP || err == unix.ENOTSUP || err == unix.ENOTTY
}
