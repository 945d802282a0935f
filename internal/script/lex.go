package script

import (
	"fmt"
	"strconv"
	"strings"
)

// token is a word or a quoted text.
type token struct {
	word   string // as written, for words
	text   string // decoded, for quoted texts
	quoted bool
}

func (t token) String() string {
	if t.quoted {
		return quote(t.text)
	}
	return t.word
}

// lex splits a step into tokens. Words end at blanks, quotes and semicolons; a hash where a word would begin starts a
// comment.
func lex(s string) ([]token, error) {
	var toks []token
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '#':
			return toks, nil
		case c == ';':
			toks = append(toks, token{word: ";"})
			i++
		case c == '"':
			text, n, err := unquote(s[i:])
			if err != nil {
				return nil, err
			}
			toks = append(toks, token{text: text, quoted: true})
			i += n
		default:
			n := strings.IndexAny(s[i:], " \t\";")
			if n < 0 {
				n = len(s) - i
			}
			toks = append(toks, token{word: s[i : i+n]})
			i += n
		}
	}
	return toks, nil
}

// words reads the tokens of one step.
type words struct {
	toks []token
	pos  int
}

func (w *words) done() bool { return w.pos >= len(w.toks) }

// peek returns the next word, or "" at the end and before a quoted text.
func (w *words) peek() string {
	if w.done() {
		return ""
	}
	return w.toks[w.pos].word
}

// take consumes the next token if it is the word s.
func (w *words) take(s string) bool {
	if w.peek() == s {
		w.pos++
		return true
	}
	return false
}

func (w *words) next(what string) (token, error) {
	if w.done() {
		return token{}, fmt.Errorf("%s is missing", what)
	}
	t := w.toks[w.pos]
	w.pos++
	return t, nil
}

// name reads a path or a name: a word or a quoted text.
func (w *words) name(what string) (string, error) {
	t, err := w.next(what)
	if err != nil {
		return "", err
	}
	if t.quoted {
		return t.text, nil
	}
	if t.word == "->" || t.word == "=>" || t.word == ";" {
		return "", fmt.Errorf("%s is missing before %s", what, t.word)
	}
	return t.word, nil
}

func (w *words) number(what string) (int, error) {
	t, err := w.next(what)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(t.word)
	if err != nil || t.quoted {
		return 0, fmt.Errorf("%s must be a number, not %v", what, t)
	}
	return n, nil
}

// text reads an expression of texts.
func (w *words) textExpr(what string) (string, error) {
	var b strings.Builder
	for {
		part, err := w.textPart(what)
		if err != nil {
			return "", err
		}
		b.WriteString(part)
		if !w.take("+") {
			return b.String(), nil
		}
	}
}

func (w *words) textPart(what string) (string, error) {
	if w.take("each") {
		r, err := w.lines("the range of each")
		if err != nil {
			return "", err
		}
		t, err := w.next("the text of each")
		if err != nil {
			return "", err
		}
		if !t.quoted {
			return "", fmt.Errorf("each needs a quoted text, not %v", t)
		}
		return count(r, t.text), nil
	}
	t, err := w.next(what)
	if err != nil {
		return "", err
	}
	if !t.quoted {
		return "", fmt.Errorf("%s must be a quoted text, not %v", what, t)
	}
	if w.take("*") {
		n, err := w.number("the number of repetitions")
		if err != nil {
			return "", err
		}
		return strings.Repeat(t.text, n), nil
	}
	return t.text, nil
}

// count writes the text once for every number of r, with {n} replaced by it and {n:4} by it with leading zeros.
func count(r Range, text string) string {
	var b strings.Builder
	for n := r.From; n <= r.To; n++ {
		s := strings.ReplaceAll(text, "{n}", strconv.Itoa(n))
		for width := 2; width <= 6; width++ {
			s = strings.ReplaceAll(s, fmt.Sprintf("{n:%d}", width), fmt.Sprintf("%0*d", width, n))
		}
		b.WriteString(s)
	}
	return b.String()
}

func (w *words) lines(what string) (Range, error) {
	t, err := w.next(what)
	if err != nil {
		return Range{}, err
	}
	r, ok := parseRange(t.word)
	if !ok || t.quoted {
		return Range{}, fmt.Errorf("%s must be a range such as 3-4, not %v", what, t)
	}
	return r, nil
}

// ranges reads as many ranges as follow.
func (w *words) ranges() []Range {
	out := []Range{}
	for !w.done() {
		r, ok := parseRange(w.peek())
		if !ok {
			break
		}
		out = append(out, r)
		w.pos++
	}
	return out
}

// parseRange reads "a-b". From may exceed To by exactly one; "a" alone is the line a.
func parseRange(s string) (Range, bool) {
	a, b, dash := strings.Cut(s, "-")
	from, err := strconv.Atoi(a)
	if err != nil {
		return Range{}, false
	}
	if !dash {
		return Range{from, from}, true
	}
	to, err := strconv.Atoi(b)
	if err != nil {
		return Range{}, false
	}
	return Range{from, to}, true
}
