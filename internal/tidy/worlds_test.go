package tidy

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
)

// world is one row of the table of outside worlds.
type world struct {
	name     string
	packages map[string]bool   // import paths
	calls    map[string]string // "time.Now" by base name of the package and function; the value is the text as given
	builtins map[string]bool   // recover, print, println
	threads  bool              // the go statement
	rooms    map[string]bool
}

func (t *tree) worlds(h *house) ([]*world, error) {
	rows, err := t.table(archDoc, "worlds", "world", "packages and calls", "rooms")
	if err != nil {
		return nil, err
	}
	var out []*world
	for _, r := range rows {
		w := &world{name: r.cells[0], packages: map[string]bool{}, calls: map[string]string{}, builtins: map[string]bool{}}
		if w.rooms, err = h.roomSet(r.cells[2]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", archDoc, r.line, err)
		}
		for _, item := range listOf(r.cells[1]) {
			_, fn, dotted := strings.Cut(path.Base(item), ".")
			switch {
			case dotted && fn != "" && fn[0] >= 'A' && fn[0] <= 'Z':
				w.calls[path.Base(item)] = item
			case item == "go":
				w.threads = true
			case item == "recover" || item == "print" || item == "println":
				w.builtins[item] = true
			default:
				w.packages[item] = true
			}
		}
		out = append(out, w)
	}
	return out, nil
}

// outsideWorlds checks that files, clock, chance and the rest are touched only by the rooms named beside them.
func outsideWorlds(t *tree) []finding {
	h, err := t.house()
	if err != nil {
		return []finding{{archDoc, 0, err.Error()}}
	}
	ws, err := t.worlds(h)
	if err != nil {
		return []finding{{archDoc, 0, err.Error()}}
	}
	var out []finding
	for _, f := range t.gofs {
		r := h.byDir[f.dir]
		if r == nil || f.test || r.floor == testFloor { // a folder that is no room is the finding of imports
			continue
		}
		for _, w := range ws {
			if !w.rooms[r.name] {
				out = append(out, w.touchedBy(t, f, r)...)
			}
		}
	}
	return out
}

// touchedBy lists where a file of a room that is not named beside the world touches it. A mention counts as a call: a
// function handed on is called by somebody.
func (w *world) touchedBy(t *tree, f *goFile, r *room) []finding {
	var out []finding
	names := importNames(f.ast)
	for _, s := range f.ast.Imports {
		if p := importPath(s); w.packages[p] {
			out = append(out, t.at(s.Pos(), "%s may not touch %s: imports %s", r.name, w.name, p))
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if w.threads {
				out = append(out, t.at(n.Pos(), "%s may not touch %s: starts a goroutine", r.name, w.name))
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && w.builtins[id.Name] {
				out = append(out, t.at(n.Pos(), "%s may not touch %s: calls %s", r.name, w.name, id.Name))
			}
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			call := path.Base(names[id.Name]) + "." + n.Sel.Name
			if _, banned := w.calls[call]; banned && names[id.Name] != "" {
				out = append(out, t.at(n.Pos(), "%s may not touch %s: uses %s", r.name, w.name, call))
			}
		}
		return true
	})
	return out
}
