package mcpserver

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// waiting returns how many bytes of input the system holds for us, as far as it can be known.
func waiting(in io.Reader) int64 {
	f, ok := in.(*os.File)
	if !ok {
		return 0
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	if err := raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }); err != nil {
		return 0
	}
	return int64(max(n, 0))
}
