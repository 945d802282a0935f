package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
)

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
