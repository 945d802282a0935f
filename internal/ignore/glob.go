package ignore

import "strings"

// op says what a token stands for.
type op uint8

const (
	opByte  op = iota // this byte
	opAny             // one byte but a slash
	opSet             // one byte of a set, which never holds a slash
	opStar            // bytes but slashes, any number of them
	opAll             // any bytes, any number of them
	opDirs            // nothing, or any bytes up to a slash and with it
	opNever           // what cannot be: the rule matches nothing
)

type token struct {
	op  op
	b   byte
	set int32
}

// compile appends the tokens of a rule behind its literal beginning and reports whether the rule can match anything: a
// bracket that is not closed, a class that nobody knows, a backslash at the end and a length beyond room cannot.
func (r *Rules) compile(s string, anchored bool, room int) bool {
	for i := 0; i < len(s); {
		if room < 0 {
			return false
		}
		switch c := s[i]; c {
		case '*':
			i = r.stars(s, i, anchored)
			continue
		case '?':
			r.tokens = append(r.tokens, token{op: opAny})
			i++
		case '[':
			set, n := readSet(s[i:], r.fold)
			if n == 0 {
				return false
			}
			r.tokens = append(r.tokens, token{op: opSet, set: int32(len(r.sets))})
			r.sets = append(r.sets, set)
			i += n
		case '\\':
			if i+1 == len(s) {
				return false
			}
			// An escaped capital is not folded, and as names are it is never met: so it is with git.
			r.tokens = append(r.tokens, token{op: opByte, b: s[i+1]})
			i += 2
		default:
			if r.fold {
				c = lowered(c)
			}
			r.tokens = append(r.tokens, token{op: opByte, b: c})
			i++
		}
		room--
	}
	return room >= 0
}

// stars reads the run of stars at i and returns where it ends. Two or more are special in rules for paths, between
// slashes or ends; three are as good as two. Elsewhere any number of them is one.
func (r *Rules) stars(s string, i int, anchored bool) (end int) {
	end = i
	for end < len(s) && s[end] == '*' {
		end++
	}
	t := token{op: opStar}
	if anchored && end-i > 1 && (i == 0 || s[i-1] == '/') {
		switch rest := s[end:]; {
		case rest == "", strings.HasPrefix(rest, `\/`):
			t.op = opAll
		case rest[0] == '/':
			t.op = opDirs
			end++
		}
	}
	if n := len(r.tokens); t.op == opDirs && n > 0 && i > 0 && r.tokens[n-1].op == opDirs {
		return end // nothing or folders, twice, is nothing or folders; this bounds the tokens by the bytes they match
	}
	r.tokens = append(r.tokens, t)
	return end
}

// glob reports whether the tokens match all of s. It remembers one place to resume at for stars within a component and
// one for stars across them, and never returns to an earlier one: where the tokens between two stars match at all, their
// first match leaves the most to what follows. The work is at most the product of both lengths, times the number of components
// where tokens across components are many, and in practice their sum.
func (r *Rules) glob(tokens []token, s string) bool {
	t, i := 0, 0
	star, starAt := -1, 0 // the token behind the last star, and the byte it was last tried at
	gap, gapAt := -1, 0   // the same for the last opAll or opDirs
	for {
		if t < len(tokens) {
			switch k := &tokens[t]; k.op {
			case opStar:
				t++
				star, starAt = t, i
				continue
			case opAll, opDirs:
				t++
				if t == len(tokens) && k.op == opAll {
					return true
				}
				star = -1
				gap, gapAt = t, i
				continue
			default:
				if i < len(s) && r.one(k, s[i]) {
					t++
					i++
					continue
				}
			}
		} else if i == len(s) {
			return true
		}
		switch {
		case star >= 0 && starAt < len(s) && s[starAt] != '/':
			starAt++
			t, i = star, starAt
		case gap >= 0 && gapAt < len(s):
			gapAt++
			if tokens[gap-1].op == opDirs {
				n := strings.IndexByte(s[gapAt-1:], '/')
				if n < 0 {
					return false
				}
				gapAt += n
			}
			star = -1
			t, i = gap, gapAt
		default:
			return false
		}
	}
}

func (r *Rules) one(k *token, c byte) bool {
	switch k.op {
	case opByte:
		return c == k.b
	case opAny:
		return c != '/'
	case opSet:
		return r.sets[k.set].has(c)
	}
	return false
}
