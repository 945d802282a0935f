package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-io/sightline/internal/scope"
)

// admit finds the place of a change and answers the refusals that need no byte, in their fixed order.
func (o *portable) admit(name scope.Name, expect Expect) (spot, error) {
	path := name.String()
	s, err := o.resolve(path)
	switch {
	case isNotFolder(err) && expect.absent:
		return s, parentIsFile(path)
	case err != nil:
		return s, o.fault(path, "finding", err)
	case s.gone && s.link && expect.absent:
		return s, existsDangling(path)
	case s.gone && !expect.absent:
		return s, missing(path)
	case s.gone:
		return s, nil
	}
	if k := kindOfMode(s.info.Mode()); k != Regular {
		return s, notRegular(path, kindWords[k])
	}
	if expect.absent {
		return s, exists(path)
	}
	return s, nil
}

// compare reads the file at the canonical name and answers conflict where it is not as expected.
func (o *portable) compare(path string, s spot, expect Expect) ([]byte, error) {
	n, err := scope.NameOf(s.rel)
	if err != nil {
		return nil, err
	}
	f, err := o.openFile(n)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, _, err := f.ReadAll(context.Background(), f.info.Size+1, nil)
	if err != nil {
		return nil, err
	}
	if !expect.Met(b) {
		return nil, conflict(path)
	}
	return b, nil
}

func (o *portable) Swap(name scope.Name, expect Expect, after []byte, opt SwapOptions) (Swapped, error) {
	if err := o.enter(name); err != nil {
		return Swapped{}, err
	}
	defer o.leave()
	path := name.String()
	s, err := o.admit(name, expect)
	if err != nil {
		return Swapped{}, err
	}
	canon, err := scope.NameOf(s.rel)
	if err != nil {
		return Swapped{}, err
	}
	done := Swapped{Name: canon, Durability: Atomic}
	if opt.Durability != Atomic {
		done.Durability = Durable
	}
	if expect.absent {
		return o.create(path, s, after, opt, done)
	}
	if s.info.Mode().Perm()&0o222 == 0 {
		return Swapped{}, readOnly(path, whyMode)
	}
	old, err := o.compare(path, s, expect)
	if err != nil {
		return Swapped{}, err
	}
	if names(o.root, filepath.FromSlash(s.rel), s.info) > 1 {
		return o.inPlace(path, s, old, after, WarnHardLink, done)
	}
	temp, err := o.temp(s.rel, 0o600, s.info.Mode(), after, opt)
	if errors.Is(err, fs.ErrPermission) {
		return o.inPlace(path, s, old, after, WarnFolder, done)
	}
	if err != nil {
		return Swapped{}, o.writeFault(path, "writing", err)
	}
	if _, err = o.compare(path, s, expect); err == nil {
		err = o.root.Rename(filepath.FromSlash(temp), filepath.FromSlash(s.rel))
	}
	if err != nil {
		_ = o.root.Remove(filepath.FromSlash(temp))
		return Swapped{}, o.writeFault(path, "replacing", err)
	}
	return o.settled(done, s.rel), nil
}

func folderOf(rel string) string {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i]
	}
	return "."
}

// temp makes and fills a temporary file beside rel, and returns its name. keep is the mode of the file it will replace;
// zero keeps the one it was made with.
func (o *portable) temp(rel string, perm, keep fs.FileMode, content []byte, opt SwapOptions) (string, error) {
	base, err := TempName(o.opt.Entropy)
	if err != nil {
		return "", err
	}
	at := folderOf(rel) + "/" + base
	f, err := o.root.OpenFile(filepath.FromSlash(at), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err == nil && keep != 0 {
		err = f.Chmod(keep & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
	}
	if err == nil && opt.Durability != Atomic {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = o.root.Remove(filepath.FromSlash(at))
		return "", err
	}
	return at, nil
}
