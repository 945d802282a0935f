package disk

import (
	"syscall"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// Move implements [FS].
func (o *OS) Move(from, to scope.Name, expect Expect, opt SwapOptions) (s Swapped, err error) {
	if err := o.enter(from); err != nil {
		return Swapped{}, err
	}
	defer o.leave()
	if to.IsZero() {
		return Swapped{}, &fault.Error{Code: fault.Invalid, Field: "to", Message: "No destination was given."}
	}
	p, err := o.entry(from, from.String())
	if err != nil {
		return Swapped{}, o.lookFault(from.String(), "finding", err)
	}
	defer p.release()
	q, err := o.entry(to, to.String())
	if err == syscall.ENOTDIR {
		return Swapped{}, parentIsFile(to.String())
	}
	if err != nil {
		return Swapped{}, o.lookFault(to.String(), "finding", err)
	}
	defer q.release()
	switch {
	case p.state == linked:
		return Swapped{}, notRegular(p.asked, "a link")
	case q.state == other && to.IsRoot():
		return Swapped{}, exists(q.asked)
	}
	if err := p.admit(expect); err != nil {
		return Swapped{}, err
	}
	if expect.absent {
		return Swapped{}, missing(p.asked) // as expected, and so there is nothing to move
	}
	if err := p.check(expect); err != nil {
		return Swapped{}, err
	}
	if q.state == orphan {
		if !opt.MakeParents {
			return Swapped{}, missingParent(q.asked)
		}
		if err := q.makeParents(); err != nil {
			return Swapped{}, err
		}
		defer func() {
			if err != nil {
				q.unmakeParents()
			}
		}()
		// A folder that is not on the medium yet would take the file with it when the power is lost.
		if err := q.syncParents(); err != nil {
			return Swapped{}, failed(q.asked, "syncing the new folders of", err)
		}
	}
	s = Swapped{Name: q.name, Durability: Atomic}
	if err := p.rename(q, &s); err != nil {
		return Swapped{}, err
	}
	if ok, err := q.holds(p, expect); !ok {
		if rerr := q.rename(p, &s); rerr != nil {
			return Swapped{}, failed(p.asked, "moving back (it is now "+q.asked+")", rerr)
		}
		if err != nil {
			return Swapped{}, failed(p.asked, "reading", err)
		}
		return Swapped{}, conflict(p.asked)
	}
	q.settle(&s, opt)
	if s.Durability == Durable && p.sync() != nil {
		s.Durability, s.Warnings = Atomic, append(s.Warnings, WarnNotSynced)
	}
	p.stamp(&s, p.fd)
	return s, nil
}

// rename moves the file p to the free name q.
func (p *place) rename(q *place, s *Swapped) error {
	err := p.o.k.RenameNew(p.dir, p.base, q.dir, q.base)
	if unsupported(err) {
		// Two names for an instant, then one: a reader sees the file throughout.
		if err = p.o.k.Link(p.dir, p.base, q.dir, q.base); err == nil {
			if err = p.o.k.Unlink(p.dir, p.base); err != nil && p.o.k.Unlink(q.dir, q.base) != nil {
				s.Warnings = append(s.Warnings, WarnLeftover)
				return nil
			}
		}
	}
	if err == syscall.EEXIST && p.respelled(q) {
		err = p.o.k.Rename(p.dir, p.base, q.dir, q.base)
	}
	switch err {
	case nil:
		return nil
	case syscall.EEXIST:
		return exists(q.asked)
	case syscall.EXDEV:
		return &fault.Error{Code: fault.IO, Path: q.asked, Message: q.asked + " lies on another file system than " + p.asked + "; a file is moved within one.", Err: err}
	}
	return p.writeFault("moving", err)
}

// respelled reports whether q is p itself under another spelling, as a file system that folds case has it. Two hard
// links of such spelling are told from it by the listing of the folder: there q's own spelling stands.
func (p *place) respelled(q *place) bool {
	if p.base == q.base || q.st.Ino != p.st.Ino || q.st.Dev != p.st.Dev {
		return false
	}
	var a, b Node
	if p.o.fstat(p.dir, &a) != nil || p.o.fstat(q.dir, &b) != nil || a.Ino != b.Ino || a.Dev != b.Dev {
		return false
	}
	entries, err := p.o.entries(q.dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Base == q.base {
			return false
		}
	}
	return true
}

// holds reports whether the file that now stands at q is the one that was compared at p, with the expected bytes.
func (q *place) holds(p *place, expect Expect) (bool, error) {
	at := *p
	at.dir = q.dir
	return at.stillThere(q.base, expect)
}
