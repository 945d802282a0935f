//go:build linux || darwin

package disk

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// system is the real Kernel. What differs between the platforms is in the files named after them.
type system struct{}

// OpenOS opens the tree at the absolute path abs. Codes: invalid where abs is not absolute; missing and not-regular
// where it is no folder; io.
func OpenOS(abs string, opt Options) (FS, error) { return Over(system{}, abs, opt) }

// again repeats f while signals interrupt it.
func again(f func() error) error {
	for {
		if err := f(); err != unix.EINTR {
			return err
		}
	}
}

func (system) OpenRoot(abs string) (fd FD, real string, err error) {
	if real, err = filepath.EvalSymlinks(abs); err != nil {
		return -1, "", errnoOf(err)
	}
	err = again(func() error {
		n, err := unix.Open(real, flagsOf[ForPassing], 0)
		fd = FD(n)
		return err
	})
	return fd, real, err
}

func (system) Open(dir FD, base string, how How, mode uint32) (fd FD, err error) {
	err = again(func() error {
		n, err := unix.Openat(int(dir), base, flagsOf[how]|unix.O_NOFOLLOW, mode)
		fd = FD(n)
		return err
	})
	if err == unix.ENOTDIR && base != "." {
		// A link where a folder was wanted is answered with ENOTDIR by some systems and with ELOOP by others.
		if st, lerr := (system{}).Lstat(dir, base); lerr == nil && st.Mode&ModeKind == ModeLink {
			return -1, unix.ELOOP
		}
	}
	if err == nil && looksAtLinks && how == ForLooking {
		st, err := (system{}).Stat(fd)
		if err == nil && st.Mode&ModeKind == ModeLink {
			err = unix.ELOOP
		}
		if err != nil {
			(system{}).Close(fd)
			return -1, err
		}
	}
	return fd, err
}

// Close is the one call that is not repeated, because the descriptor is gone even when a signal interrupted it, and
// whose error tells nothing: what must be on the medium was synced before.
func (system) Close(fd FD) { _ = unix.Close(int(fd)) }

func (system) Stat(fd FD) (Node, error) {
	var st unix.Stat_t
	err := again(func() error { return unix.Fstat(int(fd), &st) })
	return nodeOf(&st), err
}

func (system) Lstat(dir FD, base string) (Node, error) {
	var st unix.Stat_t
	err := again(func() error { return unix.Fstatat(int(dir), base, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return nodeOf(&st), err
}

func (system) Find(abs string) (Node, error) {
	var st unix.Stat_t
	err := again(func() error { return unix.Stat(abs, &st) })
	return nodeOf(&st), err
}

func nodeOf(st *unix.Stat_t) Node {
	return Node{
		Dev: uint64(st.Dev), Ino: st.Ino, Mode: uint32(st.Mode), Links: uint64(st.Nlink), UID: st.Uid, GID: st.Gid,
		Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(),
	}
}

func (system) ReadLink(dir FD, base string) (target string, err error) {
	buf := make([]byte, 4096) // the longest target there is
	err = again(func() error {
		n, err := unix.Readlinkat(int(dir), base, buf)
		target = string(buf[:max(n, 0)])
		return err
	})
	return target, err
}

func (system) User() uint32 { return uint32(unix.Geteuid()) }

func (system) Read(fd FD, p []byte, off int64) (n int, err error) {
	err = again(func() (err error) { n, err = unix.Pread(int(fd), p, off); return err })
	return max(n, 0), err
}

func (system) Write(fd FD, p []byte, off int64) (n int, err error) {
	err = again(func() (err error) { n, err = unix.Pwrite(int(fd), p, off); return err })
	return max(n, 0), err
}

func (system) Truncate(fd FD, size int64) error {
	return again(func() error { return unix.Ftruncate(int(fd), size) })
}

func (system) Sync(fd FD) error { return again(func() error { return syncAll(int(fd)) }) }

func (system) Chmod(fd FD, mode uint32) error {
	return again(func() error { return unix.Fchmod(int(fd), mode) })
}

func (system) Chown(fd FD, uid, gid int) error {
	return again(func() error { return unix.Fchown(int(fd), uid, gid) })
}

func (system) Mkdir(dir FD, base string) error {
	return again(func() error { return unix.Mkdirat(int(dir), base, 0o777) })
}

func (system) Unlink(dir FD, base string) error {
	return again(func() error { return unix.Unlinkat(int(dir), base, 0) })
}

func (system) Rmdir(dir FD, base string) error {
	return again(func() error { return unix.Unlinkat(int(dir), base, unix.AT_REMOVEDIR) })
}

func (system) Rename(dir FD, base string, toDir FD, toBase string) error {
	return again(func() error { return unix.Renameat(int(dir), base, int(toDir), toBase) })
}

func (system) RenameNew(dir FD, base string, toDir FD, toBase string) error {
	return again(func() error { return renameNoReplace(int(dir), base, int(toDir), toBase) })
}

func (system) Exchange(dir FD, a, b string) error {
	return again(func() error { return renameExchange(int(dir), a, b) })
}

func (system) Link(dir FD, base string, toDir FD, toBase string) error {
	return again(func() error { return unix.Linkat(int(dir), base, int(toDir), toBase, 0) })
}
