package tidy

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// testFloor is the floor of rooms that only tests may import.
const testFloor = -1

// room is one row of the import table.
type room struct {
	name    string
	dir     string // slash path of its folder; "." for the module root
	floor   int    // or testFloor
	state   string // here, coming, later
	allow   map[string]bool
	modules []string // outside modules it may use
	line    int
}

// house is the import table.
type house struct {
	rooms       map[string]*room
	byDir       map[string]*room
	names       []string // sorted
	testModules []string
}

const archDoc = "ARCHITECTURE.md"

// house parses the import table. Names in it that are no rooms are errors.
func (t *tree) house() (*house, error) {
	rows, err := t.table(archDoc, "rooms", "floor", "room", "state", "the one thing it owns", "may import", "outside modules")
	if err != nil {
		return nil, err
	}
	h := &house{rooms: map[string]*room{}, byDir: map[string]*room{}}
	for _, r := range rows {
		if err := h.addRow(r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", archDoc, r.line, err)
		}
	}
	sort.Strings(h.names)
	for _, r := range rows {
		m := h.rooms[roomName(r.cells[1])]
		if m.allow, err = h.roomSet(r.cells[4]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", archDoc, r.line, err)
		}
		delete(m.allow, m.name)
	}
	mods, err := t.table(archDoc, "test-modules", "module")
	if err != nil {
		return nil, err
	}
	for _, r := range mods {
		h.testModules = append(h.testModules, listOf(r.cells[0])...)
	}
	return h, nil
}

// roomName takes the name out of a cell such as "`client` (public)".
func roomName(cell string) string {
	name, _, _ := strings.Cut(cell, " ")
	return strings.Trim(name, "`")
}

func (h *house) addRow(r row) error {
	m := &room{name: roomName(r.cells[1]), state: r.cells[2], modules: listOf(r.cells[5]), line: r.line}
	if r.cells[0] == "test" {
		m.floor = testFloor
	} else {
		n, err := strconv.Atoi(r.cells[0])
		if err != nil {
			return fmt.Errorf("floor %q is no number", r.cells[0])
		}
		m.floor = n
	}
	switch m.state {
	case "here", "coming", "later":
	default:
		return fmt.Errorf("state %q is none of here, coming, later", m.state)
	}
	switch {
	case m.name == "root":
		m.dir = "."
	case strings.HasSuffix(r.cells[1], "(public)"), strings.HasPrefix(m.name, "cmd/"),
		strings.HasPrefix(m.name, "artifact/"):
		m.dir = m.name
	default:
		m.dir = "internal/" + m.name
	}
	if h.rooms[m.name] != nil {
		return fmt.Errorf("room %s stands twice", m.name)
	}
	h.rooms[m.name], h.byDir[m.dir] = m, m
	h.names = append(h.names, m.name)
	return nil
}

var floorsCell = regexp.MustCompile(`^floors (\d+) to (\d+)(?: but (.+))?$`)

// roomSet reads a cell that names rooms: "none", "everything", "floors A to B", "floors A to B but x", or a list. Rooms
// of the floor test are never meant by everything or by floors.
func (h *house) roomSet(cell string) (map[string]bool, error) {
	set := map[string]bool{}
	if cell == "none" {
		return set, nil
	}
	lo, hi, but := -2, -2, ""
	if cell == "everything" {
		lo, hi = 0, 1<<20
	} else if m := floorsCell.FindStringSubmatch(cell); m != nil {
		lo, _ = strconv.Atoi(m[1]) // the pattern admits digits only
		hi, _ = strconv.Atoi(m[2])
		but = m[3]
	} else {
		for _, n := range listOf(cell) {
			if h.rooms[n] == nil {
				return nil, fmt.Errorf("%q is no room of the table", n)
			}
			set[n] = true
		}
		return set, nil
	}
	for n, r := range h.rooms {
		if r.floor != testFloor && r.floor >= lo && r.floor <= hi {
			set[n] = true
		}
	}
	for _, n := range listOf(but) {
		if !set[n] {
			return nil, fmt.Errorf("%q is no room of these floors", n)
		}
		delete(set, n)
	}
	return set, nil
}
