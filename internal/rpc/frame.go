package rpc

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// What is wrong with a frame; [CodeOf] has the codes.
var (
	ErrSyntax = errors.New("the line is no JSON value")
	ErrShape  = errors.New("the frame is no JSON-RPC 2.0 request")
	ErrTwice  = errors.New("a member of the frame is given twice")
	ErrBatch  = errors.New("batches are not taken: send one request a line")
)

// CodeOf returns the code of JSON-RPC for an error of [Parse] or [Lines].
func CodeOf(err error) int {
	if errors.Is(err, ErrSyntax) {
		return CodeParse
	}
	return CodeRequest
}

// Head is what there is to know of a frame before its contents. Its slices are parts of the frame, as they stand there.
type Head struct {
	ID     []byte // nil where there is none: a notification
	Method string // empty where there is none: an answer
	Params []byte // nil where there are none
	Result []byte // of an answer that is no error
	Error  []byte // of an answer that is one
}

// Parse reads a frame once, from its first byte to its last: what it accepts is JSON throughout, in which no member of
// the frame itself is given twice. Names of members are exact. Members it does not know are passed over, as JSON-RPC
// has it.
func Parse(frame []byte) (Head, error) {
	var h Head
	var twice, odd, tagged, named bool
	s := scanner{b: frame}
	if s.peek() == '[' {
		s.value(0)
		if s.bad || !s.end() {
			return Head{}, ErrSyntax
		}
		return Head{}, ErrBatch
	}
	take := func(into *[]byte, raw []byte) {
		twice = twice || *into != nil
		*into = raw
	}
	isObject := s.object(0, func(name, raw []byte) {
		switch string(name) {
		case "jsonrpc":
			twice = twice || tagged
			tagged = true
			odd = odd || string(raw) != `"2.0"`
		case "id":
			take(&h.ID, raw)
		case "method":
			twice = twice || named
			named = true
			m, ok := Text(raw)
			h.Method, odd = m, odd || !ok || m == ""
		case "params":
			take(&h.Params, raw)
		case "result":
			take(&h.Result, raw)
		case "error":
			take(&h.Error, raw)
		}
	})
	if s.bad || !s.end() {
		return Head{}, ErrSyntax
	}
	if twice {
		return h, ErrTwice
	}
	if !isObject || !tagged || odd || h.ID != nil && !isID(h.ID) || named == (h.Result != nil || h.Error != nil) {
		if h.ID != nil && !isID(h.ID) {
			h.ID = nil
		}
		return h, ErrShape
	}
	return h, nil
}

// idMax bounds an id, in bytes: it is repeated in the answer.
const idMax = 1024

// isID reports whether an answer can name the id. JSON-RPC lets it be a string, a number or null, and whoever sends null
// could not tell its answers apart.
func isID(raw []byte) bool {
	return len(raw) <= idMax && (raw[0] == '"' || raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9')
}

// Members calls visit for every member of a raw object, in order, and stops where visit answers false. It answers false
// for what is no object. A name may come twice; telling it is the visitor's business.
func Members(object []byte, visit func(name, raw []byte) bool) bool {
	s := scanner{b: object}
	going := true
	ok := s.object(0, func(name, raw []byte) { going = going && visit(name, raw) })
	return ok && !s.bad && s.end()
}

// Text returns the text of a raw string; ok is false for what is no string, and for one that is not UTF-8 or holds half
// a surrogate pair.
func Text(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' || !utf8.Valid(raw) {
		return "", false
	}
	in := raw[1 : len(raw)-1]
	i := bytes.IndexByte(in, '\\')
	if i < 0 {
		return string(in), true
	}
	out := make([]byte, 0, len(in))
	for ; i >= 0; i = bytes.IndexByte(in, '\\') {
		out = append(out, in[:i]...)
		if in = in[i+1:]; len(in) == 0 {
			return "", false
		}
		c := in[0]
		in = in[1:]
		if c == 'u' {
			var r rune
			if r, in, ok = unescape(in); !ok {
				return "", false
			}
			out = utf8.AppendRune(out, r)
			continue
		}
		at := bytes.IndexByte([]byte(`"\/bfnrt`), c)
		if at < 0 {
			return "", false
		}
		out = append(out, "\"\\/\b\f\n\r\t"[at])
	}
	return string(append(out, in...)), true
}

