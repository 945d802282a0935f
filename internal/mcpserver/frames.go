package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
)

// head is what routing needs to know of a frame. Its slices are parts of the frame.
type head struct {
	id     []byte // raw; nil where there is none
	method []byte // without quotes; nil where there is none
	params []byte // raw; nil where there are none
	tagged bool   // the frame says that it is JSON-RPC 2.0
	asks   bool   // there is a method, of whatever type
}

var (
	errFrame  = errors.New("the frame is no JSON object")
	errTwice  = errors.New("a member of the frame is given twice")
	errNoName = errors.New("a member of the frame has another type than JSON-RPC gives it")
)

// parseHead reads a frame once, from its first byte to its last: what it accepts is JSON throughout. Names of members
// are exact, which those of encoding/json are not, so that this door and the SDK see the same frame.
func parseHead(frame []byte) (head, error) {
	var h head
	var twice, odd bool
	s := scan{b: frame}
	ok := s.object(func(name []byte) {
		from := s.at
		s.value(0)
		raw := frame[from:s.at]
		switch string(name) {
		case "jsonrpc":
			h.tagged = string(raw) == `"2.0"`
		case "id":
			twice = twice || h.id != nil
			h.id = raw
		case "method":
			twice = twice || h.asks
			h.method, h.asks = unquoted(raw), true
			odd = odd || h.method == nil
		case "params":
			twice = twice || h.params != nil
			h.params = raw
		}
	})
	switch {
	case !ok || s.bad || !s.end():
		return head{}, errFrame
	case twice:
		return h, errTwice
	case odd:
		return h, errNoName
	}
	return h, nil
}

// callable reports whether an answer can name the id. JSON-RPC lets it be a string or a number; the SDK keeps no
// fractions and no numbers beyond 2^53, and a client that sends null could not tell its answers apart.
func (h head) callable() bool {
	if len(h.id) == 0 {
		return false
	}
	switch c := h.id[0]; {
	case c == '"':
		return unquoted(h.id) != nil
	case c == '-' || '0' <= c && c <= '9':
		f, err := strconv.ParseFloat(string(h.id), 64)
		return err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53
	}
	return false
}

// idOrNull is the id that an error about the frame carries: that of a request, as far as it is one.
func (h head) idOrNull() []byte {
	if h.asks && len(h.id) > 0 && (h.id[0] == '"' || h.id[0] == '-' || '0' <= h.id[0] && h.id[0] <= '9') {
		return h.id
	}
	return []byte("null")
}

// callParams are the params of tools/call. Their slices are parts of the frame.
type callParams struct {
	name      []byte // without quotes
	arguments []byte // raw; nil where there are none
	meta      []byte // raw; nil where there is none
}

// parseCall reads the params of tools/call, which are JSON. ok is false where they are not of the shape that the
// protocol gives them.
func parseCall(params []byte) (p callParams, ok bool) {
	s := scan{b: params}
	twice := false
	ok = s.object(func(name []byte) {
		from := s.at
		s.value(0)
		raw := params[from:s.at]
		switch string(name) {
		case "name":
			twice = twice || p.name != nil
			p.name = unquoted(raw)
		case "arguments":
			twice = twice || p.arguments != nil
			p.arguments = raw
		case "_meta":
			twice = twice || p.meta != nil
			p.meta = raw
		}
	})
	if p.meta != nil && p.meta[0] != '{' {
		ok = string(p.meta) == "null" && ok
		p.meta = nil
	}
	return p, ok && !s.bad && !twice && p.name != nil
}

// members calls visit for every member of a raw object that was read before; nil has none.
func members(object []byte, visit func(name, raw []byte)) {
	s := scan{b: object}
	s.object(func(name []byte) {
		from := s.at
		s.value(0)
		visit(name, object[from:s.at])
	})
}

// unquoted returns the text of a raw string, nil for what is no string.
func unquoted(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return []byte(s)
}

// depthMax bounds how deep values may be nested in a frame.
const depthMax = 1000

// scan passes over JSON. Once something is bad nothing moves it on.
type scan struct {
	b   []byte
	at  int
	bad bool
}

// peek passes over white space and returns the byte at hand, or 0 at the end.
func (s *scan) peek() byte {
	for ; s.at < len(s.b); s.at++ {
		if c := s.b[s.at]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}

// end reports whether nothing but white space follows.
func (s *scan) end() bool { return s.peek() == 0 && s.at == len(s.b) }

func (s *scan) accept(c byte) bool {
	if s.bad || s.peek() != c {
		return false
	}
	s.at++
	return true
}

func (s *scan) expect(c byte) {
	if !s.accept(c) {
		s.bad = true
	}
}

// object passes over an object; visit is called for each member, stands at its value and passes over it. It answers
// false where there is no object at hand.
func (s *scan) object(visit func(name []byte)) bool {
	if !s.accept('{') {
		return false
	}
	if s.accept('}') {
		return true
	}
	for !s.bad {
		name := s.name()
		s.expect(':')
		s.peek()
		if s.bad {
			return true
		}
		visit(name)
		if s.accept('}') {
			return true
		}
		s.expect(',')
	}
	return true
}

func (s *scan) name() []byte {
	if s.peek() != '"' {
		s.bad = true
		return nil
	}
	from := s.at
	s.text()
	if s.bad {
		return nil
	}
	name := unquoted(s.b[from:s.at])
	s.bad = name == nil
	return name
}

// value passes over one value at the given depth.
func (s *scan) value(depth int) {
	if s.bad = s.bad || depth > depthMax; s.bad {
		return
	}
	switch c := s.peek(); {
	case c == '"':
		s.text()
	case c == '{':
		s.object(func([]byte) { s.value(depth + 1) })
	case c == '[':
		s.at++
		if s.accept(']') {
			return
		}
		for !s.bad {
			if s.value(depth + 1); s.accept(']') {
				return
			}
			s.expect(',')
		}
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

func (s *scan) word(w string) {
	if !bytes.HasPrefix(s.b[s.at:], []byte(w)) {
		s.bad = true
		return
	}
	s.at += len(w)
}

func (s *scan) number() {
	if s.at < len(s.b) && s.b[s.at] == '-' {
		s.at++
	}
	if s.at < len(s.b) && s.b[s.at] == '0' {
		s.at++
	} else {
		s.digits()
	}
	if s.at < len(s.b) && s.b[s.at] == '.' {
		s.at++
		s.digits()
	}
	if s.at < len(s.b) && s.b[s.at]|0x20 == 'e' {
		if s.at++; s.at < len(s.b) && (s.b[s.at] == '+' || s.b[s.at] == '-') {
			s.at++
		}
		s.digits()
	}
}

func (s *scan) digits() {
	from := s.at
	for s.at < len(s.b) && '0' <= s.b[s.at] && s.b[s.at] <= '9' {
		s.at++
	}
	s.bad = s.bad || s.at == from
}

// text passes over the string that begins at hand.
func (s *scan) text() {
	for i := s.at + 1; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			s.at = i + 1
			return
		case c == '\\':
			if i++; i < len(s.b) && s.b[i] == 'u' {
				i += s.hex(i + 1)
			} else if i < len(s.b) && bytes.IndexByte([]byte(`"\/bfnrt`), s.b[i]) < 0 {
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

// hex returns 4 where four hexadecimal digits stand at i.
func (s *scan) hex(i int) int {
	for n := range 4 {
		if i+n >= len(s.b) {
			return n // the string ends too early, which text will see
		}
		if c := s.b[i+n]; (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			s.bad = true
			return 0
		}
	}
	return 4
}
