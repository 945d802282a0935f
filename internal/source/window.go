package source

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// windowChunk is how many bytes are read at a time on the way to a window.
const windowChunk = 256 << 10

// Place is where a window begins: a line, and a byte of it counted from the line's first raw byte.
type Place struct {
	Line   span.Line
	Column span.Byte
}

// Window is a part of a file that is too large to capture. It names no version: the file may change under the reading.
type Window struct {
	At    Place
	Text  []byte // raw bytes from At on: whole lines with their endings, but for what At and Cut say; owned by the caller
	Cut   bool   // Text ends within its only line
	End   bool   // Text reaches the end of the file
	Total int    // number of lines of the file when End is set, else -1
}

// ReadWindow streams through the file under name and returns its lines from at on, at most up to line to and at most
// limit bytes of them. A line that does not fit begins the next window; only where it is the first it is cut, between
// two characters if it is UTF-8. Memory stays bounded by limit; the time is that of reading the file up to the window.
// Codes: those of opening a file; io, cancelled.
func (f *Files) ReadWindow(ctx context.Context, name scope.Name, at Place, to span.Line, limit int) (*Window, error) {
	file, err := f.fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := windowScan{w: &Window{At: at, Total: -1}, to: to, skip: int(at.Column), limit: max(limit, utf8.UTFMax), ended: true}
	buf := make([]byte, windowChunk)
	for off := int64(0); ; {
		if ctx.Err() != nil {
			return nil, &fault.Error{Code: fault.Cancelled, Path: name.String(), Err: ctx.Err()}
		}
		n, err := file.ReadAt(buf, off)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if n == 0 {
			return s.end(), nil
		}
		off += int64(n)
		if s.take(buf[:n]) {
			return s.w, nil
		}
	}
}

// windowScan is a window under way.
type windowScan struct {
	w     *Window
	to    span.Line
	limit int
	line  span.Line // the line that the next byte belongs to
	skip  int       // bytes of line At.Line still to be passed over
	ended bool      // the last byte ended a line
}

// take goes on with the next bytes of the file and reports whether the window is complete.
func (s *windowScan) take(part []byte) (done bool) {
	for len(part) > 0 {
		if s.line < s.w.At.Line {
			part = s.pass(part)
			continue
		}
		if s.line >= s.to {
			return true
		}
		i := bytes.IndexByte(part, '\n') + 1
		if i == 0 {
			i = len(part)
		}
		piece := part[:i]
		if s.skip > 0 {
			k := min(s.skip, len(piece))
			if piece[k-1] == '\n' { // the line is shorter than it was: the window begins with the next one
				s.skip = 0
				s.w.At = Place{s.line + 1, 0}
			} else {
				s.skip -= k
			}
			piece = piece[k:]
		}
		if len(s.w.Text)+len(piece) > s.limit {
			s.full(piece)
			return true
		}
		s.w.Text = append(s.w.Text, piece...)
		if s.ended = part[i-1] == '\n'; s.ended {
			s.line++
		}
		part = part[i:]
	}
	return false
}

// pass skips what lies before the window and returns the rest.
func (s *windowScan) pass(part []byte) []byte {
	if k := span.Line(bytes.Count(part, newline)); k < s.w.At.Line-s.line {
		s.line += k
		s.ended = part[len(part)-1] == '\n'
		return nil
	}
	for s.line < s.w.At.Line {
		part = part[bytes.IndexByte(part, '\n')+1:]
		s.line++
	}
	s.ended = true
	return part
}

var newline = []byte{'\n'}

// full ends the window before the line that does not fit, or within it where it is the only one.
func (s *windowScan) full(piece []byte) {
	w := s.w
	if i := bytes.LastIndexByte(w.Text, '\n') + 1; i > 0 {
		w.Text = w.Text[:i]
		return
	}
	w.Text = append(w.Text, piece[:s.limit-len(w.Text)]...)
	w.Cut = true
	for k := 1; k < utf8.UTFMax && k < len(w.Text); k++ { // leave the start of a character to the next window
		if last := w.Text[len(w.Text)-k:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				w.Text = w.Text[:len(w.Text)-k]
			}
			break
		}
	}
}

// end completes the window at the end of the file.
func (s *windowScan) end() *Window {
	if !s.ended {
		s.line++
	}
	s.w.End, s.w.Total = true, int(s.line)
	return s.w
}
