package session_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
	"github.com/sightline-io/sightline/internal/span"
)

// agent is one conversation of a life. Every second one tells its rounds.
type agent struct {
	*sim
	s       *session.Session
	id      string
	rounds  bool
	round   uint64
	bounds  map[uint64]int        // the boundary of each round, as moments
	knows   map[string]*knowledge // by path
	flights []*flight             // answers that have not left
	cursor  map[string]string
	breaks  map[string]int // when it was told last of an absence, or of a version that is not there any more
	plan    *planned
	edited  int  // the moment of the latest own edit, whatever its file was called
	told    bool // the latest answer left at once
}

// flight is an answer between its making and its leaving.
type flight struct {
	d     *session.Delivery
	tells []func(at int)
}

// planned is an edit that waits for approval.
type planned struct {
	plan *session.Plan
	call simCall
}

func (s *sim) newAgent(i int) *agent {
	id := string(rune('P' + i))
	ss, err := s.ws.Session(id)
	if err != nil {
		s.t.Fatal(err)
	}
	return &agent{sim: s, s: ss, id: id, rounds: s.rnd.IntN(2) == 0, round: 1, bounds: map[uint64]int{}, knows: map[string]*knowledge{}, cursor: map[string]string{}, breaks: map[string]int{}}
}

func (a *agent) of(path string) *knowledge {
	if a.knows[path] == nil {
		a.knows[path] = newKnowledge()
	}
	return a.knows[path]
}

// known reports whether a line of the file was known by the boundary, under any name of the file.
func (a *agent) known(path, line string, boundary int, ownAtOnce bool) bool {
	if a.of(path).knows(line, boundary, ownAtOnce) {
		return true
	}
	group, ok := a.linked[path]
	if !ok {
		return false
	}
	for p, g := range a.linked {
		if g == group && a.of(p).knows(line, boundary, ownAtOnce) {
			return true
		}
	}
	return false
}

// held reports whether the line must be known by every reading of what happened: it stands once in the file, has stood
// once in every version since it was told, and is told under this very name.
func (a *agent) held(path, line string, boundary int) bool {
	since, once := a.present[path][line]
	if !once || !strings.Contains(line, "v") {
		return false // of a brace that went and one that came nobody but the hands that did it can tell
	}
	if _, shared := a.linked[path]; shared {
		return false
	}
	return slices.ContainsFunc(a.of(path).marks(line), func(m mark) bool {
		// What was told before a break is known as long as the view that has it is one of the latest eight.
		return m.since >= since && m.at > a.breaks[path] && (m.at <= boundary || m.own)
	})
}

// simCall is one call with its metadata.
type simCall struct {
	verb     string // edit, write, create, delete, move
	path     string
	to, text string
	edits    []edit.Op
	meta     session.Meta
	boundary int
	number   uint64 // of the call; zero means the latest
}

func (c simCall) String() string {
	switch c.verb {
	case "edit":
		var b strings.Builder
		for _, e := range c.edits {
			fmt.Fprintf(&b, " %+v", e)
		}
		return "edit " + c.path + b.String()
	case "move":
		return "move " + c.path + " " + c.to
	}
	return fmt.Sprintf("%s %s %q", c.verb, c.path, c.text)
}

// meta begins a call: its round, or its arrival, and the boundary that the model gives it.
func (a *agent) meta() (session.Meta, int) {
	m := session.Meta{PageBytes: []int{0, 1024, 4096}[a.rnd.IntN(3)]}
	if !a.rounds {
		m.Arrival = a.ws.Arrive()
		return m, a.now
	}
	r := a.round
	m.Round = &r
	if _, met := a.bounds[r]; !met {
		a.bounds[r] = a.now
	}
	return m, a.bounds[r]
}

// turn goes to the next round, where the agent tells rounds.
func (a *agent) turn() { a.round++ }

// answer hands out the delivery of a call; it leaves at once, later, or never.
func (a *agent) answer() *flight { return &flight{d: &session.Delivery{}} }

func (a *agent) land(f *flight) {
	a.told = false
	switch a.rnd.IntN(10) {
	case 0:
		a.say("%s: the answer is lost", a.id)
		if a.rnd.IntN(2) == 0 {
			f.d.Leave()
		}
		f.d.Lost()
	case 1:
		a.say("%s: the answer is late", a.id)
		a.flights = append(a.flights, f)
	default:
		a.left(f)
	}
}

