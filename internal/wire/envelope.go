package wire

import (
	"encoding/json"
	"fmt"

	"github.com/sightline-io/sightline"
)

// maxHandle is how many bytes a session's name or a request id may have.
const maxHandle = 200

// Envelope is what a door needs to know of a request before it can route it.
type Envelope struct {
	Session   string // the session the caller names; empty when it names none
	RequestID string // makes the call repeatable; empty when the caller gave none
}

// OpenEnvelope reads the members session and request_id of raw arguments and passes over the others, which [Call]
// checks. Absent arguments and null are an empty object. The error is an invalid fault; [Refuse] makes an answer of it.
func OpenEnvelope(args json.RawMessage) (Envelope, error) {
	var e Envelope
	s := newScanner(args)
	var doubled given
	doubled.names = []string{"session", "request_id"}
	s.each(func(name string) {
		switch i := index(doubled.names, name); {
		case i < 0:
			s.skip()
		case doubled.bits&(1<<i) != 0:
			s.fail("is given twice")
		case i == 0:
			doubled.bits |= 1
			e.Session = s.handle()
		default:
			doubled.bits |= 2
			e.RequestID = s.handle()
		}
	})
	if s.err != nil {
		return Envelope{}, s.err
	}
	return e, nil
}

// Detach takes one string member out of raw arguments: it returns the member's value, empty when absent, and the
// arguments without it. Doors use it for what they add beside a tool's input, as the daemon does with root. The error
// is an invalid fault.
func Detach(args json.RawMessage, member string) (value string, rest json.RawMessage, err error) {
	s := newScanner(args)
	found := false
	s.each(func(name string) {
		switch {
		case name != member:
			s.skip()
		case found:
			s.fail("is given twice")
		default:
			found = true
			value = s.text()
		}
	})
	if s.err != nil {
		return "", nil, s.err
	}
	if !found {
		return "", args, nil
	}
	return value, without(args, member), nil
}

// handle reads a name that a caller gave to a session or a request.
func (s *scanner) handle() string {
	v := s.text()
	switch {
	case s.err != nil:
	case v == "":
		s.fail("is empty; leave it out instead")
	case len(v) > maxHandle:
		s.fail("may have at most %d bytes; this one has %d", maxHandle, len(v))
	}
	return v
}

// each reads a top-level object with any members; visit must read or skip the value at hand. Nothing is an object
// without members.
func (s *scanner) each(visit func(name string)) {
	if s.nothing() {
		return
	}
	if s.peek() != '{' {
		s.notObject()
		return
	}
	s.at++
	if s.accept('}') {
		s.end()
		return
	}
	for s.err == nil {
		name, _ := s.key()
		if s.err != nil || !s.expect(':') {
			return
		}
		s.push(clip(name, 64))
		visit(name)
		if s.err != nil {
			return
		}
		s.pop()
		if s.accept('}') {
			s.end()
			return
		}
		s.expect(',')
	}
}

// nothing reports whether the arguments are absent or null.
func (s *scanner) nothing() bool {
	switch s.peek() {
	case 0:
		return s.at >= len(s.in)
	case 'n':
		if s.word("null") {
			s.end()
		}
		return true
	}
	return false
}

func (s *scanner) notObject() {
	if k := s.kind(); k != "" {
		s.err = invalid("", "The arguments must be an object, not %s.", k)
		return
	}
	s.malformed()
}

// skip passes over one value. It matches brackets and strings only, without recursion; what it passes over is either
// checked elsewhere or was.
func (s *scanner) skip() {
	depth := 0
	s.peek()
	for s.at < len(s.in) {
		switch c := s.in[s.at]; c {
		case '"':
			if !s.skipString() {
				s.malformed()
				return
			}
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of the object that holds a plain value
				return
			}
			if depth--; depth == 0 {
				s.at++
				return
			}
		case ',':
			if depth == 0 {
				return
			}
		}
		s.at++
	}
	s.malformed()
}

func (s *scanner) skipString() bool {
	for s.at++; s.at < len(s.in); s.at++ {
		switch s.in[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return true
		}
	}
	return false
}

// member returns the raw value of one member of arguments that were decoded before.
func member(args []byte, name string) (json.RawMessage, bool) {
	var found json.RawMessage
	s := newScanner(args)
	s.each(func(n string) {
		s.peek()
		from := s.at
		s.skip()
		if n == name {
			found = args[from:s.at]
		}
	})
	return found, found != nil
}

// without returns arguments that were scanned before less one member.
func without(args []byte, name string) json.RawMessage {
	out := make([]byte, 1, len(args)+2)
	out[0] = '{'
	s := newScanner(args)
	s.each(func(n string) {
		s.peek()
		from := s.at
		s.skip()
		if n == name {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(appendString(out, n), ':'), args[from:s.at]...)
	})
	return append(out, '}')
}

func invalid(field, format string, args ...any) *sightline.Error {
	return &sightline.Error{Code: sightline.Invalid, Field: field, Message: fmt.Sprintf(format, args...)}
}
