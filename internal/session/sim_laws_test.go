package session_test

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
	"github.com/sightline-io/sightline/internal/span"
)

func sorted[V any](m map[string]V) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}

// done is what a call that was admitted says of itself.
type done struct {
	path  string
	edits []session.Changed // empty for whole files
	noop  bool
}

// send makes the call through the engine.
func (a *agent) send(c simCall) (done, error) {
	ctx := context.Background()
	switch c.verb {
	case "edit":
		r, err := during(a.sim, func() (*session.EditAnswer, error) {
			return a.s.Edit(ctx, session.EditRequest{Path: c.path, Edits: c.edits, Meta: c.meta})
		})
		if err != nil {
			return done{}, err
		}
		return done{path: r.Path, edits: r.Edits, noop: r.Noop}, nil
	case "write", "create":
		mode := session.Replace
		if c.verb == "create" {
			mode = session.Create
		}
		r, err := during(a.sim, func() (*session.WriteAnswer, error) {
			return a.s.Write(ctx, session.WriteRequest{Path: c.path, Text: c.text, Mode: mode, Meta: c.meta})
		})
		if err != nil {
			return done{}, err
		}
		return done{path: r.Path, noop: r.Noop}, nil
	case "delete":
		r, err := during(a.sim, func() (*session.DeleteAnswer, error) {
			return a.s.Delete(ctx, session.DeleteRequest{Path: c.path, Meta: c.meta})
		})
		if err != nil {
			return done{}, err
		}
		return done{path: r.Path}, nil
	}
	r, err := during(a.sim, func() (*session.MoveAnswer, error) {
		return a.s.Move(ctx, session.MoveRequest{From: c.path, To: c.to, Meta: c.meta})
	})
	if err != nil {
		return done{}, err
	}
	return done{path: r.From}, nil
}

// numberOf returns the number of the call, as a rewind names it.
func (a *agent) numberOf(c simCall) uint64 {
	if c.number != 0 {
		return c.number
	}
	return uint64(a.s.Calls())
}

// seen returns what every session knows of every line of every file.
func (s *sim) seen() map[string][]string {
	out := map[string][]string{}
	for path := range sorted(s.files) {
		for _, a := range s.agents {
			for _, row := range a.rows(path) {
				for range row.Lines.Len() {
					out[a.id+" "+path] = append(out[a.id+" "+path], row.State.String()+" "+row.Origin.String())
				}
			}
		}
	}
	return out
}

func (a *agent) rows(path string) []session.SeenLines {
	r, err := a.s.Seen(context.Background(), session.SeenRequest{Path: path})
	if err != nil {
		a.broken("seen %s: %v", path, err)
	}
	return r.Rows
}

// act makes one call and holds every law against it. It returns the refusal, if it was one.
func (a *agent) act(c simCall) *fault.Error {
	a.look()
	before, files, seen := a.story(), maps.Clone(a.files), a.seen()
	checked := a.check(c)
	f := a.answer()
	c.meta.Delivery = f.d
	d, err := a.send(c)
	a.counts[c.verb+" "+string(fault.CodeOf(err))]++
	if err != nil {
		a.say("%s: %v: %v", a.id, c, err)
	} else {
		a.say("%s: %v: done %v", a.id, c, d.edits)
	}
	a.agree(c, checked, err)
	if err != nil {
		refusal := a.refused(c, f, err, before, seen)
		return refusal
	}
	a.admitted(c, d, files)
	a.land(f)
	return nil
}

// check asks what the call would get.
func (a *agent) check(c simCall) *session.CheckAnswer {
	r := session.CheckRequest{Path: c.path, Meta: c.meta}
	switch c.verb {
	case "edit":
		r.Edits = c.edits
	case "write":
		r.Overwrite = true
	case "delete":
		r.Delete = true
	default:
		return nil
	}
	answer, err := a.s.Check(context.Background(), r)
	if err != nil {
		a.broken("check of %v: %v", c, err)
	}
	return answer
}

