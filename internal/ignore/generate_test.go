package ignore

import (
	"math/rand/v2"
	"path"
	"strings"
)

// generator makes worlds from a seed. Half of them are hostile: they hold what nobody writes.
type generator struct {
	*rand.Rand
	hostile bool
	w       *world
}

func newWorld(seed uint64) *world {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 4)), hostile: seed%2 == 1}
	g.w = &world{fold: g.IntN(4) == 0, rules: map[string]string{}, dirs: map[string]bool{}}
	switch seed % 12 {
	case 1:
		g.brackets()
		return g.w
	case 3:
		g.stars()
		return g.w
	}
	for range 3 + g.IntN(5) {
		g.folder(g.path(1 + g.IntN(3)))
	}
	seen := map[string]bool{}
	for range 100 {
		p := g.path(1 + g.IntN(4))
		if g.IntN(3) > 0 {
			p = path.Join(g.anyDir(), g.name())
		}
		if !seen[p] {
			seen[p] = true
			g.w.asks = append(g.w.asks, p)
		}
	}
	for d := range sorted(g.w.dirs) {
		if !seen[d] {
			g.w.asks = append(g.w.asks, d)
		}
	}
	g.w.rules[".gitignore"] = g.file("")
	for _, name := range []string{infoExclude, excludesFile} {
		if g.IntN(3) == 0 {
			g.w.rules[name] = g.file("")
		}
	}
	for d := range sorted(g.w.dirs) {
		if g.IntN(3) == 0 {
			g.w.rules[d+"/.gitignore"] = g.file(d)
		}
	}
	return g.w
}

