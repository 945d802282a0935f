package wire

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/sightline-io/sightline"
)

// maxNumber is the greatest whole number that every JSON library passes on unharmed, 2^53 - 1, or the greatest int.
const maxNumber = min(1<<53-1, math.MaxInt)

// scanner reads one JSON text in one pass, into the shapes that the callers ask for; it never builds a tree, so depth
// and memory are bounded by the shapes. It differs from encoding/json in refusing what that one repairs silently:
// doubled members, invalid UTF-8 and lone surrogates, all of which would put other text into a file than was sent.
//
// The first fault sticks: afterwards every method returns a zero value at once, so decoders read straight down.
type scanner struct {
	in   []byte
	at   int
	path []segment // where in the request the scanner stands, for messages
	err  *sightline.Error

	back [4]segment // first memory of path
}

// segment is one step into a request: a member's name, or an index.
type segment struct {
	name  string
	index int // -1 for a name
}

func newScanner(in []byte) *scanner {
	s := &scanner{in: in}
	s.path = s.back[:0]
	return s
}

// field names the place the scanner stands at, as edits[2].first.
func (s *scanner) field() string {
	var b []byte
	for _, g := range s.path {
		if g.index >= 0 {
			b = append(strconv.AppendInt(append(b, '['), int64(g.index), 10), ']')
			continue
		}
		if len(b) > 0 {
			b = append(b, '.')
		}
		b = append(b, g.name...)
	}
	return string(b)
}

func (s *scanner) push(name string) { s.path = append(s.path, segment{name, -1}) }

func (s *scanner) pushIndex(i int) { s.path = append(s.path, segment{"", i}) }

func (s *scanner) pop() { s.path = s.path[:len(s.path)-1] }

// fail records that the member at hand is at fault; the message begins with its name.
func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		f := s.field()
		s.err = invalid(f, "%s %s.", quoteName(f), fmt.Sprintf(format, args...))
	}
}

// malformed records that the text is no JSON.
func (s *scanner) malformed() {
	if s.err != nil {
		return
	}
	f, in := s.field(), ""
	if f != "" {
		in = ", in " + quoteName(f)
	}
	if s.at >= len(s.in) {
		s.err = invalid(f, "The arguments are not valid JSON: they end too early, after %d bytes%s.", len(s.in), in)
		return
	}
	s.err = invalid(f, "The arguments are not valid JSON at byte %d%s.", s.at, in)
}

// wrong records that the value at hand has another type than wanted.
func (s *scanner) wrong(wanted string) {
	if k := s.kind(); k != "" {
		s.fail("must be %s, not %s", wanted, k)
		return
	}
	s.malformed()
}

// kind names the type of the value at hand by its first byte; it is empty where no value begins.
func (s *scanner) kind() string {
	switch c := s.peek(); {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	case c == '-' || '0' <= c && c <= '9':
		return "a number"
	}
	return ""
}

// peek skips white space and returns the byte at hand, or 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.in) {
		switch c := s.in[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) accept(c byte) bool {
	if s.err == nil && s.peek() == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) expect(c byte) bool {
	if !s.accept(c) {
		s.malformed()
		return false
	}
	return true
}

// given is the set of members an object had, as bits in the order of its names.
type given struct {
	names []string
	bits  uint32
}

// has reports whether the object had the member.
func (g given) has(name string) bool { return g.bits&(1<<index(g.names, name)) != 0 }

