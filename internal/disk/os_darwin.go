package disk

import "golang.org/x/sys/unix"

// What differs on macOS: no resolution by the kernel, descriptors that only look are event descriptors, names are
// exchanged by renameatx_np, and a sync that reaches the disk has a call of its own.

const (
	openFlags   = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY
	lookFlags   = unix.O_EVTONLY | unix.O_NONBLOCK
	lookOnly    = 0 // O_NOFOLLOW refuses links for these flags
	folderFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	listFlags   = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY
)

func (o *OS) probeBeneath() bool { return false }

func (o *OS) direct(rel string, flags int) (int, error) { return o.walk(rel, flags) }

func stampOf(st *unix.Stat_t) Stamp {
	return Stamp{Dev: uint64(st.Dev), Ino: st.Ino, Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano()}
}

func renameNoReplace(dir int, base string, toDir int, toBase string) error {
	return unix.RenameatxNp(dir, base, toDir, toBase, unix.RENAME_EXCL)
}

func renameExchange(dir int, a, b string) error {
	return unix.RenameatxNp(dir, a, dir, b, unix.RENAME_SWAP)
}

// syncAll asks the drive itself to write; fsync alone stops at the drive's cache here.
func syncAll(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
	if unsupported(err) {
		return unix.Fsync(fd)
	}
	return err
}

// reserve has no call here that would keep the size: the writing itself tells.
func (o *OS) reserve(int, int64) error { return nil }
