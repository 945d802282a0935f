package disk

// Stamp is a hint of whether a file is still the one it was: device, inode, size and two times. Equal stamps that are
// not racy save a read. They never admit or refuse anything. A Stamp is comparable; the zero one equals no file's.
type Stamp struct {
	Dev, Ino     uint64 // zero where the platform has none
	Size         int64  // bytes
	Mtime, Ctime int64  // Unix nanoseconds; Ctime equals Mtime where the platform has none
}

// racyWindow is how old a time must be before an equal one means something: file systems exist that count in steps of
// two seconds, and older kernels date two quick writes alike.
const racyWindow = 2_000_000_000

// IsZero reports whether s stands for nothing.
func (s Stamp) IsZero() bool { return s == Stamp{} }

// Racy reports whether a write after s was taken could have left an equal stamp: one of its times lies less than two
// seconds before now, the Unix time in nanoseconds at which s was taken, or after it.
func (s Stamp) Racy(now int64) bool { return max(s.Mtime, s.Ctime) > now-racyWindow }
