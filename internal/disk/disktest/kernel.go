package disktest

import (
	"maps"
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

// Truncate implements [disk.Kernel].
func (m *Memory) Truncate(fd disk.FD, size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.at(fd).node
	if size <= int64(len(n.data)) {
		n.data = n.data[:size]
	} else {
		n.data = append(n.data, make([]byte, size-int64(len(n.data)))...)
	}
	m.touch(n)
	return nil
}

// Reserve implements [disk.Kernel].
func (m *Memory) Reserve(fd disk.FD, size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.at(fd).node
	if m.room < 0 {
		return nil
	}
	need := size - max(int64(len(n.data)), n.reserved)
	if need > m.room {
		return syscall.ENOSPC
	}
	if need > 0 {
		m.room -= need
		n.reserved = size
	}
	return nil
}

// Sync implements [disk.Kernel].
func (m *Memory) Sync(fd disk.FD) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.at(fd)
	if h.how == disk.ForPassing || h.how == disk.ForLooking {
		return syscall.EBADF
	}
	h.node.sync()
	if h.node.kids != nil {
		m.syncFolder(h.node)
	}
	return nil
}

// Chmod implements [disk.Kernel].
func (m *Memory) Chmod(fd disk.FD, mode uint32) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.at(fd).node
	if m.uid != 0 && m.uid != n.uid {
		return syscall.EPERM
	}
	n.mode = n.mode&disk.ModeKind | mode&0o7777
	m.note(n)
	return nil
}

// Chown implements [disk.Kernel]. User 0 alone gives files away; others may choose their own group.
func (m *Memory) Chown(fd disk.FD, uid, gid int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.at(fd).node
	if m.uid != 0 && (uid >= 0 && uint32(uid) != n.uid || gid >= 0 && uint32(gid) != n.gid && uint32(gid) != m.gid || n.uid != m.uid) {
		return syscall.EPERM
	}
	if uid >= 0 {
		n.uid = uint32(uid)
	}
	if gid >= 0 {
		n.gid = uint32(gid)
	}
	n.mode &^= 0o6000
	m.note(n)
	return nil
}

// CopyAttributes implements [disk.Kernel]. Attributes whose name begins with "locked." cannot be copied.
func (m *Memory) CopyAttributes(from, to disk.FD) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, b := m.at(from).node, m.at(to).node
	b.attributes = maps.Clone(a.attributes)
	kept := true
	for name := range a.attributes {
		if strings.HasPrefix(name, "locked.") {
			delete(b.attributes, name)
			kept = false
		}
	}
	m.note(b)
	return kept
}

// writable returns the folder for a change of its entries.
func (m *Memory) writable(fd disk.FD) (*inode, error) {
	n := m.at(fd).node
	if n.kids == nil {
		return nil, syscall.ENOTDIR
	}
	if !m.may(n, 3) {
		return nil, syscall.EACCES
	}
	return n, nil
}

// Mkdir implements [disk.Kernel].
func (m *Memory) Mkdir(fd disk.FD, base string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := m.writable(fd)
	if err != nil {
		return err
	}
	if _, ok := dir.kids[m.key(base)]; ok {
		return syscall.EEXIST
	}
	m.put(dir, base, m.node(disk.ModeFolder|0o777&^m.Umask))
	return nil
}

// Unlink implements [disk.Kernel].
func (m *Memory) Unlink(fd disk.FD, base string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := m.writable(fd)
	if err != nil {
		return err
	}
	k, ok := dir.kids[m.key(base)]
	switch {
	case !ok:
		return syscall.ENOENT
	case k.node.kids != nil:
		return syscall.EISDIR
	}
	m.take(dir, base)
	return nil
}

// Rmdir implements [disk.Kernel].
func (m *Memory) Rmdir(fd disk.FD, base string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := m.writable(fd)
	if err != nil {
		return err
	}
	k, ok := dir.kids[m.key(base)]
	switch {
	case !ok:
		return syscall.ENOENT
	case k.node.kids == nil:
		return syscall.ENOTDIR
	case len(k.node.kids) > 0:
		return syscall.ENOTEMPTY
	}
	m.take(dir, base)
	return nil
}

// pair returns the folders of a renaming and the entry that is renamed.
func (m *Memory) pair(a disk.FD, base string, b disk.FD) (from, to *inode, k kid, err error) {
	if from, err = m.writable(a); err != nil {
		return nil, nil, kid{}, err
	}
	if to, err = m.writable(b); err != nil {
		return nil, nil, kid{}, err
	}
	k, ok := from.kids[m.key(base)]
	if !ok {
		return nil, nil, kid{}, syscall.ENOENT
	}
	return from, to, k, nil
}

// Rename implements [disk.Kernel].
func (m *Memory) Rename(a disk.FD, base string, b disk.FD, toBase string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to, k, err := m.pair(a, base, b)
	if err != nil {
		return err
	}
	if from == to && m.key(base) == m.key(toBase) {
		m.set(change{{from, m.key(base), kid{toBase, k.node}}})
		return nil
	}
	if old, ok := to.kids[m.key(toBase)]; ok {
		switch {
		case old.node == k.node:
			return nil // two names of one file: renaming does nothing, as POSIX has it
		case old.node.kids != nil:
			return syscall.EISDIR
		}
	}
	m.set(change{{from, m.key(base), kid{}}, {to, m.key(toBase), kid{toBase, k.node}}})
	return nil
}

// RenameNew implements [disk.Kernel].
func (m *Memory) RenameNew(a disk.FD, base string, b disk.FD, toBase string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to, k, err := m.pair(a, base, b)
	if err != nil {
		return err
	}
	if _, ok := to.kids[m.key(toBase)]; ok {
		return syscall.EEXIST
	}
	m.set(change{{from, m.key(base), kid{}}, {to, m.key(toBase), kid{toBase, k.node}}})
	return nil
}

// Exchange implements [disk.Kernel].
func (m *Memory) Exchange(fd disk.FD, a, b string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := m.writable(fd)
	if err != nil {
		return err
	}
	x, okx := dir.kids[m.key(a)]
	y, oky := dir.kids[m.key(b)]
	if !okx || !oky {
		return syscall.ENOENT
	}
	m.set(change{{dir, m.key(a), kid{x.name, y.node}}, {dir, m.key(b), kid{y.name, x.node}}})
	return nil
}

// Link implements [disk.Kernel].
func (m *Memory) Link(a disk.FD, base string, b disk.FD, toBase string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, to, k, err := m.pair(a, base, b)
	switch {
	case err != nil:
		return err
	case k.node.kids != nil:
		return syscall.EPERM
	}
	if _, ok := to.kids[m.key(toBase)]; ok {
		return syscall.EEXIST
	}
	m.put(to, toBase, k.node)
	return nil
}
