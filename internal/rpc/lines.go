package rpc

import (
	"bytes"
	"errors"
	"io"
)

// ErrLong ends a connection that sends a line beyond the bound.
var ErrLong = errors.New("the line is too long")

// Buffers of a [Lines].
const (
	bufferMin = 8 << 10
	bufferMax = 1 << 20 // beyond it a buffer is large: it is asked for, and not kept
	readLarge = 64 << 10
)

// Lines cuts input into lines, in memory that is bounded by Max. One goroutine at a time may use it. The zero value
// with In and Max set is ready.
type Lines struct {
	In  io.Reader
	Max int // bytes of one line without its newline
	// Large is asked once for each line beyond a mebibyte, before memory for it is taken; an error ends the reading.
	// It may block. Nil allows everything.
	Large func() error

	offset int64 // of the next line
	buf    []byte
	at     int // start of the next line in buf
	seen   int // up to here buf[at:] holds no newline
	asked  bool
	err    error
}

// Next returns the next line without its newline, the offset of its first byte in the input, and whether Large was
// asked for it. The line is valid until the following call. After the last whole line it answers the reader's error;
// an unended rest is left out, since what was to follow is not known. Beyond Max it answers [ErrLong], again and again.
func (l *Lines) Next() (line []byte, start int64, large bool, err error) {
	l.shrink()
	l.asked = false
	for {
		if i := bytes.IndexByte(l.buf[l.seen:], '\n'); i >= 0 && l.seen+i-l.at <= l.Max {
			end := l.seen + i
			line, start = l.buf[l.at:end], l.offset
			l.offset += int64(len(line)) + 1
			l.at, l.seen = end+1, end+1
			return line, start, l.asked, nil
		}
		l.seen = len(l.buf)
		if len(l.buf)-l.at > l.Max {
			l.err = ErrLong
			l.buf, l.at, l.seen = nil, 0, 0
		}
		if l.err == nil {
			l.err = l.fill()
			continue
		}
		return nil, l.offset, l.asked, l.err
	}
}

// shrink lets go of a buffer that one large line has made large.
func (l *Lines) shrink() {
	if rest := len(l.buf) - l.at; cap(l.buf) > bufferMax && rest <= bufferMax/2 {
		small := make([]byte, rest, max(bufferMin, rest))
		copy(small, l.buf[l.at:])
		l.buf, l.seen, l.at = small, l.seen-l.at, 0
	}
}

func (l *Lines) fill() error {
	if l.at > 0 {
		n := copy(l.buf, l.buf[l.at:])
		l.buf, l.seen, l.at = l.buf[:n], l.seen-l.at, 0
	}
	if len(l.buf) == cap(l.buf) {
		size := max(bufferMin, 2*cap(l.buf))
		if size > bufferMax {
			size *= 2 // large ones leave large buffers behind
		}
		if size > bufferMax && !l.asked && l.Large != nil {
			l.asked = true
			if err := l.Large(); err != nil {
				return err
			}
		}
		grown := make([]byte, len(l.buf), min(size, max(bufferMin, l.Max+1)))
		if cap(grown) == len(l.buf) { // as long as a line may be, and a byte more: there is no newline in it
			return ErrLong
		}
		copy(grown, l.buf)
		l.buf = grown
	}
	room := l.buf[len(l.buf):cap(l.buf)]
	if cap(l.buf) > bufferMax { // so that little is read beyond a large line, and its buffer can go
		room = room[:min(len(room), readLarge)]
	}
	n, err := l.In.Read(room)
	l.buf = l.buf[:len(l.buf)+n]
	if n > 0 && err == nil {
		return nil
	}
	if n > 0 && err != nil && bytes.IndexByte(l.buf[l.seen:], '\n') >= 0 {
		l.In = failing{err}
		return nil
	}
	return err
}

// failing is what is left of an input that ended while it still gave bytes.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
