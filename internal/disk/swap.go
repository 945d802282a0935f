package disk

import (
	"syscall"

	"github.com/sightline-io/sightline/internal/scope"
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
