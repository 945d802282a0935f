package disk

import (
	"context"
	"errors"
	"io"
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

func (o *portable) Open(name scope.Name) (File, error) {
	if err := o.enter(name); err != nil {
		return nil, err
	}
	defer o.leave()
	return o.openFile(name)
}

func (o *portable) openFile(name scope.Name) (*rootFile, error) {
	s, err := o.resolve(name.String())
	if err == nil && s.gone {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, o.fault(name.String(), "opening", err)
	}
	if k := kindOfMode(s.info.Mode()); k != Regular {
		return nil, notRegular(name.String(), kindWords[k])
	}
	f, err := o.root.OpenFile(filepath.FromSlash(s.rel), os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, o.fault(name.String(), "opening", err)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		f.Close()
		return nil, notRegular(name.String(), kindWords[kindOfMode(fi.Mode())])
	}
	var info Info
	if err == nil {
		info, err = o.info(name, s.rel, fi)
	}
	if err != nil {
		f.Close()
		return nil, o.fault(name.String(), "looking at", err)
	}
	return &rootFile{os: o, f: f, info: info}, nil
}

func (o *portable) Stat(name scope.Name) (Info, error) {
	if err := o.enter(name); err != nil {
		return Info{}, err
	}
	defer o.leave()
	s, err := o.resolve(name.String())
	if err == nil && s.gone {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Info{}, o.fault(name.String(), "looking at", err)
	}
	return o.info(name, s.rel, s.info)
}

func (o *portable) List(name scope.Name, yield func(Entry) bool) error {
	if err := o.enter(name); err != nil {
		return err
	}
	defer o.leave()
	s, err := o.resolve(name.String())
	if err == nil && s.gone {
		err = fs.ErrNotExist
	}
	if err != nil {
		return o.fault(name.String(), "opening", err)
	}
	if !s.info.IsDir() {
		return noFolder(name.String())
	}
	d, err := o.root.Open(filepath.FromSlash(s.rel))
	if err != nil {
		return o.fault(name.String(), "opening", err)
	}
	defer d.Close()
	list, err := d.ReadDir(-1)
	if err != nil {
		return failed(name.String(), "listing", err)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range list {
		if Temporary(e.Name()) {
			o.sweep(s.rel, e)
			continue
		}
		if !yield(Entry{Base: e.Name(), Kind: kindOfMode(e.Type())}) {
			return nil
		}
	}
	return nil
}

func (o *portable) sweep(folder string, e fs.DirEntry) {
	if fi, err := e.Info(); err == nil && o.opt.Clock != nil && fi.Mode().IsRegular() && fi.ModTime().UnixNano() < o.opt.Clock()-leftoverAge {
		_ = o.root.Remove(filepath.FromSlash(folder + "/" + e.Name()))
	}
}

// rootFile is an open file of portable.
type rootFile struct {
	os   *portable
	f    *os.File
	info Info
}

func (f *rootFile) Info() Info { return f.info }

func (f *rootFile) Stat() (Info, error) {
	fi, err := f.f.Stat()
	if err != nil {
		return Info{}, failed(f.info.Name.String(), "looking at", err)
	}
	return f.os.info(f.info.Name, f.info.Name.String(), fi)
}

func (f *rootFile) Close() error {
	if err := f.f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return failed(f.info.Name.String(), "closing", err)
	}
	return nil
}

func (f *rootFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = failed(f.info.Name.String(), "reading", err)
	}
	return n, err
}

func (f *rootFile) ReadAll(ctx context.Context, limit int64, buf []byte) ([]byte, bool, error) {
	limit = max(limit, 0)
	for range readsMax {
		size := min(f.info.Size, limit)
		if int64(cap(buf)) < size {
			buf = make([]byte, 0, size)
		}
		buf = buf[:size]
		n := 0
		for n < len(buf) {
			if err := ctx.Err(); err != nil {
				return nil, false, cancelled(f.info.Name.String(), err)
			}
			m, err := f.f.ReadAt(buf[n:min(len(buf), n+readChunk)], int64(n))
			n += m
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, false, failed(f.info.Name.String(), "reading", err)
			}
		}
		buf = buf[:n]
		now, err := f.Stat()
		if err != nil {
			return nil, false, err
		}
		before := f.info.Stamp
		f.info = now
		if now.Stamp == before && int64(n) == size {
			return buf, now.Size > limit, nil
		}
	}
	f.info.Stamp = Stamp{}
	return buf, int64(len(buf)) == limit && f.info.Size > limit, nil
}
