package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
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

func (o *portable) create(path string, s spot, after []byte, opt SwapOptions, done Swapped) (Swapped, error) {
	undo, err := o.parents(path, s.rel, opt)
	if err != nil {
		return Swapped{}, err
	}
	perm := opt.Mode.Perm()
	if perm == 0 {
		perm = 0o666
	}
	temp, err := o.temp(s.rel, perm, 0, after, opt)
	if err == nil {
		err = o.root.Link(filepath.FromSlash(temp), filepath.FromSlash(s.rel))
		if rerr := o.root.Remove(filepath.FromSlash(temp)); err == nil && rerr != nil {
			done.Warnings = append(done.Warnings, WarnLeftover)
		}
	}
	if err != nil {
		undo()
		if errors.Is(err, fs.ErrExist) {
			return Swapped{}, exists(path)
		}
		return Swapped{}, o.writeFault(path, "creating", err)
	}
	return o.settled(done, s.rel), nil
}

// parents makes the missing folders above rel; undo takes back those it made.
func (o *portable) parents(path, rel string, opt SwapOptions) (undo func(), err error) {
	var made []string
	undo = func() {
		for i := len(made) - 1; i >= 0; i-- {
			_ = o.root.Remove(filepath.FromSlash(made[i]))
		}
	}
	folder := folderOf(rel)
	if fi, err := o.root.Lstat(filepath.FromSlash(folder)); err == nil {
		if !fi.IsDir() {
			return undo, parentIsFile(path)
		}
		return undo, nil
	}
	if !opt.MakeParents {
		return undo, missingParent(path)
	}
	at := ""
	for c := range strings.SplitSeq(folder, "/") {
		at = strings.TrimPrefix(at+"/"+c, "/")
		err := o.root.Mkdir(filepath.FromSlash(at), 0o777)
		if err == nil {
			made = append(made, at)
		} else if !errors.Is(err, fs.ErrExist) {
			undo()
			return undo, o.writeFault(path, "making the folders of", err)
		}
	}
	return undo, nil
}

func (o *portable) inPlace(path string, s spot, old, after []byte, warning string, done Swapped) (Swapped, error) {
	f, err := o.root.OpenFile(filepath.FromSlash(s.rel), os.O_RDWR|nonBlock, 0)
	if err != nil {
		return Swapped{}, o.writeFault(path, "opening", err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !os.SameFile(fi, s.info) {
		return Swapped{}, conflict(path)
	}
	if len(after) > len(old) { // what grows comes first: a full disk is found before an old byte changes
		_, err = f.WriteAt(after[len(old):], int64(len(old)))
	}
	if err == nil {
		_, err = f.WriteAt(after[:min(len(old), len(after))], 0)
	}
	if err == nil {
		err = f.Truncate(int64(len(after)))
	}
	if err != nil {
		_, uerr := f.WriteAt(old, 0)
		if terr := f.Truncate(int64(len(old))); uerr != nil || terr != nil {
			return Swapped{}, &fault.Error{Code: fault.IO, Path: path, Err: err,
				Message: path + " was being written in place when the operating system failed, and its old bytes could not be restored. Look at the file."}
		}
		return Swapped{}, o.writeFault(path, "writing", err)
	}
	done.Durability, done.Warnings = InPlace, append(done.Warnings, warning)
	if f.Sync() != nil {
		done.Warnings = append(done.Warnings, WarnNotSynced)
	}
	return o.stamped(done, s.rel), nil
}

// settled syncs the folder where the change is to be durable, and stamps the file.
func (o *portable) settled(done Swapped, rel string) Swapped {
	if done.Durability == Durable {
		if err := syncFolder(o.root, filepath.FromSlash(folderOf(rel))); err != nil {
			done.Durability, done.Warnings = Atomic, append(done.Warnings, WarnNotSynced)
		}
	}
	return o.stamped(done, rel)
}

func (o *portable) stamped(done Swapped, rel string) Swapped {
	if fi, err := o.root.Lstat(filepath.FromSlash(rel)); err == nil {
		if info, err := o.info(done.Name, done.Name.String(), fi); err == nil {
			done.Stamp = info.Stamp
		}
	}
	return done
}

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
