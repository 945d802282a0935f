package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// frameMax bounds one frame from the client, in bytes.
const frameMax = 64 << 20

// errHungUp ends an intake that was closed.
var errHungUp = errors.New("the input was closed")

// intake takes the client's bytes off the input and counts them.
//
// What the client has written is what was taken and counted, and what the system still holds for us. So that no byte
// is in neither of the two, a file is waited for first, and then read and counted in one step under mu.
type intake struct {
	in  io.ReadCloser
	sys *sysInput // nil where the system cannot be asked

	mu    sync.Mutex
	taken int64
}

func newIntake(in io.ReadCloser) (*intake, error) {
	sys, err := openInput(in)
	return &intake{in: in, sys: sys}, err
}

// Read is as io.Reader has it. One goroutine at a time may call it.
func (t *intake) Read(p []byte) (int, error) {
	if t.sys != nil {
		return t.sys.read(p, t)
	}
	n, err := t.in.Read(p)
	t.mu.Lock()
	t.taken += int64(n)
	t.mu.Unlock()
	return n, err
}

// written returns how many bytes the client has written so far. Where the system cannot be asked it is how many were
// taken: what is still on its way then counts as written later.
func (t *intake) written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sys == nil {
		return t.taken
	}
	return t.taken + t.sys.waiting()
}

// close ends a Read that waits, as far as the input lets it, and all later ones.
func (t *intake) close() error {
	if t.sys != nil {
		t.sys.hangUp()
	}
	return t.in.Close()
}

// lineReader cuts input into lines and knows at which byte each begins.
type lineReader struct {
	in     io.Reader
	offset int64 // of the next line
	buf    []byte
	at     int // start of the next line in buf
	seen   int // up to here buf[at:] holds no newline
	err    error
}

// next returns the next line without its newline and the offset of its first byte; it is valid until the following
// call. A line beyond frameMax is passed over: of it the rest after the last part passed over is returned, and tooLong.
// With an error, line may hold an unended rest.
func (r *lineReader) next() (line []byte, start int64, tooLong bool, err error) {
	r.shrink()
	start = r.offset
	for {
		if i := bytes.IndexByte(r.buf[r.seen:], '\n'); i >= 0 {
			end := r.seen + i
			line = r.buf[r.at:end]
			r.advance(end + 1)
			return line, start, tooLong, nil
		}
		r.seen = len(r.buf)
		if r.err != nil {
			line = r.buf[r.at:]
			r.advance(len(r.buf))
			return line, start, tooLong, r.err
		}
		if len(r.buf)-r.at > frameMax {
			tooLong = true
			r.advance(len(r.buf))
		}
		r.fill()
	}
}

func (r *lineReader) advance(to int) {
	r.offset += int64(to - r.at)
	r.at, r.seen = to, to
}

const (
	bufferMin = 64 << 10
	bufferMax = 1 << 20 // beyond it a buffer is not kept
)

// shrink lets go of a buffer that one long frame has made large.
func (r *lineReader) shrink() {
	if rest := len(r.buf) - r.at; cap(r.buf) > bufferMax && rest < bufferMin/2 {
		small := make([]byte, rest, bufferMin)
		copy(small, r.buf[r.at:])
		r.buf, r.seen, r.at = small, r.seen-r.at, 0
	}
}

func (r *lineReader) fill() {
	if r.at > 0 {
		n := copy(r.buf, r.buf[r.at:])
		r.buf, r.seen, r.at = r.buf[:n], r.seen-r.at, 0
	}
	if cap(r.buf)-len(r.buf) < 4096 {
		grown := make([]byte, len(r.buf), max(bufferMin, 2*cap(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	n, err := r.in.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	r.err = err
}
