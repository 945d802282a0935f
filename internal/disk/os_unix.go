//go:build linux || darwin

package disk

import (
	"io/fs"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// OS is the [FS] over a real tree, held by a descriptor of its root. It is safe for concurrent use as FS says.
type OS struct {
	abs, real string // as it was opened, and with every link followed: to re-anchor absolute links, and for messages
	root      int
	dev, ino  uint64
	opt       Options
	beneath   bool                    // the kernel resolves beneath the root (openat2); else each component is walked
	exchanges bool                    // names may be exchanged; tests switch it off to take the other way
	gate      func(call string) error // tests alone: stands before every system call and may fail it; nil passes all

	open sync.RWMutex // read-held by every call, so that Close waits and no call uses a descriptor given back
	gone bool

	bufs sync.Pool // *[]byte of bufferBytes, for comparisons
}

// OpenOS opens the tree at the absolute path abs. Codes: invalid where abs is not absolute; missing and not-regular
// where it is no folder; io.
func OpenOS(abs string, opt Options) (FS, error) {
	o, err := openOS(abs, opt)
	if err != nil {
		return nil, err
	}
	return o, nil
}

func openOS(abs string, opt Options) (*OS, error) {
	if !filepath.IsAbs(abs) {
		return nil, &fault.Error{Code: fault.Invalid, Path: abs, Field: "root", Message: "The root must be an absolute path."}
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, rootFault(abs, err)
	}
	o := &OS{abs: filepath.Clean(abs), real: real, opt: opt, exchanges: true}
	o.root, err = unix.Open(real, folderFlags, 0)
	if err != nil {
		return nil, rootFault(abs, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(o.root, &st); err != nil {
		unix.Close(o.root)
		return nil, rootFault(abs, err)
	}
	o.dev, o.ino = uint64(st.Dev), uint64(st.Ino)
	o.beneath = o.probeBeneath()
	return o, nil
}

func rootFault(abs string, err error) error {
	e := &fault.Error{Code: fault.IO, Path: abs, Message: "The root could not be opened.", Err: err}
	if pe, ok := err.(*fs.PathError); ok {
		err = pe.Err
	}
	switch err {
	case unix.ENOENT:
		e.Code, e.Message = fault.Missing, "The root does not exist."
	case unix.ENOTDIR:
		e.Code, e.Message = fault.NotRegular, "The root is no folder."
	}
	return e
}

// Root returns the path that the tree was opened by.
func (o *OS) Root() string { return o.abs }

// Close gives the root back once all calls are done.
func (o *OS) Close() error {
	o.open.Lock()
	defer o.open.Unlock()
	if o.gone {
		return nil
	}
	o.gone = true
	if err := unix.Close(o.root); err != nil {
		return failed(o.abs, "closing", err)
	}
	return nil
}

// enter begins a call; where it returns nil the caller must leave. The zero Name is refused here, once for all calls.
func (o *OS) enter(name scope.Name) error {
	if name.IsZero() {
		return &fault.Error{Code: fault.Invalid, Field: "path", Message: "No path was given."}
	}
	o.open.RLock()
	if o.gone {
		o.open.RUnlock()
		return closed(name.String())
	}
	return nil
}

func (o *OS) leave() { o.open.RUnlock() }

// Open implements [FS].
func (o *OS) Open(name scope.Name) (File, error) {
	if err := o.enter(name); err != nil {
		return nil, err
	}
	defer o.leave()
	fd, canon, err := o.openFollowing(name.String(), openFlags)
	if err != nil {
		return nil, o.lookFault(name.String(), "opening", err)
	}
	f := &osFile{os: o, fd: fd}
	if err := o.fstat(fd, &f.st); err != nil {
		o.close(fd)
		return nil, failed(name.String(), "looking at", err)
	}
	if f.info, err = infoOf(name, canon, &f.st); err == nil && f.info.Kind != Regular {
		err = notRegular(name.String(), kindWords[f.info.Kind])
	}
	if err != nil {
		o.close(fd)
		return nil, err
	}
	return f, nil
}

// Stat implements [FS].
func (o *OS) Stat(name scope.Name) (Info, error) {
	if err := o.enter(name); err != nil {
		return Info{}, err
	}
	defer o.leave()
	fd, canon, err := o.openFollowing(name.String(), lookFlags)
	if err != nil {
		if k, ok := specialByErrno(err); ok {
			// Where there is no O_PATH a socket cannot even be looked at through a descriptor.
			n, err := canonical(name, canon)
			return Info{Name: n, Kind: k, Links: 1}, err
		}
		return Info{}, o.lookFault(name.String(), "looking at", err)
	}
	defer o.close(fd)
	var st unix.Stat_t
	if err := o.fstat(fd, &st); err != nil {
		return Info{}, failed(name.String(), "looking at", err)
	}
	return infoOf(name, canon, &st)
}

// canonical returns asked itself where nothing was followed.
func canonical(asked scope.Name, canon string) (scope.Name, error) {
	if canon == "" || canon == asked.String() {
		return asked, nil
	}
	return scope.NameOf(canon)
}

func infoOf(asked scope.Name, canon string, st *unix.Stat_t) (Info, error) {
	n, err := canonical(asked, canon)
	return Info{
		Name:     n,
		Kind:     kindOf(uint32(st.Mode)),
		Mode:     modeOf(uint32(st.Mode)),
		Size:     st.Size,
		Links:    uint64(st.Nlink),
		Stamp:    stampOf(st),
		ReadOnly: st.Mode&0o222 == 0,
	}, err
}

func kindOf(mode uint32) Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return Regular
	case unix.S_IFDIR:
		return Folder
	case unix.S_IFLNK:
		return Link
	}
	return Special
}

func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// lookFault turns what the kernel answered to an opening into a fault.
func (o *OS) lookFault(path, doing string, err error) error {
	switch err {
	case unix.ENOENT, unix.ENOTDIR:
		return missing(path)
	case unix.EXDEV:
		return outside(path)
	case unix.ELOOP:
		return notRegular(path, "a circle of links")
	case unix.ENAMETOOLONG, unix.EILSEQ:
		return &fault.Error{Code: fault.Invalid, Path: path, Field: "path", Message: "The file system cannot hold a file of this name.", Err: err}
	}
	if k, ok := specialByErrno(err); ok {
		return notRegular(path, kindWords[k])
	}
	return failed(path, doing, err)
}

// specialByErrno recognises what opening a socket, or a device without a driver, is answered with.
func specialByErrno(err error) (Kind, bool) {
	return Special, err == unix.ENXIO || err == unix.ENODEV || err == unix.EOPNOTSUPP
}
