package mcpserver

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// outlet tells whether a frame fits into what the system takes at once.
type outlet struct {
	raw    syscall.RawConn
	queued uint // the request that tells how much the client has not read yet
	holds  int  // bytes; 0 where it is not known
	unread int
	step   func(fd uintptr)
}

// socketHolds is what a socket takes at least, whatever its buffer counts besides the bytes.
const socketHolds = 32 << 10

func openOutlet(out io.Writer) *outlet {
	o := &outlet{}
	f, ok := out.(*os.File)
	if !ok {
		return o
	}
	info, err := f.Stat()
	if err != nil {
		return o
	}
	if o.raw, err = f.SyscallConn(); err != nil {
		return o
	}
	o.step = o.ask
	switch info.Mode().Type() {
	case os.ModeNamedPipe:
		o.queued = unix.TIOCINQ
		_ = o.raw.Control(func(fd uintptr) { o.holds, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) })
	case os.ModeSocket:
		o.queued = unix.TIOCOUTQ
		_ = o.raw.Control(func(fd uintptr) { o.holds, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF) })
		o.holds = min(o.holds/4, socketHolds)
	}
	if err != nil {
		o.holds = 0
	}
	return o
}

// takes reports that n bytes can be written without waiting for the client to read. One goroutine at a time may ask.
func (o *outlet) takes(n int) bool {
	if n > o.holds {
		return false
	}
	o.unread = 1
	if err := o.raw.Control(o.step); err != nil {
		return false
	}
	return o.unread == 0
}

func (o *outlet) ask(fd uintptr) {
	n, err := unix.IoctlGetInt(int(fd), o.queued)
	if err != nil {
		n = 1
	}
	o.unread = n
}
