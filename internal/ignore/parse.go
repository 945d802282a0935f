package ignore

import (
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/scope"
)

// longest is the length in bytes beyond which no name goes. A rule that matches only longer ones is kept for its number
// and never tried, which bounds what one rule can cost.
const longest = scope.MaxSpelling

// Parse reads the text of one file of rules that belongs to folder base: the folder of a .gitignore, the root for
// info/exclude and core.excludesFile. fold says that names which differ in the case of A to Z are one, as
// core.ignoreCase does. Any text can be read; text is not kept.
func Parse(base scope.Name, text []byte, fold bool) *Rules {
	dir := ""
	if !base.IsRoot() && !base.IsZero() {
		dir = base.String() + "/"
	}
	return parse(dir, text, fold)
}

func parse(dir string, data []byte, fold bool) *Rules {
	r := &Rules{base: dir, fold: fold}
	text := strings.TrimPrefix(string(data), "\xef\xbb\xbf")
	plain := text
	if fold {
		plain = lower(text)
	}
	for at, line := 0, int32(1); at < len(text); line++ {
		end, next := strings.IndexByte(text[at:], '\n'), 0
		if end < 0 {
			end, next = len(text), len(text)
		} else {
			end, next = at+end, at+end+1
		}
		if end > at && text[at] != '#' {
			end = at + significant(text[at:end])
			r.add(text[at:end], plain[at:end], line)
		}
		at = next
	}
	r.sort()
	return r
}

// significant returns how much of a line counts: not one CR at its end, nothing behind a NUL, no blanks at the end but one
// that a backslash stands before.
func significant(line string) int {
	line = strings.TrimSuffix(line, "\r")
	if i := strings.IndexByte(line, 0); i >= 0 {
		line = line[:i]
	}
	n := len(strings.TrimRight(line, " "))
	if n == len(line) {
		return n
	}
	slashes := 0
	for n-slashes > 0 && line[n-slashes-1] == '\\' {
		slashes++
	}
	return n + slashes%2
}

// add takes one line that is neither empty nor a comment; plain is the same line, folded where the rules fold.
func (r *Rules) add(line, plain string, number int32) {
	p := pattern{text: line, line: number}
	if strings.HasPrefix(line, "!") {
		p.negated, line, plain = true, line[1:], plain[1:]
	}
	if strings.HasSuffix(line, "/") {
		p.folders, line, plain = true, line[:len(line)-1], plain[:len(plain)-1]
	}
	p.anchored = strings.Contains(line, "/")
	if strings.HasPrefix(line, "/") {
		line, plain = line[1:], plain[1:]
	}
	n := literalEnd(line)
	p.lead = plain[:n]
	p.from = int32(len(r.tokens))
	if !r.compile(line[n:], p.anchored, longest-n) {
		r.tokens = append(r.tokens[:p.from], token{op: opNever})
	}
	p.to = int32(len(r.tokens))
	r.patterns = append(r.patterns, p)
	r.file(&p, int32(len(r.patterns)), plain)
}

// literalEnd returns how many bytes of a rule stand for themselves. They are cut off before the rest is read, so that the
// two stars of "foo**/bar" stand at the beginning of the rest and count as those of "**/bar": git does so in all
// releases that are in wide use, 2.39 among them, though gitignore(5) would have "foo*/bar".
func literalEnd(line string) int {
	if i := strings.IndexAny(line, `*?[\`); i >= 0 {
		return i
	}
	return len(line)
}

// file puts rule number (one-based) where [Rules.match] finds it.
func (r *Rules) file(p *pattern, number int32, plain string) {
	tokens := r.tokens[p.from:p.to]
	switch {
	case len(tokens) == 1 && tokens[0].op == opNever:
	case len(tokens) == 0 && p.anchored:
		r.byPath = noted(r.byPath, plain, number, p.folders)
	case len(tokens) == 0:
		r.byBase = noted(r.byBase, plain, number, p.folders)
	case !p.anchored && p.lead == "" && tokens[0].op == opStar && literalEnd(plain[1:]) == len(plain)-1:
		r.byEnd = noted(r.byEnd, plain[1:], number, p.folders)
	default:
		r.rest = append(r.rest, number-1)
	}
}

func noted(m map[string]latest, key string, number int32, folders bool) map[string]latest {
	if m == nil {
		m = map[string]latest{}
	}
	l := m[key]
	if folders {
		l.folder = number
	} else {
		l.any = number
	}
	m[key] = l
	return m
}

func (r *Rules) sort() {
	for e := range r.byEnd {
		r.ends = append(r.ends, len(e))
	}
	slices.Sort(r.ends)
	r.ends = slices.Clip(slices.Compact(r.ends))
	r.tokens = slices.Clip(r.tokens)
}