// unescape reads what follows a backslash and a u, and the second half of a pair.
func unescape(in []byte) (r rune, rest []byte, ok bool) {
	if len(in) < 4 || !isHex(in[:4]) {
		return 0, in, false
	}
	r, rest = hexOf(in[:4]), in[4:]
	if !utf16.IsSurrogate(r) {
		return r, rest, true
	}
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' || !isHex(rest[2:6]) {
		return 0, rest, false
	}
	r = utf16.DecodeRune(r, hexOf(rest[2:6]))
	return r, rest[6:], r != utf8.RuneError
}

func hexOf(digits []byte) (r rune) {
	for _, c := range digits {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c | 0x20 - 'a' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Whole returns the number that raw spells, from 0 to 2^53-1, without sign, point or exponent.
func Whole(raw []byte) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil && n >= 0 && n < 1<<53 && (raw[0] != '+')
}

// scanner passes over JSON. Once something is bad nothing moves it on.
type scanner struct {
	b   []byte
	at  int
	bad bool
}

// peek passes over white space and returns the byte at hand, or 0 at the end.
func (s *scanner) peek() byte {
	for ; s.at < len(s.b); s.at++ {
		if c := s.b[s.at]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}

// end reports whether nothing but white space follows.
func (s *scanner) end() bool { return s.peek() == 0 && s.at == len(s.b) }

func (s *scanner) accept(c byte) bool {
	if s.bad || s.peek() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) expect(c byte) {
	if !s.accept(c) {
		s.bad = true
	}
}

// object passes over a value and visits the members if it is an object, which it answers. A name is handed over without
// its quotes, and with its escapes undone.
func (s *scanner) object(depth int, visit func(name, raw []byte)) bool {
	if s.peek() != '{' {
		s.value(depth)
		return false
	}
	s.at++
	if s.accept('}') {
		return true
	}
	for !s.bad {
		s.peek()
		from := s.at
		s.text()
		if s.bad {
			break
		}
		name := s.b[from+1 : s.at-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			text, _ := Text(s.b[from:s.at])
			name = []byte(text)
		}
		s.expect(':')
		s.peek()
		from = s.at
		s.value(depth + 1)
		if s.bad {
			break
		}
		if visit != nil {
			visit(name, s.b[from:s.at])
		}
		if s.accept('}') {
			return true
		}
		s.expect(',')
	}
	return true
}

func (s *scanner) array(depth int) {
	s.at++
	if s.accept(']') {
		return
	}
	for !s.bad {
		s.value(depth + 1)
		if s.accept(']') {
			return
		}
		s.expect(',')
	}
}

func (s *scanner) value(depth int) {
	if depth > DepthMax {
		s.bad = true
	}
	switch c := s.peek(); {
	case s.bad:
	case c == '{':
		s.object(depth, nil)
	case c == '[':
		s.array(depth)
	case c == '"':
		s.text()
	case c == 't':
		s.word("true")
	case c == 'f':
		s.word("false")
	case c == 'n':
		s.word("null")
	default:
		s.number()
	}
}

func (s *scanner) word(w string) {
	if !bytes.HasPrefix(s.b[s.at:], []byte(w)) {
		s.bad = true
		return
	}
	s.at += len(w)
}

// text passes over a string, which must be what JSON allows but for its bytes above 127: whoever decodes them looks.
func (s *scanner) text() {
	if s.at >= len(s.b) || s.b[s.at] != '"' {
		s.bad = true
		return
	}
	for s.at++; s.at < len(s.b); s.at++ {
		switch c := s.b[s.at]; {
		case c == '"':
			s.at++
			return
		case c == '\\':
			s.at++
			if s.at < len(s.b) && s.b[s.at] == 'u' {
				if !isHex(s.b[min(s.at+1, len(s.b)):min(s.at+5, len(s.b))]) {
					s.bad = true
					return
				}
				s.at += 4
			} else if s.at >= len(s.b) || bytes.IndexByte([]byte(`"\/bfnrt`), s.b[s.at]) < 0 {
				s.bad = true
				return
			}
		case c < ' ':
			s.bad = true
			return
		}
	}
	s.bad = true
}

func isHex(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return len(b) == 4
}

func (s *scanner) digits() {
	from := s.at
	for s.at < len(s.b) && '0' <= s.b[s.at] && s.b[s.at] <= '9' {
		s.at++
	}
	s.bad = s.bad || s.at == from
}

func (s *scanner) has(set string) bool {
	if s.at < len(s.b) && bytes.IndexByte([]byte(set), s.b[s.at]) >= 0 {
		s.at++
		return true
	}
	return false
}

func (s *scanner) number() {
	s.has("-")
	if !s.has("0") {
		s.digits()
	}
	if s.has(".") {
		s.digits()
	}
	if s.has("eE") {
		s.has("+-")
		s.digits()
	}
}