func (a *agent) left(f *flight) {
	a.told = true
	if a.rnd.IntN(2) == 0 {
		f.d.Leave()
	}
	f.d.Left()
	at := a.tick()
	for _, tell := range f.tells {
		tell(at)
	}
}

// shows notes what an answer tells of a text that lay on disk at the moment since.
func (a *agent) shows(f *flight, path, text string, ls []span.Lines, since int, call uint64) {
	lines := textLines(text)
	f.tells = append(f.tells, func(at int) {
		if a.files[path] != text {
			a.breaks[path] = at
		}
		k := a.of(path)
		for _, l := range ls {
			for i := l.From; i < l.To; i++ {
				k.told(lines[i], mark{at: at, since: since, call: call})
			}
		}
	})
}

var cutNotice = regexp.MustCompile(`(?m)^\[sightline\] line (\d+) is cut: bytes (\d+)-(\d+) of (\d+) shown$`)

// read reads something and checks the page against the disk.
func (a *agent) read() {
	r := session.ReadRequest{Path: a.any()}
	if a.rnd.IntN(6) == 0 {
		r.Path = linkName
	}
	lines := len(fullLines(a.files[a.canonical(r.Path)]))
	switch a.rnd.IntN(4) {
	case 0:
		r.Intent = session.Full
	case 1:
		if c := a.cursor[r.Path]; c != "" {
			r.Cursor = c
		}
	default:
		from := span.Line(a.rnd.IntN(lines + 2))
		r.Lines = []span.Lines{span.Of(from, from+1+span.Line(a.rnd.IntN(4)))}
		if a.rnd.IntN(3) == 0 {
			r.Lines = append(r.Lines, span.Of(r.Lines[0].To+1, session.OpenEnd))
		}
	}
	var boundary int
	r.Meta, boundary = a.meta()
	a.readAs(r, boundary)
}

func (a *agent) canonical(path string) string {
	if path == linkName {
		return "a"
	}
	return path
}

// readAs reads one page.
func (a *agent) readAs(r session.ReadRequest, _ int) *session.Page {
	f := a.answer()
	r.Delivery = f.d
	path := a.canonical(r.Path)
	text, there := a.files[path]
	p, err := during(a.sim, func() (*session.Page, error) { return a.s.Read(context.Background(), r) })
	if err != nil {
		a.say("%s: read %s %v %s %q: %v", a.id, r.Path, r.Lines, r.Intent, r.Cursor, err)
		code := fault.CodeOf(err)
		ok := a.isFailure(err) || !there && code == fault.Missing || r.Cursor != "" && (code == fault.Cursor || code == fault.ChangedSincePage)
		if !ok {
			a.broken("a read is refused: %v", err)
		}
		f.tells = append(f.tells, a.tellsAbsence(path, err))
		a.land(f)
		return nil
	}
	shown, cut := a.shownBy(p, path)
	a.say("%s: read %s %v %s %q: lines %v cut %v more %v", a.id, r.Path, r.Lines, r.Intent, r.Cursor, span.SetOf(shown...), p.Cut, p.More)
	a.cursor[r.Path] = p.Cursor
	a.shows(f, path, text, shown, a.now, uint64(a.s.Calls()))
	f.tells = append(f.tells, cut)
	a.land(f)
	return p
}

// tellsAbsence returns what notes that an answer tells that nothing is there.
func (a *agent) tellsAbsence(path string, err error) func(at int) {
	return func(at int) {
		if fault.CodeOf(err) == fault.Missing {
			a.breaks[path] = at
		}
	}
}

// shownBy reads a page as a model does, compares it with the disk, and returns the lines that it shows whole, and what
// notes the parts of lines that it shows.
func (a *agent) shownBy(p *session.Page, path string) (shown []span.Lines, cut func(at int)) {
	lines, plain := fullLines(a.files[path]), textLines(a.files[path])
	cuts := cutNotice.FindAllStringSubmatch(string(p.Shown), -1)
	want := ""
	for _, row := range strings.Split(string(p.Shown), "\n") {
		number, line, ok := strings.Cut(row, "\t")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if !ok || err != nil || len(number) != 6 {
			break // notices follow
		}
		if slices.Contains(p.Cut, span.Line(n-1)) {
			want += columnsOf(cuts, n, lines[n-1])
			continue
		}
		if plain[n-1] != line {
			a.broken("line %d is shown as %q and is %q", n, line, plain[n-1])
		}
		shown = append(shown, span.Of(span.Line(n-1), span.Line(n)))
		want += lines[n-1]
	}
	if want != string(p.Text) {
		a.broken("the page's text is %q, what it shows is %q", p.Text, want)
	}
	call, since := uint64(a.s.Calls()), a.now
	if len(cuts) != len(p.Cut) {
		a.broken("the lines %v are cut, and the notices tell of %d", p.Cut, len(cuts))
	}
	return shown, func(at int) {
		for _, c := range cuts {
			n, _ := strconv.Atoi(c[1])
			from, _ := strconv.Atoi(c[2])
			to, _ := strconv.Atoi(c[3])
			k := a.of(path)
			k.pieces[plain[n-1]] = append(k.pieces[plain[n-1]], piece{from - 1, to, mark{at: at, since: since, call: call}})
		}
	}
}

