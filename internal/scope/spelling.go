package scope

import "strings"

// kind tells how a spelling says where it starts.
type kind uint8

const (
	relative kind = iota
	absolute
	foreign // absolute in a way that can never be below this root: a device, or another platform's drive
	loose   // relative to a drive's own working directory, which nobody knows
)

// windowsShaped reports whether an absolute path begins with a drive or a share.
func windowsShaped(abs string) bool {
	return hasDrive(abs) || strings.HasPrefix(abs, `\\`)
}

func hasDrive(s string) bool {
	return len(s) >= 3 && isLetter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// cut splits a spelling into its volume and the rest, whose separators are then slashes.
func (r Root) cut(s string) (vol, rest string, k kind) {
	if !r.windows {
		switch {
		case strings.HasPrefix(s, "/"):
			return "", s, absolute
		case hasDrive(s):
			return "", "", foreign
		}
		return "", s, relative
	}
	s = strings.ReplaceAll(s, `\`, "/")
	if rest, ok := strings.CutPrefix(s, "//?/"); ok {
		// The extended-length form of a path: the same file by another prefix.
		s = rest
		if len(s) >= 4 && strings.EqualFold(s[:4], "UNC/") {
			s = "//" + s[4:]
		} else if !hasDrive(s) {
			return "", "", foreign
		}
	} else if strings.HasPrefix(s, "//./") {
		return "", "", foreign
	}
	switch {
	case hasDrive(s):
		return strings.ToUpper(s[:1]) + ":", s[2:], absolute
	case len(s) >= 2 && isLetter(s[0]) && s[1] == ':':
		return "", "", loose
	case strings.HasPrefix(s, "//"):
		server, after, _ := strings.Cut(s[2:], "/")
		share, after, _ := strings.Cut(after, "/")
		if server == "" || share == "" || server == "." || server == "?" {
			return "", "", foreign
		}
		return `\\` + server + `\` + share, "/" + after, absolute
	case strings.HasPrefix(s, "/"):
		return r.vol, s, absolute // rooted on the root's own volume
	}
	return "", s, relative
}

// push applies the components of rest, whose separators are slashes, to the stack comps: empty ones and "." stay, ".."
// goes up and stops at the top, everything else goes down.
func (r Root) push(comps []string, rest string) []string {
	for c := range strings.SplitSeq(rest, "/") {
		switch c {
		case "", ".":
		case "..":
			if len(comps) > 0 {
				comps = comps[:len(comps)-1]
			}
		default:
			comps = append(comps, c)
		}
	}
	return comps
}

// aliasOnWindows explains why the component c would be another file than it says on Windows; it is empty where c is
// an honest name. Trailing dots and blanks are dropped there, a colon opens a stream, and device names are devices
// with any extension.
func aliasOnWindows(c string) string {
	if strings.ContainsAny(c, `<>"|?*`) {
		return `the path holds one of < > " | ? *, which Windows names cannot`
	}
	if strings.Contains(c, ":") {
		return "the path holds a colon, which names a stream of another file"
	}
	if t := strings.TrimRight(c, ". "); t != c {
		return "a name in the path ends in a dot or a blank, which Windows drops"
	}
	stem, _, _ := strings.Cut(c, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return "the path names a device"
	}
	if n := []rune(stem); len(n) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && strings.ContainsRune("0123456789¹²³", n[3]) {
		return "the path names a device"
	}
	return ""
}
