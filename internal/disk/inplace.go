package disk

import (
	"context"

	"github.com/sightline-io/sightline/internal/fault"
)

// inPlace overwrites the file itself, so that all its names keep showing one file. It cannot be atomic: a reader, or a
// crash, in the midst of it may see a mixture. It is arranged so that a full disk is found before an old byte changes,
// and that any later error is undone from the bytes at hand; only those bytes are written that differ. It is
// always synced.
func (p *place) inPlace(expect Expect, after []byte, warning string) (Swapped, error) {
	fd, err := p.o.openat(p.dir, p.base, ForWriting, 0)
	if err != nil {
		return Swapped{}, p.writeFault("opening", err)
	}
	defer p.o.k.Close(fd)
	f := &osFile{os: p.o, fd: fd, info: Info{Name: p.name}}
	if err := p.o.fstat(fd, &f.st); err != nil {
		return Swapped{}, failed(p.asked, "looking at", err)
	}
	if f.st.Ino != p.st.Ino || f.st.Dev != p.st.Dev {
		return Swapped{}, conflict(p.asked)
	}
	old, err := f.slice(context.Background(), f.st.Size, f.st.Size+1, nil)
	if err != nil {
		return Swapped{}, err
	}
	if !expect.Met(old) {
		return Swapped{}, conflict(p.asked)
	}
	if err := p.o.overwrite(fd, old, after); err != nil {
		return Swapped{}, p.undo(fd, old, err)
	}
	s := Swapped{Name: p.name, Durability: InPlace, Warnings: []string{warning}}
	if f.st.Mode&(modeSetuid|modeSetgid) != 0 && p.o.k.Chmod(fd, f.st.Mode&0o7777) != nil {
		s.Warnings = append(s.Warnings, WarnAttributes) // writing takes these bits away, and giving them back was refused
	}
	if p.o.k.Sync(fd) != nil {
		s.Warnings = append(s.Warnings, WarnNotSynced)
	}
	p.stamp(&s, fd)
	return s, nil
}

// overwrite turns old into after inside the open file. What grows comes first: if the disk is full, that is found out
// before an old byte is lost.
func (o *OS) overwrite(fd FD, old, after []byte) error {
	common := min(len(old), len(after))
	from := 0
	for from < common && old[from] == after[from] {
		from++
	}
	to := common
	if len(old) == len(after) {
		for to > from && old[to-1] == after[to-1] {
			to--
		}
	}
	if from < to || len(after) > len(old) {
		if err := o.k.Reserve(fd, int64(len(after))); err != nil {
			return err
		}
	}
	if len(after) > len(old) {
		if err := o.pwrite(fd, after[len(old):], int64(len(old))); err != nil {
			return err
		}
	}
	if from < to {
		if err := o.pwrite(fd, after[from:to], int64(from)); err != nil {
			return err
		}
	}
	if len(after) < len(old) {
		return o.k.Truncate(fd, int64(len(after)))
	}
	return nil
}

// undo restores the old bytes after an overwriting failed with err, and returns the fault to answer.
func (p *place) undo(fd FD, old []byte, err error) error {
	uerr := p.o.pwrite(fd, old, 0)
	if terr := p.o.k.Truncate(fd, int64(len(old))); uerr == nil {
		uerr = terr
	}
	if uerr != nil {
		return &fault.Error{Code: fault.IO, Path: p.asked, Err: err,
			Message: p.asked + " was being written in place when the operating system failed, and its old bytes could not be restored. Look at the file."}
	}
	return p.writeFault("writing", err)
}
