package session_test

import (
	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
)

type evidenceCall = evidence.CallID

// contentRef reads a ref.
func contentRef(s string) content.Ref {
	r, err := content.ParseRef(s)
	if err != nil {
		panic(err)
	}
	return r
}
