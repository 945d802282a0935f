package disk

import (
	"strings"

	"golang.org/x/sys/unix"
)

const accessList = "system.posix_acl_access"

// copyAttributes gives the file to the extended attributes and the access list of the file from, and takes an access
// list away that the folder lent it. It reports whether nothing was lost. Labels of a security module and file
// capabilities stay behind, as they do when any other program rewrites a file: the kernel assigns the first and voids
// the second on purpose.
func (o *OS) copyAttributes(from, to int) bool {
	names, err := o.attributes(from)
	if err != nil {
		return unsupported(err)
	}
	kept, hadList := true, false
	for _, name := range names {
		if strings.HasPrefix(name, "security.") {
			continue
		}
		hadList = hadList || name == accessList
		kept = o.copyAttribute(from, to, name) && kept
	}
	if hadList {
		return kept
	}
	lent, err := o.attributes(to)
	if err != nil {
		return kept && unsupported(err)
	}
	for _, name := range lent {
		if name == accessList {
			err := o.call("fremovexattr", func() error { return unix.Fremovexattr(to, accessList) })
			kept = kept && err == nil
		}
	}
	return kept
}

func (o *OS) copyAttribute(from, to int, name string) bool {
	buf := make([]byte, 64<<10) // the kernel's own bound on one value
	var n int
	err := o.call("fgetxattr", func() (err error) { n, err = unix.Fgetxattr(from, name, buf); return err })
	if err == nil {
		err = o.call("fsetxattr", func() error { return unix.Fsetxattr(to, name, buf[:n], 0) })
	}
	return err == nil
}

// attributes lists the names of the extended attributes of the open file.
func (o *OS) attributes(fd int) ([]string, error) {
	var n int
	if err := o.call("flistxattr", func() (err error) { n, err = unix.Flistxattr(fd, nil); return err }); err != nil || n == 0 {
		return nil, err
	}
	buf := make([]byte, 64<<10) // the kernel's own bound on the list
	if err := o.call("flistxattr", func() (err error) { n, err = unix.Flistxattr(fd, buf); return err }); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00"), nil
}
