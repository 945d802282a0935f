package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"runtime"

	"github.com/sightline-io/sightline/internal/fault"
)

// DefaultDir returns the folder that a user's journal of root lies in: one for each root, below the user's state folder.
// That is $XDG_STATE_HOME, else $HOME/.local/state; on macOS $HOME/Library/Application Support; on Windows
// %LOCALAPPDATA%. env looks variables up. Different spellings of one root, links included, have one folder. Nothing is
// made. It answers invalid where no state folder is known, and where it would lie inside the root.
func DefaultDir(root string, env func(string) string) (string, error) {
	return defaultDir(runtime.GOOS, root, env)
}

func defaultDir(system, root string, env func(string) string) (string, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", &fault.Error{Code: fault.Invalid, Path: root, Message: "The root has no absolute path.", Err: err}
	}
	abs = resolved(abs)
	base := stateHome(system, env)
	if base == "" {
		return "", fault.Newf(fault.Invalid, root, "No state folder is known: neither XDG_STATE_HOME nor HOME names one.")
	}
	sum := sha256.Sum256([]byte(abs))
	dir := filepath.Join(base, "sightline", hex.EncodeToString(sum[:16]))
	if inside(dir, abs) {
		return "", fault.Newf(fault.Invalid, root, "The state folder %s lies inside the root.", dir)
	}
	return dir, nil
}

// stateHome returns the folder for state of the user, or nothing. Relative settings count for none, as the base
// directory specification has it.
func stateHome(system string, env func(string) string) string {
	join := func(variable string, rest ...string) string {
		at := env(variable)
		if !filepath.IsAbs(at) {
			return ""
		}
		return filepath.Join(append([]string{at}, rest...)...)
	}
	switch system {
	case "windows":
		return join("LOCALAPPDATA")
	case "darwin", "ios":
		if at := join("XDG_STATE_HOME"); at != "" {
			return at
		}
		return join("HOME", "Library", "Application Support")
	}
	if at := join("XDG_STATE_HOME"); at != "" {
		return at
	}
	return join("HOME", ".local", "state")
}