// brackets makes a world that asks one bracket expression at a time about every byte.
func (g *generator) brackets() {
	in := []string{
		"a", "c", "z", "A", "M", "Z", "0", "5", "-", "-", "-", "]", "[", "[", "!", "^", ":", ".", "=", "/", " ", "\t", "\r", "\x0b", "\x0c", "\x1f", "\x7f", "\x80", "\xff", "é", `\`, `\]`, `\-`, `\\`, `\a`,
		"[:alnum:]", "[:alpha:]", "[:blank:]", "[:cntrl:]", "[:digit:]", "[:graph:]", "[:lower:]", "[:print:]", "[:punct:]", "[:space:]", "[:upper:]", "[:xdigit:]", "[:word:]", "[:", ":]", "a-z", "A-Z", "0-9", "+--",
	}
	for d := range 6 {
		dir := "d" + string(rune('0'+d))
		g.w.dirs[dir] = true
		for c := 1; c < 256; c++ {
			if c != '/' {
				g.w.asks = append(g.w.asks, dir+"/n"+string([]byte{byte(c)}))
			}
		}
		rule := "n[" + pick(g, []string{"", "", "!", "^"})
		for range 1 + g.IntN(4) {
			rule += pick(g, in)
		}
		if g.IntN(12) > 0 {
			rule += "]"
		}
		g.w.rules[dir+"/.gitignore"] = rule + "\n"
	}
}

// stars makes a world of very few letters, in which it matters how far a star goes.
func (g *generator) stars() {
	in := []string{"a", "b", "a", "b", "/", "/", "/", "*", "*", "**", "**", "***", "?", `\/`, "[ab]", "[!a]", "/**/", "/**", "**/", `**\/`, `/**\/`, "/*"}
	letters := []string{"a", "b", "ab", "ba", "aa", "aab", "abab"}
	seen := map[string]bool{}
	for range 120 {
		parts := make([]string, 1+g.IntN(5))
		for i := range parts {
			parts[i] = pick(g, letters)
		}
		if p := path.Join(parts...); !seen[p] {
			seen[p] = true
			g.w.asks = append(g.w.asks, p)
		}
	}
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(pick(g, []string{"", "", "", "!"}))
		for range 2 + g.IntN(6) {
			b.WriteString(pick(g, in))
		}
		b.WriteString("\n")
	}
	g.w.rules[".gitignore"] = b.String()
}

// folder makes a folder and those above it.
func (g *generator) folder(dir string) {
	for ; dir != "."; dir = path.Dir(dir) {
		g.w.dirs[dir] = true
	}
}

func (g *generator) anyDir() string {
	dirs := []string{"."}
	for d := range sorted(g.w.dirs) {
		dirs = append(dirs, d)
	}
	return pick(g, dirs)
}

func pick[T any](g *generator, of []T) T { return of[g.IntN(len(of))] }

func (g *generator) path(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = g.name()
	}
	return path.Join(parts...)
}

var (
	saneNames = []string{
		"a", "b", "ab", "abc", "foo", "bar", "foo.txt", "a.b", "build", "src", "logs", "keep.txt", "x.log", "A", "Foo", "BAR", "B.log", "z9", "a-b", "a_b", "k", "foobar",
	}
	oddNames = []string{
		"a b", "a ", " a", "!a", "#a", "[a]", "a]", "]", "^", "-", "!", "é", "É", "日本", "a\tb", "\t", "a\\b", "\\", "*", "a*b", "**", "?", "a\rb", "a\r", "a\nb",
		"\x01", "\x0b", "\x0c", "\x7f", "~", ":a", ":", "\xff", "\xc3", "a\xe9", "...", "..a", "-a", "@", "`", "{a}", "$", "[", "a[", "Z", "aB", "\u212a", "ſ",
	}
)

func (g *generator) name() string {
	if g.hostile && g.IntN(3) == 0 {
		return pick(g, oddNames)
	}
	if g.IntN(6) == 0 {
		return pick(g, saneNames) + pick(g, saneNames)
	}
	return pick(g, saneNames)
}

// file makes the rules of one file in folder dir.
func (g *generator) file(dir string) string {
	var b strings.Builder
	if g.IntN(12) == 0 {
		b.WriteString("\ufeff")
	}
	for range 1 + g.IntN(7) {
		b.WriteString(g.line(dir))
		switch n := g.IntN(24); {
		case n == 0:
			b.WriteString("\r\n")
		case n == 1 && g.hostile:
			b.WriteString("\r")
		default:
			b.WriteString("\n")
		}
	}
	s := b.String()
	if g.IntN(5) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	return s
}

func (g *generator) line(dir string) string {
	switch g.IntN(20) {
	case 0:
		return "# " + g.name()
	case 1:
		return ""
	}
	s := g.rule(dir)
	if g.hostile {
		for range g.IntN(3) {
			s = g.spoil(s)
		}
	}
	switch g.IntN(14) {
	case 0, 1, 2:
		s = "!" + s
	case 3:
		s += "/"
	case 4:
		s = "/" + s
	case 5:
		s += pick(g, []string{" ", "  ", `\ `, "\t", ` \ `, `\\ `, " \t"})
	}
	return s
}

// rule makes a rule that has a chance of matching: it begins with a name that is asked about and lets parts of it go.
func (g *generator) rule(dir string) string {
	p := pick(g, g.w.asks)
	if dir != "" {
		if below, ok := strings.CutPrefix(p, dir+"/"); ok {
			p = below
		}
	}
	parts := strings.Split(p, "/")
	if g.IntN(2) == 0 {
		parts = parts[len(parts)-1:]
	} else if g.IntN(3) == 0 {
		parts = parts[:1+g.IntN(len(parts))]
	}
	for i := range parts {
		switch g.IntN(12) {
		case 0:
			parts[i] = "**"
		case 1:
			parts[i] = "*"
		case 2:
			parts[i] = pick(g, []string{"**", "***", "*", "?", "a**", "**b"})
		default:
			if g.IntN(2) == 0 {
				parts[i] = g.loosen(parts[i])
			}
		}
	}
	switch g.IntN(10) {
	case 0:
		parts = append([]string{"**"}, parts...)
	case 1:
		parts = append(parts, "**")
	case 2:
		i := g.IntN(len(parts) + 1)
		parts = append(parts[:i:i], append([]string{"**"}, parts[i:]...)...)
	case 3:
		parts = append(parts, "*")
	}
	return strings.Join(parts, "/")
}

// loosen replaces bytes of a component by what may stand for them.
func (g *generator) loosen(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i : i+1]
		switch g.IntN(14) {
		case 0:
			b.WriteString("?")
		case 1, 2:
			b.WriteString("*")
			i += g.IntN(len(s) - i)
		case 3:
			b.WriteString(`\` + c)
		case 4:
			b.WriteString("[" + c + "]")
		case 5:
			b.WriteString("[" + string([]byte{s[i] - 1, '-', s[i] + 1}) + "]")
		case 6:
			b.WriteString("[" + pick(g, []string{"!", "^", ""}) + pick(g, []string{"a-z", "A-Z", "0-9", "b-", "z-a", "ab", "_-~", "[:alpha:]", "[:upper:]", "[:lower:][:digit:]"}) + "]")
		case 7:
			b.WriteString(strings.ToUpper(c))
		case 8:
			b.WriteString("**")
		default:
			b.WriteString(c)
		}
	}
	return b.String()
}

var atoms = []string{
	"*", "**", "***", "?", "[", "]", "[]", "[!", "[^", "[]-a]", "[a-", "-]", "[z-a]", "[--0]", "[a-c-e]", `[\]]`, `[a\-z]`, `[\`, "[!]a]", "[!!]", "[^^]", "[a/b]", "[/]", "[.-0]",
	"[[:alpha:]]", "[[:upper:]]", "[[:lower:]]", "[[:digit:]]", "[[:space:]]", "[[:punct:]]", "[[:cntrl:]]", "[[:graph:]]", "[[:print:]]", "[[:blank:]]", "[[:alnum:]]", "[[:xdigit:]]",
	"[[:foo:]]", "[[:ALPHA:]]", "[[:", "[[:alpha:", "[[:alpha]", "[[:]", "[[::]]", "[[:]]", "[![:alpha:]]", "[a-[:digit:]]", "[[:digit:]-z]", "[[.a.]]", "[[=a=]]", ":]", "[[", "]]",
	`\`, `\\`, `\/`, `\*`, `\?`, `\[`, `\ `, `\!`, `\#`, `\A`, `\a`, "/", "//", "/./", "/../", "./", " ", "\t", "\r", "\x00", "\x0b", "!", "!!", "#", "-", "^",
	"é", "É", "\xff", "\xc3", "[é]", "[\x80-\xff]", "[\x01-\x7f]", "[A]", "[B-D]", "[a-Z]", "[Z-a]", "{a,b}", "~", "/**/", "/**", "**/", "/*/", `**\/`, `/**\/`, "a**/", "**a/", "\ufeff",
}

// spoil breaks a rule in one place.
func (g *generator) spoil(s string) string {
	i := g.IntN(len(s) + 1)
	switch g.IntN(5) {
	case 0:
		if i < len(s) {
			return s[:i] + s[i+1:]
		}
	case 1:
		return s[:i]
	}
	return s[:i] + pick(g, atoms) + s[i:]
}
