package scope

import (
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
)

// RootFromURI returns the root that a file: URI names, as editors and MCP clients give them. Escapes are decoded once,
// so blanks, percent signs and letters beyond ASCII may be part of the path: file:///w/a%20b/100%25 is /w/a b/100%.
// Senders that do not encode are understood too: a percent sign that starts no escape, a blank, # and ? stand for
// themselves. The host is empty, localhost or, for a Windows share, the server; a drive may be spelt C: or c%3A.
// Everything else is invalid, and so is what [NewRoot] takes for invalid.
func RootFromURI(uri string, foldCase bool) (Root, error) {
	if len(uri) > 3*MaxSpelling {
		return Root{}, invalid(uri, "the root is longer than 4096 bytes")
	}
	const scheme = "file:"
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return Root{}, fault.Newf(fault.Invalid, shown(uri), "The root must be a file: URI.")
	}
	path := unescape(uri[len(scheme):])
	host := ""
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		var ok bool
		if host, path, ok = strings.Cut(rest, "/"); ok {
			path = "/" + path
		}
	}
	if hasDriveName(host) {
		host, path = "", "/"+host+path // file://C:/x, which is wrong and common
	}
	if len(path) > 2 && path[0] == '/' && hasDriveName(path[1:3]) && (len(path) == 3 || path[3] == '/') {
		if path = path[1:]; len(path) == 2 {
			path += "/" // a drive alone is its top
		}
	}
	if host == "" || strings.EqualFold(host, "localhost") {
		return NewRoot(path, foldCase)
	}
	return NewRoot(`\\`+host+strings.ReplaceAll(path, "/", `\`), foldCase)
}

func hasDriveName(s string) bool { return len(s) == 2 && isLetter(s[0]) && s[1] == ':' }

// unescape decodes %XX and leaves every other percent sign alone.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if hi, lo := hexValue(s[i+1]), hexValue(s[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
