//go:build unix

package script

import (
	"io/fs"
	"syscall"
)

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o644) }

// inode returns the file's number and how many names it has.
func inode(info fs.FileInfo) (number, names uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 1
	}
	return uint64(st.Ino), uint64(st.Nlink)
}
