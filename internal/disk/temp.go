package disk

import (
	"encoding/hex"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
)

const (
	tempPrefix = ".sightline-"
	tempSuffix = ".tmp"
	tempRandom = 8 // bytes
)

// leftoverAge is how long, in nanoseconds, a temporary file must have been left alone before it counts as left over. A
// swap needs its own for milliseconds.
const leftoverAge = 600_000_000_000

// Temporary reports whether base is the name of a temporary file of this package.
func Temporary(base string) bool {
	mid, ok := strings.CutPrefix(base, tempPrefix)
	mid, ok2 := strings.CutSuffix(mid, tempSuffix)
	return ok && ok2 && len(mid) == 2*tempRandom && strings.Trim(mid, "0123456789abcdef") == ""
}

// TempName returns a fresh name for a temporary file, out of eight bytes of entropy. Code: io.
func TempName(entropy func([]byte) (int, error)) (string, error) {
	var r [tempRandom]byte
	if entropy == nil {
		return "", fault.Newf(fault.Internal, "", "the file system was opened without entropy, so it cannot be written")
	}
	if n, err := entropy(r[:]); err != nil || n != len(r) {
		return "", &fault.Error{Code: fault.IO, Message: "No random bytes could be had to name a temporary file.", Err: err}
	}
	return tempPrefix + hex.EncodeToString(r[:]) + tempSuffix, nil
}
