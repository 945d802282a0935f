package tidy

import (
	"fmt"
	"sort"
	"strings"
)

// imports checks every import of every file against the import table, and the table against itself and the tree.
func imports(t *tree) []finding {
	h, err := t.house()
	if err != nil {
		return []finding{{archDoc, 0, err.Error()}}
	}
	out := append(h.tableItself(), h.states(t)...)
	for _, f := range t.gofs {
		r := h.byDir[f.dir]
		if r == nil {
			out = append(out, t.at(f.ast.Package, "folder %s is no room of the import table", f.dir))
			continue
		}
		for _, s := range f.ast.Imports {
			if why := h.refuses(t, f, r, importPath(s)); why != "" {
				out = append(out, t.at(s.Pos(), "%s", why))
			}
		}
	}
	return out
}

// refuses says why the room of a file may not import a path, or nothing.
func (h *house) refuses(t *tree, f *goFile, r *room, imp string) string {
	if imp == t.module || strings.HasPrefix(imp, t.module+"/") {
		dir := strings.TrimPrefix(strings.TrimPrefix(imp, t.module), "/")
		if dir == "" {
			dir = "."
		}
		to := h.byDir[dir]
		switch {
		case to == nil:
			return fmt.Sprintf("imports %s, which is no room of the import table", dir)
		case to == r || r.allow[to.name]:
			return ""
		case f.test && (to.floor == testFloor || r.floor == testFloor || to.floor < r.floor):
			return ""
		case to.floor == testFloor:
			return fmt.Sprintf("%s is for tests only", to.name)
		}
		return fmt.Sprintf("%s may not import %s", r.name, to.name)
	}
	first, _, _ := strings.Cut(imp, "/")
	if !strings.Contains(first, ".") { // the standard library; C is caught by the compiler
		return ""
	}
	allowed := r.modules
	if f.test || r.floor == testFloor {
		allowed = append(append([]string(nil), allowed...), h.testModules...)
	}
	for _, m := range allowed {
		if inModule(imp, m) {
			return ""
		}
	}
	return fmt.Sprintf("%s may not use the outside module of %s", r.name, imp)
}

// inModule reports whether an import path lies in a module.
func inModule(imp, module string) bool { return imp == module || strings.HasPrefix(imp, module+"/") }

// tableItself checks that the table allows no import upwards and no circle.
func (h *house) tableItself() []finding {
	var out []finding
	for _, n := range h.names {
		r := h.rooms[n]
		for _, to := range sortedNames(r.allow) {
			if r.floor != testFloor && (h.rooms[to].floor > r.floor || h.rooms[to].floor == testFloor) {
				out = append(out, finding{archDoc, r.line, fmt.Sprintf("%s may import %s, which lies above it", n, to)})
			}
		}
	}
	const walking, done = 1, 2
	mark := map[string]int{}
	var visit func(n string, way []string)
	visit = func(n string, way []string) {
		if mark[n] == done {
			return
		}
		if mark[n] == walking {
			out = append(out, finding{archDoc, h.rooms[n].line, "circle in the table: " + strings.Join(append(way, n), " > ")})
			return
		}
		mark[n] = walking
		for _, to := range sortedNames(h.rooms[n].allow) {
			visit(to, append(way[:len(way):len(way)], n))
		}
		mark[n] = done
	}
	for _, n := range h.names {
		visit(n, nil)
	}
	return out
}

// states checks that rooms are in the tree exactly if the table says so.
func (h *house) states(t *tree) []finding {
	_, byDir := t.dirs()
	var out []finding
	for _, n := range h.names {
		r := h.rooms[n]
		built := len(byDir[r.dir]) > 0
		if built && r.state != "here" {
			out = append(out, finding{archDoc, r.line, fmt.Sprintf("%s is built but marked %s", n, r.state)})
		}
		if !built && r.state == "here" {
			out = append(out, finding{archDoc, r.line, n + " is marked here but not built"})
		}
	}
	return out
}

func sortedNames(set map[string]bool) []string {
	var out []string
	for n := range set {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}
