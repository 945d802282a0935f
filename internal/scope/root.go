package scope

import (
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
)

// Root is the folder that a workspace serves. It is comparable. The zero Root admits nothing.
type Root struct {
	vol     string // "" on POSIX; "C:" or `\\server\share` on Windows
	path    string // components below the volume, joined by slashes; empty for the top
	aliases string // further spellings of the root, each as vol + "\x00" + path, joined by "\x01"; a string keeps Root comparable
	windows bool
	fold    bool
	set     bool // told apart from the zero Root, which the root / would equal otherwise
}

// NewRoot returns the root at the absolute path abs, which is cleaned. foldCase says that the file system there does
// not tell upper case from lower. It answers invalid for a path that is relative or not well-formed.
func NewRoot(abs string, foldCase bool) (Root, error) {
	if err := wellFormed(abs, "the root"); err != nil {
		return Root{}, err
	}
	r := Root{fold: foldCase, windows: windowsShaped(abs), set: true}
	vol, rest, kind := r.cut(abs)
	if kind != absolute {
		return Root{}, fault.Newf(fault.Invalid, shown(abs), "The root must be an absolute path.")
	}
	r.vol, r.path = vol, strings.Join(r.push(nil, rest), "/")
	return r, nil
}

// Alias returns r with abs as one more spelling of the same folder: the path as a person gave it, before links in it
// were followed. Absolute paths below an alias are inside the root. It answers invalid like [NewRoot].
func (r Root) Alias(abs string) (Root, error) {
	a, err := NewRoot(abs, r.fold)
	if err != nil {
		return Root{}, err
	}
	if a.windows != r.windows {
		return Root{}, fault.Newf(fault.Invalid, shown(abs), "A root and its alias must be of one platform.")
	}
	if a.vol == r.vol && a.path == r.path {
		return r, nil
	}
	if r.aliases != "" {
		r.aliases += "\x01"
	}
	r.aliases += a.vol + "\x00" + a.path
	return r, nil
}

// IsZero reports whether r is no root.
func (r Root) IsZero() bool { return !r.set }

// FoldCase reports whether names that differ in case alone are one file.
func (r Root) FoldCase() bool { return r.fold }

// Abs returns the absolute path of the root, with the separators of its platform.
func (r Root) Abs() string {
	if r.windows {
		return r.vol + `\` + strings.ReplaceAll(r.path, "/", `\`)
	}
	return "/" + r.path
}

// Full returns the absolute path of n, with the separators of the root's platform. It is for people and for other
// programs; the room that touches files goes down from the root by components.
func (r Root) Full(n Name) string {
	sep := "/"
	if r.windows {
		sep = `\`
	}
	abs := r.Abs()
	if n.IsRoot() || n.IsZero() {
		return abs
	}
	if !strings.HasSuffix(abs, sep) {
		abs += sep
	}
	if r.windows {
		return abs + strings.ReplaceAll(n.rel, "/", sep)
	}
	return abs + n.rel
}

// String returns the absolute path.
func (r Root) String() string { return r.Abs() }

// equal compares two components under the root's identity rule.
func (r Root) equal(a, b string) bool { return a == b || r.fold && r.identity(a) == r.identity(b) }

// inside returns what of the absolute path (vol, comps) lies below the root or one of its aliases.
func (r Root) inside(vol string, comps []string) (rel []string, ok bool) {
	if rel, ok = r.below(r.vol, r.path, vol, comps); ok || r.aliases == "" {
		return rel, ok
	}
	for a := range strings.SplitSeq(r.aliases, "\x01") {
		av, ap, _ := strings.Cut(a, "\x00")
		if rel, ok = r.below(av, ap, vol, comps); ok {
			return rel, true
		}
	}
	return nil, false
}

func (r Root) below(rootVol, rootPath, vol string, comps []string) ([]string, bool) {
	if fold(rootVol) != fold(vol) { // drives and shares never tell case
		return nil, false
	}
	top := components(rootPath)
	if len(comps) < len(top) {
		return nil, false
	}
	for i, c := range top {
		if !r.equal(c, comps[i]) {
			return nil, false
		}
	}
	return comps[len(top):], true
}

func components(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}
