package wire

import (
	"bytes"
	"encoding/json"

	"github.com/sightline-io/sightline"
)

// nextCall is the call that mends a refusal, valid against the tool's own schema.
type nextCall struct {
	tool string
	args json.RawMessage // one line
	same bool            // the refused call itself
}

// json returns the call as {"tool":...,"arguments":{...}}.
func (n *nextCall) json() json.RawMessage {
	out := append(appendString(append(make([]byte, 0, len(n.args)+64), `{"tool":`...), n.tool), `,"arguments":`...)
	return append(append(out, n.args...), '}')
}

// next turns what the engine advises into a call. args are the arguments of the refused call: the same call repeats
// them, and every call stays in their session. Only request_id is not repeated, since the repeat of an id answers the
// recorded refusal for ever. It returns nil when nothing is advised, or when what is advised would not be a valid call,
// which no caller may be sent.
func next(n *sightline.Next, tool string, args json.RawMessage) *nextCall {
	switch {
	case n == nil:
		return nil
	case n.Same:
		return sameCall(tool, args)
	}
	o := &object{out: []byte{'{'}}
	switch n.Tool {
	case "read":
		o.text("path", n.Path)
		switch {
		case n.Full:
			o.text("intent", "full")
		case len(n.Lines) == 1 && n.Lines[0].To == sightline.OpenEnd:
			first, _ := Outside(n.Lines[0])
			o.number("first", int64(first))
		case len(n.Lines) > 0:
			o.spans("lines", n.Lines)
		}
	case "edit":
		o.text("path", n.Path)
		o.each("edits", len(n.Edits), func(o *object, i int) {
			first, last := Outside(n.Edits[i].Lines)
			o.nested(func(o *object) {
				o.number("first", int64(first))
				o.number("last", int64(last))
				o.text("new", n.Edits[i].New)
			})
		})
	case "write":
		writeNext(o, n, args)
	case "list":
		if n.Path != "" {
			o.text("path", n.Path)
		}
	case "delete", "check", "seen":
		o.text("path", n.Path)
	case "move":
		copyMembers(o, args, "from", "to")
	}
	copyMembers(o, args, "session")
	c := &nextCall{tool: n.Tool, args: compact(o.end())}
	if !valid(c.tool, c.args) {
		return nil
	}
	return c
}

func sameCall(tool string, args json.RawMessage) *nextCall {
	if !valid(tool, args) {
		return nil
	}
	if newScanner(args).nothing() {
		args = json.RawMessage("{}")
	} else if _, ok := member(args, "request_id"); ok {
		args = without(args, "request_id")
	}
	return &nextCall{tool: tool, args: compact(args), same: true}
}

// writeNext writes a whole-file write: what the engine advises, and the refused call's own members elsewhere.
func writeNext(o *object, n *sightline.Next, args json.RawMessage) {
	o.text("path", n.Path)
	if n.Text != nil {
		o.text("text", *n.Text)
	} else {
		copyMembers(o, args, "text")
	}
	if n.Mode != "" {
		o.text("mode", n.Mode)
	} else {
		copyMembers(o, args, "mode")
	}
	copyMembers(o, args, "eol")
}

func copyMembers(o *object, args json.RawMessage, names ...string) {
	for _, n := range names {
		if v, ok := member(args, n); ok {
			o.raw(n, v)
		}
	}
}

// compact puts a JSON text that was scanned before on one line.
func compact(args json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.Grow(len(args))
	if err := json.Compact(&b, args); err != nil {
		return args // unreachable for what the scanner has accepted
	}
	return b.Bytes()
}

// valid reports whether the tool takes the arguments.
func valid(tool string, args json.RawMessage) bool {
	r := newRequest(tool, args, sightline.Meta{})
	var err error
	switch tool {
	case "read":
		_, err = r.read()
	case "edit":
		_, err = r.edit()
	case "write":
		_, err = r.write()
	case "move":
		_, err = r.move()
	case "delete":
		_, err = r.remove()
	case "list":
		_, err = r.list()
	case "check":
		_, err = r.check()
	case "seen":
		_, err = r.seen()
	default:
		return false
	}
	return err == nil
}
