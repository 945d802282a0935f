package edit

import (
	"fmt"

	"github.com/sightline-io/sightline/internal/fault"
)

// Shape answers invalid, or limit for too many, for operations that can mean nothing in any file. A caller asks before
// it looks for the file, so that what is wrong with the request itself is said first. [Locate] asks again.
func Shape(ops []Op) error {
	if len(ops) == 0 {
		return invalid("edits", "an edit call needs at least one edit")
	}
	if len(ops) > OpsMax {
		return &fault.Error{Code: fault.Limit, Message: fmt.Sprintf("the call holds %d edits; at most %d are taken in one call", len(ops), OpsMax)}
	}
	for i, op := range ops {
		if op == nil {
			return at(i, ops, invalid("", "the edit says neither what to replace nor by what"))
		}
		if err := op.check(); err != nil {
			return at(i, ops, err)
		}
	}
	return nil
}

// ShapeText is [Shape] for the text of a whole-file write.
func ShapeText(text string) error { return checkText("text", text) }
