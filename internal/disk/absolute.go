package disk

import (
	"os"
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

// Below returns what is left of the absolute path below the folder root, where the path goes through that very folder
// under another spelling: links above the root are as good a way to it as their targets are. rest is relative, "." for
// the folder itself. Only the folders on the path are looked at, and nothing is said of them.
func Below(root, path string) (rest string, ok bool) {
	want, err := os.Stat(root)
	if err != nil || !filepath.IsAbs(path) {
		return "", false
	}
	path = filepath.Clean(path)
	for at := path; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, want) {
			rest, err := filepath.Rel(at, path)
			return filepath.ToSlash(rest), err == nil
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}
