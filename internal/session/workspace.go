// Package session owns the order of things for one agent's conversation: which call came when, what its boundary is,
// what it may rely on, and what is written down afterwards. It is the sole writer of evidence.
//
// Lock order: a file's path lock first, the workspace's evidence lock second. No file is touched under the evidence
// lock, and no lock is held while a person or a model thinks.
package session

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/source"
)

// Profile is how much a session is asked for.
type Profile uint8

// The two profiles. There is no third knob per rule.
const (
	Balanced Profile = iota
	Strict
)

// String returns the profile's name.
func (p Profile) String() string { return [...]string{"balanced", "strict"}[p] }

// Bounds that hold where [Options] names none.
const (
	PageBytesDefault = 7500     // what an unknown client shows of one answer
	CureLinesMax     = 200      // lines a refusal delivers
	CureBytesMax     = 16 << 10 // bytes a refusal delivers
	recentBytes      = 32 << 20 // bytes of lately read files that are kept for comparison
	skeletonBytes    = 64 << 20 // bytes of line hashes kept in memory
	receiptsKept     = 4096
)

// Options say how a workspace is opened. Root, or FS, and Clock and Entropy are needed.
type Options struct {
	Root string // folder to serve; made absolute
	// FS is the file system to use; nil is the operating system's, held at Root.
	FS         disk.FS
	FoldCase   bool // FS tells no difference between capitals and small letters; found out where FS is nil
	Profile    Profile
	PageBytes  int             // bytes of text one answer may show; 0 is [PageBytesDefault]
	Durability disk.Durability // of writes; the zero value is durable
	Clock      func() int64    // milliseconds since 1970
	Entropy    io.Reader       // keys, cursors, temporary names
	Receipts   receipt.Sink    // told of every decision; nil means that they are only kept
	Key        content.Key     // of the line hashes; the zero key means a fresh one; of no use with a Journal
	// Journal is the record that is resumed and gone on with; nil keeps everything in memory. It must not have been
	// replayed. A workspace that was opened closes it.
	Journal *journal.Journal
}

// Workspace is one root with everything known of it. It is safe for concurrent use.
type Workspace struct {
	opt      Options
	root     scope.Root
	policy   scope.Policy
	fs       disk.FS
	overlays *source.Overlays
	below    func(path string) (rest string, ok bool) // [disk.Below] of the root; nil where the file system is not the disk's own
	files    *source.Files
	paths    pathLocks
	hashers  sync.Pool
	log      *receipt.Log

	seq   atomic.Uint64 // the last sequence number given out
	start int64
	book  *book // nil where everything is in memory alone

	mu        sync.Mutex // guards everything below
	versions  *evidence.Versions
	captures  captureVersions
	histories map[scope.Key]*evidence.History // of the files that were written
	unwritten *evidence.History               // of all others
	sessions  map[string]*Session
	inodes    map[inode]scope.Name // the name under which each file was met first
	aligned   *evidence.AlignmentCache
	closed    bool
}

