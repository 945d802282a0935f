package disk

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// entries reads the open folder through the standard library, which knows this system's layout.
func (o *OS) entries(fd int) ([]Entry, error) {
	again, err := o.openat(fd, ".", listFlags, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(again), "")
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return nil, unix.EIO
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
