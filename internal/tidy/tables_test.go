package tidy

import (
	"fmt"
	"strings"
)

// row is one line of a machine-read table.
type row struct {
	line  int // one-based line of the document
	cells []string
}

// table returns the rows of the table called name in a document: it stands between the comments
// "<!-- table:name -->" and "<!-- /table:name -->", with a head that must be exactly as given.
func (t *tree) table(doc, name string, head ...string) ([]row, error) {
	text, ok := t.texts[doc]
	if !ok {
		return nil, fmt.Errorf("%s: no such document", doc)
	}
	var rows []row
	inside, seen, ended := false, 0, false
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		switch {
		case l == "<!-- table:"+name+" -->":
			inside = true
		case l == "<!-- /table:"+name+" -->":
			inside, ended = false, true
		case inside && strings.HasPrefix(l, "|"):
			cells := cellsOf(l)
			seen++
			if seen == 1 && strings.Join(cells, "|") != strings.Join(head, "|") {
				return nil, fmt.Errorf("%s:%d: table %s has the columns %q, wanted %q", doc, i+1, name, cells, head)
			}
			if seen > 2 && len(cells) != len(head) {
				return nil, fmt.Errorf("%s:%d: %d cells, wanted %d", doc, i+1, len(cells), len(head))
			}
			if seen > 2 {
				rows = append(rows, row{i + 1, cells})
			}
		}
	}
	if !ended || len(rows) == 0 {
		return nil, fmt.Errorf("%s: table %s is missing or empty", doc, name)
	}
	return rows, nil
}

// cellsOf splits one line of a table. A backslash keeps a bar inside its cell.
func cellsOf(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	const kept = "\x00"
	parts := strings.Split(strings.ReplaceAll(line, `\|`, kept), "|")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(strings.ReplaceAll(p, kept, "|"))
	}
	return parts
}

// listOf splits a cell at its commas and takes backquotes off.
func listOf(cell string) []string {
	var out []string
	for _, s := range strings.Split(cell, ",") {
		if s = strings.Trim(strings.TrimSpace(s), "`"); s != "" {
			out = append(out, s)
		}
	}
	return out
}