// agree holds law 5: the question and the deed get one answer.
func (a *agent) agree(c simCall, checked *session.CheckAnswer, err error) {
	if checked == nil || a.hit {
		return
	}
	var f *fault.Error
	errors.As(err, &f)
	switch {
	case checked.Allowed && f == nil:
	case c.verb == "write" && f == nil: // the check does not know the text, which may be the one that is there
		if text := a.files[a.canonical(c.path)]; strings.ReplaceAll(text, "\r\n", "\n") != strings.ReplaceAll(c.text, "\r\n", "\n") {
			a.broken("check refuses what is admitted: %v", checked.Refusal)
		}
	case checked.Allowed != (f == nil):
		a.broken("check says %v, the call %v", checked.Refusal, err)
	case checked.Refusal.Code != f.Code || !reflect.DeepEqual(checked.Refusal.Missing, f.Missing) || !reflect.DeepEqual(checked.Refusal.Drifted, f.Drifted):
		a.broken("check says %v %v %v, the call %v %v %v", checked.Refusal, checked.Refusal.Missing, checked.Refusal.Drifted, f, f.Missing, f.Drifted)
	}
}

var ofEvidence = []fault.Code{fault.NotSeen, fault.NeedsFull, fault.Stale, fault.PartialLine}

// refused holds laws 2, 3 and 8 against a refusal or failure.
func (a *agent) refused(c simCall, f *flight, err error, before string, seen map[string][]string) *fault.Error {
	var r *fault.Error
	if !errors.As(err, &r) || !r.Code.Known() || r.Code == fault.Internal {
		a.broken("no fault of the list: %v", err)
	}
	if !r.Code.Refusal() && !a.isFailure(err) {
		a.broken("a failure on a disk that works: %v", err)
	}
	if after := a.story(); after != before {
		a.broken("a call that was not done changed the disk from\n%s\nto\n%s", before, after)
	}
	if slices.Contains(ofEvidence, r.Code) {
		a.mustOwe(c, r)
	}
	path := a.canonical(c.path)
	f.tells = append(f.tells, a.tellsAbsence(path, err))
	if r.Cure != nil {
		a.shows(f, path, a.files[path], r.Cure.Delivered, a.now, a.numberOf(c))
		for i, l := range r.Cure.Delivered {
			if t := strings.Join(fullLines(a.files[path])[l.From:l.To], ""); t != r.Cure.Text[i].Text {
				a.broken("the cure shows %q of %q", r.Cure.Text[i].Text, t)
			}
		}
	}
	a.land(f)
	cured := span.Set[span.Line]{}
	if r.Cure != nil {
		cured = span.SetOf(r.Cure.Delivered...)
	}
	for who, rows := range a.seen() {
		for i, row := range rows {
			if i >= len(seen[who]) || row == seen[who][i] || who == a.id+" "+path && cured.Has(span.Line(i)) {
				continue
			}
			if _, shared := a.linked[path]; shared && strings.HasPrefix(who, a.id+" ") {
				continue // its other name shows the cure too
			}
			if who == a.id+" "+path && (!isKnown(row) || isKnown(seen[who][i])) && !a.held(path, textLines(a.files[path])[i], a.now) {
				continue // the view that the cure made took the place of the oldest of eight
			}
			a.broken("a refusal changed what %s knows of line %d: from %s to %s", who, i+1, seen[who][i], row)
		}
	}
	return r
}

func isKnown(row string) bool {
	return strings.HasPrefix(row, "seen") || strings.HasPrefix(row, "authored")
}

// mustOwe holds law 2 for edits of one line by its text: where the line must be known, it is not refused.
func (a *agent) mustOwe(c simCall, r *fault.Error) {
	if c.verb != "edit" || len(c.edits) != 1 || a.hit {
		return
	}
	e, ok := c.edits[0].(edit.Replace)
	if !ok || e.All || strings.Contains(e.Old, "\n") || strings.Contains(e.New, e.Old) {
		return
	}
	path := a.canonical(c.path)
	if a.held(path, e.Old, c.boundary) && strings.Count(a.files[path], e.Old) == 1 {
		a.broken("line %q is known since it was told, and its edit is refused: %v", e.Old, r)
	}
}

