package disk

import (
	"path/filepath"
	"sync"
	"syscall"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// OS is the [FS] over a [Kernel], the tree held by a descriptor of its root. It is safe for concurrent use as FS says.
type OS struct {
	k         Kernel
	abs, real string // as it was opened, and with every link followed: to re-anchor links that leave, and for messages
	root      FD
	dev, ino  uint64
	opt       Options
	beneath   bool // the kernel resolves beneath the root; else each component is walked

	open sync.RWMutex // read-held by every call, so that Close waits and no call uses a descriptor given back
	gone bool

	bufs sync.Pool // *[]byte of bufferBytes, for comparisons and listings
}

// Over opens the tree at the absolute path abs of a kernel. Codes: invalid where abs is not absolute; missing and
// not-regular where it is no folder; io.
func Over(k Kernel, abs string, opt Options) (FS, error) {
	if !filepath.IsAbs(abs) {
		return nil, rootNotAbsolute(abs)
	}
	o := &OS{k: k, abs: filepath.Clean(abs), opt: opt}
	var err error
	if o.root, o.real, err = k.OpenRoot(abs); err != nil {
		return nil, rootFault(abs, err)
	}
	st, err := k.Stat(o.root)
	if err != nil {
		k.Close(o.root)
		return nil, rootFault(abs, err)
	}
	o.dev, o.ino = st.Dev, st.Ino
	// Older kernels, and some sandboxes around newer ones, do not have the call: one try tells.
	if fd, err := k.OpenBeneath(o.root, ".", ForPassing); err == nil {
		k.Close(fd)
		o.beneath = true
	}
	return o, nil
}

func rootFault(abs string, err error) error {
	e := &fault.Error{Code: fault.IO, Path: abs, Message: "The root could not be opened.", Err: err}
	switch err {
	case syscall.ENOENT:
		e.Code, e.Message = fault.Missing, "The root does not exist."
	case syscall.ENOTDIR:
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
	o.k.Close(o.root)
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
	fd, canon, err := o.openFollowing(name.String(), ForReading)
	if err != nil {
		return nil, o.lookFault(name.String(), "opening", err)
	}
	f := &osFile{os: o, fd: fd}
	if err := o.fstat(fd, &f.st); err != nil {
		o.k.Close(fd)
		return nil, failed(name.String(), "looking at", err)
	}
	if f.info, err = infoOf(name, canon, &f.st); err == nil && f.info.Kind != Regular {
		err = notRegular(name.String(), kindWords[f.info.Kind])
	}
	if err != nil {
		o.k.Close(fd)
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
	fd, canon, err := o.openFollowing(name.String(), ForLooking)
	if err != nil {
		if k, ok := specialByErrno(err); ok {
			// Where there is no O_PATH a socket cannot even be looked at through a descriptor.
			n, err := canonical(name, canon)
			return Info{Name: n, Kind: k, Links: 1}, err
		}
		return Info{}, o.lookFault(name.String(), "looking at", err)
	}
	defer o.k.Close(fd)
	var st Node
	if err := o.fstat(fd, &st); err != nil {
		return Info{}, failed(name.String(), "looking at", err)
	}
	return infoOf(name, canon, &st)
}
