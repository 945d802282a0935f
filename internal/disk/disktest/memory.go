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
	"math/rand/v2"
	"strings"
	"sync"

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
