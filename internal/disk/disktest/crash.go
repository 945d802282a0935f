package disktest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"

	"github.com/sightline-io/sightline/internal/disk"
)

// settle brings everything onto the medium.
func (m *Memory) settle() {
	m.journal = nil
	m.each(m.top, func(n *inode) {
		n.sync()
		if n.kids != nil {
			n.safe = maps.Clone(n.kids)
		}
	})
}

func (m *Memory) each(n *inode, f func(*inode)) {
	f(n)
	for _, k := range n.kids {
		m.each(k.node, f)
	}
}

// sync brings the file itself, but no entry of a folder, onto the medium.
func (n *inode) sync() {
	n.synced = &inode{
		mode: n.mode, uid: n.uid, gid: n.gid, target: n.target, data: slices.Clone(n.data), attributes: maps.Clone(n.attributes),
		mtime: n.mtime, ctime: n.ctime,
	}
}

// syncFolder brings the changes of one folder onto the medium. A change that touches two folders goes as a whole.
func (m *Memory) syncFolder(dir *inode) {
	m.journal = slices.DeleteFunc(m.journal, func(c change) bool {
		mine := slices.ContainsFunc(c, func(s entrySet) bool { return s.dir == dir })
		if mine {
			c.apply()
		}
		return mine
	})
}

// apply makes the change on the medium.
func (c change) apply() {
	for _, s := range c {
		if s.to.node == nil {
			delete(s.dir.safe, s.key)
		} else {
			s.dir.safe[s.key] = s.to
		}
	}
}

// Crash returns a copy of m as a loss of power at this moment may leave it: what was synced is there, and of everything
// else a share that the seed decides. Changes of folders stay or go one by one, in no order; bytes that were not synced
// are there, or not, or in part. m itself goes on unharmed.
func (m *Memory) Crash(seed uint64) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	luck := rand.New(rand.NewPCG(seed, 2))
	c := &Memory{
		FoldCase: m.FoldCase, Umask: m.Umask, open: map[disk.FD]*handle{}, now: m.now, uid: m.uid, gid: m.gid, room: m.room,
		lastIno: m.lastIno, random: rand.New(rand.NewPCG(seed, 3)),
	}
	// The medium after the lucky part of the journal, per folder.
	medium := map[*inode]map[string]kid{}
	on := func(dir *inode) map[string]kid {
		if medium[dir] == nil {
			medium[dir] = maps.Clone(dir.safe)
		}
		return medium[dir]
	}
	for _, ch := range m.journal {
		if luck.IntN(2) == 0 {
			continue
		}
		for _, s := range ch {
			if s.to.node == nil {
				delete(on(s.dir), s.key)
			} else {
				on(s.dir)[s.key] = s.to
			}
		}
	}
	copies := map[*inode]*inode{}
	var revive func(n *inode) *inode
	revive = func(n *inode) *inode {
		if r := copies[n]; r != nil {
			return r
		}
		r := n.afterCrash(luck)
		copies[n] = r
		if n.kids != nil {
			kids := on(n)
			for _, key := range slices.Sorted(maps.Keys(kids)) {
				k := kid{kids[key].name, revive(kids[key].node)}
				k.node.links++
				r.kids[key] = k
			}
			r.safe = maps.Clone(r.kids)
		}
		r.sync()
		return r
	}
	c.top = revive(m.top)
	return c
}

// afterCrash returns the file itself as the medium may have it.
func (n *inode) afterCrash(luck *rand.Rand) *inode {
	r := &inode{ino: n.ino, mode: n.mode, uid: n.uid, gid: n.gid, target: n.target, mtime: n.mtime, ctime: n.ctime,
		attributes: maps.Clone(n.attributes)}
	if n.kids != nil {
		r.kids = map[string]kid{}
		return r
	}
	old := n.synced
	if old == nil {
		old = &inode{mode: n.mode, uid: n.uid, gid: n.gid, target: n.target}
	}
	if old.mode != n.mode && luck.IntN(2) == 0 {
		r.mode = old.mode
	}
	switch {
	case slices.Equal(old.data, n.data):
		r.data = slices.Clone(n.data)
	default:
		switch luck.IntN(3) {
		case 0:
			r.data = slices.Clone(old.data)
		case 1:
			r.data = slices.Clone(n.data)
		default: // a part of the new over the old
			cut := luck.IntN(len(n.data) + 1)
			r.data = slices.Clone(n.data[:cut])
			if cut < len(old.data) {
				r.data = append(r.data, old.data[cut:]...)
			}
		}
	}
	return r
}

// may reports whether the caller has the permission bits want (4 read, 2 write, 1 pass) on n.
func (m *Memory) may(n *inode, want uint32) bool {
	if m.uid == 0 {
		return true
	}
	bits := n.mode & 7
	switch {
	case n.uid == m.uid:
		bits = n.mode >> 6 & 7
	case n.gid == m.gid:
		bits = n.mode >> 3 & 7
	}
	return bits&want == want
}

// parent returns the folder of an absolute path that exists, and the last component.
func (m *Memory) parent(path string) (*inode, string) {
	i := strings.LastIndexByte(path, '/')
	n, err := m.find(path[:i], true)
	if err != nil {
		panic("disktest: no folder " + path[:i])
	}
	return n, path[i+1:]
}

// find walks an absolute path; follow says whether a link at its end is followed.
func (m *Memory) find(path string, follow bool) (*inode, error) {
	stack := []*inode{m.top}
	pending := strings.Split(path, "/")
	for links := 0; len(pending) > 0; {
		c := pending[0]
		pending = pending[1:]
		at := stack[len(stack)-1]
		switch {
		case c == "" || c == ".":
			continue
		case c == "..":
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
			continue
		case at.kids == nil:
			return nil, syscall.ENOTDIR
		}
		k, ok := at.kids[m.key(c)]
		if !ok {
			return nil, syscall.ENOENT
		}
		if k.node.mode&disk.ModeKind != disk.ModeLink || !follow && len(pending) == 0 {
			stack = append(stack, k.node)
			continue
		}
		if links++; links > 40 {
			return nil, syscall.ELOOP
		}
		if strings.HasPrefix(k.node.target, "/") {
			stack = stack[:1]
		}
		pending = append(strings.Split(k.node.target, "/"), pending...)
	}
	return stack[len(stack)-1], nil
}