// Open opens the workspace at opt.Root and resumes what opt.Journal records of it. It answers invalid for a root that is
// no folder, io where it cannot be held or the journal cannot be read or written, cancelled. The caller closes it.
func Open(ctx context.Context, opt Options) (*Workspace, error) {
	if opt.Clock == nil || opt.Entropy == nil {
		return nil, &fault.Error{Op: "open", Code: fault.Invalid, Message: "a workspace needs a clock and a source of entropy"}
	}
	if opt.PageBytes == 0 {
		opt.PageBytes = PageBytesDefault
	}
	if opt.Journal != nil {
		opt.Key = opt.Journal.Key()
	}
	if opt.Key == (content.Key{}) {
		if _, err := io.ReadFull(opt.Entropy, opt.Key[:]); err != nil {
			return nil, &fault.Error{Op: "open", Code: fault.IO, Message: "no entropy for the workspace's key", Err: err}
		}
	}
	own := opt.FS == nil
	if own {
		abs, err := disk.Absolute(opt.Root)
		if err != nil {
			return nil, err
		}
		opt.Root = abs
		opt.FoldCase = disk.FoldsCase(abs)
		if opt.FS, err = disk.OpenOS(abs, disk.Options{Entropy: opt.Entropy.Read, Clock: func() int64 { return opt.Clock() * 1e6 }}); err != nil {
			return nil, err
		}
	}
	root, err := scope.NewRoot(opt.FS.Root(), opt.FoldCase)
	if err != nil {
		return nil, err
	}
	if opt.Root != "" && opt.Root != opt.FS.Root() {
		if aliased, err := root.Alias(opt.Root); err == nil {
			root = aliased
		}
	}
	w := &Workspace{
		opt:       opt,
		root:      root,
		policy:    scope.DefaultPolicy(),
		fs:        opt.FS,
		files:     source.NewFiles(opt.FS, source.NewRecent(recentBytes)),
		hashers:   sync.Pool{New: func() any { return content.NewHasher(opt.Key) }},
		log:       receipt.NewLog(receiptsKept),
		start:     opt.Clock(),
		versions:  evidence.NewVersions(skeletonBytes),
		histories: map[scope.Key]*evidence.History{},
		sessions:  map[string]*Session{},
		inodes:    map[inode]scope.Name{},
		aligned:   evidence.NewAlignmentCache(64),
	}
	w.unwritten = evidence.NewHistory(w.aligned)
	w.overlays = source.NewOverlays(w.files, w.root)
	if own {
		w.below = func(path string) (string, bool) { return disk.Below(opt.Root, path) }
	}
	if opt.Journal != nil {
		if err := w.resume(ctx, opt.Journal); err != nil {
			return nil, errors.Join(err, w.fs.Close())
		}
	}
	return w, nil
}

// Root returns the absolute path of the root.
func (w *Workspace) Root() string { return w.root.Abs() }

// Arrive returns the present moment, for a door that reads a call before it can say whose it is.
func (w *Workspace) Arrive() Arrival { return Arrival{evidence.Seq(w.seq.Load()), true} }

// Receipts returns the receipts kept, oldest first.
func (w *Workspace) Receipts() []receipt.Receipt { return w.log.All() }

// Overlays returns the unsaved buffers laid over the disk.
func (w *Workspace) Overlays() *source.Overlays { return w.overlays }

// Admit returns the name that a spelling stands for, for callers that lay overlays.
func (w *Workspace) Admit(path string) (scope.Name, error) { return w.admit(path, "") }

// admit returns the name that a spelling stands for. An absolute path that goes to the root by another way, through
// links above it, lies inside like one that is spelled as the root is.
func (w *Workspace) admit(path, dir string) (scope.Name, error) {
	name, err := w.root.Admit(path, dir)
	if w.below == nil || fault.CodeOf(err) != fault.OutsideRoot {
		return name, err
	}
	rest, ok := w.below(path)
	if !ok {
		return name, err
	}
	return w.root.Admit(rest, "")
}

// Session returns the session of that id, which is made when it is new. An id is 1 to 200 bytes of printable text
// without blanks; anything else is invalid.
func (w *Workspace) Session(id string) (*Session, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, &fault.Error{Code: fault.IO, Message: "the workspace is closed"}
	}
	if s := w.sessions[id]; s != nil {
		return s, nil
	}
	s := newSession(w, id)
	w.sessions[id] = s
	return s, nil
}

// Has reports whether a session of that id is known.
func (w *Workspace) Has(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[id] != nil
}

// NewID returns a fresh session id beginning with prefix.
func (w *Workspace) NewID(prefix string) (string, error) {
	t, err := w.token(6)
	return prefix + t, err
}

// Close waits for observations that are under way, closes the journal and lets go of the root.
func (w *Workspace) Close() error {
	w.mu.Lock()
	all := make([]*Session, 0, len(w.sessions))
	for _, s := range w.sessions {
		all = append(all, s)
	}
	w.closed = true
	w.mu.Unlock()
	for _, s := range all {
		s.settle(0)
	}
	return errors.Join(w.closeJournal(), w.fs.Close())
}

// token returns n random bytes as hex.
func (w *Workspace) token(n int) (string, error) {
	b := make([]byte, n)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := io.ReadFull(w.opt.Entropy, b); err != nil {
		return "", &fault.Error{Code: fault.IO, Message: "no entropy", Err: err}
	}
	return hex.EncodeToString(b), nil
}

