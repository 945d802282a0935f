//go:build unix

package daemon

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func isSocket(info fs.FileInfo) bool { return info.Mode().Type() == fs.ModeSocket }

// isOwn reports whether a file belongs to the user of this process.
func isOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// isMomentary reports whether accepting may succeed later.
func isMomentary(err error) bool {
	for _, e := range []error{unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.ECONNABORTED, unix.EINTR} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// puller reads a socket so that the reading and what is done with its result are one step.
type puller struct {
	raw  syscall.RawConn
	p    []byte
	n    int
	err  error
	book func(read func() int)
	step func(fd uintptr) bool
	held int
	ask  func(fd uintptr)
}

// newPuller returns a puller whose every read is made within book.
func newPuller(nc *net.UnixConn, book func(read func() int)) (*puller, error) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return nil, err
	}
	u := &puller{raw: raw, book: book}
	u.step, u.ask = u.take, u.count
	return u, nil
}

func (u *puller) read(p []byte) (int, error) {
	u.p = p
	if err := u.raw.Read(u.step); err != nil {
		return 0, err
	}
	return u.n, u.err
}

func (u *puller) take(fd uintptr) bool {
	waits := false
	u.book(func() int {
		for {
			n, err := unix.Read(int(fd), u.p)
			u.n, u.err = max(n, 0), nil
			switch {
			case errors.Is(err, unix.EINTR):
				continue
			case errors.Is(err, unix.EAGAIN):
				waits = true
			case err != nil:
				u.err = os.NewSyscallError("read", err)
			case n == 0:
				u.err = io.EOF
			}
			return u.n
		}
	})
	return !waits
}

// waiting returns how many bytes the system holds for us.
func (u *puller) waiting() int64 {
	u.held = 0
	if err := u.raw.Control(u.ask); err != nil {
		return 0 // closed: nothing that waits will be taken any more
	}
	return int64(max(u.held, 0))
}

func (u *puller) count(fd uintptr) {
	if n, err := unix.IoctlGetInt(int(fd), fionread); err == nil {
		u.held = n
	}
}
