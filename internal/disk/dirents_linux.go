package disk

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// entries reads the open folder, in the order the file system has it. It parses what the kernel returns by itself,
// because the standard library asks for the kind of every entry again.
func (o *OS) entries(fd int) ([]Entry, error) {
	buf := o.buffer()
	defer o.bufs.Put(buf)
	var all []Entry
	for {
		var n int
		if err := o.call("getdents", func() (err error) { n, err = unix.Getdents(fd, *buf); return err }); err != nil {
			return nil, err
		}
		if n <= 0 {
			return all, nil
		}
		for rest := (*buf)[:n]; len(rest) > direntName; {
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
				var st unix.Stat_t
				err := o.lstatat(fd, e.Base, &st)
				if err == unix.ENOENT {
					continue // gone between the two calls
				}
				if err != nil {
					return nil, err
				}
				e.Kind = kindOf(uint32(st.Mode))
			}
			all = append(all, e)
		}
	}
}

// Where the parts of struct linux_dirent64 lie: inode (8 bytes), offset (8), record size (2), kind (1), name.
const (
	direntSize = 16
	direntKind = 18
	direntName = 19
)

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
