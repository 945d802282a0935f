package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/scope"
)

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
