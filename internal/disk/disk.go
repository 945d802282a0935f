// Package disk owns the one pair of hands that touches repository files.
//
// Everything else asks an [FS]: it opens, lists and compares files beneath one root without ever leaving it, and it
// replaces them under a named precondition. The package promises four things.
//
//   - Containment. The root is held as a folder descriptor. Names are opened with no link followed by the kernel at
//     all; a link is read by hand, its target is turned into a name inside the root, and that name is opened the same
//     way. A link that leads out is outside-root, and so is nothing else.
//   - One slice. What a file held is read as one slice between two equal stamps.
//   - Old or new, whole. A replacement is written beside its target, synced where that was asked for, and exchanged
//     with it in one step; what came out is compared once more, and put back if somebody else had written it.
//   - Nothing else changes. Mode, owner, group, access lists and links survive. What could not be kept is named by a
//     warning, and what must not be written is refused.
//
// Two files of one name are never told apart by time: a [Stamp] saves work and decides nothing.
//
// Faults are of type [*fault.Error] with the codes outside-root, not-regular, missing, exists, read-only, conflict,
// invalid, cancelled and io. Their Path is the name that was asked for and their Op is empty; callers fill in theirs.
//
// Temporary files are called ".sightline-<16 hex digits>.tmp" and lie beside their target. Listings never show them.
// One is removed when a listing meets it, it belongs to this user, and neither it nor its name was touched for ten
// minutes: a run that died left it.
package disk

import (
	"context"
	"io/fs"

	"github.com/sightline-io/sightline/internal/scope"
)

// FS is one tree of files. It is safe for concurrent use, except that two calls which change the same file must be
// kept apart by the caller's own path lock; against everybody else the calls defend themselves.
//
// Every name is resolved in the same way: links are followed while they stay inside the root, wherever they point. A
// link that leads out of it is outside-root, a path that is not there is missing, a circle of links is not-regular.
type FS interface {
	// Root returns the absolute path of the root, for messages alone.
	Root() string

	// Open opens a regular file for reading, at once even where the name belongs to a pipe or a device. Codes:
	// not-regular, missing, outside-root; io where the file may not be read.
	Open(name scope.Name) (File, error)

	// Stat tells what stands at the name without opening it for reading. Folders and special files are answered too.
	// Codes: missing, outside-root, io.
	Stat(name scope.Name) (Info, error)

	// List yields the entries of one folder in order of their names, links as links, temporary files of ours left
	// out, until yield returns false. How much is taken is the caller's bound. Codes: missing, outside-root, io;
	// invalid where the name is no folder.
	List(name scope.Name, yield func(Entry) bool) error

	// Sizes returns how many bytes the entries bases of the folder dir hold, in their order: -1 where none of that name
	// stands there, or what does is no regular file; a link is none. It opens the folder once and no file. Codes:
	// missing, outside-root, io; invalid where dir is no folder.
	Sizes(dir scope.Name, bases []string) ([]int64, error)

	// Swap makes after the content of the file, if the file is as expected. See [SwapOptions] and [Swapped] for what is
	// promised. FS keeps no reference to after.
	//
	// Codes, first match: outside-root; not-regular; missing where a file or its folder was expected and is not there;
	// exists where none was expected and anything stands there; read-only where no write bit is set, for every user;
	// conflict where the file holds other bytes than expected; io, after which the old bytes are still there.
	Swap(name scope.Name, expect Expect, after []byte, opt SwapOptions) (Swapped, error)

	// Remove removes the file if it is as expected. The codes are those of Swap. Where the name itself is a link, the
	// link is removed and the file it leads to stays.
	Remove(name scope.Name, expect Expect, opt SwapOptions) (Swapped, error)

	// Move gives the file another name if it is as expected. It never lands on anything: where to is taken it answers
	// exists, with to as the fault's path; only another spelling of the same name, on a file system that folds case,
	// is no obstacle. A link is not moved, because its target may be relative: not-regular. The other codes are those
	// of Swap, but that a file without write bits may be moved.
	Move(from, to scope.Name, expect Expect, opt SwapOptions) (Swapped, error)

	// Close gives the root back. Calls that are under way are waited for; later ones answer io. Open files stay open.
	Close() error
}

