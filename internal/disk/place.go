package disk

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"strings"
	"syscall"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

const bufferBytes = 64 << 10

// place is an entry of a folder that is about to change: the folder held open, and the file in it where there is one.
// It belongs to one call.
type place struct {
	o     *OS
	asked string     // the path of the call, for faults
	name  scope.Name // canonical
	dir   FD         // the folder; -1 where it does not exist
	base  string
	fd    FD // the file, open for reading; -1 where there is none or it is no regular file
	st    Node
	state state

	chain []step // the folders passed when parents were made, top first
	deaf  bool   // the folder cannot be read, and so not be synced
}

type step struct {
	dir  FD
	base string // the folder made in dir; empty where it was there
}

// state is what stands at a place.
type state uint8

const (
	vacant   state = iota // nothing, but its folder exists
	orphan                // nothing, and no folder
	filed                 // a regular file
	linked                // a link
	dangling              // a link that leads to nothing inside the root
	other                 // a folder or a special file
	sealed                // a regular file that may not be read
)

func (p *place) release() {
	if p.fd >= 0 {
		p.o.k.Close(p.fd)
	}
	if p.dir >= 0 {
		p.o.k.Close(p.dir)
	}
	for _, s := range p.chain {
		p.o.k.Close(s.dir)
	}
	p.fd, p.dir, p.chain = -1, -1, nil
}

// entry finds the entry rel itself: links on the way to its folder are followed, the last component is not.
func (o *OS) entry(asked scope.Name, rel string) (*place, error) {
	p := &place{o: o, asked: asked.String(), name: asked, dir: -1, fd: -1}
	folder, base := ".", rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		folder, base = rel[:i], rel[i+1:]
	}
	if p.base = base; base == "." {
		p.state = other
		return p, nil
	}
	dir, canon, err := o.openFollowing(folder, ForListing)
	if err == syscall.EACCES || err == syscall.EPERM {
		p.deaf = true
		dir, canon, err = o.openFollowing(folder, ForPassing)
	}
	full := rel
	switch canon {
	case "": // nothing was followed
	case ".":
		full = base
	default:
		full = canon + "/" + base
	}
	if full != p.asked {
		p.name, _ = scope.NameOf(full) // a link may lead to a name that no call could spell; the zero Name tells
	}
	if p.name.IsZero() {
		if err == nil {
			o.k.Close(dir)
		}
		return nil, &fault.Error{Code: fault.Invalid, Path: p.asked, Field: "path", Message: "A link on the path leads to a name that is not valid UTF-8."}
	}
	switch err {
	case nil:
	case syscall.ENOENT:
		p.state = orphan
		return p, nil
	default:
		return nil, err
	}
	p.dir = dir
	if err := p.open(); err != nil {
		p.release()
		return nil, err
	}
	return p, nil
}

// open opens the file at the place, if it is one.
func (p *place) open() error {
	fd, err := p.o.openat(p.dir, p.base, ForReading, 0)
	switch err {
	case nil:
		if err := p.o.fstat(fd, &p.st); err != nil {
			p.o.k.Close(fd)
			return err
		}
		p.fd = fd
		p.state = filed
		if kindOf(p.st.Mode) != Regular {
			p.state = other
		}
		return nil
	case syscall.ENOENT:
		p.state = vacant
		return nil
	case syscall.ELOOP:
		p.state = linked
		return nil
	}
	if serr := p.o.lstatat(p.dir, p.base, &p.st); serr != nil {
		return err
	}
	switch kindOf(p.st.Mode) {
	case Regular:
		p.state = sealed
	case Link:
		p.state = linked
	default:
		p.state = other
	}
	return nil
}

// locate finds the place that asked leads to, every link followed.
func (o *OS) locate(asked scope.Name) (*place, error) {
	rel := asked.String()
	for range racesMax {
		p, err := o.entry(asked, rel)
		if err != nil || p.state != linked {
			return p, err
		}
		r, err := o.resolve(asked.String())
		switch {
		case err == errMoved:
		case err != nil:
			p.release()
			return nil, err
		case r.gone && r.link:
			p.state = dangling
			return p, nil
		}
		p.release()
		if err == nil {
			rel = r.name
		}
	}
	return nil, syscall.ELOOP
}

// admit answers the refusals of a change that can be told before any byte is compared, in their fixed order.
func (p *place) admit(expect Expect) error {
	switch p.state {
	case other:
		what := "a folder"
		if p.base != "." {
			what = kindWords[kindOf(p.st.Mode)]
		}
		return notRegular(p.asked, what)
	case orphan:
		if expect.absent {
			return nil // whether its folder may be made is the caller's affair
		}
		return missing(p.asked)
	case vacant:
		if expect.absent {
			return nil
		}
		return missing(p.asked)
	case dangling, linked:
		if expect.absent {
			return existsDangling(p.asked)
		}
		return missing(p.asked)
	}
	if expect.absent {
		return exists(p.asked)
	}
	return nil
}

// writable answers read-only where no write bit is set. The bits are asked, not the kernel, because the kernel lets
// root write everything.
func (p *place) writable() error {
	if p.st.Mode&0o222 == 0 {
		return readOnly(p.asked, whyMode)
	}
	return nil
}

// check answers conflict where the file does not hold what was expected.
func (p *place) check(expect Expect) error {
	if p.state == sealed {
		return failed(p.asked, "reading", syscall.EACCES)
	}
	ok, err := p.o.met(p.fd, p.st.Size, expect)
	if err != nil {
		return failed(p.asked, "reading", err)
	}
	if !ok {
		return conflict(p.asked)
	}
	return nil
}

// met compares the bytes of the open file with what is expected, in pieces. size, the one it was
// last seen to have, saves the reading where it differs from that of the bytes at hand.
func (o *OS) met(fd FD, size int64, e Expect) (bool, error) {
	if e.absent || !e.holds && e.ref.IsZero() || e.holds && size != int64(len(e.held)) {
		return false, nil
	}
	buf := o.buffer()
	defer o.bufs.Put(buf)
	var sum hash.Hash
	if !e.holds {
		sum = sha256.New()
	}
	off := int64(0)
	for {
		n, err := o.k.Read(fd, *buf, off)
		if err != nil {
			return false, err
		}
		if e.holds {
			if rest := e.held[off:]; n > len(rest) || !bytes.Equal((*buf)[:n], rest[:n]) {
				return false, nil
			}
		} else {
			sum.Write((*buf)[:n])
		}
		off += int64(n)
		if n < len(*buf) { // a regular file is read short at its end alone
			break
		}
	}
	if e.holds {
		return off == int64(len(e.held)), nil
	}
	digest := e.ref.Digest()
	return bytes.Equal(sum.Sum(nil), digest[:]), nil
}

func (o *OS) buffer() *[]byte {
	if b, ok := o.bufs.Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, bufferBytes)
	return &b
}
