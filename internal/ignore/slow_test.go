package ignore

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// slow is what tokens mean, by the book: every token says what it can take, and all ways are tried.
func (r *Rules) slow(tokens []token, s string) bool {
	at := make([]bool, len(s)+1) // where the tokens so far can end
	at[0] = true
	for i := range tokens {
		next := make([]bool, len(s)+1)
		for from, ok := range at {
			if !ok {
				continue
			}
			switch k := &tokens[i]; k.op {
			case opStar:
				for to := from; ; to++ {
					next[to] = true
					if to == len(s) || s[to] == '/' {
						break
					}
				}
			case opAll:
				for to := from; to <= len(s); to++ {
					next[to] = true
				}
			case opDirs:
				next[from] = true
				for to := from; to < len(s); to++ {
					next[to+1] = next[to+1] || s[to] == '/'
				}
			default:
				if from < len(s) && r.one(k, s[from]) {
					next[from+1] = true
				}
			}
		}
		at = next
	}
	return at[len(s)]
}

// slowMatch is [Rules.match] without its tables and without its shortcuts.
func (r *Rules) slowMatch(name string, isDir bool) (line int) {
	below, ok := strings.CutPrefix(name, r.base)
	if !ok || below == "" || name == "." || strings.HasSuffix(name, "/") {
		return 0
	}
	if r.fold {
		below = lower(below)
	}
	for _, p := range slices.Backward(r.patterns) {
		subject := below
		if !p.anchored {
			subject = below[strings.LastIndexByte(below, '/')+1:]
		}
		rest, ok := strings.CutPrefix(subject, p.lead)
		if ok && (isDir || !p.folders) && r.slow(r.tokens[p.from:p.to], rest) {
			return int(p.line)
		}
	}
	return 0
}

// every calls yield with every string over the letters of at most n of them.
func every(letters string, n int, yield func(string)) {
	words := []string{""}
	for range n + 1 {
		var longer []string
		for _, w := range words {
			yield(w)
			for _, l := range letters {
				longer = append(longer, w+string(l))
			}
		}
		words = longer
	}
}

// In the small world of every rule of a few tokens and every name of a few letters, the fast way finds what the slow
// way finds.
func TestGlobExhaustive(t *testing.T) {
	rules, names := 4, 6
	if os.Getenv("SIGHTLINE_LONG") != "" {
		rules, names = 5, 7
	}
	r := &Rules{sets: []set{{}}}
	r.sets[0].put('b')
	kinds := map[rune]token{
		'a': {op: opByte, b: 'a'}, '/': {op: opByte, b: '/'}, '?': {op: opAny}, 's': {op: opSet}, '*': {op: opStar}, 'A': {op: opAll}, 'D': {op: opDirs},
	}
	var subjects []string
	every("ab/", names, func(s string) { subjects = append(subjects, s) })
	pairs, matched := 0, 0
	every("a/?s*AD", rules, func(word string) {
		var tokens []token
		for _, k := range word {
			tokens = append(tokens, kinds[k])
		}
		for i, k := range tokens { // what the parser makes: a gap stands between slashes or ends
			slash := func(i int) bool { return tokens[i] == kinds['/'] }
			gap := k.op == opAll || k.op == opDirs
			if gap && i > 0 && !slash(i-1) && tokens[i-1].op != opDirs || k.op == opAll && i+1 < len(tokens) && !slash(i+1) {
				return
			}
		}
		for _, s := range subjects {
			got, want := r.glob(tokens, s), r.slow(tokens, s)
			pairs++
			if want {
				matched++
			}
			if got != want {
				t.Fatalf("tokens %q on %q: %t, wanted %t", word, s, got, want)
			}
		}
	})
	t.Logf("%d pairs, %d of them match", pairs, matched)
	if pairs < 1_000_000 || matched < pairs/50 {
		t.Errorf("the world is too small")
	}
}

