package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// tree is one repository as the rules see it. It is read once and never changed.
type tree struct {
	module string // module path from go.mod
	fset   *token.FileSet
	gofs   []*goFile         // every Go file outside testdata, in path order
	texts  map[string]string // every text file but Go files and testdata, by slash path
	data   map[string]string // text files below a testdata folder, by slash path
	paths  map[string]bool   // every file and folder seen
}

// goFile is one parsed Go file.
type goFile struct {
	path string // slash path from the repository's root
	dir  string // "." for the root
	test bool   // named _test.go
	src  string
	ast  *ast.File
}

// finding is one broken rule at one place.
type finding struct {
	path string
	line int // zero where no line is meant
	text string
}

func (f finding) String() string {
	if f.line == 0 {
		return f.path + ": " + f.text
	}
	return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.text)
}

// at returns a finding at the position of a node.
func (t *tree) at(pos token.Pos, format string, args ...any) finding {
	p := t.fset.Position(pos)
	return finding{p.Filename, p.Line, fmt.Sprintf(format, args...)}
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)

// load reads a repository. It skips hidden folders but .ci, folders that hold modules of their own, and what is built.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet(), texts: map[string]string{}, data: map[string]string{}, paths: map[string]bool{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		t.paths[name] = true
		if d.IsDir() {
			return skipDir(fsys, name)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		raw, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return t.add(name, raw)
	})
	if err != nil {
		return nil, err
	}
	m := moduleLine.FindStringSubmatch(t.texts["go.mod"])
	if m == nil {
		return nil, fmt.Errorf("go.mod names no module")
	}
	t.module = m[1]
	sort.Slice(t.gofs, func(i, j int) bool { return t.gofs[i].path < t.gofs[j].path })
	return t, nil
}

// skipDir returns fs.SkipDir for a folder that is not part of the module's sources.
func skipDir(fsys fs.FS, name string) error {
	base := path.Base(name)
	switch {
	case name == "." || name == ".ci":
		return nil
	case strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"):
		return fs.SkipDir
	case base == "node_modules" || base == "vendor" || name == "bin" || name == "dist":
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// add files one file under what it is. Files that are not text are only remembered by name.
func (t *tree) add(name string, raw []byte) error {
	inData := strings.Contains("/"+name, "/testdata/")
	switch {
	case bytes.IndexByte(raw, 0) >= 0:
	case inData:
		t.data[name] = string(raw)
	case strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, ".ci/"):
		f, err := parser.ParseFile(t.fset, name, raw, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		t.gofs = append(t.gofs, &goFile{
			path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), src: string(raw), ast: f,
		})
	default:
		t.texts[name] = string(raw)
	}
	return nil
}

// dirs returns the folders that hold Go files, sorted, each with its files.
func (t *tree) dirs() ([]string, map[string][]*goFile) {
	byDir := map[string][]*goFile{}
	for _, f := range t.gofs {
		byDir[f.dir] = append(byDir[f.dir], f)
	}
	var names []string
	for d := range byDir {
		names = append(names, d)
	}
	sort.Strings(names)
	return names, byDir
}

// importPath returns the path of an import as it is meant, without quotes.
func importPath(s *ast.ImportSpec) string {
	p, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		panic("tidy: import path does not unquote though the file parsed: " + s.Path.Value)
	}
	return p
}

// importNames maps the names under which a file knows its imports to their paths. An import without a name of its own
// gets the last element of its path that is not a major version.
func importNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, s := range f.Imports {
		p := importPath(s)
		name := path.Base(p)
		if majorVersion.MatchString(name) && strings.Contains(p, "/") {
			name = path.Base(path.Dir(p))
		}
		if s.Name != nil {
			name = s.Name.Name
		}
		names[name] = p
	}
	return names
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)
