// Package ignore owns the rules of gitignore, as git means them: which names a repository wants to be left out.
//
// A file of rules is parsed once into [Rules], which belong to the folder the file lies in. A [Stack] is the place of a
// walk: the rules that are in force in one folder, with the strongest last. It answers for each entry of that folder
// what the last rule that matches it says, and it knows that nothing below an ignored folder can be taken back.
//
// The package reads no file: text comes in as bytes. It knows nothing of the index either. To git a file that is tracked
// is never ignored; here it is, if a rule says so.
//
// The rules are written from gitignore(5) and held against git itself, which decides wherever the page is silent: bytes
// are compared and not characters, only A to Z are folded, a rule that cannot be understood matches nothing. Where
// releases of git differ, the rule is that of 2.39: see the comment at literalEnd.
//
// Everything here is immutable once made, and safe for concurrent use. Nothing fails: every text is a file of rules.
package ignore

import (
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/scope"
)

// Rules are the rules of one file.
type Rules struct {
	base     string // the folder the rules belong to, with a slash behind it; empty for the root
	fold     bool
	patterns []pattern
	tokens   []token // of all patterns, one after the other
	sets     []set

	// Most rules are plain texts, and finding them by their text makes a long file cheap. What is left is tried one by
	// one, from the last.
	byBase map[string]latest // the whole last component
	byPath map[string]latest // the whole path below base
	byEnd  map[string]latest // what the last component ends with
	ends   []int             // the lengths in byEnd, ascending
	rest   []int32           // the other patterns, ascending
}

// pattern is one rule. Its texts are slices of the file.
type pattern struct {
	text     string // as it is shown: without trailing blanks
	lead     string // the bytes that the subject must begin with; folded
	from, to int32  // the tokens for what follows them
	line     int32  // one-based
	negated  bool
	folders  bool // matches folders alone
	anchored bool // compared with the path below base instead of the last component
}

// latest is where a text stands last: the numbers of the last rule for anything and of the last rule for folders, plus
// one; zero means none.
type latest struct{ any, folder int32 }

func (l latest) of(isDir bool) int32 {
	if isDir {
		return max(l.any, l.folder)
	}
	return l.any
}

// Verdict is what the rules say of one name.
type Verdict struct {
	Ignored bool
	By      *Rules // the rules that decided; nil where no rule matches
	Pattern string // the rule as written, without the blanks that do not count
	Line    int    // where it stands in its file, one-based; 0 where no rule matches
}

// Len returns how many rules there are; comments and empty lines are none.
func (r *Rules) Len() int { return len(r.patterns) }

// Match returns what the rules alone say of a name, folder or not, that lies anywhere below their folder; of other names
// they say nothing. Whether a folder above it is ignored is not asked: that is the affair of [Stack].
func (r *Rules) Match(name scope.Name, isDir bool) Verdict { return r.match(name.String(), isDir) }

func (r *Rules) match(name string, isDir bool) Verdict {
	if r == nil || len(r.patterns) == 0 {
		return Verdict{}
	}
	if !strings.HasPrefix(name, r.base) || len(name) == len(r.base) || name == "." {
		return Verdict{}
	}
	below := name[len(r.base):]
	if r.fold {
		below = lower(below)
	}
	last := below[strings.LastIndexByte(below, '/')+1:]
	if last == "" {
		return Verdict{} // no name
	}
	best := max(r.byBase[last].of(isDir), r.byPath[below].of(isDir))
	for _, n := range r.ends {
		if n > len(last) {
			break
		}
		best = max(best, r.byEnd[last[len(last)-n:]].of(isDir))
	}
	for _, i := range slices.Backward(r.rest) {
		if i < best { // numbers in latest are one more than numbers here
			break
		}
		if r.matches(&r.patterns[i], below, last, isDir) {
			best = i + 1
			break
		}
	}
	if best == 0 {
		return Verdict{}
	}
	p := &r.patterns[best-1]
	return Verdict{Ignored: !p.negated, By: r, Pattern: p.text, Line: int(p.line)}
}

func (r *Rules) matches(p *pattern, below, last string, isDir bool) bool {
	if p.folders && !isDir {
		return false
	}
	subject := last
	if p.anchored {
		subject = below
	}
	tokens := r.tokens[p.from:p.to] // never empty: a rule without any is in a table
	if end := &tokens[len(tokens)-1]; end.op == opByte && end.b != subject[len(subject)-1] {
		return false
	}
	return strings.HasPrefix(subject, p.lead) && r.glob(tokens, subject[len(p.lead):])
}

// lower folds A to Z; git folds no other letter.
func lower(s string) string {
	for i := range len(s) {
		if isUpper(s[i]) {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = lowered(b[i])
			}
			return string(b)
		}
	}
	return s
}

func lowered(c byte) byte {
	if isUpper(c) {
		c += 'a' - 'A'
	}
	return c
}
