package tidy

import (
	"go/ast"
	"regexp"
	"strings"
)

var (
	// machinePath matches an absolute path into somebody's own machine. It does not match urls, globs or the paths of
	// examples, which begin with /path.
	machinePath = regexp.MustCompile("(?:^|[\\s\"'`(=:,])/(?:home|root|work|tmp|Users|var/folders)/[A-Za-z0-9_.]+")
	unfinished  = regexp.MustCompile(`\b(?:TODO|FIXME|XXX|HACK)\b`)
)

// machinePaths checks that nothing but tests names a place on one machine.
func machinePaths(t *tree) []finding {
	var out []finding
	for _, f := range t.gofs {
		if !f.test {
			out = append(out, linesLike(f.path, f.src, machinePath, "names a place on one machine")...)
		}
	}
	for _, n := range t.textNames() {
		out = append(out, linesLike(n, t.texts[n], machinePath, "names a place on one machine")...)
	}
	return out
}

// unfinishedWork checks that no comment promises what is not there.
func unfinishedWork(t *tree) []finding {
	var out []finding
	for _, f := range t.gofs {
		for _, g := range f.ast.Comments {
			for _, c := range g.List {
				if w := unfinished.FindString(c.Text); w != "" {
					out = append(out, t.at(c.Pos(), "%s: finish it, or say it in docs/rough-edges.md", w))
				}
			}
		}
	}
	return out
}

func linesLike(name, text string, re *regexp.Regexp, why string) []finding {
	var out []finding
	for i, l := range strings.Split(text, "\n") {
		if m := re.FindString(l); m != "" {
			out = append(out, finding{name, i + 1, why + ": " + strings.TrimSpace(m)})
		}
	}
	return out
}

// testManners checks that tests do not wait for the wall clock, and do not leave work undone without a reason.
func testManners(t *tree) []finding {
	var out []finding
	for _, f := range t.gofs {
		if !f.test {
			continue
		}
		names := importNames(f.ast)
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			id, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch {
			case names[id.Name] == "time" && s.Sel.Name == "Sleep":
				out = append(out, t.at(n.Pos(), "time.Sleep in a test: use a gate or fake time"))
			case isTesting(id.Name) && s.Sel.Name == "SkipNow":
				out = append(out, t.at(n.Pos(), "SkipNow gives no reason: use Skip with one"))
			}
			return true
		})
		ast.Inspect(f.ast, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := c.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			id, ok := s.X.(*ast.Ident)
			if ok && isTesting(id.Name) && (s.Sel.Name == "Skip" || s.Sel.Name == "Skipf") && !hasReason(c) {
				out = append(out, t.at(n.Pos(), "%s without a reason", s.Sel.Name))
			}
			return true
		})
	}
	return out
}

// isTesting reports whether a variable is called as the testing package's values are.
func isTesting(name string) bool { return name == "t" || name == "b" || name == "f" || name == "tb" }

// hasReason reports whether a call to Skip says anything.
func hasReason(c *ast.CallExpr) bool {
	if len(c.Args) == 0 {
		return false
	}
	lit, ok := c.Args[0].(*ast.BasicLit)
	return !ok || len(strings.Trim(lit.Value, "\"` ")) > 0
}
