package scope

import "strings"

// counterpart returns the name inside the root that a path of another checkout of the same repository corresponds to,
// judged by names alone: whether either file exists plays no part, so the suggestion reveals nothing. It knows three
// shapes, first match:
//
//   - worktrees kept side by side: root /w/.wt/t1, path /w/.wt/t2/src/x -> src/x
//   - checkouts of one name, or one named after the other: root /w/app-t1, path /w/app/src/x -> src/x
//   - a worktree kept inside the main checkout: root /w/app/.wt/t1, path /w/app/src/x -> src/x
func (r Root) counterpart(vol string, comps []string) (Name, bool) {
	if fold(vol) != fold(r.vol) {
		return Name{}, false
	}
	top := components(r.path)
	common := 0
	for common < len(top) && common < len(comps) && r.equal(top[common], comps[common]) {
		common++
	}
	mine, theirs := top[common:], comps[common:]
	if len(mine) == 0 || len(theirs) == 0 {
		return Name{}, false
	}
	if common > 0 && keepsWorktrees(top[common-1]) && len(theirs) > 1 {
		return nameOfAll(theirs[1:])
	}
	for i, c := range theirs[:len(theirs)-1] {
		for _, m := range mine {
			if r.equal(c, m) || sameStem(c, m) {
				return nameOfAll(theirs[i+1:])
			}
		}
	}
	for i, m := range mine[:len(mine)-1] {
		// Everything from the main checkout down to the folder of worktrees is hidden or that folder itself.
		if keepsWorktrees(m) {
			return nameOfAll(theirs)
		}
		if i == 0 && m[0] != '.' {
			break
		}
	}
	return Name{}, false
}

// keepsWorktrees reports whether a folder's name says that checkouts are kept in it.
func keepsWorktrees(c string) bool {
	c = strings.TrimPrefix(fold(c), ".")
	return c == "wt" || c == "trees" || strings.Contains(c, "worktree")
}

// sameStem reports whether one name is the other with a part added behind -, _ or a dot.
func sameStem(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && len(a) < len(b) && strings.HasPrefix(b, a) && strings.ContainsRune("-_.", rune(b[len(a)]))
}

func nameOfAll(comps []string) (Name, bool) {
	n, err := NameOf(strings.Join(comps, "/"))
	return n, err == nil
}
