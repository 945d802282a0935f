package disk

import (
	"path/filepath"

	"github.com/sightline-io/sightline/internal/fault"
)

// Absolute returns the absolute path that a path stands for, which is relative to the working directory of the process
// where it is not absolute already. Links are not followed. It answers invalid where there is no working directory.
func Absolute(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", &fault.Error{Code: fault.Invalid, Field: "root", Message: "The root has no absolute path.", Err: err}
	}
	return abs, nil
}
