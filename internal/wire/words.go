package wire

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip shortens s to at most n bytes, at a character boundary, and says so with three dots.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// quoteName shows a member's name or a value of the caller's: quoted, bounded and on one line.
func quoteName(s string) string { return strconv.Quote(clip(s, 96)) }

// oneLine shows a name that may hold anything on one line: quoted where it holds control characters or bytes that are no
// text, and as it is elsewhere.
func oneLine(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	return strconv.Quote(s)
}

// list shows names as a sentence does.
func list(names []string) string { return strings.Join(names, ", ") }

// count shows n things: "1 edit", "2 edits".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

func appendInt(out []byte, n int) []byte { return strconv.AppendInt(out, int64(n), 10) }
