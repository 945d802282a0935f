package wire

import (
	"github.com/sightline-io/sightline"
)

// MaxItems is how many edits, or ranges, one call may hold. A call beyond it is refused with limit before its items
// are read, so that what a call costs is bounded by what it may do.
const MaxItems = 10_000

// request is one call while it is being read.
type request struct {
	*scanner
	tool string
	path string // as far as it is known, for refusals
	meta sightline.Meta
	args []byte
}

// Members of each tool's input, in the order of its schema; see tools.go.
var (
	readMembers   = []string{"path", "intent", "first", "last", "lines", "cursor", "session", "request_id"}
	editMembers   = []string{"path", "edits", "expect", "session", "request_id"}
	writeMembers  = []string{"path", "text", "mode", "eol", "expect", "session", "request_id"}
	moveMembers   = []string{"from", "to", "session", "request_id"}
	deleteMembers = []string{"path", "session", "request_id"}
	listMembers   = []string{"path", "depth", "include", "exclude", "limit", "session", "request_id"}
	checkMembers  = []string{"path", "edits", "first", "last", "overwrite", "delete", "session", "request_id"}
	seenMembers   = []string{"path", "session", "request_id"}
)

// members reads the whole input: visit is called for every member that not every tool has.
func (r *request) members(names []string, visit func(name string)) (given, bool) {
	if r.nothing() {
		return given{names: names}, r.err == nil
	}
	if r.peek() != '{' {
		r.notObject()
		return given{}, false
	}
	g := r.object(names, func(name string) {
		switch name {
		case "path":
			r.path = r.name()
		case "session":
			r.handle()
		case "request_id":
			r.meta.RequestID = r.handle()
		default:
			visit(name)
		}
	})
	r.end()
	return g, r.err == nil
}

// name reads a path: any text but the empty one, which no tool can mean.
func (r *request) name() string {
	p := r.text()
	if r.err == nil && p == "" {
		r.fail("is empty")
	}
	return p
}

// need refuses the call unless it has every one of the members.
func (r *request) need(g given, names ...string) bool {
	for _, n := range names {
		if r.err == nil && !g.has(n) {
			r.err = invalid(n, "%q is missing: %s needs %s.", n, r.tool, list(names))
		}
	}
	return r.err == nil
}

// bad refuses the call for a member or a combination of members.
func (r *request) bad(field, format string, args ...any) {
	if r.err == nil {
		r.err = invalid(field, format, args...)
	}
}

// fault returns the refusal, as an error that is nil when there is none.
func (r *request) fault() error {
	if r.err == nil {
		return nil
	}
	r.err.Op, r.err.Path = r.tool, r.path
	return r.err
}

// oneOf reads a string that must be among words.
func (r *request) oneOf(words ...string) string {
	v := r.text()
	if r.err == nil && index(words, v) < 0 {
		r.fail("must be one of %s, not %s", list(words), quoteName(v))
	}
	return v
}

func (r *request) ref() sightline.Ref {
	v := r.text()
	if r.err != nil {
		return sightline.Ref{}
	}
	ref, err := sightline.ParseRef(v)
	if err != nil {
		r.fail("must be sha256: and 64 lower-case hex digits, as a read returned it in ref")
	}
	return ref
}

// span checks the range first to last and converts it.
func (r *request) span(field string, first, last int) sightline.Lines {
	if r.err == nil && last < first {
		r.bad(field, "%q must not be inverted: line %d comes before line %d.", field, last, first)
	}
	return Inside(first, last)
}

// pair reads a range written as [first, last].
func (r *request) pair() sightline.Lines {
	var n [2]int
	i := 0
	r.array(MaxItems, func() {
		if v := r.whole(1); i < len(n) {
			n[i] = v
		}
		i++
	})
	if r.err == nil && i != len(n) {
		r.fail("must be [first, last], two line numbers")
	}
	return r.span(r.field(), n[0], n[1])
}

func (r *request) pairs() []sightline.Lines {
	var out []sightline.Lines
	r.array(MaxItems, func() { out = append(out, r.pair()) })
	if r.err == nil && len(out) == 0 {
		r.fail("must hold at least one range")
	}
	return out
}

func (r *request) texts() []string {
	var out []string
	r.array(MaxItems, func() { out = append(out, r.text()) })
	return out
}
