package rpc

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sightline-io/sightline"
)

// addressMax is how many bytes the path of a socket may have on every system: 104 with the final zero on macOS, 108
// on Linux.
const addressMax = 103

// Places returns where the socket of a root may lie, best first: in the user's runtime folder, else in the root's state
// folder, else, where those paths are too long for a socket or not known, in a folder of the user's own below the one
// for temporary files. A daemon listens at the first place that can be had; who dials tries all of them. Different
// spellings of one root, links included, have the same places. state may be empty; env looks variables up.
//
// It answers missing for a root that is not there, and io where nothing can be told of it.
func Places(root, state string, env func(string) string) ([]string, error) {
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		code := sightline.IO
		if os.IsNotExist(err) {
			code = sightline.Missing
		}
		return nil, &sightline.Error{Op: "open", Code: code, Path: root, Message: "The root cannot be found.", Err: err}
	}
	sum := sha256.Sum256([]byte(abs))
	name := hex.EncodeToString(sum[:16]) + ".sock"
	var out []string
	add := func(base string, rest ...string) {
		if filepath.IsAbs(base) {
			if p := filepath.Join(append([]string{base}, rest...)...); len(p) <= addressMax {
				out = append(out, p)
			}
		}
	}
	add(env("XDG_RUNTIME_DIR"), "sightline", name)
	add(state, "socket")
	own := "sightline-" + strconv.Itoa(os.Getuid())
	add(os.TempDir(), own, name)
	if os.TempDir() != "/tmp" && filepath.Separator == '/' {
		add("/tmp", own, name) // TMPDIR may be deep, and is not the same in every process
	}
	return out, nil
}
