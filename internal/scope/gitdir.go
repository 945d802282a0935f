package scope

import "strings"

// inGitDir reports whether some component of rel is .git in any spelling that a file system may take for it: other
// case, trailing dots and blanks and streams (NTFS), the short name git~1 (NTFS), characters that HFS+ ignores, and
// backslashes that a Windows program would read as separators. The rule is the same on all platforms, because a
// repository travels. .gitignore, .github and the like are ordinary names.
func inGitDir(rel string) bool {
	for len(rel) > 0 {
		c := rel
		if i := strings.IndexAny(rel, `/\`); i >= 0 {
			c, rel = rel[:i], rel[i+1:]
		} else {
			rel = ""
		}
		if isDotGit(c) {
			return true
		}
	}
	return false
}

func isDotGit(c string) bool {
	if len(c) < 4 || c[0] != '.' && c[0]|0x20 != 'g' && c[0] < 0x80 {
		return false
	}
	c = plain(c)
	if c == ".git" {
		return true
	}
	n, ok := strings.CutPrefix(c, "git~")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// plain returns what a careless file system makes of one component: folded, without characters that take no room,
// without a stream behind a colon, without trailing dots and blanks.
func plain(c string) string {
	if i := strings.IndexByte(c, ':'); i > 0 {
		c = c[:i]
	}
	c = strings.Map(func(r rune) rune {
		if takesNoRoom(r) {
			return -1
		}
		return r
	}, c)
	return fold(strings.TrimRight(c, ". "))
}

// takesNoRoom reports whether r is invisible: the characters HFS+ ignores in names, and their like.
func takesNoRoom(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x180E, r == 0xFEFF,
		0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F,
		0xFE00 <= r && r <= 0xFE0F, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return false
}
