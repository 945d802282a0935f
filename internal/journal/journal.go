// Package journal owns the durable record of observations: what was shown, written and taken back, so that the next
// process, or the same one after a crash, resumes the sessions of a root as if nothing had happened.
//
// The record is an append-only log of frames, each a length, a CRC32C and a compact binary body, and no database.
// All that is ever asked of it is one sequential replay when a root is opened; nothing looks up a row. A log takes more
// than a million rows a second in one write each batch, where an indexed table takes some ten thousand; it has no
// checkpoint that stalls a call, holds no memory between calls, and a damaged end costs its end and nothing else.
//
// At rest there are keyed hashes, spans, numbers, and the names of files and sessions, in files of mode 0600 in a folder
// of mode 0700 that is never inside the root. File text has no place in any record, and a plain digest of text has none
// either: every ref in a record is one that was made with the key of the journal.
//
// A plain append survives the death of the process and may be lost with the power; what [Journal.Sync] returned from
// survives both. A lost observation costs one refusal with its cure. A lost revocation would admit an unseen edit,
// so revocations are synced before anybody acts on them.
//
// The folder holds lease (who has it), key (32 random bytes and their checksum), log, log.new while it is being
// rewritten, and log.old, the last log that could not be used.
//
// Faults are of type [*fault.Error] with the codes io and invalid and with an empty Op.
package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
)

// Bounds of the log.
const (
	compactAbove = 32 << 20 // bytes below which a log is never rewritten
	frameMax     = 32 << 20 // bytes of one record's body
)

// SkeletonLinesMax is how many line hashes one version record holds at most; of a longer file only the ref and the
// number of lines are recorded, which is good while its bytes stay as they are.
const SkeletonLinesMax = 1 << 20

// Names of the files in the folder.
const (
	leaseName = "lease"
	keyName   = "key"
	logName   = "log"
	newName   = "log.new"
	oldName   = "log.old"
)

// Options say how a journal is opened. Dir, Root and Entropy are needed.
type Options struct {
	Dir     string    // folder of the journal's files, made with mode 0700 where it is not there
	Root    string    // absolute path of the root that is recorded, links in it followed; Dir must not lie in it
	Purpose string    // what the holder is doing, for those who find the lease taken: one short word
	Entropy io.Reader // for the key

	// Wait is how long a lease that another holds is waited for. It needs Clock, in milliseconds since 1970, and
	// Pause, which lets the given time pass and answers false when nobody wants to wait any longer; without them the
	// lease is tried once.
	Wait  time.Duration
	Clock func() int64
	Pause func(time.Duration) bool
}

// Journal is the open record of one root. Its methods are safe for concurrent use; records lie in the log in the order
// in which the calls that wrote them returned.
type Journal struct {
	dir   string
	root  string
	key   content.Key
	lease *lease
	found Report // what opening set aside

	mu       sync.Mutex // guards everything below
	log      logFile
	size     int64 // bytes of the log that are good
	base     int64 // bytes it had after the last compaction
	buf      []byte
	replayed bool
	broken   error // why nothing more can be written; nil while all is well
	closed   bool
	create   func(path string) (logFile, error) // for a log that is to be written anew
}

// logFile is the little of an operating system's file that appending needs. It is the one seam at which tests make a
// disk full or failing.
type logFile interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Flush() error // everything written so far is on the medium when it returns
	Close() error
}

// Report tells what a replay found.
type Report struct {
	Records int   // applied
	Dumped  int   // how many of them the last rewriting of the log left
	Bytes   int64 // of the log that are good
	Cut     int64 // bytes at its end that were damaged or incomplete and were cut off
	// Gap tells that sound records lay behind the damage: it was no torn last write, and what was taken back there is
	// not known. Whoever resumes must then forget what was shown.
	Gap bool
	// Aside is where a log was put that could not be used: its key was lost, or it is of another format. Empty: none.
	Aside string
	// Fresh tells that the key is new, so that nothing of before is known.
	Fresh bool
}

