package edit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// A hint is for the eye: it says where text stands that a reader would take for the quoted text, and what tells the two
// apart. Nothing is ever changed where the text only nearly fits.

// hintBytesMax bounds the size of a text, in bytes, in which nearly equal text is looked for.
const hintBytesMax = 8 << 20

// hint says where text stands that nearly is what was quoted, and how it differs; Near is empty and the hint too where
// there is none.
func hint(t *content.Text, quoted string) (span.Lines, string) {
	if strings.ContainsRune(quoted, utf8.RuneError) && !bytes.Contains(t.Body(), []byte(string(utf8.RuneError))) {
		return span.Lines{}, "it holds U+FFFD, which only stands for bytes that cannot be shown; quote the text beside it"
	}
	if len(t.Body()) > hintBytesMax || len(quoted) > hintBytesMax {
		return span.Lines{}, ""
	}
	if bare := withoutNumbers(quoted); bare != quoted {
		if found := newFinder(t).find(bare, 1); len(found) > 0 {
			near := linesAt(t, found[0])
			return near, fmt.Sprintf("without the numbers before its lines it stands at line %d", near.From+1)
		}
	}
	for _, fold := range []func(rune) string{foldMarks, foldCase} {
		if near, ok := nearly(t, quoted, fold); ok {
			return near, differences(t, near, quoted)
		}
	}
	return partly(t, quoted)
}

// withoutNumbers returns s without the numbers that readers put before lines, if every line of it has one.
func withoutNumbers(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		rest := strings.TrimLeft(line, " ")
		bare := strings.TrimLeft(rest, "0123456789")
		_, size := utf8.DecodeRuneInString(bare)
		if bare == rest || !strings.ContainsAny(bare[:size], "\t|:→") {
			return s
		}
		b.WriteString(bare[size:])
	}
	if b.Len() == 0 {
		return s
	}
	return b.String()
}

// nearly finds the first place that is equal to the quoted text but for blanks and what fold makes equal.
func nearly(t *content.Text, quoted string, fold func(rune) string) (span.Lines, bool) {
	want, _ := loosen([]byte(quoted), fold)
	if len(want) == 0 {
		return span.Lines{}, false
	}
	have, at := loosen(t.Body(), fold)
	i := bytes.Index(have, want)
	if i < 0 {
		return span.Lines{}, false
	}
	from, to := t.LineAt(int(at[i])), t.LineAt(int(at[i+len(want)-1]))
	return span.Of(span.Line(from), span.Line(to+1)), true
}

// loosen returns b without blanks and folded, and for each byte of it where in b it comes from.
func loosen(b []byte, fold func(rune) string) (out []byte, at []int32) {
	out, at = make([]byte, 0, len(b)), make([]int32, 0, len(b))
	var ascii [utf8.RuneSelf]string
	for r := range ascii {
		ascii[r] = fold(rune(r))
	}
	for i := 0; i < len(b); {
		s, n := "", 1
		if c := b[i]; c < utf8.RuneSelf {
			s = ascii[c]
		} else if r, size := utf8.DecodeRune(b[i:]); r == utf8.RuneError {
			s, n = string(b[i:i+size]), size
		} else {
			s, n = fold(r), size
		}
		for k := range len(s) {
			out, at = append(out, s[k]), append(at, int32(i))
		}
		i += n
	}
	return out, at
}

// foldMarks drops blanks, and makes typographic marks equal to those of a keyboard.
func foldMarks(r rune) string {
	switch {
	case r > ' ' && r < utf8.RuneSelf:
		return string(r)
	case unicode.IsSpace(r), r == '\u200b', r == '\ufeff':
		return ""
	case strings.ContainsRune("‘’‚‛′", r):
		return "'"
	case strings.ContainsRune("“”„‟″", r):
		return `"`
	case strings.ContainsRune("‐‑‒–—―−", r):
		return "-"
	case r == '…':
		return "..."
	}
	return string(r)
}

// foldCase does that and drops the case of letters.
func foldCase(r rune) string { return strings.ToLower(foldMarks(r)) }

// differencesShown bounds how many differences a hint names.
const differencesShown = 3

