package edit

import (
	"fmt"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// occurrencesMax bounds how many places an ambiguous text is reported with.
const occurrencesMax = 256

// LocateDetail says more of an operation that could not be located. It stands in the chain of a fault whose code is
// not-found or ambiguous and is found by [errors.As]. It is not modified after it was returned.
type LocateDetail struct {
	// Op is the index of the operation at fault.
	Op int
	// Occurrences are the lines of each place of an ambiguous text, from the top; at most 256 are listed.
	Occurrences []span.Lines
	// More tells that there are further occurrences.
	More bool
	// Near is where text stands that differs in blanks, quotes or a few characters; empty where nothing does.
	Near span.Lines
	// Hint says how it differs, for a model; it quotes no text of the file.
	Hint string
}

// Error describes the detail for a person.
func (d *LocateDetail) Error() string {
	switch {
	case d.Hint != "":
		return fmt.Sprintf("edit %d: %s", d.Op+1, d.Hint)
	case len(d.Occurrences) > 0:
		return fmt.Sprintf("edit %d: at %s", d.Op+1, fault.Ranges(d.Occurrences))
	}
	return fmt.Sprintf("edit %d", d.Op+1)
}
