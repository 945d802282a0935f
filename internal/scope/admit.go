package scope

import (
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
)

// Admit returns the Name that a caller's spelling stands for. relativeTo is the folder that relative spellings start
// at: root-relative, or absolute (a working directory, which may lie outside the root); "" is the root.
//
// Absolute spellings are accepted where they lie inside the root, compared component by component after cleaning.
// ".." is applied to the names as spelt and may leave the root as long as the whole comes back into it. A trailing
// slash says nothing. No spelling is decoded: percent signs, blanks and "~" are ordinary characters.
//
// It answers invalid for spellings that are empty, longer than 4096 bytes, not UTF-8, hold a control character, are a
// file: URI, or would be another file on the root's platform than they say; and outside-root for everything outside,
// with a message that is made of names alone and says nothing of what exists.
func (r Root) Admit(spelling, relativeTo string) (Name, error) {
	if r.IsZero() {
		return Name{}, invalid(spelling, "there is no root")
	}
	if err := wellFormed(spelling, "the path"); err != nil {
		return Name{}, err
	}
	if len(spelling) >= 7 && strings.EqualFold(spelling[:7], "file://") {
		return Name{}, invalid(spelling, "the path is a file: URI; give a plain path")
	}
	vol, rest, k := r.cut(spelling)
	comps := []string(nil)
	switch k {
	case foreign:
		return Name{}, r.outside(spelling, "", nil)
	case loose:
		return Name{}, invalid(spelling, "the path is relative to the working directory of a drive; give a full path")
	case relative:
		var err error
		if vol, comps, err = r.start(relativeTo); err != nil {
			return Name{}, err
		}
	}
	comps = r.push(comps, rest)
	rel, ok := r.inside(vol, comps)
	if !ok {
		return Name{}, r.outside(spelling, vol, comps)
	}
	if r.windows {
		for _, c := range rel {
			if why := aliasOnWindows(c); why != "" {
				return Name{}, invalid(spelling, why)
			}
		}
	}
	if len(rel) == 0 {
		return Name{"."}, nil
	}
	n := Name{strings.Join(rel, "/")}
	if len(n.rel) > MaxSpelling {
		return Name{}, invalid(spelling, "the path is longer than 4096 bytes below the root")
	}
	if hasDrive(n.rel) {
		return Name{}, r.outside(spelling, "", nil) // it would not mean the same when it is spelt by itself
	}
	return n, nil
}

// start returns the absolute folder that relative spellings are applied to.
func (r Root) start(relativeTo string) (vol string, comps []string, err error) {
	if relativeTo == "" {
		return r.vol, components(r.path), nil
	}
	if err := wellFormed(relativeTo, "the working directory"); err != nil {
		return "", nil, err
	}
	vol, rest, k := r.cut(relativeTo)
	switch k {
	case absolute:
		return vol, r.push(nil, rest), nil
	case relative:
		return r.vol, r.push(components(r.path), rest), nil
	}
	return "", nil, invalid(relativeTo, "the working directory is no path of this platform")
}

func (r Root) outside(spelling, vol string, comps []string) error {
	msg := "The path lies outside the root of this workspace, " + r.Abs() + "."
	if n, ok := r.counterpart(vol, comps); ok {
		msg += " If you mean the same file of this workspace, its path here is " + r.Full(n) + "."
	}
	return &fault.Error{Code: fault.OutsideRoot, Path: shown(spelling), Message: msg}
}
