package disk

import (
	"golang.org/x/sys/unix"
)

// What differs on Linux: resolution by the kernel, descriptors that only look, the exchange of two names, extended
// attributes and the layout of folders.

const (
	openFlags   = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY
	lookFlags   = unix.O_PATH
	lookOnly    = unix.O_PATH // the bit that tells lookFlags
	folderFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
	listFlags   = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY
)

const beneath = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS

// probeBeneath reports whether the kernel, and the sandbox around us, has openat2.
func (o *OS) probeBeneath() bool {
	fd, err := unix.Openat2(o.root, ".", &unix.OpenHow{Flags: folderFlags, Resolve: beneath})
	if err == nil {
		o.close(fd)
	}
	return err == nil
}

// direct opens rel beneath the root and follows no link: ELOOP where it holds one.
func (o *OS) direct(rel string, flags int) (fd int, err error) {
	if !o.beneath {
		return o.walk(rel, flags)
	}
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: beneath}
	for range racesMax {
		err = o.call("openat2", func() (err error) { fd, err = unix.Openat2(o.root, rel, &how); return err })
		if err != unix.EAGAIN { // the kernel's word for "something was renamed meanwhile"
			break
		}
	}
	return fd, err
}

func stampOf(st *unix.Stat_t) Stamp {
	return Stamp{Dev: uint64(st.Dev), Ino: st.Ino, Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano()}
}

func renameNoReplace(dir int, base string, toDir int, toBase string) error {
	return unix.Renameat2(dir, base, toDir, toBase, unix.RENAME_NOREPLACE)
}

func renameExchange(dir int, a, b string) error {
	return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
}

func syncAll(fd int) error { return unix.Fsync(fd) }

// reserve makes sure that the file can hold size bytes, and changes none. ENOSPC here costs nothing. Where the file
// system cannot promise it, nil is returned and the writing itself will tell.
func (o *OS) reserve(fd int, size int64) error {
	if size == 0 {
		return nil
	}
	err := o.call("fallocate", func() error { return unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, size) })
	if unsupported(err) {
		return nil
	}
	return err
}