// Open takes the lease of opt.Dir and opens its journal; [Journal.Replay] must be called once before anything is
// written. A key that is lost or damaged is replaced and the log set aside: everything is unseen then, which the report
// of the replay tells. It answers io where the lease is held, naming the holder, and where the files cannot be used;
// invalid for a folder inside the root and for one that belongs to another root. The caller closes the journal.
func Open(opt Options) (*Journal, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	if opt.Root != "" {
		opt.Root = resolved(opt.Root)
	}
	if err := makeFolder(opt.Dir); err != nil {
		return nil, failed("making the state folder", err)
	}
	l, err := opt.takeLease()
	if err != nil {
		return nil, err
	}
	j := &Journal{dir: opt.Dir, root: opt.Root, lease: l, create: createLog}
	if err := j.openFiles(opt.Entropy); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return j, nil
}

func (opt Options) check() error {
	switch {
	case !filepath.IsAbs(opt.Dir):
		return fault.Newf(fault.Invalid, opt.Dir, "the state folder must be an absolute path")
	case opt.Entropy == nil:
		return fault.Newf(fault.Invalid, "", "a journal needs a source of entropy")
	case opt.Root != "" && inside(opt.Dir, opt.Root):
		return fault.Newf(fault.Invalid, opt.Dir, "The state folder lies inside the root; it must lie elsewhere, because everything in the root is open to the agents.")
	}
	return nil
}

// makeFolder makes dir and what is above it, and takes the rights of others away from dir itself.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// openFiles reads the key and opens the log that was written under it, or starts both anew.
func (j *Journal) openFiles(entropy io.Reader) error {
	if err := os.Remove(j.path(newName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("removing an unfinished log", err)
	}
	key, ok, err := readKey(j.path(keyName))
	if err != nil {
		return failed("reading the journal's key", err)
	}
	h, herr := readHeader(j.path(logName))
	switch {
	case errors.Is(herr, fs.ErrNotExist):
	case herr != nil && !errors.Is(herr, errDamaged):
		return failed("reading the journal", herr)
	case ok && herr == nil && h.root != j.root:
		return fault.Newf(fault.Invalid, j.dir, "The state folder belongs to another root, %s.", h.root)
	case !ok || herr != nil || h.keyID != keyID(key):
		ok = ok && herr != nil // a sound key outlives a damaged log
		if err := j.setAside(); err != nil {
			return err
		}
	}
	if !ok {
		j.found.Fresh = true
		if key, err = writeKey(j.dir, entropy); err != nil {
			return err
		}
	}
	j.key = key
	return j.openLog()
}

func (j *Journal) setAside() error {
	if err := os.Rename(j.path(logName), j.path(oldName)); err != nil {
		return failed("setting an unusable journal aside", err)
	}
	j.found.Aside = j.path(oldName)
	return nil
}

// openLog opens the log, which is begun where it is not there.
func (j *Journal) openLog() error {
	f, err := openLogFile(j.path(logName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return failed("opening the journal", err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.Join(failed("opening the journal", err), f.Close())
	}
	j.log, j.size = f, size
	if size == 0 {
		head := appendHeader(nil, header{keyID(j.key), j.root})
		if err := j.write(head, true); err != nil {
			return errors.Join(err, f.Close())
		}
		if err := syncFolder(j.dir); err != nil {
			return errors.Join(failed("syncing the state folder", err), f.Close())
		}
	}
	j.base = min(j.size, compactAbove)
	return nil
}

func (j *Journal) path(name string) string { return filepath.Join(j.dir, name) }

// Key returns the key that line hashes and refs are made with.
func (j *Journal) Key() content.Key { return j.key }

// Dir returns the folder of the journal.
func (j *Journal) Dir() string { return j.dir }

// Close gives the lease back. What was appended stays; nothing is synced. Closing twice is no error.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	err := errors.Join(j.log.Close(), j.lease.release())
	if err != nil {
		return failed("closing the journal", err)
	}
	return nil
}

// inside reports whether path lies in root or is it, links followed as far as they can be.
func inside(path, root string) bool {
	rel, err := filepath.Rel(resolved(root), resolved(path))
	return err == nil && filepath.IsLocal(rel)
}

// resolved follows the links of the part of path that exists.
func resolved(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// failed is the fault for what the operating system would not do.
func failed(doing string, err error) error {
	return &fault.Error{Code: fault.IO, Message: "The journal failed while " + doing + ".", Err: err}
}

// word cuts s to one short line.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), 80)]
}