func index(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// object reads an object whose members are among names, at most 32 of them, and calls visit for each.
func (s *scanner) object(names []string, visit func(name string)) given {
	g := given{names: names}
	if s.err != nil {
		return g
	}
	if s.peek() != '{' {
		s.wrong("an object")
		return g
	}
	s.at++
	if s.accept('}') {
		return g
	}
	for s.err == nil {
		name, at := s.key()
		if s.err != nil {
			break
		}
		i := index(names, name)
		if i < 0 {
			s.unknown(name, names)
			break
		}
		if g.bits&(1<<i) != 0 {
			s.at = at
			s.push(names[i])
			s.fail("is given twice")
			break
		}
		g.bits |= 1 << i
		if !s.expect(':') {
			break
		}
		s.push(names[i])
		visit(names[i])
		if s.err != nil {
			break
		}
		s.pop()
		if s.accept('}') {
			break
		}
		s.expect(',')
	}
	return g
}

func (s *scanner) key() (name string, at int) {
	if s.peek() != '"' {
		s.malformed()
		return "", s.at
	}
	at = s.at
	return s.str(), at
}

func (s *scanner) unknown(name string, names []string) {
	s.push(clip(name, 64))
	f := s.field()
	s.err = invalid(f, "Unknown member %s: here the members are %s.", quoteName(f), list(names))
}

// array reads an array of at most limit items and calls visit for each.
func (s *scanner) array(limit int, visit func()) (n int) {
	if s.err != nil {
		return 0
	}
	if s.peek() != '[' {
		s.wrong("an array")
		return 0
	}
	s.at++
	if s.accept(']') {
		return 0
	}
	for s.err == nil {
		if n == limit {
			f := s.field()
			s.err = &sightline.Error{Code: sightline.Limit, Field: f,
				Message: fmt.Sprintf("%s may hold at most %d items in one call; this one has more. Nothing was done: split the call.", quoteName(f), limit)}
			return n
		}
		s.pushIndex(n)
		visit()
		n++
		if s.err != nil {
			return n
		}
		s.pop()
		if s.accept(']') {
			return n
		}
		s.expect(',')
	}
	return n
}

// text reads a string value.
func (s *scanner) text() string {
	if s.err != nil {
		return ""
	}
	if s.peek() != '"' {
		s.wrong("a string")
		return ""
	}
	return s.str()
}

// boolean reads true or false.
func (s *scanner) boolean() bool {
	if s.err != nil {
		return false
	}
	switch s.peek() {
	case 't':
		return s.word("true")
	case 'f':
		s.word("false")
		return false
	}
	s.wrong("true or false")
	return false
}

func (s *scanner) word(w string) bool {
	if len(s.in)-s.at < len(w) || string(s.in[s.at:s.at+len(w)]) != w {
		s.malformed()
		return false
	}
	s.at += len(w)
	return true
}

// whole reads a whole number of at least least. A number such as 3.0 is whole: some clients send all numbers so.
func (s *scanner) whole(least int) int {
	if s.err != nil {
		return 0
	}
	c := s.peek()
	if c != '-' && (c < '0' || c > '9') {
		s.wrong(fmt.Sprintf("a whole number from %d", least))
		return 0
	}
	from := s.at
	token, plain := s.number()
	if s.err != nil {
		return 0
	}
	if plain && len(token) <= 15 {
		n := 0
		for _, d := range token {
			n = 10*n + int(d-'0')
		}
		if n >= least {
			return n
		}
	} else if f, err := strconv.ParseFloat(string(token), 64); err == nil && f == math.Trunc(f) && float64(least) <= f && f <= maxNumber {
		return int(f)
	}
	s.at = from
	s.fail("must be a whole number from %d, not %s", least, clip(string(token), 24))
	return 0
}

// number passes over a number and returns it; plain tells that it consists of digits only.
func (s *scanner) number() (token []byte, plain bool) {
	from := s.at
	plain = true
	if s.in[s.at] == '-' {
		plain = false
		s.at++
	}
	if s.at < len(s.in) && s.in[s.at] == '0' {
		s.at++
	} else if !s.digits() {
		return nil, false
	}
	if s.at < len(s.in) && s.in[s.at] == '.' {
		plain = false
		s.at++
		if !s.digits() {
			return nil, false
		}
	}
	if s.at < len(s.in) && s.in[s.at]|0x20 == 'e' {
		plain = false
		s.at++
		if s.at < len(s.in) && (s.in[s.at] == '+' || s.in[s.at] == '-') {
			s.at++
		}
		if !s.digits() {
			return nil, false
		}
	}
	return s.in[from:s.at], plain
}

func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.in) && '0' <= s.in[s.at] && s.in[s.at] <= '9' {
		s.at++
	}
	if s.at == from {
		s.malformed()
		return false
	}
	return true
}

// end checks that nothing follows.
func (s *scanner) end() {
	if s.err != nil {
		return
	}
	if s.peek(); s.at < len(s.in) {
		s.path = s.path[:0]
		s.err = invalid("", "The arguments hold more than one JSON value: something follows at byte %d.", s.at)
	}
}

// str reads the string that begins at hand.
func (s *scanner) str() string {
	from := s.at + 1
	ascii := true
	for i := from; i < len(s.in); i++ {
		switch c := s.in[i]; {
		case c == '"':
			b := s.in[from:i]
			if !ascii && !utf8.Valid(b) {
				s.fail("must be valid UTF-8")
				return ""
			}
			s.at = i + 1
			return string(b)
		case c == '\\':
			return s.escaped(from, i)
		case c < ' ':
			s.at = i
			s.malformed()
			return ""
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	s.at = len(s.in)
	s.malformed()
	return ""
}
