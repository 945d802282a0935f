// Package content owns what bytes are: refs, the line table, line hashes, encodings, endings, and the Capture of one
// file at one instant. It is pure: nothing in it reads a file, a clock or a random source.
package content

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
)

// Ref names exact bytes: an algorithm and a digest. It is comparable and may be a map key. The zero Ref names nothing.
type Ref struct {
	sum [sha256.Size]byte
	set bool
}

// RefOf returns the ref of b: the SHA-256 of its bytes.
func RefOf(b []byte) Ref { return Ref{sum: sha256.Sum256(b), set: true} }

// IsZero reports whether r names nothing.
func (r Ref) IsZero() bool { return !r.set }

// Digest returns the raw digest; it is all zeros for the zero Ref.
func (r Ref) Digest() [sha256.Size]byte { return r.sum }

// String returns "sha256:" and 64 lower-case hex digits, or the empty string for the zero Ref.
func (r Ref) String() string {
	if !r.set {
		return ""
	}
	return "sha256:" + hex.EncodeToString(r.sum[:])
}

// ParseRef reads the text form of a ref. It answers invalid for anything else.
func ParseRef(s string) (Ref, error) {
	h, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(h) != 2*sha256.Size || strings.ToLower(h) != h {
		return Ref{}, fault.Newf(fault.Invalid, "", "a ref is sha256: and 64 lower-case hex digits")
	}
	var r Ref
	if _, err := hex.Decode(r.sum[:], []byte(h)); err != nil {
		return Ref{}, fault.Newf(fault.Invalid, "", "a ref is sha256: and 64 lower-case hex digits")
	}
	r.set = true
	return r, nil
}
