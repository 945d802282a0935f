package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// portable is the [FS] over [os.Root], for platforms without the calls that OS is made of. It keeps containment, the
// comparison before a change and the switch of a name in one step; it cannot exchange names, so a change by somebody
// else in the instant between comparing and renaming is not found, and it keeps modes but neither owners nor attributes.
type portable struct {
	abs  string
	root *os.Root
	opt  Options

	open sync.RWMutex
	gone bool
}

func openPortable(abs string, opt Options) (*portable, error) {
	if !filepath.IsAbs(abs) {
		return nil, rootNotAbsolute(abs)
	}
	if fi, err := os.Stat(abs); err == nil && !fi.IsDir() {
		return nil, fault.Newf(fault.NotRegular, abs, "The root is no folder.")
	}
	r, err := os.OpenRoot(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Newf(fault.Missing, abs, "The root does not exist.")
	}
	if err != nil {
		return nil, &fault.Error{Code: fault.IO, Path: abs, Message: "The root could not be opened.", Err: err}
	}
	return &portable{abs: filepath.Clean(abs), root: r, opt: opt}, nil
}

func (o *portable) Root() string { return o.abs }

func (o *portable) Close() error {
	o.open.Lock()
	defer o.open.Unlock()
	if o.gone {
		return nil
	}
	o.gone = true
	if err := o.root.Close(); err != nil {
		return failed(o.abs, "closing", err)
	}
	return nil
}

func (o *portable) enter(name scope.Name) error {
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

func (o *portable) leave() { o.open.RUnlock() }

// spot is where a name leads.
type spot struct {
	rel  string // canonical
	info fs.FileInfo
	link bool // the last component of the asked name is a link
	gone bool // nothing stands there
}

var (
	errOutside = errors.New("leads out of the root")
	errCircle  = errors.New("too many links")
)

// resolve follows every link of rel by hand.
func (o *portable) resolve(rel string) (spot, error) {
	var s spot
	pending := strings.Split(rel, "/")
	var done []string
	for links := 0; len(pending) > 0; {
		c := pending[0]
		pending = pending[1:]
		switch c {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return s, errOutside
			}
			done = done[:len(done)-1]
			continue
		}
		at := strings.Join(append(slices.Clip(done), c), "/")
		fi, err := o.root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			if slices.Contains(pending, "..") {
				return s, fs.ErrNotExist
			}
			s.rel, s.gone = strings.Join(append([]string{at}, pending...), "/"), true
			return s, nil
		}
		if err != nil {
			return s, err
		}
		if fi.Mode()&fs.ModeSymlink == 0 {
			done = append(done, c)
			s.info = fi
			continue
		}
		if links++; links > 40 {
			return s, errCircle
		}
		s.link = s.link || len(pending) == 0
		target, err := o.root.Readlink(at)
		if err != nil {
			return s, err
		}
		if filepath.IsAbs(target) {
			in, err := filepath.Rel(o.abs, target)
			if err != nil || !filepath.IsLocal(in) {
				return s, errOutside
			}
			target, done = in, done[:0]
		}
		pending = append(strings.Split(filepath.ToSlash(target), "/"), pending...)
	}
	if s.rel = strings.Join(done, "/"); s.rel == "" {
		s.rel = "."
		fi, err := o.root.Lstat(".")
		if err != nil {
			return s, err
		}
		s.info = fi
	} else if len(done) > 0 {
		fi, err := o.root.Lstat(s.rel)
		if err != nil {
			return s, err
		}
		s.info = fi
	}
	return s, nil
}

func (o *portable) fault(path, doing string, err error) error {
	switch {
	case errors.Is(err, errOutside):
		return outside(path)
	case errors.Is(err, errCircle):
		return notRegular(path, "a circle of links")
	case errors.Is(err, fs.ErrNotExist), isNotFolder(err):
		return missing(path)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return badName(path, err)
	}
	return failed(path, doing, err)
}

func kindOfMode(m fs.FileMode) Kind {
	switch {
	case m.IsRegular():
		return Regular
	case m.IsDir():
		return Folder
	case m&fs.ModeSymlink != 0:
		return Link
	}
	return Special
}

func (o *portable) info(name scope.Name, rel string, fi fs.FileInfo) (Info, error) {
	if rel != name.String() {
		n, err := scope.NameOf(rel)
		if err != nil {
			return Info{}, err
		}
		name = n
	}
	m := fi.Mode()
	stamp := Stamp{Size: fi.Size(), Mtime: fi.ModTime().UnixNano(), Ctime: fi.ModTime().UnixNano()}
	identify(fi, &stamp)
	links := names(o.root, filepath.FromSlash(rel), fi)
	return Info{Name: name, Kind: kindOfMode(m), Mode: m &^ fs.ModeType, Size: fi.Size(), Links: links, Stamp: stamp,
		ReadOnly: m.Perm()&0o222 == 0}, nil
}
