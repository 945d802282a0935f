package tidy

import (
	"fmt"
	"path"
	"regexp"
	"sort"
	"strings"
)

const (
	glossaryDoc     = "GLOSSARY.md"
	dependenciesDoc = "docs/dependencies.md"
	readmeDoc       = "README.md"
)

// glossary checks that every term has one row, a meaning, and an owner that is a room; and that the code or comments of
// an owner that is built speak of the term.
func glossary(t *tree) []finding {
	h, err := t.house()
	if err != nil {
		return []finding{{archDoc, 0, err.Error()}}
	}
	rows, err := t.table(glossaryDoc, "glossary", "term", "meaning", "owner", "not")
	if err != nil {
		return []finding{{glossaryDoc, 0, err.Error()}}
	}
	var out []finding
	seen := map[string]int{}
	for _, r := range rows {
		term, owner := r.cells[0], r.cells[2]
		bad := func(format string, args ...any) {
			out = append(out, finding{glossaryDoc, r.line, fmt.Sprintf(format, args...)})
		}
		if term == "" || r.cells[1] == "" {
			bad("a row without term or meaning")
		}
		if seen[term] != 0 {
			bad("%s stands already in line %d", term, seen[term])
		}
		seen[term] = r.line
		o := h.rooms[owner]
		switch {
		case o == nil:
			bad("%s is owned by %q, which is no room", term, owner)
		case o.state == "here" && !t.speaksOf(o.dir, term):
			bad("%s is owned by %s, which never speaks of it", term, owner)
		}
	}
	return out
}

// speaksOf reports whether a Go file of a folder holds a word of the term; terms such as "name / key" have several.
func (t *tree) speaksOf(dir, term string) bool {
	for _, f := range t.gofs {
		if f.dir != dir {
			continue
		}
		low := strings.ToLower(f.src)
		for _, w := range strings.Split(term, "/") {
			if strings.Contains(low, strings.ToLower(strings.TrimSpace(w))) {
				return true
			}
		}
	}
	return false
}

var requireLine = regexp.MustCompile(`(?m)^\s*(?:require\s+)?([^\s()/]+\.[^\s()]*)\s+(v[^\s]+)(\s*//\s*indirect)?\s*$`)

// dependencies checks that docs/dependencies.md lists exactly the modules that this one requires directly, with their
// versions. A module that any file imports counts as required directly, whatever the comment in go.mod says.
func dependencies(t *tree) []finding {
	rows, err := t.table(dependenciesDoc, "dependencies", "module", "version", "used by", "what for", "instead of", "licence")
	if err != nil {
		return []finding{{dependenciesDoc, 0, err.Error()}}
	}
	version, direct := map[string]string{}, map[string]bool{}
	for _, m := range requireLine.FindAllStringSubmatch(t.texts["go.mod"], -1) {
		version[m[1]] = m[2]
		if m[3] == "" {
			direct[m[1]] = true
		}
	}
	for _, f := range t.gofs {
		for _, s := range f.ast.Imports {
			for m := range version {
				if inModule(importPath(s), m) {
					direct[m] = true
				}
			}
		}
	}
	var out []finding
	listed := map[string]bool{}
	for _, r := range rows {
		m, v := strings.Trim(r.cells[0], "`"), r.cells[1]
		listed[m] = true
		switch {
		case !direct[m]:
			out = append(out, finding{dependenciesDoc, r.line, m + " is listed, but not required"})
		case version[m] != v:
			out = append(out, finding{dependenciesDoc, r.line, fmt.Sprintf("%s is listed as %s, go.mod has %s", m, v, version[m])})
		}
		for _, c := range r.cells[2:] {
			if c == "" {
				out = append(out, finding{dependenciesDoc, r.line, m + " has an empty cell"})
			}
		}
	}
	for _, m := range sortedNames(direct) {
		if !listed[m] {
			out = append(out, finding{"go.mod", 0, fmt.Sprintf("%s %s is not listed in %s", m, version[m], dependenciesDoc)})
		}
	}
	return out
}

var (
	fence   = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	docLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// documentMention matches a document of the repository as a comment names it.
var documentMention = regexp.MustCompile(`\b(?:docs/[a-z0-9/.-]+\.md|[A-Z]{4,}\.md)\b`)

// documentLinks checks that a link of a document to a file of the repository leads to one, and that a document which a
// comment names is there.
func documentLinks(t *tree) []finding {
	var out []finding
	for _, f := range t.gofs {
		for _, g := range f.ast.Comments {
			for _, m := range documentMention.FindAllString(g.Text(), -1) {
				if !t.paths[m] {
					out = append(out, t.at(g.Pos(), "speaks of %s, which is not there", m))
				}
			}
		}
	}
	for _, name := range t.textNames() {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		text := fence.ReplaceAllStringFunc(t.texts[name], func(s string) string {
			return strings.Repeat("\n", strings.Count(s, "\n"))
		})
		for i, l := range strings.Split(text, "\n") {
			for _, m := range docLink.FindAllStringSubmatch(l, -1) {
				to, _, _ := strings.Cut(m[1], "#")
				if to == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
					continue
				}
				if !t.paths[path.Join(path.Dir(name), to)] {
					out = append(out, finding{name, i + 1, "link to " + to + ", which is not there"})
				}
			}
		}
	}
	return out
}

func (t *tree) textNames() []string {
	var out []string
	for n := range t.texts {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// readme checks that README.md holds the two commands in the form that .ci/run and the outside world look for: a
// comment, and directly below it a fenced block of one line.
func readme(t *tree) []finding {
	var out []finding
	for _, name := range []string{"run", "test"} {
		n := len(commandBlock(name).FindAllString(t.texts[readmeDoc], -1))
		if n != 1 {
			out = append(out, finding{readmeDoc, 0, fmt.Sprintf("has %d blocks of one line marked command:%s, wanted 1", n, name)})
		}
	}
	return out
}

func commandBlock(name string) *regexp.Regexp {
	return regexp.MustCompile("(?m)^<!-- command:" + name + " -->\n```sh\n[^\n]+\n```$")
}
