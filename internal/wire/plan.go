package wire

import (
	"encoding/json"

	"github.com/sightline-io/sightline"
)

// DecodeEdit reads the arguments of an edit without making the call, for doors that plan first, show the change, and
// commit later. The error is a refusal with the code invalid or limit; [Refuse] makes an answer of it.
func DecodeEdit(args json.RawMessage, meta sightline.Meta) (sightline.EditRequest, error) {
	return newRequest("edit", args, meta).edit()
}

// EditDone is the answer to an edit that a door committed itself.
func EditDone(a *sightline.EditAnswer) *Answer {
	return done("edit", editText(a), func() json.RawMessage { return editJSON(a) })
}
