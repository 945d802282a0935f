//go:build unix

package disktest

import "syscall"

func makePipe(path string) error { return syscall.Mkfifo(path, 0o644) }
