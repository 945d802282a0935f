// Package scope owns which names are admitted: the root of a workspace, the [Name] that a spelling stands for, the
// [Key] that tells files apart, and the [Policy] that closes secrets and .git at every door.
//
// Everything here works on spellings alone. Nothing looks at the disk, so nothing in here can reveal whether a file
// exists; links are the business of the room that touches files, which asks [Policy.Check] again with the name it
// arrived at. The platform is taken from the shape of the root, not from the machine this runs on: a root that begins
// with a drive or a share is read by the rules of Windows, every other one by those of POSIX.
//
// All values are immutable and safe for concurrent use.
package scope

import (
	"strings"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/fault"
)

// MaxSpelling is the longest spelling that is looked at, in bytes.
const MaxSpelling = 4096

// wellFormed refuses spellings that no rule below should ever see: empty ones, overlong ones, invalid UTF-8 and
// control characters. Control characters (C0, DEL and C1) are legal in POSIX names, but nobody names a source file so,
// and they forge lines in messages, listings and terminals.
func wellFormed(spelling, what string) error {
	if spelling == "" {
		return invalid(spelling, what+" is empty")
	}
	if len(spelling) > MaxSpelling {
		return invalid(spelling, what+" is longer than 4096 bytes")
	}
	if !utf8.ValidString(spelling) {
		return invalid(spelling, what+" is not valid UTF-8")
	}
	for _, r := range spelling {
		if r == 0 {
			return invalid(spelling, what+" holds a NUL")
		}
		if isControl(r) {
			return invalid(spelling, what+" holds a control character")
		}
	}
	return nil
}

func isControl(r rune) bool { return r < 0x20 || 0x7F <= r && r < 0xA0 }

func invalid(spelling, message string) error {
	return &fault.Error{Code: fault.Invalid, Path: shown(spelling), Field: "path", Message: strings.ToUpper(message[:1]) + message[1:] + "."}
}

// shown makes a spelling fit for a message: valid, without control characters, and bounded.
func shown(spelling string) string {
	const most = 256
	cut := len(spelling) > most
	if cut {
		spelling = spelling[:most]
	}
	s := strings.Map(func(r rune) rune {
		if isControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(spelling, string(utf8.RuneError)))
	if cut {
		s += "..."
	}
	return s
}
