package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// flush syncs the data of f and as much of its facts as reading it needs.
func flush(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