// admitted holds laws 1 and 7 against what was done, and books it.
func (a *agent) admitted(c simCall, d done, files map[string]string) {
	path := a.canonical(c.path)
	was, there := files[path]
	call := a.numberOf(c)
	for p, text := range files { // nothing else changed
		if now, shared := a.linked[p], a.linked[path]; p != path && p != c.to && (now == "" || now != shared) && a.contentIfThere(p) != text {
			a.broken("%v changed %s", c, p)
		}
	}
	switch c.verb {
	case "move":
		a.moved(path, c.to, was)
		return
	case "delete":
		if c.path == linkName {
			a.broken("a link was deleted: not part of this life")
		}
		if a.hands.Has(path) {
			a.broken("%s is still there", path)
		}
		a.unlinked(path)
		delete(a.knows, path)
		a.look()
		return
	}
	now := a.contentIfThere(path)
	if c.verb == "create" {
		if there {
			a.broken("created over a file")
		}
		a.wrote(path, nil, textLines(now), call)
		return
	}
	if was == now {
		return // nothing was owed for nothing
	}
	before, after := textLines(was), textLines(now)
	if c.verb == "write" {
		for i, l := range before {
			if !a.known(path, l, c.boundary, false) {
				a.broken("a whole-file write took line %d, %q, which was never shown", i+1, l)
			}
		}
		a.wrote(path, nil, after, call)
		return
	}
	a.local(d.edits, was, now)
	var gone, written []string
	for _, e := range d.edits {
		gone = append(gone, surplus(before[e.Before.From:e.Before.To], after[e.After.From:e.After.To])...)
		written = append(written, surplus(after[e.After.From:e.After.To], before[e.Before.From:e.Before.To])...)
	}
	for _, l := range gone {
		if !a.known(path, l, c.boundary, true) {
			a.broken("an edit took the line %q, which was never shown", l)
		}
	}
	a.wrote(path, d.edits, written, call)
}

func (s *sim) contentIfThere(p string) string {
	if !s.hands.Has(p) {
		return ""
	}
	return s.hands.Read(p)
}

// local holds law 7: outside of the reported places every byte is as it was.
func (a *agent) local(edits []session.Changed, was, now string) {
	before, after := fullLines(was), fullLines(now)
	for _, e := range edits {
		if n := len(before); n > 0 && textEnding(before[n-1]) == "" && e.Before == span.Of(span.Line(n), span.Line(n)) && e.After.From > 0 {
			before[n-1] += textEnding(after[e.After.From-1]) // lines behind a last line without an ending give it one
		}
	}
	places := slices.Clone(edits)
	slices.SortFunc(places, func(x, y session.Changed) int {
		return cmp.Or(cmp.Compare(x.Before.From, y.Before.From), cmp.Compare(x.Before.To, y.Before.To), cmp.Compare(x.After.From, y.After.From))
	})
	places = slices.Compact(places) // one of two that name the same lines changed nothing
	i, j := span.Line(0), span.Line(0)
	for _, e := range append(places, session.Changed{Before: span.Of(span.Line(len(before)), span.Line(len(before))), After: span.Of(span.Line(len(after)), span.Line(len(after)))}) {
		if e.Before.From < i || e.After.From < j || !slices.Equal(before[i:e.Before.From], after[j:e.After.From]) {
			a.broken("the places %v do not tell how\n%q became\n%q", edits, was, now)
		}
		i, j = e.Before.To, e.After.To
	}
}

// textEnding returns how a line ends.
func textEnding(line string) string { return line[len(strings.TrimRight(line, "\r\n")):] }

// wrote books own text.
func (a *agent) wrote(path string, _ []session.Changed, lines []string, call uint64) {
	a.look()
	at := a.tick()
	a.edited = at
	for _, l := range lines {
		a.of(path).told(l, mark{at: at, since: a.now, call: call, own: true})
	}
}

// moved books a move: evidence goes with the file, for everybody.
func (a *agent) moved(from, to, was string) {
	if a.hands.Has(from) || a.contentIfThere(to) != was {
		a.broken("a move did not move")
	}
	a.unlinked(to)
	for _, b := range a.agents {
		delete(b.knows, to)
		if k := b.knows[from]; k != nil {
			b.knows[to] = k
			delete(b.knows, from)
		}
		b.breaks[to] = b.breaks[from]
		delete(b.cursor, from)
		delete(b.cursor, to)
	}
	if g, ok := a.linked[from]; ok {
		a.linked[to] = g
	}
	a.files[to], a.present[to] = a.files[from], a.present[from]
	a.look()
}

