package tidy

import (
	"go/ast"
	"path"
	"strings"
)

// packageDocs checks that every package has exactly one package comment, in a file that is no test, and that it begins
// as godoc expects.
func packageDocs(t *tree) []finding {
	var out []finding
	names, byDir := t.dirs()
	for _, dir := range names {
		var with []*goFile
		var any *goFile
		for _, f := range byDir[dir] {
			if f.test {
				continue
			}
			any = f
			if f.ast.Doc != nil {
				with = append(with, f)
			}
		}
		switch {
		case any == nil:
			out = append(out, finding{dir, 0, "has test files only; give it a doc.go with a package comment"})
		case len(with) == 0:
			out = append(out, t.at(any.ast.Package, "package %s has no package comment", any.ast.Name.Name))
		case len(with) > 1:
			out = append(out, t.at(with[1].ast.Package, "package %s has a second package comment; the first is in %s",
				with[1].ast.Name.Name, with[0].path))
		case !strings.HasPrefix(with[0].ast.Doc.Text(), docStart(with[0])):
			out = append(out, t.at(with[0].ast.Package, "the package comment does not begin with %q", docStart(with[0])))
		}
	}
	return out
}

// docStart is how the package comment of a file begins.
func docStart(f *goFile) string {
	if f.ast.Name.Name == "main" {
		return "Command " + path.Base(f.dir) + " "
	}
	return "Package " + f.ast.Name.Name + " "
}

// bannedNames are package names that say nothing about what the package owns.
var bannedNames = map[string]bool{
	"util": true, "utils": true, "common": true, "manager": true, "service": true, "services": true, "types": true,
	"model": true, "models": true, "helper": true, "helpers": true, "misc": true, "base": true, "shared": true, "core": true,
}

// packageNames checks that packages are named after what they own, and like their folder.
func packageNames(t *tree) []finding {
	var out []finding
	for _, f := range t.gofs {
		name := strings.TrimSuffix(f.ast.Name.Name, "_test")
		if bannedNames[name] {
			out = append(out, t.at(f.ast.Name.Pos(), "package name %s says nothing about what it owns", name))
		}
		if base := path.Base(f.dir); f.dir != "." && name != "main" && name != base {
			out = append(out, t.at(f.ast.Name.Pos(), "package %s lies in folder %s", name, base))
		}
	}
	return out
}

// noInit checks that nothing is registered by being imported.
func noInit(t *tree) []finding {
	var out []finding
	for _, f := range t.gofs {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				out = append(out, t.at(fn.Pos(), "func init: build the world by hand in cmd/sightline"))
			}
		}
	}
	return out
}
