package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"
)

// head is what routing needs to know of a frame.
type head struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func parseHead(line []byte) (head, error) {
	var h head
	err := json.Unmarshal(line, &h)
	return h, err
}

func idOrNull(id json.RawMessage) string {
	if len(id) == 0 {
		return "null"
	}
	return string(id)
}

// lineReader cuts input into lines and knows at which byte each begins.
type lineReader struct {
	in     io.Reader
	taken  func(n int) // told of every byte taken off the input
	offset int64       // of the next line
	buf    []byte
	at     int // start of the next line in buf
	seen   int // up to here buf[at:] holds no newline
	err    error
}

// next returns the next line without its newline; it is valid until the following call. A line beyond frameMax is
// passed over and reported as too long. With an error, line may hold an unended rest.
func (r *lineReader) next() (line []byte, tooLong bool, err error) {
	for {
		if i := bytes.IndexByte(r.buf[r.seen:], '\n'); i >= 0 {
			end := r.seen + i
			line = r.buf[r.at:end]
			r.advance(end + 1)
			return line, tooLong, nil
		}
		r.seen = len(r.buf)
		if r.err != nil {
			line = r.buf[r.at:]
			r.advance(len(r.buf))
			return line, tooLong, r.err
		}
		if len(r.buf)-r.at > frameMax {
			tooLong = true
			r.offset += int64(len(r.buf) - r.at)
			r.buf, r.at, r.seen = r.buf[:0], 0, 0
		}
		r.fill()
	}
}

func (r *lineReader) advance(to int) {
	r.offset += int64(to - r.at)
	r.at, r.seen = to, to
}

func (r *lineReader) fill() {
	if r.at > 0 {
		n := copy(r.buf, r.buf[r.at:])
		r.buf, r.seen, r.at = r.buf[:n], r.seen-r.at, 0
	}
	if cap(r.buf)-len(r.buf) < 4096 {
		grown := make([]byte, len(r.buf), max(64<<10, 2*cap(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	n, err := r.in.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	r.taken(n)
	r.err = err
}

func errorFrame(id string, code int, message string) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"error":{"code":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	b = append(b, `,"message":`...)
	return append(appendJSON(b, []byte(message)), "}}\n"...)
}

// resultFrame is the answer to a tool call. extra is empty or what the sessionless protocol wants of every result.
func resultFrame(dst []byte, id json.RawMessage, extra []byte, text []byte, structured json.RawMessage, isError bool) []byte {
	dst = append(append(append(dst, `{"jsonrpc":"2.0","id":`...), id...), `,"result":{`...)
	dst = append(dst, extra...)
	dst = append(dst, `"content":[{"type":"text","text":`...)
	dst = append(appendJSON(dst, text), `}]`...)
	if structured != nil {
		dst = append(append(dst, `,"structuredContent":`...), structured...)
	}
	if isError {
		dst = append(dst, `,"isError":true`...)
	}
	return append(dst, "}}\n"...)
}

// plain tells for each byte whether it stands for itself in a JSON string.
var plain = func() (t [256]bool) {
	for i := 0x20; i < utf8.RuneSelf; i++ {
		t[i] = i != '"' && i != '\\'
	}
	return t
}()

const hexDigits = "0123456789abcdef"

// appendJSON appends text as a JSON string. Bytes that are no UTF-8 become U+FFFD. It exists because encoding/json
// takes twice as long on a page of source text, which is most of what this door sends.
func appendJSON(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		n := 0
		for n < len(text) && plain[text[n]] {
			n++
		}
		dst = append(dst, text[:n]...)
		if text = text[n:]; len(text) == 0 {
			break
		}
		c := text[0]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(text)
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, "\ufffd"...)
			} else {
				dst = append(dst, text[:size]...)
			}
			text = text[size:]
			continue
		}
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		text = text[1:]
	}
	return append(dst, '"')
}
