package disk

import "syscall"

// create publishes after as a new file.
func (p *place) create(after []byte, opt SwapOptions) (s Swapped, err error) {
	if p.state == orphan {
		if !opt.MakeParents {
			return Swapped{}, missingParent(p.asked)
		}
		if err := p.makeParents(); err != nil {
			return Swapped{}, err
		}
		defer func() {
			if err != nil {
				p.unmakeParents()
			}
		}()
	}
	mode := uint32(opt.Mode & 0o777)
	if mode == 0 {
		mode = 0o666
	}
	t, err := p.temp(mode, after) // the kernel takes the umask, or the folder's access list, off
	if err == nil && opt.Durability != Atomic {
		if err = p.o.k.Sync(t.fd); err != nil {
			p.discard(t)
		}
	}
	if err != nil {
		return Swapped{}, p.writeFault("writing", err)
	}
	s = Swapped{Name: p.name, Durability: Atomic}
	err = p.o.k.RenameNew(p.dir, t.base, p.dir, p.base)
	if unsupported(err) {
		if err = p.o.k.Link(p.dir, t.base, p.dir, p.base); err == nil && p.o.k.Unlink(p.dir, t.base) != nil {
			s.Warnings = append(s.Warnings, WarnLeftover)
		}
	}
	if err != nil {
		p.discard(t)
		if err == syscall.EEXIST {
			return Swapped{}, exists(p.asked)
		}
		return Swapped{}, p.writeFault("creating", err)
	}
	defer p.o.k.Close(t.fd)
	p.settle(&s, opt)
	p.stamp(&s, t.fd)
	return s, nil
}