// history returns the commits known of key, to be asked and not added to; the caller holds mu. Most files are never
// written: they share one history without commits.
func (w *Workspace) history(key scope.Key) *evidence.History {
	if h := w.histories[key]; h != nil {
		return h
	}
	return w.unwritten
}

// committed returns the history of key for adding to it; the caller holds mu.
func (w *Workspace) committed(key scope.Key) *evidence.History {
	h := w.histories[key]
	if h == nil {
		h = evidence.NewHistory(w.aligned)
		w.histories[key] = h
	}
	return h
}

type inode struct{ dev, ino uint64 }

// inodesKept bounds how many files are known by their inode. Over it all are forgotten and learnt anew: until then a
// hard link answers for itself alone.
const inodesKept = 1 << 16

// key returns what evidence about the found file is kept under: its name, or, for one of several hard links to one
// file, the name under which that file was met first, as long as it is a name of that file.
func (w *Workspace) key(found *source.Found) scope.Key {
	own := found.Name.Key(w.root)
	id := inode{found.Info.Stamp.Dev, found.Info.Stamp.Ino}
	if id == (inode{}) {
		return own
	}
	w.mu.Lock()
	first, met := w.inodes[id]
	if !met || found.Info.Links < 2 {
		w.meet(id, found.Name)
		w.mu.Unlock()
		return own
	}
	w.mu.Unlock()
	if first.Key(w.root) == own {
		return own
	}
	now, err := w.fs.Stat(first)
	same := err == nil && now.Name == first && id == (inode{now.Stamp.Dev, now.Stamp.Ino})
	w.mu.Lock()
	defer w.mu.Unlock()
	if same && (w.tracked(first.Key(w.root)) || !w.tracked(own)) {
		return first.Key(w.root)
	}
	w.meet(id, found.Name) // nothing is known under the first name, or it is gone, or the number is another file's now
	return own
}

// tracked reports whether any session knows anything of key; the caller holds the evidence lock.
func (w *Workspace) tracked(key scope.Key) bool {
	for _, s := range w.sessions {
		if t := s.tracks[key]; t != nil && !t.Empty() {
			return true
		}
	}
	return false
}

// meet notes the name under which the file of an inode is known from now on; the zero name forgets it. The caller holds
// the evidence lock.
func (w *Workspace) meet(id inode, name scope.Name) {
	if w.inodes[id] == name {
		return
	}
	w.setInode(id, name)
	w.stage(&journal.Sibling{Dev: id.dev, Ino: id.ino, Name: name.String()})
}

func (w *Workspace) setInode(id inode, name scope.Name) {
	if name.IsZero() {
		delete(w.inodes, id)
		return
	}
	if _, met := w.inodes[id]; !met && len(w.inodes) >= inodesKept {
		clear(w.inodes)
	}
	w.inodes[id] = name
}

// keyed returns the name that evidence has for the bytes of ref. A plain digest of a short secret could be guessed, so
// what may come to rest on disk is made with the workspace's key.
func (w *Workspace) keyed(ref content.Ref) content.Ref {
	d := ref.Digest()
	return content.RefOf(append(append(append(make([]byte, 0, 65), w.opt.Key[:]...), 2), d[:]...))
}

// version returns the evidence's version of a capture. It hashes every line the first time, and again where the hashes
// were dropped for want of memory, outside any lock.
func (w *Workspace) version(c *content.Capture) *evidence.Version {
	w.mu.Lock()
	v := w.captures.get(c)
	if v != nil && v.N > 0 && v.Skeleton == nil {
		v = nil
	}
	w.mu.Unlock()
	if v != nil {
		return v
	}
	if c.IsAbsent() {
		return w.versions.Absent()
	}
	t := c.Text()
	h := w.hashers.Get().(*content.Hasher)
	skeleton := h.Skeleton(t)
	w.hashers.Put(h)
	ref := w.keyed(c.Ref())
	w.mu.Lock()
	defer w.mu.Unlock()
	v = w.versions.Intern(&evidence.Version{Ref: ref, N: t.Lines(), Skeleton: skeleton, Encoding: t.Encoding(), BOM: t.BOM()})
	w.captures.put(c, v)
	return v
}
