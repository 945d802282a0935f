package disk

import (
	"strings"
	"syscall"
)

// makeParents makes the missing folders above p, through the descriptor of the one above each, so that a link that
// appears on the way is never followed. What was made is taken back by unmakeParents when the change fails.
func (p *place) makeParents() error {
	rel := p.name.String()
	folder := rel[:strings.LastIndexByte(rel, '/')]
	dir, err := p.o.openat(p.o.root, ".", ForListing, 0)
	if err != nil {
		return failed(p.asked, "opening the folders of", err)
	}
	for c := range strings.SplitSeq(folder, "/") {
		s := step{dir: dir}
		next, err := p.o.openat(dir, c, ForListing, 0)
		if err == syscall.ENOENT {
			if err = p.o.k.Mkdir(dir, c); err == nil {
				s.base = c
			}
			if err == nil || err == syscall.EEXIST {
				next, err = p.o.openat(dir, c, ForListing, 0)
			}
		}
		p.chain = append(p.chain, s)
		if err != nil {
			p.unmakeParents()
			return p.parentFault(err)
		}
		dir = next
	}
	p.dir, p.state = dir, vacant
	return nil
}

func (p *place) parentFault(err error) error {
	if err == syscall.ENOTDIR || err == syscall.ELOOP {
		return parentIsFile(p.asked)
	}
	return p.writeFault("making the folders of", err)
}

// unmakeParents removes the folders that were made, as far as they are still empty.
func (p *place) unmakeParents() {
	for i := len(p.chain) - 1; i >= 0; i-- {
		if s := p.chain[i]; s.base != "" && p.o.k.Rmdir(s.dir, s.base) != nil {
			return // somebody uses it already
		}
	}
}