// columnsOf returns what the notices say is shown of line n, with its ending where that is the rest of the line.
func columnsOf(cuts [][]string, n int, line string) string {
	for _, c := range cuts {
		if c[1] != strconv.Itoa(n) {
			continue
		}
		from, _ := strconv.Atoi(c[2])
		to, _ := strconv.Atoi(c[3])
		if c[3] == c[4] {
			to = len(line)
		}
		return line[from-1 : to]
	}
	return ""
}

// during runs a call of the engine, in which the disk may fail.
func during[T any](s *sim, call func() (T, error)) (T, error) {
	s.engine, s.hit = true, false
	defer func() { s.engine = false }()
	return call()
}

// choose makes up a call: about text that is known, or guessed, or gone.
func (a *agent) choose() simCall {
	c := simCall{verb: "edit", path: a.any()}
	if a.rnd.IntN(8) == 0 {
		c.path = linkName
	}
	text := a.files[a.canonical(c.path)]
	lines := textLines(text)
	switch k := a.rnd.IntN(20); {
	case k < 2:
		c.verb = "write"
		c.text = a.text()
		if k == 0 {
			c.text = strings.Join(append(slices.Clone(lines), a.line()), "\n") + "\n"
		}
	case k == 2:
		c.verb, c.path, c.text = "create", []string{"e", "f", a.any()}[a.rnd.IntN(3)], a.text()
	case k == 3:
		c.verb = "delete"
	case k == 4:
		c.verb, c.to = "move", []string{"e", "f", a.any()}[a.rnd.IntN(3)]
	default:
		for range 1 + a.rnd.IntN(2)*a.rnd.IntN(2) {
			c.edits = append(c.edits, a.op(a.canonical(c.path), lines))
		}
	}
	return c
}

// op makes up one edit of a file of these lines.
func (a *agent) op(path string, lines []string) edit.Op {
	n := len(lines)
	pick := func() string {
		if k := a.of(path).lines; len(k) > 0 && a.rnd.IntN(3) == 0 { // perhaps gone
			for t := range sorted(k) {
				if t != "" && a.rnd.IntN(4) == 0 {
					return t
				}
			}
		}
		if n == 0 {
			return "v0;"
		}
		return lines[a.rnd.IntN(n)]
	}
	switch a.rnd.IntN(8) {
	case 0, 1: // by number, insertions included
		from := a.rnd.IntN(n + 1)
		to := min(n, from+a.rnd.IntN(3))
		text := a.line()
		if from < to && a.rnd.IntN(4) == 0 {
			text = ""
		} else if text == "" {
			text = "\n"
		}
		return edit.LineRange{Lines: span.Of(span.Line(from), span.Line(to)), New: text}
	case 2:
		return edit.Append{Text: a.line() + "\n"}
	case 3: // several lines, of which some stay
		if n >= 2 {
			i := a.rnd.IntN(n - 1)
			return edit.Replace{Old: lines[i] + "\n" + lines[i+1], New: lines[i] + "\n" + a.line()}
		}
	case 4: // an insertion
		old := pick()
		return edit.Replace{Old: old, New: old + "\n" + a.line()}
	case 5:
		if n >= 2 {
			i := a.rnd.IntN(n - 1)
			j := i + 1 + a.rnd.IntN(n-1-i)
			return edit.Anchors{From: lines[i], To: lines[j], Inclusive: a.rnd.IntN(2) == 0, New: a.line()}
		}
	case 6:
		return edit.Replace{Old: pick(), New: a.line(), All: a.rnd.IntN(3) == 0}
	}
	return edit.Replace{Old: pick(), New: a.line()}
}
