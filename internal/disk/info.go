package disk

import (
	"io/fs"
	"syscall"

	"github.com/sightline-io/sightline/internal/scope"
)

// canonical returns asked itself where nothing was followed.
func canonical(asked scope.Name, canon string) (scope.Name, error) {
	if canon == "" || canon == asked.String() {
		return asked, nil
	}
	return scope.NameOf(canon)
}

func infoOf(asked scope.Name, canon string, st *Node) (Info, error) {
	n, err := canonical(asked, canon)
	return Info{
		Name:     n,
		Kind:     kindOf(st.Mode),
		Mode:     modeOf(st.Mode),
		Size:     st.Size,
		Links:    st.Links,
		Stamp:    stampOf(st),
		ReadOnly: st.Mode&0o222 == 0,
	}, err
}

func kindOf(mode uint32) Kind {
	switch mode & ModeKind {
	case ModeRegular:
		return Regular
	case ModeFolder:
		return Folder
	case ModeLink:
		return Link
	}
	return Special
}

func stampOf(st *Node) Stamp {
	return Stamp{Dev: st.Dev, Ino: st.Ino, Size: st.Size, Mtime: st.Mtime, Ctime: st.Ctime}
}

func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	if mode&modeSetuid != 0 {
		m |= fs.ModeSetuid
	}
	if mode&modeSetgid != 0 {
		m |= fs.ModeSetgid
	}
	if mode&modeSticky != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// lookFault turns what the kernel answered to an opening into a fault.
func (o *OS) lookFault(path, doing string, err error) error {
	switch err {
	case syscall.ENOENT, syscall.ENOTDIR:
		return missing(path)
	case syscall.EXDEV:
		return outside(path)
	case syscall.ELOOP:
		return notRegular(path, "a circle of links")
	case syscall.ENAMETOOLONG, syscall.EILSEQ:
		return badName(path, err)
	}
	if k, ok := specialByErrno(err); ok {
		return notRegular(path, kindWords[k])
	}
	return failed(path, doing, err)
}

// specialByErrno recognises what opening a socket, or a device without a driver, is answered with.
func specialByErrno(err error) (Kind, bool) {
	return Special, err == syscall.ENXIO || err == syscall.ENODEV || err == syscall.EOPNOTSUPP
}