// differences says what tells the lines near from the quoted text.
func differences(t *content.Text, near span.Lines, quoted string) string {
	lines := strings.Split(strings.ReplaceAll(quoted, "\r\n", "\n"), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) != near.Len() {
		return fmt.Sprintf("the same words stand from line %d on, broken into lines differently", near.From+1)
	}
	var out []string
	for i, q := range lines {
		out = append(out, difference(string(t.Line(int(near.From)+i)), q, i == 0, i == len(lines)-1, int(near.From)+i+1)...)
		if len(out) >= differencesShown {
			break
		}
	}
	if len(out) == 0 && strings.Contains(quoted, "\r\n") {
		return fmt.Sprintf("line %d does not end in CRLF", near.From+1)
	}
	if len(out) == 0 {
		return fmt.Sprintf("the blank lines around line %d differ", near.From+1)
	}
	return strings.Join(out[:min(len(out), differencesShown)], "; ")
}

// difference says what tells one line of the file from the quoted one, which may lack the start of the first line and
// the end of the last.
func difference(line, q string, first, last bool, number int) []string {
	var out []string
	haveLead, wantLead := leading(line), leading(q)
	if haveLead != wantLead && (!first || wantLead != "") {
		out = append(out, fmt.Sprintf("line %d starts with %s", number, blanks(haveLead)))
	}
	haveTail, wantTail := trailing(line), trailing(q)
	if haveTail != wantTail && (!last || wantTail != "") {
		out = append(out, fmt.Sprintf("line %d ends with %s", number, blanks(haveTail)))
	}
	if len(out) > 0 || strings.Contains(line, strings.TrimSpace(q)) {
		return out
	}
	return append(out, fmt.Sprintf("line %d has %s", number, inside(line, q)))
}

func leading(s string) string  { return s[:len(s)-len(strings.TrimLeft(s, " \t\u00a0"))] }
func trailing(s string) string { return s[len(strings.TrimRight(s, " \t\u00a0\r")):] }

// inside says what a line has that the quoted text has not.
func inside(line, q string) string {
	for _, k := range []struct{ marks, name string }{
		{"‘’‚‛“”„‟", "curly quotes"},
		{"′″", "prime marks"},
		{"‐‑‒–—―−", "a dash that is no hyphen"},
		{"…", "an ellipsis in one character"},
		{"\u00a0\u2007\u202f", "a no-break space"},
		{"\u200b\ufeff", "an invisible character"},
	} {
		switch have, want := strings.ContainsAny(line, k.marks), strings.ContainsAny(q, k.marks); {
		case have && !want:
			return k.name
		case want && !have:
			return "not " + k.name
		}
	}
	switch {
	case squeeze(line, false) == squeeze(q, false) || strings.Contains(squeeze(line, false), squeeze(q, false)):
		if strings.Contains(line, "\t") != strings.Contains(q, "\t") {
			return "tabs or blanks between words where the other is quoted"
		}
		return "other blanks between words"
	case strings.Contains(squeeze(line, true), squeeze(q, true)):
		return "other letter case"
	}
	return "other marks"
}

func squeeze(s string, lower bool) string {
	if lower {
		s = strings.ToLower(s)
	}
	return strings.Join(strings.Fields(s), "")
}

// partly finds a line of the quoted text that stands in the file, where the whole does not.
func partly(t *content.Text, quoted string) (span.Lines, string) {
	lines := strings.Split(quoted, "\n")
	if len(lines) < 2 {
		return span.Lines{}, ""
	}
	best, bestAt := "", -1
	for _, q := range lines {
		if q = strings.TrimSpace(q); len(q) > len(best) && len(q) >= 4 {
			if i := bytes.Index(t.Body(), []byte(q)); i >= 0 {
				best, bestAt = q, i
			}
		}
	}
	if bestAt < 0 {
		return span.Lines{}, ""
	}
	k := span.Line(t.LineAt(bestAt))
	return span.Of(k, k+1), fmt.Sprintf("a part of it stands at line %d, and what stands around it there differs", k+1)
}

// blanks says in words what blanks a line has at one end.
func blanks(s string) string {
	if s == "" {
		return "no blank"
	}
	var out []string
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		count := 0
		for strings.HasPrefix(s, string(r)) {
			s = s[n:]
			count++
		}
		name := "blank"
		switch r {
		case '\t':
			name = "tab"
		case '\u00a0':
			name = "no-break space"
		case '\r':
			name = "CR"
		}
		if count != 1 {
			name += "s"
		}
		out = append(out, number(count)+" "+name)
	}
	return strings.Join(out, " and ")
}

func number(n int) string {
	words := [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
