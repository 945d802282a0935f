package wire

import (
	"encoding/json"

	"github.com/sightline-io/sightline"
)

// Received is an answer that another process made and that came over a connection: its text and, where they were asked
// for, its facts, which are one JSON value. The code is empty for a call that was done. Both slices are the answer's
// from now on.
func Received(tool string, text []byte, structured json.RawMessage, code sightline.Code) *Answer {
	a := &Answer{Tool: tool, Text: text, Code: code, structured: func() json.RawMessage { return structured }}
	if code != "" {
		a.Refused = code.Refusal()
		a.Failed = !a.Refused
	}
	return a
}
