package disktest

import (
	"maps"
	"strings"
	"syscall"

	"github.com/sightline-io/sightline/internal/disk"
)

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
