package disk

import (
	"errors"
	"syscall"
)

// The algorithms speak to the Kernel through these methods, in the shapes that suit them.

func (o *OS) openat(dir FD, base string, how How, mode uint32) (FD, error) {
	return o.k.Open(dir, base, how, mode)
}

// direct opens rel beneath the root and follows no link: ELOOP where it holds one.
func (o *OS) direct(rel string, how How) (fd FD, err error) {
	if !o.beneath {
		return o.walk(rel, how)
	}
	for range racesMax {
		if fd, err = o.k.OpenBeneath(o.root, rel, how); err != syscall.EAGAIN {
			break // EAGAIN is the kernel's word for "something was renamed meanwhile"
		}
	}
	return fd, err
}

func (o *OS) fstat(fd FD, st *Node) (err error) {
	*st, err = o.k.Stat(fd)
	return err
}

func (o *OS) lstatat(dir FD, base string, st *Node) (err error) {
	*st, err = o.k.Lstat(dir, base)
	return err
}

// pwrite writes all of p.
func (o *OS) pwrite(fd FD, p []byte, off int64) error {
	for len(p) > 0 {
		n, err := o.k.Write(fd, p, off)
		if err != nil {
			return err
		}
		if n <= 0 {
			return syscall.EIO // a medium that takes nothing and says nothing
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

func (o *OS) entries(dir FD) ([]Entry, error) {
	buf := o.buffer()
	defer o.bufs.Put(buf)
	return o.k.Entries(dir, *buf)
}

// unsupported tells that the file system, or the kernel, lacks the call.
func unsupported(err error) bool {
	return err == syscall.EINVAL || err == syscall.ENOSYS || err == syscall.EOPNOTSUPP || err == syscall.ENOTSUP || err == syscall.ENOTTY
}

// errnoOf returns the bare number within an error of the standard library; EIO where it has none.
func errnoOf(err error) error {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e
	}
	return syscall.EIO
}
