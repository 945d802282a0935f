package disk

import (
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// What differs on macOS: no resolution by the kernel, descriptors that only look are event descriptors, names are
// exchanged by renameatx_np, and a sync that reaches the medium has a call of its own.

var flagsOf = [...]int{
	ForReading: unix.O_CLOEXEC | unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY,
	ForLooking: unix.O_CLOEXEC | unix.O_EVTONLY | unix.O_NONBLOCK,
	ForPassing: unix.O_CLOEXEC | unix.O_RDONLY | unix.O_DIRECTORY,
	ForListing: unix.O_CLOEXEC | unix.O_RDONLY | unix.O_DIRECTORY,
	ForWriting: unix.O_CLOEXEC | unix.O_RDWR | unix.O_NONBLOCK | unix.O_NOCTTY,
	AsNew:      unix.O_CLOEXEC | unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL,
}

const looksAtLinks = false // O_NOFOLLOW refuses a link for every way of opening

func (system) OpenBeneath(FD, string, How) (FD, error) { return -1, unix.ENOSYS }

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

// Reserve has no call here that would keep the size: the writing itself tells.
func (system) Reserve(FD, int64) error { return nil }

// CopyAttributes copies extended attributes. Access lists are none here, and are not copied.
func (system) CopyAttributes(from, to FD) bool {
	buf := make([]byte, 64<<10)
	n, err := unix.Flistxattr(int(from), buf)
	if err != nil {
		return unsupported(err)
	}
	kept := true
	value := make([]byte, 64<<10)
	for _, name := range strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		m, err := unix.Fgetxattr(int(from), name, value)
		if err == nil {
			err = unix.Fsetxattr(int(to), name, value[:m], 0)
		}
		kept = kept && err == nil
	}
	return kept
}

// Entries reads the folder through the standard library, which knows this system's layout.
func (s system) Entries(dir FD, _ []byte) ([]Entry, error) {
	fd, err := s.Open(dir, ".", ForListing, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return nil, errnoOf(err)
	}
	all := make([]Entry, 0, len(list))
	for _, d := range list {
		e := Entry{Base: d.Name(), Kind: Special}
		switch d.Type() & fs.ModeType {
		case 0:
			e.Kind = Regular
		case fs.ModeDir:
			e.Kind = Folder
		case fs.ModeSymlink:
			e.Kind = Link
		}
		all = append(all, e)
	}
	return all, nil
}
