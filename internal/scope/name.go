package scope

import "strings"

// Name is an admitted name: a path relative to the root, slash separated, cleaned, never leading out of the root. The
// root itself is ".", which only listing can use. A Name is comparable, but two Names may mean one file where the root
// folds case: maps are keyed by [Key]. The zero Name names nothing.
type Name struct{ rel string }

// NameOf returns the Name of a canonical root-relative path, as the room that touches files finds them. It answers
// invalid for a path that is absolute, begins with a drive, holds an empty, "." or ".." component, or is not
// well-formed; the path of the root itself is ".".
func NameOf(rel string) (Name, error) {
	if rel == "." {
		return Name{"."}, nil
	}
	if err := wellFormed(rel, "the name"); err != nil {
		return Name{}, err
	}
	if hasDrive(rel) {
		return Name{}, invalid(rel, "the name begins with the drive of another platform")
	}
	for c := range strings.SplitSeq(rel, "/") {
		if c == "" || c == "." || c == ".." {
			return Name{}, invalid(rel, "the name is not a clean path relative to the root")
		}
	}
	return Name{rel}, nil
}

// String returns the root-relative path with forward slashes.
func (n Name) String() string { return n.rel }

// IsZero reports whether n names nothing.
func (n Name) IsZero() bool { return n.rel == "" }

// IsRoot reports whether n is the root itself.
func (n Name) IsRoot() bool { return n.rel == "." }

// Dir returns the folder n lies in; the root lies in itself.
func (n Name) Dir() Name {
	if i := strings.LastIndexByte(n.rel, '/'); i >= 0 {
		return Name{n.rel[:i]}
	}
	return Name{"."}
}

// Base returns the last component of n.
func (n Name) Base() string { return n.rel[strings.LastIndexByte(n.rel, '/')+1:] }

// Join returns the name of the entry base in folder n. It answers invalid where base is no single component.
func (n Name) Join(base string) (Name, error) {
	if base == "" || base == "." || base == ".." || strings.Contains(base, "/") {
		return Name{}, invalid(base, "the entry is no single name")
	}
	if n.IsRoot() || n.IsZero() {
		return NameOf(base)
	}
	return NameOf(n.rel + "/" + base)
}

// In reports whether n lies in folder dir, at any depth, or is dir itself, under the identity rule of r.
func (n Name) In(dir Name, r Root) bool {
	if dir.IsRoot() {
		return !n.IsZero()
	}
	k, d := n.Key(r).s, dir.Key(r).s
	return k == d || strings.HasPrefix(k, d) && k[len(d)] == '/'
}

// Key tells files apart: equal keys of one root are one file, as far as spelling can tell. It is comparable and
// ordered by [Key.String].
type Key struct{ s string }

// Key returns the identity of n: its path, folded where r folds case. The name itself keeps its capitals.
func (n Name) Key(r Root) Key { return Key{r.identity(n.rel)} }

// String returns the key as text; it is a path only where the root does not fold case.
func (k Key) String() string { return k.s }
