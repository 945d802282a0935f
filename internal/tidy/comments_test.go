package tidy

import (
	"go/ast"
	"go/doc/comment"
	"go/token"
	"path"
)

// exportedDocs checks that every exported top-level name has a comment. A name in a group may be explained by the
// group's comment or by the one at the end of its line.
func exportedDocs(t *tree) []finding {
	var out []finding
	for _, f := range t.gofs {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && ast.IsExported(receiver(d, d.Name.Name)) {
					out = append(out, t.at(d.Pos(), "exported %s has no comment", d.Name.Name))
				}
			case *ast.GenDecl:
				out = append(out, undocumented(t, d)...)
			}
		}
	}
	return out
}

// undocumented lists the exported names of a declaration that nothing explains.
func undocumented(t *tree, d *ast.GenDecl) []finding {
	if d.Doc != nil {
		return nil
	}
	var out []finding
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
				out = append(out, t.at(s.Pos(), "exported %s has no comment", s.Name.Name))
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if s.Doc == nil && s.Comment == nil && n.IsExported() {
					out = append(out, t.at(s.Pos(), "exported %s has no comment", n.Name))
				}
			}
		}
	}
	return out
}

// receiver returns the name of the type a method belongs to, or otherwise where fn is no method.
func receiver(fn *ast.FuncDecl, otherwise string) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return otherwise
	}
	x := fn.Recv.List[0].Type
	for {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e.Name
		default:
			return otherwise
		}
	}
}

// symbols collects what a doc link of a package may name: top-level names, and methods and fields as "Type.Name".
func symbols(files []*goFile) map[string]bool {
	set := map[string]bool{}
	for _, f := range files {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if r := receiver(d, ""); r != "" {
					set[r+"."+d.Name.Name] = true
				} else {
					set[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					addSpec(set, s)
				}
			}
		}
	}
	return set
}

func addSpec(set map[string]bool, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			set[n.Name] = true
		}
	case *ast.TypeSpec:
		set[s.Name.Name] = true
		var fields *ast.FieldList
		switch x := s.Type.(type) {
		case *ast.StructType:
			fields = x.Fields
		case *ast.InterfaceType:
			fields = x.Methods
		default:
			return
		}
		for _, fl := range fields.List {
			for _, n := range fl.Names {
				set[s.Name.Name+"."+n.Name] = true
			}
		}
	}
}

// docLinks checks that every link of a doc comment names something that exists: a name of its own package, of another
// room, or a package that the file imports or the standard library has.
func docLinks(t *tree) []finding {
	var out []finding
	_, byDir := t.dirs()
	known := map[string]map[string]bool{}
	for dir, files := range byDir {
		known[dir] = symbols(files)
	}
	for _, f := range t.gofs {
		if f.test {
			continue
		}
		for _, c := range docComments(f.ast) {
			out = append(out, brokenLinks(t, f, c, known)...)
		}
	}
	return out
}

func brokenLinks(t *tree, f *goFile, c *ast.CommentGroup, known map[string]map[string]bool) []finding {
	var out []finding
	names := importNames(f.ast)
	const unknown = "?"
	p := comment.Parser{
		LookupPackage: func(name string) (string, bool) {
			if imp, ok := names[name]; ok {
				return imp, true
			}
			if std, ok := comment.DefaultLookupPackage(name); ok {
				return std, true
			}
			if known[path.Join("internal", name)] != nil {
				return t.module + "/internal/" + name, true
			}
			return unknown + name, token.IsIdentifier(name)
		},
		LookupSym: func(recv, name string) bool { return true },
	}
	for _, l := range links(p.Parse(c.Text()).Content) {
		sym := l.Name
		if l.Recv != "" {
			sym = l.Recv + "." + l.Name
		}
		dir := f.dir
		switch {
		case l.ImportPath == t.module:
			dir = "."
		case inModule(l.ImportPath, t.module):
			dir = l.ImportPath[len(t.module)+1:]
		case l.ImportPath != "" && l.ImportPath[0] == unknown[0]:
			// A word alone between brackets is no link; neither is an unexported type before a dot, but it must exist.
			if sym == "" || known[f.dir][l.ImportPath[1:]+"."+sym] {
				continue
			}
			out = append(out, t.at(c.Pos(), "doc link [%s.%s] names no known package", l.ImportPath[1:], sym))
			continue
		case l.ImportPath != "":
			continue // outside this module
		}
		if sym != "" && !known[dir][sym] {
			out = append(out, t.at(c.Pos(), "doc link to %s, which %s does not have", sym, dir))
		}
	}
	return out
}

// docComments returns the comments of a file that godoc would show, and those of its unexported declarations.
func docComments(f *ast.File) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	add := func(c *ast.CommentGroup) {
		if c != nil {
			out = append(out, c)
		}
	}
	add(f.Doc)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Doc)
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				add(d.Doc)
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					add(n.Doc)
				case *ast.ValueSpec:
					add(n.Doc)
				case *ast.Field:
					add(n.Doc)
				}
				return true
			})
		}
	}
	return out
}

// links returns the doc links of a parsed comment, wherever in it they stand.
func links(blocks []comment.Block) []*comment.DocLink {
	var out []*comment.DocLink
	for _, b := range blocks {
		switch b := b.(type) {
		case *comment.Heading:
			out = append(out, linksIn(b.Text)...)
		case *comment.Paragraph:
			out = append(out, linksIn(b.Text)...)
		case *comment.List:
			for _, item := range b.Items {
				out = append(out, links(item.Content)...)
			}
		}
	}
	return out
}

func linksIn(texts []comment.Text) []*comment.DocLink {
	var out []*comment.DocLink
	for _, x := range texts {
		if l, ok := x.(*comment.DocLink); ok {
			out = append(out, l)
		}
	}
	return out
}
