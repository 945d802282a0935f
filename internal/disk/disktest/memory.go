// Package disktest is what the room disk, and every room that stands on it, is tested with.
//
// [Memory] is a simulated operating system: a [disk.Kernel] that holds a tree in memory, knows what of it has reached
// the medium, and can be copied as a crash would leave it. Since it stands below the algorithms of the room, the file
// system over it is the real one. [Trap] stands before every call of a kernel and may fail it, or do something at just
// this moment. [Faulty] fails the nth call of any file system. [World] is a tree together with the hands of somebody
// else who works in it, and [Suite] is what every file system must do, told in worlds.
//
// No production room imports this package.
package disktest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/sightline-io/sightline/internal/disk"
)

// MemoryRoot is the path of the root in every [Memory]; MemoryOutside is a folder beside it.
const (
	MemoryRoot    = "/world/root"
	MemoryOutside = "/world/outside"
)

// Memory is a simulated operating system with one file system. It is safe for concurrent use; each call is one step.
//
// It tells no user from another but by owner and group, knows no access lists, and its attributes are plain names.
type Memory struct {
	// FoldCase makes names equal that differ in case alone. Set it before the first file is made.
	FoldCase bool
	// Umask is taken off the mode of new files and folders.
	Umask uint32

	mu      sync.Mutex
	top     *inode
	open    map[disk.FD]*handle
	lastFD  disk.FD
	lastIno uint64
	now     int64 // Unix nanoseconds; every change takes a millisecond
	uid     uint32
	gid     uint32
	room    int64 // bytes that still fit; negative means no bound
	journal []change
	random  *rand.Rand
}

// inode is one file, folder, link or special file, and what of it has reached the medium.
type inode struct {
	ino          uint64
	mode         uint32
	uid, gid     uint32
	links        uint64
	data         []byte
	reserved     int64
	target       string
	kids         map[string]kid
	attributes   map[string]string
	mtime, ctime int64

	synced *inode         // a copy of data, mode, owner and attributes; nil while nothing ever reached the medium
	safe   map[string]kid // kids on the medium; folders alone
}

// kid is one entry of a folder.
type kid struct {
	name string // as it was spelled
	node *inode
}

// change is one step on folders that has not reached the medium: it does so as a whole or not at all.
type change []entrySet

type entrySet struct {
	dir *inode
	key string
	to  kid // a nil node takes the entry away
}

type handle struct {
	node *inode
	how  disk.How
}

// NewMemory returns an empty tree with the folders [MemoryRoot] and [MemoryOutside]. It belongs to user 1000, and so
// does the caller. The seed feeds Entropy.
func NewMemory(seed uint64) *Memory {
	m := &Memory{
		Umask: 0o022, open: map[disk.FD]*handle{}, now: 1_700_000_000_000_000_000, uid: 1000, gid: 1000, room: -1,
		random: rand.New(rand.NewPCG(seed, 1)),
	}
	m.top = m.node(disk.ModeFolder | 0o755)
	for _, path := range []string{"/world", MemoryRoot, MemoryOutside} {
		dir, base := m.parent(path)
		m.put(dir, base, m.node(disk.ModeFolder|0o755))
	}
	m.settle()
	return m
}

// FS returns the real file system over m, with m's own entropy and clock.
func (m *Memory) FS() (disk.FS, error) { return disk.Over(m, MemoryRoot, m.Options()) }

// Options returns m's entropy and clock.
func (m *Memory) Options() disk.Options { return disk.Options{Entropy: m.Entropy, Clock: m.Clock} }

// Entropy fills p from m's seed.
func (m *Memory) Entropy(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range p {
		p[i] = byte(m.random.Uint32())
	}
	return len(p), nil
}

// Clock returns the simulated time, in Unix nanoseconds.
func (m *Memory) Clock() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Advance lets time go by, in nanoseconds.
func (m *Memory) Advance(ns int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now += ns
}

// Limit lets so many more bytes fit onto the medium; a negative number lifts the bound.
func (m *Memory) Limit(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.room = bytes
}

// Become changes the user and the group of the caller. User 0 may do everything.
func (m *Memory) Become(uid, gid uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uid, m.gid = uid, gid
}

func (m *Memory) node(mode uint32) *inode {
	m.lastIno++
	n := &inode{ino: m.lastIno, mode: mode, uid: m.uid, gid: m.gid, attributes: map[string]string{}}
	if mode&disk.ModeKind == disk.ModeFolder {
		n.kids, n.safe = map[string]kid{}, map[string]kid{}
	}
	m.touch(n)
	return n
}

// touch dates a change of content.
func (m *Memory) touch(n *inode) {
	m.now += 1_000_000
	n.mtime, n.ctime = m.now, m.now
}

// note dates a change of anything else.
func (m *Memory) note(n *inode) {
	m.now += 1_000_000
	n.ctime = m.now
}

func (m *Memory) key(base string) string {
	if m.FoldCase {
		return strings.ToLower(base)
	}
	return base
}

// set makes one change to folders, now and in the journal.
func (m *Memory) set(c change) {
	for _, s := range c {
		if old, ok := s.dir.kids[s.key]; ok {
			old.node.links--
			m.note(old.node)
		}
		if s.to.node == nil {
			delete(s.dir.kids, s.key)
		} else {
			s.dir.kids[s.key] = s.to
			s.to.node.links++
			m.note(s.to.node)
		}
		m.touch(s.dir)
	}
	m.journal = append(m.journal, c)
}

func (m *Memory) put(dir *inode, base string, n *inode) {
	m.set(change{{dir, m.key(base), kid{base, n}}})
}

func (m *Memory) take(dir *inode, base string) {
	m.set(change{{dir, m.key(base), kid{}}})
}

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
