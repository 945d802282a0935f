package wire

import (
	"encoding/json"

	"github.com/sightline-io/sightline"
)

// pageFacts are the facts of a page that cost something to find out, and are asked for only where they are shown.
type pageFacts struct {
	ref              sightline.Ref
	covered, missing []sightline.Lines
}

// pageJSON is the structured answer to a read.
func pageJSON(p *sightline.Page, f pageFacts) json.RawMessage {
	o := begin(len(p.Text) + len(p.Text)/8)
	o.text("path", p.Path)
	o.ref("ref", f.ref)
	o.text("source", p.Source)
	if p.Lines == nil {
		o.null("lines")
	} else {
		o.span("lines", *p.Lines)
	}
	if p.TotalLines < 0 {
		o.null("total_lines")
	} else {
		o.number("total_lines", int64(p.TotalLines))
	}
	o.bytes("text", p.Text)
	o.text("encoding", p.Encoding.String())
	o.text("eol", p.EOL.String())
	o.boolean("bom", p.BOM)
	o.boolean("final_newline", p.FinalNewline)
	o.boolean("more", p.More)
	if p.Cursor != "" {
		o.text("cursor", p.Cursor)
	}
	o.spans("covered", f.covered)
	o.spans("missing", f.missing)
	o.text("state", string(p.State))
	if len(p.Cut) > 0 {
		o.each("cut", len(p.Cut), func(o *object, i int) {
			first, _ := Outside(sightline.Lines{From: p.Cut[i], To: p.Cut[i]})
			o.out = appendInt(o.out, first)
		})
	}
	return o.end()
}

func editJSON(a *sightline.EditAnswer) json.RawMessage {
	o := begin(64 * len(a.Edits))
	o.text("path", a.Path)
	o.ref("before", a.Before)
	o.ref("after", a.After)
	o.each("edits", len(a.Edits), func(o *object, i int) {
		o.nested(func(o *object) {
			o.span("before", a.Edits[i].Before)
			o.span("after", a.Edits[i].After)
		})
	})
	o.text("durability", a.Durability.String())
	o.texts("warnings", warnings(a.Warnings, a.Noop))
	return o.end()
}

func writeJSON(a *sightline.WriteAnswer) json.RawMessage {
	o := begin(0)
	o.text("path", a.Path)
	if !a.Before.IsZero() {
		o.ref("before", a.Before)
	}
	o.ref("after", a.After)
	o.number("lines", int64(a.Lines))
	o.text("durability", a.Durability.String())
	o.texts("warnings", warnings(a.Warnings, a.Noop))
	return o.end()
}

// nothingChanged is what the answer to a change that changes nothing says.
const nothingChanged = "nothing changed: the file already is what the call would make it"

// warnings returns the warnings of an answer, with the one for a call that changed nothing.
func warnings(ws []string, noop bool) []string {
	if !noop {
		return ws
	}
	return append([]string{nothingChanged}, ws...)
}

func moveJSON(a *sightline.MoveAnswer) json.RawMessage {
	o := begin(0)
	o.text("path", a.To)
	o.ref("ref", a.Ref)
	o.texts("warnings", a.Warnings)
	return o.end()
}

func deleteJSON(a *sightline.DeleteAnswer) json.RawMessage {
	o := begin(0)
	o.text("path", a.Path)
	o.ref("before", a.Before)
	return o.end()
}

func checkJSON(a *sightline.CheckAnswer, refusal json.RawMessage) json.RawMessage {
	o := begin(len(refusal))
	o.text("path", a.Path)
	o.boolean("allowed", a.Allowed)
	if refusal != nil {
		o.raw("refusal", refusal)
	}
	return o.end()
}

func seenJSON(a *sightline.SeenAnswer) json.RawMessage {
	o := begin(96 * len(a.Rows))
	o.text("path", a.Path)
	o.each("lines", len(a.Rows), func(o *object, i int) {
		row := &a.Rows[i]
		o.nested(func(o *object) {
			o.span("lines", row.Lines)
			o.text("state", row.State.String())
			if row.Session == "" {
				return // nobody has seen these lines, so there is no origin, session or time
			}
			o.text("origin", row.Origin.String())
			o.text("session", row.Session)
			o.number("at", row.At)
		})
	})
	return o.end()
}

func listJSON(a *sightline.ListAnswer) json.RawMessage {
	o := begin(64 * len(a.Entries))
	o.text("path", a.Path)
	o.each("entries", len(a.Entries), func(o *object, i int) {
		e := &a.Entries[i]
		o.nested(func(o *object) {
			o.text("path", e.Path)
			o.text("kind", e.Kind.String())
			if e.Kind == sightline.Regular {
				o.number("size", e.Size)
			}
		})
	})
	o.boolean("complete", a.Complete)
	if a.Limit != nil {
		o.name("limitation")
		o.nested(func(o *object) {
			o.text("limit", a.Limit.Name)
			o.number("value", int64(a.Limit.Value))
			o.text("unit", a.Limit.Unit)
		})
	}
	if a.Skipped > 0 {
		o.number("skipped", int64(a.Skipped))
	}
	return o.end()
}
