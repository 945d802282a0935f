package disk

import (
	"syscall"

	"github.com/sightline-io/sightline/internal/fault"
)

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
