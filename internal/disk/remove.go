package disk

import (
	"syscall"

	"github.com/sightline-io/sightline/internal/scope"
)

// Remove implements [FS]. The file is first given a temporary name and compared once more there, so that a change made
// between comparing and removing is put back instead of being lost.
func (o *OS) Remove(name scope.Name, expect Expect, opt SwapOptions) (Swapped, error) {
	if err := o.enter(name); err != nil {
		return Swapped{}, err
	}
	defer o.leave()
	p, err := o.locate(name)
	if err != nil {
		return Swapped{}, o.lookFault(name.String(), "finding", err)
	}
	defer p.release()
	if err := p.admit(expect); err != nil {
		return Swapped{}, err
	}
	if expect.absent {
		return Swapped{}, missing(p.asked) // as expected, and so there is nothing to remove
	}
	at, err := o.entry(name, name.String())
	if err != nil {
		return Swapped{}, o.lookFault(name.String(), "finding", err)
	}
	defer at.release()
	if at.state != linked {
		if err := p.writable(); err != nil {
			return Swapped{}, err
		}
	}
	if err := p.check(expect); err != nil {
		return Swapped{}, err
	}
	s := Swapped{Name: at.name, Durability: Atomic}
	if at.state == linked {
		if err := o.k.Unlink(at.dir, at.base); err != nil {
			return Swapped{}, at.writeFault("removing", err)
		}
	} else if err := p.remove(expect, &s); err != nil {
		return Swapped{}, err
	}
	at.settle(&s, opt)
	return s, nil
}

// remove takes the compared file away.
func (p *place) remove(expect Expect, s *Swapped) error {
	base, err := TempName(p.o.opt.Entropy)
	if err != nil {
		return p.writeFault("removing", err)
	}
	err = p.o.k.RenameNew(p.dir, p.base, p.dir, base)
	if unsupported(err) {
		// No name can be taken safely here; what is left is to look again at the last moment.
		if err = p.lastLook(expect); err == nil {
			err = p.o.k.Unlink(p.dir, p.base)
		}
		if err != nil {
			return p.writeFault("removing", err)
		}
		return nil
	}
	if err != nil {
		return p.writeFault("removing", err)
	}
	ok, err := p.stillThere(base, expect)
	if !ok {
		if err == nil {
			err = conflict(p.asked)
		}
		if rerr := p.o.k.RenameNew(p.dir, base, p.dir, p.base); rerr == syscall.EEXIST {
			// Somebody made the file anew meanwhile. What came out is older than that, and would have been replaced by it.
			if p.o.k.Unlink(p.dir, base) != nil {
				s.Warnings = append(s.Warnings, WarnLeftover)
			}
		} else if rerr != nil {
			return failed(p.asked, "putting back (its bytes are in "+base+")", rerr)
		}
		return p.writeFault("reading", err)
	}
	if err := p.o.k.Unlink(p.dir, base); err != nil {
		if p.o.k.RenameNew(p.dir, base, p.dir, p.base) != nil {
			s.Warnings = append(s.Warnings, WarnLeftover)
			return nil // the name is free, which is what was asked for
		}
		return p.writeFault("removing", err)
	}
	return nil
}

// stillThere reports whether the entry base is the file that was compared, with the expected bytes.
func (p *place) stillThere(base string, expect Expect) (bool, error) {
	var st Node
	if err := p.o.lstatat(p.dir, base, &st); err != nil {
		if err == syscall.ENOENT {
			return false, nil
		}
		return false, err
	}
	if st.Ino != p.st.Ino || st.Dev != p.st.Dev {
		return false, nil
	}
	return p.o.met(p.fd, st.Size, expect)
}
