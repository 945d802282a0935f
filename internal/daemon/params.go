package daemon

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// form is what an answer to a tool's call holds.
type form uint8

const (
	formStructured form = iota // the structured answer itself
	formText                   // the text for a model
	formBoth
)

// params are the params of a tool's call: the tool's own input and what accompanies it.
type params struct {
	args      json.RawMessage // the tool's input
	root      string
	as        string // the session, chosen by the front and not by a model
	ack       bool
	arrived   *int64
	round     *uint64
	pageBytes int
	dir       string
	noCure    bool
	answer    form
}

// pageBytesMax bounds how much text one answer may show.
const pageBytesMax = 16 << 20

// readParams takes apart what a call was sent, which is owned. For a method that is no tool's everything is input.
func readParams(method string, raw json.RawMessage, tool bool) (params, *sightline.Error) {
	p := params{args: raw}
	if !tool || raw == nil {
		return p, nil
	}
	hasMeta, extra := false, false
	rpc.Members(raw, func(name, _ []byte) bool {
		switch string(name) {
		case "meta":
			hasMeta = true
		case "root", "ack":
			extra = true
		}
		return true
	})
	if !hasMeta && !extra {
		return p, nil
	}
	r := fieldReader{method: method, seen: map[string]bool{}}
	rest := append(make([]byte, 0, len(raw)), '{')
	rpc.Members(raw, func(name, value []byte) bool {
		switch {
		case string(name) == "meta":
			if r.once("meta") {
				r.meta(&p, value)
			}
		case !hasMeta && (string(name) == "root" || string(name) == "ack"):
			if r.once(string(name)) {
				r.one(&p, "", string(name), value)
			}
		default:
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			rest = append(append(rpc.AppendText(rest, name), ':'), value...)
		}
		return r.bad == nil
	})
	p.args = append(rest, '}')
	return p, r.bad
}

// fieldReader reads what accompanies a tool's input, and keeps what was wrong first.
type fieldReader struct {
	method string
	seen   map[string]bool
	bad    *sightline.Error
}

func (r *fieldReader) fail(field, what string) {
	if r.bad == nil {
		r.bad = &sightline.Error{Op: r.method, Code: sightline.Invalid, Field: field, Message: "\"" + field + "\" " + what + "."}
	}
}

func (r *fieldReader) once(field string) bool {
	if r.seen[field] {
		r.fail(field, "is given twice")
	}
	r.seen[field] = true
	return r.bad == nil
}

func (r *fieldReader) meta(p *params, raw []byte) {
	if !rpc.Members(raw, func(name, value []byte) bool {
		if r.once("meta." + string(name)) {
			r.one(p, "meta.", string(name), value)
		}
		return r.bad == nil
	}) {
		r.fail("meta", "must be an object")
	}
}

// one reads one member.
func (r *fieldReader) one(p *params, prefix, name string, raw []byte) {
	field := prefix + name
	switch name {
	case "root":
		p.root = r.text(field, raw)
	case "as":
		p.as = r.text(field, raw)
	case "ack":
		p.ack = r.boolean(field, raw)
	case "arrived":
		n := r.whole(field, raw)
		p.arrived = &n
	case "round":
		n := uint64(r.whole(field, raw))
		p.round = &n
	case "page_bytes":
		n := r.whole(field, raw)
		if n < 1 || n > pageBytesMax {
			r.fail(field, "must be a number of bytes from 1 to 16777216")
		}
		p.pageBytes = int(n)
	case "dir":
		p.dir = r.text(field, raw)
		if clean := path.Clean(p.dir); path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
			r.fail(field, "must be a folder below the root, relative to it")
		}
	case "no_cure":
		p.noCure = r.boolean(field, raw)
	case "answer":
		switch r.text(field, raw) {
		case "structured":
			p.answer = formStructured
		case "text":
			p.answer = formText
		case "both":
			p.answer = formBoth
		default:
			r.fail(field, "must be one of structured, text, both")
		}
	default:
		r.fail(field, "is no member of it")
	}
}

func (r *fieldReader) text(field string, raw []byte) string {
	s, ok := rpc.Text(raw)
	switch {
	case !ok:
		r.fail(field, "must be a string of UTF-8")
	case s == "":
		r.fail(field, "is empty; leave it out instead")
	}
	return s
}

func (r *fieldReader) boolean(field string, raw []byte) bool {
	if string(raw) != "true" && string(raw) != "false" {
		r.fail(field, "must be true or false")
	}
	return string(raw) == "true"
}

func (r *fieldReader) whole(field string, raw []byte) int64 {
	n, ok := rpc.Whole(raw)
	if !ok {
		r.fail(field, "must be a whole number from 0")
	}
	return n
}

// fields are the params of a method that is no tool's, by name.
type fields struct {
	r  fieldReader
	in map[string][]byte
}

// readFields takes the params of a method apart, whose names must be among known.
func readFields(method string, raw []byte, known ...string) (*fields, *sightline.Error) {
	f := &fields{r: fieldReader{method: method, seen: map[string]bool{}}, in: map[string][]byte{}}
	if raw == nil {
		return f, nil
	}
	if !rpc.Members(raw, func(name, value []byte) bool {
		found := false
		for _, k := range known {
			found = found || k == string(name)
		}
		if !found {
			f.r.fail(string(name), "is no member of "+method)
		} else if f.r.once(string(name)) {
			f.in[string(name)] = value
		}
		return f.r.bad == nil
	}) {
		f.r.fail("params", "must be an object")
	}
	return f, f.r.bad
}

func (f *fields) raw(name string) []byte { return f.in[name] }

// text reads a member that must not be empty where it is there.
func (f *fields) text(name string) string {
	if raw := f.in[name]; raw != nil {
		return f.r.text(name, raw)
	}
	return ""
}

func (f *fields) boolean(name string) bool {
	raw := f.in[name]
	return raw != nil && f.r.boolean(name, raw)
}

func (f *fields) whole(name string, absent int64) int64 {
	if raw := f.in[name]; raw != nil {
		return f.r.whole(name, raw)
	}
	return absent
}

// need refuses what lacks one of the members.
func (f *fields) need(names ...string) *sightline.Error {
	for _, n := range names {
		if f.in[n] == nil {
			f.r.fail(n, "is missing")
		}
	}
	return f.r.bad
}
