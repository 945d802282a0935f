package tidy

import (
	"fmt"
	"go/ast"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
)

// code is one constant of the closed list.
type code struct {
	name, text string
	decl       *ast.ValueSpec
}

const (
	faultDir  = "internal/fault"
	errorsDoc = "docs/errors.md"
)

// codes reads the closed list from the constants of type Code in the room fault.
func (t *tree) codes() []code {
	var out []code
	for _, f := range t.gofs {
		if f.dir != faultDir || f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok || len(v.Values) != 1 {
					continue
				}
				id, isID := v.Type.(*ast.Ident)
				lit, isLit := v.Values[0].(*ast.BasicLit)
				if !isID || id.Name != "Code" || !isLit {
					continue
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					panic("tidy: literal does not unquote though the file parsed: " + lit.Value)
				}
				out = append(out, code{v.Names[0].Name, text, v})
			}
		}
	}
	return out
}

// faultCodes checks that every code is explained in docs/errors.md, and that every code which a room raises is met by a
// test outside the room fault. A test meets a code by its constant, or by its text in a test file or in test data.
func faultCodes(t *tree) []finding {
	var out []finding
	raised, met := map[string]bool{}, map[string]bool{}
	words := map[string]bool{}
	for _, f := range t.gofs {
		if f.dir == faultDir || f.dir == "internal/tidy" {
			continue
		}
		for name := range f.mentions("fault") {
			if f.test {
				met[name] = true
			} else {
				raised[name] = true
			}
		}
		if f.test {
			addCodeWords(words, f.src)
		}
	}
	for name, text := range t.data {
		if !strings.HasPrefix(name, "internal/tidy/") && !strings.HasPrefix(name, faultDir+"/") {
			addCodeWords(words, text)
		}
	}
	for _, c := range t.codes() {
		if !strings.Contains(t.texts[errorsDoc], "| `"+c.text+"` |") {
			out = append(out, t.at(c.decl.Pos(), "code %s is not explained in %s", c.text, errorsDoc))
		}
		if raised[c.name] && !met[c.name] && !words[c.text] {
			out = append(out, t.at(c.decl.Pos(), "code %s is raised, and no test meets it", c.text))
		}
	}
	return out
}

// mentions returns the names that a file selects from the package with this base name.
func (f *goFile) mentions(pkg string) map[string]bool {
	out := map[string]bool{}
	names := importNames(f.ast)
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && strings.HasSuffix(names[id.Name], "/"+pkg) {
				out[s.Sel.Name] = true
			}
		}
		return true
	})
	return out
}

var codeWord = regexp.MustCompile(`[a-z]+(?:-[a-z]+)*`)

func addCodeWords(set map[string]bool, text string) {
	for _, w := range codeWord.FindAllString(text, -1) {
		set[w] = true
	}
}

// renderErrors writes docs/errors.md from the table of codes.
func renderErrors() string {
	var b strings.Builder
	b.WriteString("# Codes\n\n" +
		"Generated from the room `fault` by `make docs`; do not edit.\n\n" +
		"A refusal means that we decided no: nothing was changed, and the text says what mends it. A failure means that we could\n" +
		"not decide. Codes are never renamed or reused; new ones are added at the end of their class.\n")
	for _, class := range []struct {
		of    fault.Class
		title string
	}{{fault.Refusal, "Refusals"}, {fault.Failure, "Failures"}} {
		fmt.Fprintf(&b, "\n## %s\n\n| code | meaning | for the agent | for the person | the same call may succeed | may carry its cure |\n"+
			"|---|---|---|---|---|---|\n", class.title)
		for _, r := range fault.Rows() {
			if r.Class == class.of {
				cured := "no"
				if r.Cured {
					cured = "yes"
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Code, r.Meaning, r.Agent, r.Person, r.Retry, cured)
			}
		}
	}
	b.WriteString("\n## Which code wins\n\nWhere several apply, the first of this order is given: " + strings.Join(precedence, ", ") + ".\n" +
		"Nothing before `denied` names lines, counts or existence.\n")
	return b.String()
}

// precedence is the published order of refusals of one call.
var precedence = []string{
	"`invalid`", "`outside-root`", "`denied`", "`not-regular`", "`missing` or `exists`", "`read-only`", "`dirty-buffer`",
	"`lossy-encoding`", "`not-found` or `ambiguous`", "`conflict` (overlap)", "`stale`", "`partial-line`",
	"`needs-full` or `not-seen`", "`conflict` (at commit)",
}

// sortFindings puts findings in order of place.
func sortFindings(fs []finding) {
	sort.SliceStable(fs, func(i, j int) bool {
		if fs[i].path != fs[j].path {
			return fs[i].path < fs[j].path
		}
		return fs[i].line < fs[j].line
	})
}
