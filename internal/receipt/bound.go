package receipt

import (
	"strings"
	"unicode"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// The bounds of what a caller hands in. A receipt is kept, shown and sent on; whatever does not look like what its
// field is for could be file text that went the wrong way, so it is replaced and not shortened.
const (
	wordMax     = 200
	warningsMax = 8
)

// bound makes r fit: copies the slices, cuts long lists, and lets only words of the right shape through.
func (r *Receipt) bound() {
	r.Session, r.Verb = word(r.Session), word(r.Verb)
	if r.Code != "" && !r.Code.Known() {
		r.Code = fault.Internal
	}
	switch r.Durability {
	case "", Durable, Atomic, InPlace:
	default:
		r.Durability = ""
	}
	r.Cut = 0
	for _, list := range []*[]span.Lines{&r.Missing, &r.Drifted, &r.Delivered, &r.Touched} {
		if n := len(*list); n > SpansMax {
			r.Cut += n - SpansMax
			*list = (*list)[:SpansMax]
		}
		*list = append([]span.Lines(nil), *list...)
	}
	warnings := r.Warnings[:min(len(r.Warnings), warningsMax)]
	r.Warnings = nil
	for _, w := range warnings {
		if !isCode(string(w)) {
			w = "other"
		}
		r.Warnings = append(r.Warnings, w)
	}
}

// word returns s where it is an identifier: up to 200 bytes of printable text without blanks. Otherwise it returns
// "?".
func word(s string) string {
	if len(s) > wordMax || strings.ContainsFunc(s, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r) || unicode.IsSpace(r)
	}) {
		return "?"
	}
	return s
}

func isCode(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