// cure plays the refusal's next call at once, in the next round, with nothing else happening: law 4.
func (a *agent) cure(c simCall, r *fault.Error) {
	if r.Cure == nil || r.Cure.Next == nil {
		a.broken("a refusal for want of evidence has no next call: %v", r)
	}
	a.turn()
	next := r.Cure.Next
	// Behind an own edit of its round a call by numbers meant other lines than the same call means in the next one.
	numbersMoved := a.edited > c.boundary && slices.ContainsFunc(c.edits, func(e edit.Op) bool { _, ok := e.(edit.LineRange); return ok })
	if next.Tool == "read" {
		a.follow(next)
		a.turn()
		c.meta, c.boundary = a.meta()
		again := a.act(c)
		if again != nil && slices.Contains(ofEvidence, again.Code) && !a.quotesWhatIsGone(c) && !numbersMoved {
			a.broken("%v was read as the refusal said, and the call is refused again: %v", next.Lines, again)
		}
		return
	}
	if next.Edits != nil {
		c.edits = nil
		for _, e := range next.Edits {
			c.edits = append(c.edits, edit.LineRange{Lines: e.Lines, New: e.New})
		}
	}
	c.meta, c.boundary = a.meta()
	if again := a.act(c); again != nil && again.Code.Refusal() {
		a.broken("the next call of %v is refused: %v", r, again)
	}
}

// follow reads what a next call says, page by page.
func (a *agent) follow(next *fault.Next) {
	r := session.ReadRequest{Path: next.Path, Lines: next.Lines}
	for range 200 {
		f := a.answer()
		r.Meta, _ = a.meta()
		r.Delivery = f.d
		p, err := a.s.Read(context.Background(), r)
		if err != nil {
			a.broken("the read that a refusal names is refused: %v", err)
		}
		path := a.canonical(next.Path)
		shown, cut := a.shownBy(p, path)
		a.shows(f, path, a.files[path], shown, a.now, uint64(a.s.Calls()))
		f.tells = append(f.tells, cut)
		a.left(f)
		if !p.More {
			return
		}
		r = session.ReadRequest{Path: next.Path, Cursor: p.Cursor}
	}
	a.broken("a read has more than 200 pages")
}

// quotesWhatIsGone reports whether an edit quotes text that is not there: no reading makes such a call good.
func (a *agent) quotesWhatIsGone(c simCall) bool {
	text := strings.ReplaceAll(a.files[a.canonical(c.path)], "\r\n", "\n")
	for _, e := range c.edits {
		switch e := e.(type) {
		case edit.Replace:
			if !strings.Contains(text, e.Old) {
				return true
			}
		case edit.Anchors:
			if !strings.Contains(text, e.From) || !strings.Contains(text, e.To) {
				return true
			}
		}
	}
	return false
}

// tellsTruth holds laws 1 and 5 against seen: what is said to be known was told, and what must be known is.
func (a *agent) tellsTruth() {
	for path := range sorted(a.files) {
		lines := textLines(a.files[path])
		at := 0
		for _, row := range a.rows(path) {
			if int(row.Lines.From) != at {
				a.broken("the rows of %s do not partition it", path)
			}
			at = int(row.Lines.To)
			for _, l := range lines[row.Lines.From:row.Lines.To] {
				switch told := a.known(path, l, a.now, true); {
				case (row.State == evidence.LineSeen || row.State == evidence.LineAuthored) && !told:
					a.broken("%s is said to know %q of %s, which it was never told", a.id, l, path)
				case (row.State == evidence.LineUnseen || row.State == evidence.LineStale) && a.held(path, l, a.now):
					a.broken("%s knows %q of %s, and it is said to be %v", a.id, l, path, row.State)
				}
			}
		}
		if at != len(lines) {
			a.broken("the rows of %s end at line %d of %d", path, at, len(lines))
		}
	}
}
