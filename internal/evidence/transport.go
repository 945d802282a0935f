package evidence

import (
	"slices"
	"sort"

	"github.com/sightline-io/sightline/internal/span"
)

// Translate returns where lines named by number in a call of this boundary stand now: moved through the edits that the
// session itself committed after the boundary. ok is false where one of them lies inside, or at the place of an
// insertion: the call then conflicts with an edit of its own round. Changes of others move nothing here; the judge
// finds them. An empty span names the place of an insertion.
func Translate(t *Track, _ *History, _ *Version, boundary Seq, seen span.Lines) (now span.Lines, ok bool) {
	now = seen
	for _, o := range t.own {
		if o.seq <= boundary {
			continue
		}
		shift := 0
		for _, s := range o.splices {
			switch {
			case touches(s.Old, now):
				return span.Lines{}, false
			case s.Old.To <= now.From:
				shift += s.Delta()
			}
		}
		now = now.Shift(shift)
	}
	return now, true
}

// touches reports whether a splice of the lines old lies inside the named lines, or, where one of the two is a place
// between lines, in it or at its edge.
func touches(old, named span.Lines) bool {
	switch {
	case named.Empty():
		return old.From <= named.From && named.From <= old.To
	case old.Empty():
		return named.From < old.From && old.From < named.To
	}
	return old.Overlaps(named)
}

// Transported is a located change moved to where its lines stand in another version.
type Transported struct {
	Readings []Reading
	// Lines tells where every touched and every owed line stands now, Places where every place of an insertion does.
	Lines, Places map[span.Line]span.Line
}

// Transport moves the admitted readings of a plan from the version it was made on to the current one, for a commit that
// finds the file changed. Text is never located again: the same words elsewhere are other lines. ok is false unless
// every line that is touched or owed is one single unmoved line now, and those of one reading stand together and in
// order as they did, joints and places of insertions included. The caller judges the result again. The readings are
// those of an admitting [Verdict].
func Transport(h *History, plan, cur *Version, readings []Reading) (Transported, bool) {
	since := Seq(0)
	for i := range readings {
		since = max(since, readings[i].after)
	}
	m := h.mapping(plan, cur, since)
	t := Transported{Lines: map[span.Line]span.Line{}, Places: map[span.Line]span.Line{}}
	index := m.unmoved()
	for _, r := range readings {
		moved, ok := t.reading(index, r)
		if !ok {
			return Transported{}, false
		}
		t.Readings = append(t.Readings, moved)
	}
	return t, splicesOf(t.Readings).Valid(cur.N)
}

// unmoved are the runs of a mapping that kept their order, sorted by their old slots as well as by their new ones.
type unmoved []slotRun

func (m *mapping) unmoved() unmoved {
	return slices.DeleteFunc(slices.Clone(unmoved(m.runs)), func(r slotRun) bool { return r.moved })
}

// to returns where all slots of old stand now, if they still stand together.
func (rs unmoved) to(old span.Slots) (span.Slots, bool) {
	i := rs.behind(old.From)
	if i == len(rs) || old.From < rs[i].old || old.To > rs[i].end() {
		return span.Slots{}, false
	}
	return old.Shift(int(rs[i].cur.From - rs[i].old)), true
}

// behind returns the index of the first run that ends behind s.
func (rs unmoved) behind(s span.Slot) int {
	return sort.Search(len(rs), func(i int) bool { return rs[i].end() > s })
}

func (t *Transported) reading(index unmoved, r Reading) (Reading, bool) {
	out := Reading{after: r.after}
	for _, s := range r.Splices {
		to, ok := index.to(placeOf(s.Old))
		if !ok {
			return out, false
		}
		now := span.Of(to.From.Line(), to.From.Line()+span.Line(s.Old.Len()))
		out.Splices = append(out.Splices, span.Splice{Old: now, New: s.New})
		if s.Old.Empty() {
			t.Places[s.Old.From] = now.From
		}
		t.note(s.Old, now)
	}
	var need []span.Slots
	for _, sp := range r.Need.Spans() {
		to, ok := index.to(sp)
		if !ok {
			return out, false
		}
		need = append(need, to)
		t.note(span.LinesOf(sp), span.LinesOf(to))
	}
	out.Need = span.SetOf(need...)
	for k, cols := range r.Columns {
		to, ok := index.to(placeOf(span.Of(k, k+1)))
		if !ok {
			return out, false
		}
		if out.Columns == nil {
			out.Columns = map[span.Line][]span.Bytes{}
		}
		out.Columns[to.From.Line()] = cols
		t.note(span.Of(k, k+1), span.Of(to.From.Line(), to.From.Line()+1))
	}
	return out, true
}

func (t *Transported) note(old, now span.Lines) {
	for i := range span.Line(old.Len()) {
		t.Lines[old.From+i] = now.From + i
	}
}
