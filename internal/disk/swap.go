package disk

import (
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
	"syscall"
)

// Swap implements [FS].
//
// An old file is replaced by exchanging names: the new bytes, complete and synced, get the name in the instant in
// which the old ones get the temporary one. What came out is then compared again, so that a change which somebody made
// after our comparison is found and put back instead of being lost. Where names cannot be exchanged the comparison is
// repeated right before a rename. A file with several names, and one whose folder takes no temporary file, is
// written in place, with a warning.
func (o *OS) Swap(name scope.Name, expect Expect, after []byte, opt SwapOptions) (Swapped, error) {
	if err := o.enter(name); err != nil {
		return Swapped{}, err
	}
	defer o.leave()
	p, err := o.locate(name)
	if err == syscall.ENOTDIR && expect.absent {
		return Swapped{}, parentIsFile(name.String())
	}
	if err != nil {
		return Swapped{}, o.lookFault(name.String(), "finding", err)
	}
	defer p.release()
	if err := p.admit(expect); err != nil {
		return Swapped{}, err
	}
	if expect.absent {
		return p.create(after, opt)
	}
	if err := p.writable(); err != nil {
		return Swapped{}, err
	}
	if err := p.check(expect); err != nil {
		return Swapped{}, err
	}
	if p.st.Links > 1 {
		return p.inPlace(expect, after, WarnHardLink)
	}
	return p.replace(expect, after, opt)
}

// temp is the temporary file of one swap.
type temp struct {
	fd   FD
	base string
	st   Node
}

// temp makes a temporary file in the folder of p and fills it. The error is a bare errno where the kernel refused.
func (p *place) temp(mode uint32, content []byte) (*temp, error) {
	base, err := TempName(p.o.opt.Entropy)
	if err != nil {
		return nil, err
	}
	fd, err := p.o.openat(p.dir, base, AsNew, mode)
	if err != nil {
		return nil, err
	}
	t := &temp{fd: fd, base: base}
	if err = p.o.pwrite(fd, content, 0); err == nil {
		err = p.o.fstat(fd, &t.st)
	}
	if err == nil && t.st.Size != int64(len(content)) {
		err = syscall.EIO // more or less arrived than was written: nothing of it may be published
	}
	if err != nil {
		p.discard(t)
		return nil, err
	}
	return t, nil
}

// discard removes a temporary file that was not published.
func (p *place) discard(t *temp) {
	p.o.k.Close(t.fd)
	// An error leaves a file behind that no listing shows and a later one removes; the fault under way matters more.
	_ = p.o.k.Unlink(p.dir, t.base)
}

// replace publishes after in the place of the file that is there.
func (p *place) replace(expect Expect, after []byte, opt SwapOptions) (Swapped, error) {
	t, err := p.temp(0o600, after)
	if forbidden(err) {
		return p.inPlace(expect, after, WarnFolder)
	}
	if err != nil {
		return Swapped{}, p.writeFault("writing", err)
	}
	s := Swapped{Name: p.name, Durability: Atomic}
	if s.Warnings, err = p.dress(t); err == nil && opt.Durability != Atomic {
		err = p.o.k.Sync(t.fd)
	}
	if err != nil {
		p.discard(t)
		return Swapped{}, p.writeFault("writing", err)
	}
	out, err := p.publish(t, expect)
	if err != nil {
		if out != keepTemp {
			p.discard(t)
		} else {
			p.o.k.Close(t.fd)
		}
		if forbidden(err) {
			return p.inPlace(expect, after, WarnFolder)
		}
		return Swapped{}, p.writeFault("replacing", err)
	}
	defer p.o.k.Close(t.fd)
	p.settle(&s, opt)
	if out == displacedTemp && p.o.k.Unlink(p.dir, t.base) != nil {
		s.Warnings = append(s.Warnings, WarnLeftover)
	}
	p.stamp(&s, t.fd)
	return s, nil
}

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

// settle syncs the folder where that was asked for. The change is made and seen by everybody, so a failure lowers what
// is promised and is no error.
func (p *place) settle(s *Swapped, opt SwapOptions) {
	if opt.Durability == Atomic {
		return
	}
	if p.sync() != nil {
		s.Warnings = append(s.Warnings, WarnNotSynced)
		return
	}
	s.Durability = Durable
}

// sync syncs the folder of p, and those above it that got a new one.
func (p *place) sync() error {
	if p.deaf {
		return syscall.EACCES
	}
	if err := p.o.k.Sync(p.dir); err != nil {
		return err
	}
	return p.syncParents()
}

// syncParents syncs the folders that got a new one.
func (p *place) syncParents() error {
	for i := len(p.chain) - 1; i >= 0; i-- {
		if s := p.chain[i]; s.base != "" {
			if err := p.o.k.Sync(s.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// stamp notes the stamp of the new content; it stays zero where it cannot be had, which costs its user one reading.
func (p *place) stamp(s *Swapped, fd FD) {
	var st Node
	if p.o.fstat(fd, &st) == nil {
		s.Stamp = stampOf(&st)
	}
}

// forbidden tells that the folder, or its protection, is in the way.
func forbidden(err error) bool { return err == syscall.EACCES || err == syscall.EPERM }

// writeFault turns what the kernel answered to a change into a fault.
func (p *place) writeFault(doing string, err error) error {
	if f, ok := err.(*fault.Error); ok {
		if f.Path == "" {
			f.Path = p.asked
		}
		return f
	}
	switch err {
	case syscall.EROFS:
		return readOnly(p.asked, whyFileSystem)
	case syscall.EACCES, syscall.EPERM:
		return readOnly(p.asked, whyFolder)
	case syscall.ENOENT:
		return missing(p.asked)
	case syscall.ENAMETOOLONG, syscall.EILSEQ:
		return p.o.lookFault(p.asked, doing, err)
	}
	return failed(p.asked, doing, err)
}
