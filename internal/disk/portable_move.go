package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

func (o *portable) Remove(name scope.Name, expect Expect, opt SwapOptions) (Swapped, error) {
	if err := o.enter(name); err != nil {
		return Swapped{}, err
	}
	defer o.leave()
	s, err := o.admit(name, expect)
	if err != nil {
		return Swapped{}, err
	}
	path, at := name.String(), s.rel
	switch {
	case s.gone:
		return Swapped{}, missing(path)
	case s.link:
		if at, err = o.entry(path); err != nil {
			return Swapped{}, o.fault(path, "finding", err)
		}
	case s.info.Mode().Perm()&0o222 == 0:
		return Swapped{}, readOnly(path, whyMode)
	}
	if _, err := o.compare(path, s, expect); err != nil {
		return Swapped{}, err
	}
	if err := o.root.Remove(filepath.FromSlash(at)); err != nil {
		return Swapped{}, o.writeFault(path, "removing", err)
	}
	canon, err := scope.NameOf(at)
	if err != nil {
		return Swapped{}, err
	}
	done := Swapped{Name: canon, Durability: opt.Durability}
	if done.Durability == Durable {
		if err := syncFolder(o.root, filepath.FromSlash(folderOf(at))); err != nil {
			done.Durability, done.Warnings = Atomic, []string{WarnNotSynced}
		}
	}
	return done, nil
}

// entry returns the canonical name of the entry path itself: its folder resolved, its last component not.
func (o *portable) entry(path string) (string, error) {
	d, err := o.resolve(folderOf(path))
	if err != nil {
		return "", err
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	if d.rel == "." {
		return base, nil
	}
	return d.rel + "/" + base, nil
}

func (o *portable) Move(from, to scope.Name, expect Expect, opt SwapOptions) (Swapped, error) {
	if err := o.enter(from); err != nil {
		return Swapped{}, err
	}
	defer o.leave()
	if to.IsZero() {
		return Swapped{}, &fault.Error{Code: fault.Invalid, Field: "to", Message: "No destination was given."}
	}
	target, err := o.entry(to.String())
	if isNotFolder(err) {
		return Swapped{}, parentIsFile(to.String())
	}
	if err != nil {
		return Swapped{}, o.fault(to.String(), "finding", err)
	}
	s, err := o.admit(from, expect)
	switch {
	case s.link:
		return Swapped{}, notRegular(from.String(), "a link")
	case err != nil:
		return Swapped{}, err
	case expect.absent:
		return Swapped{}, missing(from.String())
	}
	if _, err := o.compare(from.String(), s, expect); err != nil {
		return Swapped{}, err
	}
	canon, err := scope.NameOf(target)
	if err != nil {
		return Swapped{}, err
	}
	undo, err := o.parents(to.String(), target, opt)
	if err != nil {
		return Swapped{}, err
	}
	done := Swapped{Name: canon, Durability: Atomic}
	if opt.Durability != Atomic {
		done.Durability = Durable
	}
	if err := o.rename(s.rel, target, to.String(), &done); err != nil {
		undo()
		return Swapped{}, err
	}
	done = o.settled(done, target)
	if done.Durability == Durable {
		if err := syncFolder(o.root, filepath.FromSlash(folderOf(s.rel))); err != nil {
			done.Durability, done.Warnings = Atomic, append(done.Warnings, WarnNotSynced)
		}
	}
	return done, nil
}

// rename moves onto a free name: a second name first, then the first is taken away. Only another spelling of the same
// entry is renamed straight.
func (o *portable) rename(from, to, path string, done *Swapped) error {
	err := o.root.Link(filepath.FromSlash(from), filepath.FromSlash(to))
	if errors.Is(err, fs.ErrExist) {
		if from != to && strings.EqualFold(from, to) && sameEntry(filepath.Join(o.abs, filepath.FromSlash(folderOf(to))), filepath.Base(from), filepath.Base(to)) {
			if err := o.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
				return o.writeFault(path, "moving", err)
			}
			return nil
		}
		return exists(path)
	}
	if err != nil {
		return o.writeFault(path, "moving", err)
	}
	if err := o.root.Remove(filepath.FromSlash(from)); err != nil {
		if o.root.Remove(filepath.FromSlash(to)) != nil {
			done.Warnings = append(done.Warnings, WarnLeftover)
			return nil
		}
		return o.writeFault(path, "moving", err)
	}
	return nil
}

func (o *portable) writeFault(path, doing string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		if f.Path == "" {
			f.Path = path
		}
		return f
	}
	if errors.Is(err, fs.ErrPermission) {
		return readOnly(path, whyFolder)
	}
	return o.fault(path, doing, err)
}
