package disk

import (
	"bytes"
	"encoding/binary"
	"strings"

	"golang.org/x/sys/unix"
)

// What differs on Linux: resolution by the kernel (openat2), descriptors that only look, the exchange of two names,
// extended attributes with access lists among them, and the layout of folders.

var flagsOf = [...]int{
	ForReading: unix.O_CLOEXEC | unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY,
	ForLooking: unix.O_CLOEXEC | unix.O_PATH,
	ForPassing: unix.O_CLOEXEC | unix.O_PATH | unix.O_DIRECTORY,
	ForListing: unix.O_CLOEXEC | unix.O_RDONLY | unix.O_DIRECTORY,
	ForWriting: unix.O_CLOEXEC | unix.O_RDWR | unix.O_NONBLOCK | unix.O_NOCTTY,
	AsNew:      unix.O_CLOEXEC | unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL,
}

const looksAtLinks = true // O_PATH with O_NOFOLLOW opens a link itself

func (system) OpenBeneath(dir FD, path string, how How) (fd FD, err error) {
	opening := unix.OpenHow{
		Flags:   uint64(flagsOf[how]),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	err = again(func() error {
		n, err := unix.Openat2(int(dir), path, &opening)
		fd = FD(n)
		return err
	})
	return fd, err
}

func renameNoReplace(dir int, base string, toDir int, toBase string) error {
	return unix.Renameat2(dir, base, toDir, toBase, unix.RENAME_NOREPLACE)
}

func renameExchange(dir int, a, b string) error {
	return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
}

func syncAll(fd int) error { return unix.Fsync(fd) }

func (system) Reserve(fd FD, size int64) error {
	err := again(func() error { return unix.Fallocate(int(fd), unix.FALLOC_FL_KEEP_SIZE, 0, size) })
	if unsupported(err) {
		return nil
	}
	return err
}

const accessList = "system.posix_acl_access"

// CopyAttributes also takes an access list away that the folder lent the new file. Labels of a security module and file
// capabilities stay behind, as they do when any other program rewrites a file: the kernel assigns the first and voids
// the second on purpose.
func (s system) CopyAttributes(from, to FD) bool {
	names, err := attributes(from)
	if err != nil {
		return unsupported(err)
	}
	kept, hadList := true, false
	for _, name := range names {
		if strings.HasPrefix(name, "security.") {
			continue
		}
		hadList = hadList || name == accessList
		kept = copyAttribute(from, to, name) && kept
	}
	if hadList {
		return kept
	}
	lent, err := attributes(to)
	if err != nil {
		return kept && unsupported(err)
	}
	for _, name := range lent {
		if name == accessList {
			kept = again(func() error { return unix.Fremovexattr(int(to), accessList) }) == nil && kept
		}
	}
	return kept
}

func copyAttribute(from, to FD, name string) bool {
	buf := make([]byte, 64<<10) // the kernel's own bound on one value
	var n int
	err := again(func() (err error) { n, err = unix.Fgetxattr(int(from), name, buf); return err })
	if err == nil {
		err = again(func() error { return unix.Fsetxattr(int(to), name, buf[:n], 0) })
	}
	return err == nil
}

// attributes lists the names of the extended attributes of the open file.
func attributes(fd FD) ([]string, error) {
	var n int
	if err := again(func() (err error) { n, err = unix.Flistxattr(int(fd), nil); return err }); err != nil || n == 0 {
		return nil, err
	}
	buf := make([]byte, 64<<10) // the kernel's own bound on the list
	if err := again(func() (err error) { n, err = unix.Flistxattr(int(fd), buf); return err }); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00"), nil
}

// Where the parts of struct linux_dirent64 lie: inode (8 bytes), offset (8), record size (2), kind (1), name.
const (
	direntSize = 16
	direntKind = 18
	direntName = 19
)

// Entries parses what the kernel returns by itself: the standard library sorts, and allocates twice for an entry.
func (s system) Entries(dir FD, buf []byte) (all []Entry, err error) {
	for {
		var n int
		if err := again(func() (err error) { n, err = unix.Getdents(int(dir), buf); return err }); err != nil {
			return nil, err
		}
		if n <= 0 {
			return all, nil
		}
		for rest := buf[:n]; len(rest) > direntName; {
			size := int(binary.NativeEndian.Uint16(rest[direntSize:]))
			if size <= direntName || size > len(rest) {
				return nil, unix.EIO
			}
			name := rest[direntName:size]
			if i := bytes.IndexByte(name, 0); i >= 0 {
				name = name[:i]
			}
			kind, known := kindOfEntry(rest[direntKind])
			rest = rest[size:]
			if string(name) == "." || string(name) == ".." {
				continue
			}
			e := Entry{Base: string(name), Kind: kind}
			if !known {
				st, err := s.Lstat(dir, e.Base)
				if err == unix.ENOENT {
					continue // gone between the two calls
				}
				if err != nil {
					return nil, err
				}
				e.Kind = kindOf(st.Mode)
			}
			all = append(all, e)
		}
	}
}

func kindOfEntry(t byte) (kind Kind, known bool) {
	switch t {
	case unix.DT_REG:
		return Regular, true
	case unix.DT_DIR:
		return Folder, true
	case unix.DT_LNK:
		return Link, true
	case unix.DT_UNKNOWN:
		return 0, false
	}
	return Special, true
}
