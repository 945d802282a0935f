package disk

// Kernel is the operating system as far as this room needs it: the calls that the algorithms above it are made of, one
// for one. The real one is behind [OpenOS]; a simulated one, which can fail at any call and crash at any point, makes
// the very same algorithms testable.
//
// Errors are bare syscall.Errno values, but that a Kernel repeats what a signal interrupted. Bases are single
// components; no call but Find follows a link. Implementations are safe for concurrent use.
type Kernel interface {
	// OpenRoot opens the folder at the absolute path, links followed, and returns its path with every link resolved.
	OpenRoot(abs string) (root FD, real string, err error)
	// OpenBeneath opens the slash-separated path below dir; ELOOP where any component of it is a link, ENOSYS where the
	// system cannot do this in one call.
	OpenBeneath(dir FD, path string, how How) (FD, error)
	// Open opens the entry base of dir, or dir itself for "."; ELOOP where it is a link. mode is for AsNew alone, less
	// the umask.
	Open(dir FD, base string, how How, mode uint32) (FD, error)
	Close(fd FD)

	Stat(fd FD) (Node, error)
	Lstat(dir FD, base string) (Node, error)
	Find(abs string) (Node, error)                       // what the absolute path leads to, anywhere, links followed
	ReadLink(dir FD, base string) (string, error)        // EINVAL where it is no link
	Entries(dir FD, buf []byte) (all []Entry, err error) // of a folder opened for listing or reading, but "." and "..", in any order; buf is scratch
	User() uint32                                        // the effective user

	Read(fd FD, p []byte, off int64) (int, error) // short at the end of a regular file alone
	Write(fd FD, p []byte, off int64) (int, error)
	Truncate(fd FD, size int64) error
	Reserve(fd FD, size int64) error // makes sure that so many bytes have room, without changing any; nil where it cannot be told
	Sync(fd FD) error                // of a file or a folder, onto the medium
	Chmod(fd FD, mode uint32) error
	Chown(fd FD, uid, gid int) error // -1 leaves one as it is
	CopyAttributes(from, to FD) bool // extended attributes and access list; false where something was lost

	Mkdir(dir FD, base string) error
	Unlink(dir FD, base string) error
	Rmdir(dir FD, base string) error
	Rename(dir FD, base string, toDir FD, toBase string) error
	RenameNew(dir FD, base string, toDir FD, toBase string) error // onto a free name alone: EEXIST
	Exchange(dir FD, a, b string) error                           // two names of one folder, in one step
	Link(dir FD, base string, toDir FD, toBase string) error
}

// FD is an open file of a Kernel.
type FD int

// How says what a file is opened for. Nothing waits for the other end of a pipe.
type How uint8

// The ways of opening.
const (
	ForReading How = iota // any kind
	ForLooking            // any kind, to be looked at by Stat alone
	ForPassing            // a folder, to open entries of; it needs not be readable
	ForListing            // a folder, to open entries of, list and sync
	ForWriting            // a file that exists, for reading and writing
	AsNew                 // a file that does not exist, made for writing
)

// Node is what a Kernel knows of a file.
type Node struct {
	Dev, Ino     uint64
	Mode         uint32 // kind and permissions, in the layout that all Unix systems share
	Links        uint64
	UID, GID     uint32
	Size         int64
	Mtime, Ctime int64 // Unix nanoseconds
}

// Bits of Node.Mode.
const (
	ModeKind    = 0o170000
	ModeRegular = 0o100000
	ModeFolder  = 0o040000
	ModeLink    = 0o120000
	ModePipe    = 0o010000

	modeSetuid = 0o4000
	modeSetgid = 0o2000
	modeSticky = 0o1000
)
