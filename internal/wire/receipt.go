package wire

import (
	"encoding/json"

	"github.com/sightline-io/sightline"
)

// ReceiptJSON is the shape of one receipt: seq, at, session?, verb, path?, to?, code?, missing?, drifted?, delivered?,
// touched?, before?, after?, durability?, warnings?, count?, last?, cut?. What a receipt does not say is left out; code
// is absent for what was done, and count, how often a refusal or failure was repeated, for what happened once.
func ReceiptJSON(r *sightline.Receipt) json.RawMessage {
	o := begin(256)
	text := func(name, value string) {
		if value != "" {
			o.text(name, value)
		}
	}
	o.number("seq", int64(r.Seq))
	o.number("at", r.At)
	text("session", r.Session)
	o.text("verb", r.Verb)
	text("path", r.Name.String())
	text("to", r.To.String())
	text("code", string(r.Code))
	for _, l := range []struct {
		name  string
		lines []sightline.Lines
	}{{"missing", r.Missing}, {"drifted", r.Drifted}, {"delivered", r.Delivered}, {"touched", r.Touched}} {
		if len(l.lines) > 0 {
			o.spans(l.name, l.lines)
		}
	}
	if !r.Before.IsZero() {
		o.ref("before", r.Before)
	}
	if !r.After.IsZero() {
		o.ref("after", r.After)
	}
	text("durability", string(r.Durability))
	warnings := make([]string, len(r.Warnings))
	for i, w := range r.Warnings {
		warnings[i] = string(w)
	}
	o.texts("warnings", warnings)
	if r.Count > 1 {
		o.number("count", int64(r.Count))
		o.number("last", r.Last)
	}
	if r.Cut > 0 {
		o.number("cut", int64(r.Cut))
	}
	return o.end()
}
