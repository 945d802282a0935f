package disk

import (
	"strings"

	"golang.org/x/sys/unix"
)

// copyAttributes gives the file to the extended attributes of the file from. It reports whether nothing was lost.
// Access lists of macOS are no extended attributes and are not copied.
func (o *OS) copyAttributes(from, to int) bool {
	buf := make([]byte, 64<<10)
	n, err := unix.Flistxattr(from, buf)
	if err != nil {
		return unsupported(err)
	}
	kept := true
	value := make([]byte, 64<<10)
	for _, name := range strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		m, err := unix.Fgetxattr(from, name, value)
		if err == nil {
			err = unix.Fsetxattr(to, name, value[:m], 0)
		}
		kept = kept && err == nil
	}
	return kept
}