// readsMax is how often a file that changes under the reading is read.
const readsMax = 4

// readChunk bounds one system call, so that a cancelled reading of a large file ends soon.
const readChunk = 4 << 20

// File is one open regular file. It stays the file that was opened, whatever happens to its name. It is not safe for
// concurrent use, and it must be closed.
type File interface {
	// Info returns the facts as of the opening, or of the last ReadAll: its stamp then belongs to the bytes returned.
	Info() Info

	// Stat asks for the facts of now.
	Stat() (Info, error)

	// ReadAll reads the file from its start, at most limit bytes of it, into buf where its capacity suffices and into
	// fresh memory otherwise; more tells that the file goes on. The file is stamped before and after, and read again
	// when it moved in between, four times at most. Where it never stood still (a log that grows all the time) the last
	// slice is returned with a zero stamp in Info, so that nobody takes it for settled. Codes: cancelled, io.
	ReadAll(ctx context.Context, limit int64, buf []byte) (data []byte, more bool, err error)

	// ReadAt is as io.ReaderAt has it, io.EOF included; every other error is an io fault.
	ReadAt(p []byte, off int64) (int, error)

	// Close gives the file back. Further calls of it do nothing.
	Close() error
}

// Kind tells what stands at a name.
type Kind uint8

// The kinds.
const (
	Regular Kind = iota
	Folder
	Link    // listings only: everything else follows links
	Special // pipe, socket, device
)

// String returns the name of the kind: file, folder, link or special.
func (k Kind) String() string { return [...]string{"file", "folder", "link", "special"}[k] }

// Info is what is known of a file without its content.
type Info struct {
	Name     scope.Name  // the canonical name: every link on the way, and at its end, followed
	Kind     Kind        // never Link
	Mode     fs.FileMode // permission bits, setuid, setgid and sticky; the type is in Kind
	Size     int64       // bytes
	Links    uint64      // hard links, where the platform counts them; else 1
	Stamp    Stamp
	ReadOnly bool // no write bit is set: nobody may write it through us, not even root
}

// Entry is one entry of a folder.
type Entry struct {
	Base string // as it stands on disk; not always valid UTF-8
	Kind Kind
}

// Durability says what a finished change has behind it.
type Durability uint8

// The durabilities.
const (
	Durable Durability = iota // the file and its folder were synced: the change survives a loss of power
	Atomic                    // the name was switched in one step and nothing was synced: the change survives our death, a loss of power may cost the new bytes
	InPlace                   // the bytes were overwritten in the file and synced: a crash in between may leave a mixture
)

// String returns the name at the doors: durable, atomic or in-place.
func (d Durability) String() string { return [...]string{"durable", "atomic", "in-place"}[d] }

// SwapOptions says how a change is made. The zero value is a durable change that makes no folders.
type SwapOptions struct {
	Durability  Durability  // Durable or Atomic. InPlace is an outcome and is taken as Durable.
	MakeParents bool        // make missing folders above a new file; taken back when the change fails
	Mode        fs.FileMode // permission bits of a new file before the umask; zero means 0666. An old file keeps its own.
}

// Swapped tells what a swap did.
type Swapped struct {
	Name       scope.Name // the canonical name of the file that was written
	Durability Durability // what was reached; less than asked for only with a warning
	Warnings   []string   // codes, see the Warn constants; nil where all was kept
	Stamp      Stamp      // of the new content; zero where it could not be had
}

// Warnings of a swap.
const (
	WarnHardLink   = "hard-link"  // the file has several names, so it was written in place to keep them one file
	WarnFolder     = "folder"     // no file may be made in the folder, so the file was written in place
	WarnOwnership  = "ownership"  // the owner or the group could not be kept
	WarnAttributes = "attributes" // access lists or extended attributes could not be kept
	WarnNotSynced  = "not-synced" // the change is made, but syncing its folder failed: it counts as atomic
	WarnLeftover   = "leftover"   // a temporary file could not be removed
)

// Options are the outside worlds of an [FS] on a real disk. The functions must be safe for concurrent use.
type Options struct {
	Entropy func([]byte) (int, error) // fills the slice; names temporary files. Required for changes.
	Clock   func() int64              // Unix nanoseconds. Where it is nil nothing left over is ever removed.
}