// Rules and names made to cost much cost little: nothing is tried twice, and a file of a megabyte is read and asked at
// once. An exponential search would not come back from any of these.
func TestHostileCost(t *testing.T) {
	const mega = 1 << 20
	as := strings.Repeat("a", 250)
	deep := strings.Repeat("a/", 2000)
	for title, c := range map[string]struct {
		rules, name string
		want        int
	}{
		"stars in a component":          {"a*a*a*a*b?\n", as, 0},
		"and a last letter":             {"a*a*a*a*ba\n", as, 0},
		"more stars":                    {strings.Repeat("a*", 100) + "b?\n", as, 0},
		"and a name that matches":       {strings.Repeat("a*", 100) + "b\n", as + "b", 1},
		"stars across components":       {strings.Repeat("**/a/", 300) + "b?\n", deep + "c", 0},
		"stars of both kinds":           {"/" + strings.Repeat("**/a*a*/", 40) + "b?\n", strings.Repeat("aaaaaaaa/", 400) + "c", 0},
		"gaps before escaped slashes":   {"/" + strings.Repeat(`**\/a/`, 300) + "b?\n", deep + "c", 0},
		"one rule of stars":             {strings.Repeat("*", mega) + "\n", as, 1},
		"one rule of folders":           {strings.Repeat("**/", mega/3) + "x\n", deep + "x", 1},
		"one rule of questions":         {strings.Repeat("?", mega) + "\n", as, 0},
		"one rule of folders and stars": {strings.Repeat("*/**/", mega/5) + "x\n", deep + "x", 0},
		"one literal rule":              {strings.Repeat("x", mega) + "\n", as, 0},
		"one bracket":                   {"[" + strings.Repeat("ab-", mega/3) + "]\n", "a", 1},
		"one bracket without an end":    {strings.Repeat("[", mega) + "\n", as, 0},
		"brackets without an end":       {strings.Repeat("[a\n", mega/3), as, 0},
		"openings of classes":           {"[" + strings.Repeat("[:", mega/2) + "\n", as, 0},
		"one rule of backslashes":       {strings.Repeat(`\`, mega) + "\n", as, 0},
		"blanks":                        {strings.Repeat(" ", mega) + "\n", as, 0},
		"escaped blanks":                {strings.Repeat(`\ `, mega/2) + "\n", as, 0},
		"literal rules":                 {strings.Repeat("x\n", mega/2) + "a\n", "a", mega/2 + 1},
		"endings":                       {strings.Repeat("*.x\n", mega/4), "a.x", mega / 4},
		"general rules":                 {strings.Repeat("a*b\n", mega/4), as, 0},
		"empty lines":                   {strings.Repeat("\n", mega) + "a", "a", mega + 1},
		"negations":                     {strings.Repeat("!", mega) + "\n", as, 0},
	} {
		t.Run(title, func(t *testing.T) {
			start := time.Now()
			r := parse("", []byte(c.rules), false)
			parsed := time.Since(start)
			start = time.Now()
			got := r.match(c.name, false)
			asked := time.Since(start)
			if got.Line != c.want {
				t.Errorf("line %d decides, wanted %d", got.Line, c.want)
			}
			if parsed > 10*time.Second || asked > 10*time.Second {
				t.Errorf("read in %v, asked in %v", parsed, asked)
			}
			t.Logf("read in %v, asked in %v", parsed, asked)
		})
	}
}

// Nothing that can be written is too much, what is said of a name is what the slow way says, and it is said of a line that is there.
func FuzzRules(f *testing.F) {
	for seed := range uint64(40) {
		w := newWorld(seed)
		f.Add([]byte(w.rules[".gitignore"]), w.asks[0], w.dirs[w.asks[0]], w.fold)
	}
	for _, s := range []string{"a*a*a*a*b", "**/a/**/b", "[", "[]", "[!", "[[:", "\\", "!", "/", "//", "\xef\xbb\xbfa", "a\x00b ", "a\\ \r\n", "foo**/bar", `**\/**/a`} {
		f.Add([]byte(s), "a/b/foo/bar", false, true)
	}
	f.Fuzz(func(t *testing.T, text []byte, name string, isDir, fold bool) {
		if len(text) > 1<<12 || len(name) > 1<<10 {
			return // the slow way is slow
		}
		for _, dir := range []string{"", "a/"} {
			r := parse(dir, text, fold)
			v := r.match(name, isDir)
			if want := r.slowMatch(name, isDir); v.Line != want {
				t.Fatalf("%q in %q: line %d, the slow way %d", name, text, v.Line, want)
			}
			if v.By == nil {
				if v != (Verdict{}) {
					t.Fatalf("no rule, and yet %+v", v)
				}
				continue
			}
			lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
			if v.Line < 1 || v.Line > len(lines) || !strings.HasPrefix(lines[v.Line-1], v.Pattern) || v.Ignored == strings.HasPrefix(v.Pattern, "!") {
				t.Fatalf("%q in %q: %+v", name, text, v)
			}
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	const typical = "*.o\n*.a\n*.so\n*.log\n*.tmp\n*~\n.DS_Store\nnode_modules/\n/build/\n/dist\n__pycache__/\n*.py[cod]\n.env\n.venv/\n.idea/\n*.swp\n/docs/_build/\nvendor/**/testdata\n!keep.log\ncoverage*.out\n"
	r := parse("", []byte(typical), false)
	names := []string{"internal/session/list.go", "README.md", "node_modules", "a/b/c/d/e.py", "x/coverage1.out"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.match(names[i%len(names)], false)
	}
}

func BenchmarkParse1MB(b *testing.B) {
	text := []byte(strings.Repeat("some/folder/*.txt\n", 1<<20/18))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		parse("", text, false)
	}
}
