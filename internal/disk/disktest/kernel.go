package disktest

import (
	"slices"
	"strings"
	"syscall"

	"github.com/sightline-io/sightline/internal/disk"
)

// The calls of disk.Kernel, each one step under the lock.

var _ disk.Kernel = (*Memory)(nil)

func (m *Memory) handle(n *inode, how disk.How) disk.FD {
	m.lastFD++
	m.open[m.lastFD] = &handle{n, how}
	return m.lastFD
}

// at returns the open file; a descriptor that was given back panics, because using one is never anything but a mistake.
func (m *Memory) at(fd disk.FD) *handle {
	h := m.open[fd]
	if h == nil {
		panic("disktest: use of a descriptor that is not open")
	}
	return h
}

// OpenRoot implements [disk.Kernel].
func (m *Memory) OpenRoot(abs string) (disk.FD, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(abs, true)
	if err != nil {
		return -1, "", err
	}
	if n.kids == nil {
		return -1, "", syscall.ENOTDIR
	}
	return m.handle(n, disk.ForPassing), abs, nil
}

// OpenBeneath implements [disk.Kernel].
func (m *Memory) OpenBeneath(dir disk.FD, path string, how disk.How) (disk.FD, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.at(dir).node
	folder, base := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folder, base = path[:i], path[i+1:]
	}
	if folder != "" {
		for c := range strings.SplitSeq(folder, "/") {
			k, err := m.entry(n, c)
			if err != nil {
				return -1, err
			}
			if k.mode&disk.ModeKind == disk.ModeLink {
				return -1, syscall.ELOOP
			}
			n = k
		}
	}
	return m.openIn(n, base, how, 0)
}

// entry finds an entry of the folder n.
func (m *Memory) entry(n *inode, base string) (*inode, error) {
	if n.kids == nil {
		return nil, syscall.ENOTDIR
	}
	if base == "." {
		return n, nil
	}
	if len(base) > 255 {
		return nil, syscall.ENAMETOOLONG
	}
	if !m.may(n, 1) {
		return nil, syscall.EACCES
	}
	k, ok := n.kids[m.key(base)]
	if !ok {
		return nil, syscall.ENOENT
	}
	return k.node, nil
}

// Open implements [disk.Kernel].
func (m *Memory) Open(dir disk.FD, base string, how disk.How, mode uint32) (disk.FD, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.openIn(m.at(dir).node, base, how, mode)
}

func (m *Memory) openIn(dir *inode, base string, how disk.How, mode uint32) (disk.FD, error) {
	n, err := m.entry(dir, base)
	if how == disk.AsNew {
		switch {
		case err == nil:
			return -1, syscall.EEXIST
		case err != syscall.ENOENT:
			return -1, err
		case !m.may(dir, 3):
			return -1, syscall.EACCES
		}
		n = m.node(disk.ModeRegular | mode&^m.Umask)
		m.put(dir, base, n)
		return m.handle(n, how), nil
	}
	if err != nil {
		return -1, err
	}
	kind := n.mode & disk.ModeKind
	switch {
	case kind == disk.ModeLink:
		return -1, syscall.ELOOP
	case (how == disk.ForPassing || how == disk.ForListing) && kind != disk.ModeFolder:
		return -1, syscall.ENOTDIR
	case how == disk.ForWriting && kind == disk.ModeFolder:
		return -1, syscall.EISDIR
	case (how == disk.ForReading || how == disk.ForListing) && !m.may(n, 4), how == disk.ForWriting && !m.may(n, 6):
		return -1, syscall.EACCES
	}
	return m.handle(n, how), nil
}

// Close implements [disk.Kernel].
func (m *Memory) Close(fd disk.FD) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at(fd)
	delete(m.open, fd)
}

// Descriptors returns how many descriptors are open.
func (m *Memory) Descriptors() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.open)
}

func (n *inode) facts() disk.Node {
	size := int64(len(n.data))
	if n.mode&disk.ModeKind == disk.ModeLink {
		size = int64(len(n.target))
	}
	return disk.Node{Dev: 1, Ino: n.ino, Mode: n.mode, Links: n.links, UID: n.uid, GID: n.gid, Size: size, Mtime: n.mtime, Ctime: n.ctime}
}

// Stat implements [disk.Kernel].
func (m *Memory) Stat(fd disk.FD) (disk.Node, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at(fd).node.facts(), nil
}

// Lstat implements [disk.Kernel].
func (m *Memory) Lstat(dir disk.FD, base string) (disk.Node, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.entry(m.at(dir).node, base)
	if err != nil {
		return disk.Node{}, err
	}
	return n.facts(), nil
}

// Find implements [disk.Kernel].
func (m *Memory) Find(abs string) (disk.Node, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(abs, true)
	if err != nil {
		return disk.Node{}, err
	}
	return n.facts(), nil
}

// ReadLink implements [disk.Kernel].
func (m *Memory) ReadLink(dir disk.FD, base string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.entry(m.at(dir).node, base)
	if err == nil && n.mode&disk.ModeKind != disk.ModeLink {
		err = syscall.EINVAL
	}
	if err != nil {
		return "", err
	}
	return n.target, nil
}

// Entries implements [disk.Kernel]. The order is that of the names backwards, so that nobody relies on a sorted one.
func (m *Memory) Entries(dir disk.FD, _ []byte) ([]disk.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.at(dir).node
	if n.kids == nil {
		return nil, syscall.ENOTDIR
	}
	var all []disk.Entry
	for _, k := range n.kids {
		e := disk.Entry{Base: k.name, Kind: disk.Special}
		switch k.node.mode & disk.ModeKind {
		case disk.ModeRegular:
			e.Kind = disk.Regular
		case disk.ModeFolder:
			e.Kind = disk.Folder
		case disk.ModeLink:
			e.Kind = disk.Link
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b disk.Entry) int { return strings.Compare(b.Base, a.Base) })
	return all, nil
}

// User implements [disk.Kernel].
func (m *Memory) User() uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.uid
}

// Read implements [disk.Kernel].
func (m *Memory) Read(fd disk.FD, p []byte, off int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.at(fd)
	if h.node.kids != nil {
		return 0, syscall.EISDIR
	}
	if off >= int64(len(h.node.data)) {
		return 0, nil
	}
	return copy(p, h.node.data[off:]), nil
}

// Write implements [disk.Kernel]. Where the medium is full it writes what still fits, and then nothing.
func (m *Memory) Write(fd disk.FD, p []byte, off int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.at(fd).node
	if m.room >= 0 {
		if grow := off + int64(len(p)) - max(int64(len(n.data)), n.reserved); grow > m.room {
			if p = p[:max(0, int64(len(p))-(grow-m.room))]; len(p) == 0 {
				return 0, syscall.ENOSPC
			}
		}
		m.room -= max(0, off+int64(len(p))-max(int64(len(n.data)), n.reserved))
	}
	if end := int(off) + len(p); end > len(n.data) {
		n.data = append(n.data, make([]byte, end-len(n.data))...)
	}
	copy(n.data[off:], p)
	if m.uid != 0 {
		n.mode &^= 0o6000 // writing takes borrowed rights away
	}
	m.touch(n)
	return len(p), nil
}
