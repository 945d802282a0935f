package disk

import (
	"bytes"

	"github.com/sightline-io/sightline/internal/content"
)

// Expect is the precondition of a change: what must stand at the name. It is made by [Absent], [Exactly] or [Holding];
// the zero Expect is met by nothing.
type Expect struct {
	absent bool
	ref    content.Ref
	held   []byte
	holds  bool
}

// Absent expects that nothing stands at the name.
func Absent() Expect { return Expect{absent: true} }

// Exactly expects a file of the bytes that ref names. The zero ref is met by nothing.
func Exactly(ref content.Ref) Expect { return Expect{ref: ref} }

// Holding expects a file of exactly the bytes b. The caller must not change them before the call is over.
func Holding(b []byte) Expect { return Expect{held: b, holds: true} }

// Holding adds the very bytes that the ref names, so that a comparison replaces hashing. Whether they are those bytes
// is the caller's word: b alone is compared.
func (e Expect) Holding(b []byte) Expect { e.held, e.holds = b, true; return e }

// IsAbsent reports whether nothing is expected at the name.
func (e Expect) IsAbsent() bool { return e.absent }

// Ref returns the ref that is expected; it is zero for Absent and for bytes without a ref.
func (e Expect) Ref() content.Ref { return e.ref }

// Met reports whether a file of the bytes b is what was expected.
func (e Expect) Met(b []byte) bool {
	switch {
	case e.absent:
		return false
	case e.holds:
		return bytes.Equal(b, e.held)
	}
	return !e.ref.IsZero() && content.RefOf(b) == e.ref
}
