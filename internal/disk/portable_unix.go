//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const nonBlock = syscall.O_NONBLOCK

// identify fills in what tells one file from another.
func identify(fi fs.FileInfo, s *Stamp) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.Dev, s.Ino = uint64(st.Dev), uint64(st.Ino)
	}
}

// names returns how many names the file has.
func names(_ *os.Root, _ string, fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func syncFolder(root *os.Root, rel string) error {
	d, err := root.Open(rel)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
