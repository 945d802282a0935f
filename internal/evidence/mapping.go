package evidence

import (
	"cmp"
	"slices"
	"sort"

	"github.com/sightline-io/sightline/internal/span"
)

// mapping says which slots of an old version the slots of the current one are: through the exact commits that follow
// the old version, and by content from where these end. It is a value of the moment and is not kept.
type mapping struct {
	old, cur *Version
	chain    []*Edge    // exact, from old on
	mid      *Version   // where the chain ends
	al       *Alignment // from mid to cur; nil where mid is cur
	runs     []slotRun  // sorted by their slots of cur
	doubts   []doubtfulLine
	lost     bool      // the versions cannot be compared: a skeleton was dropped
	index    []slotRun // the runs sorted by their slots of old; made when first asked for
}

// slotRun tells that the slots cur of the current version are the equally many slots of the old one from old on.
type slotRun struct {
	cur   span.Slots
	old   span.Slot
	moved bool // one line that was identified across a change of order
}

// doubtfulLine is a line of the current version that is one of several lines of the old one for certain.
type doubtfulLine struct {
	cur  span.Slot
	olds []span.Slot
}

// mapping maps old, which was last met as the current version at the moment since.
func (h *History) mapping(old, cur *Version, since Seq) *mapping {
	m := &mapping{old: old, cur: cur, mid: old, chain: h.path(old, cur, since)}
	old.touch()
	cur.touch()
	kept := []slotRun{{cur: old.slots()}}
	for _, e := range m.chain {
		kept = through(kept, e.Splices)
		m.mid = e.To
	}
	if same(m.mid, cur) {
		m.runs = kept
		return m
	}
	m.al = h.align(m.mid, cur)
	m.lost = !m.al.Known()
	m.compose(kept)
	return m
}

// through returns what is left of kept, in the slots behind the splices ss. A splice takes the lines it replaces with
// all the joints beside them.
func through(kept []slotRun, ss span.Splices) []slotRun {
	var out []slotRun
	from, shift := span.Slot(0), span.Slot(0)
	i := 0
	keep := func(to span.Slot) {
		for ; i < len(kept) && kept[i].cur.From < to; i++ {
			r := kept[i]
			if s := r.cur.Intersect(span.Of(from, to)); !s.Empty() {
				out = append(out, slotRun{cur: s.Shift(int(shift)), old: r.old + s.From - r.cur.From})
			}
			if r.cur.To > to {
				return // the rest of it lies behind the splice
			}
		}
	}
	for _, s := range ss {
		keep(span.JointSlot(s.Old.From))
		from, shift = span.JointSlot(s.Old.To)+1, shift+span.Slot(2*s.Delta())
	}
	if n := len(kept); n > 0 {
		keep(kept[n-1].cur.To)
	}
	return out
}

// compose fills the runs with what cur shares with mid, as far as mid shares it with old: kept, sorted by slots of mid.
func (m *mapping) compose(kept []slotRun) {
	find := func(s span.Slot) int { return sort.Search(len(kept), func(i int) bool { return kept[i].cur.To > s }) }
	add := func(cur span.Slots, mid span.Slot, moved bool) {
		all := span.Of(mid, mid+cur.To-cur.From)
		for i := find(mid); i < len(kept) && kept[i].cur.From < all.To; i++ {
			s := kept[i].cur.Intersect(all)
			m.runs = append(m.runs, slotRun{
				cur: s.Shift(int(cur.From - mid)), old: kept[i].old + s.From - kept[i].cur.From, moved: moved,
			})
		}
	}
	for _, r := range m.al.Runs() {
		cur := span.InnerSlots(span.Of(r.New, r.New+span.Line(r.Len)))
		mid := span.LineSlot(r.Old)
		if _, ok := m.al.Joint(r.New); ok {
			cur.From, mid = cur.From-1, mid-1
		}
		if k, ok := m.al.Joint(r.New + span.Line(r.Len)); ok && int(r.New)+r.Len == m.cur.N && int(k) == m.mid.N {
			cur.To++
		}
		add(cur, mid, false)
	}
	if k, ok := m.al.Joint(0); ok && m.cur.N == 0 {
		add(span.WholeFile(0), span.JointSlot(k), false)
	}
	sorted := len(m.runs)
	for j := range m.al.Unsure {
		one, many := m.al.Partners(j)
		switch {
		case m.al.Loose(j):
		case one != NoLine:
			s := span.LineSlot(j)
			add(span.Of(s, s+1), span.LineSlot(one), true)
		default:
			d := doubtfulLine{cur: span.LineSlot(j)}
			for _, p := range many {
				s := span.LineSlot(p)
				i := find(s)
				if i == len(kept) || !kept[i].cur.Has(s) {
					break // one of the lines that it may be was written after the old version
				}
				d.olds = append(d.olds, kept[i].old+s-kept[i].cur.From)
			}
			if len(d.olds) == len(many) {
				m.doubts = append(m.doubts, d)
			}
		}
	}
	if sorted < len(m.runs) {
		slices.SortFunc(m.runs, func(a, b slotRun) int { return cmp.Compare(a.cur.From, b.cur.From) })
	}
}

// origin returns the one slot of old that the slot s of cur is.
func (m *mapping) origin(s span.Slot) (old span.Slot, moved, ok bool) {
	i := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].cur.To > s })
	if i == len(m.runs) || m.runs[i].cur.From > s {
		return 0, false, false
	}
	r := m.runs[i]
	return r.old + s - r.cur.From, r.moved, true
}

// byOld returns the runs sorted by their slots of old.
func (m *mapping) byOld() []slotRun {
	if m.index == nil {
		m.index = slices.Clone(m.runs)
		slices.SortFunc(m.index, func(a, b slotRun) int { return cmp.Compare(a.old, b.old) })
	}
	return m.index
}

// forward returns the one slot of cur that the slot s of old is.
func (m *mapping) forward(s span.Slot) (cur span.Slot, ok bool) {
	runs := m.byOld()
	i := sort.Search(len(runs), func(i int) bool { return runs[i].end() > s })
	if i == len(runs) || runs[i].old > s {
		return 0, false
	}
	return runs[i].cur.From + s - runs[i].old, true
}

// end returns the slot of old behind the run.
func (r slotRun) end() span.Slot { return r.old + r.cur.To - r.cur.From }

// image returns the slots of cur that are covered for certain when the slots set of old are.
func (m *mapping) image(set span.Set[span.Slot]) span.Set[span.Slot] {
	if len(m.chain) == 0 && m.al == nil {
		return set
	}
	var out []span.Slots
	for _, r := range m.runs {
		d := int(r.cur.From - r.old)
		for _, s := range set.Intersect(r.cur.Shift(-d)).Spans() {
			out = append(out, s.Shift(d))
		}
	}
	for _, d := range m.doubts {
		if !slices.ContainsFunc(d.olds, func(s span.Slot) bool { return !set.Has(s) }) {
			out = append(out, span.Of(d.cur, d.cur+1))
		}
	}
	return span.SetOf(out...)
}

// kept returns the slots of cur that are slots of old in the same order for certain.
func (m *mapping) kept() span.Set[span.Slot] {
	spans := make([]span.Slots, 0, len(m.runs))
	for _, r := range m.runs {
		if !r.moved {
			spans = append(spans, r.cur)
		}
	}
	return span.SetOf(spans...)
}

// replaced returns, for a slot of cur that is no slot of old, the slots of old that stood in its place, and the session
// whose commit replaced them, if one did. ok is false where nothing is known.
func (m *mapping) replaced(s span.Slot) (old span.Slots, by string, ok bool) {
	if m.lost {
		return span.Slots{}, "", false
	}
	r, kept := span.Of(s, s+1), true
	if m.al != nil {
		if r, kept = m.stood(s); r.Empty() {
			return span.Slots{}, "", false
		}
	}
	for i := len(m.chain) - 1; i >= 0; i-- {
		before, broken := backThrough(r, m.chain[i].Splices)
		if broken && kept {
			by, kept = m.chain[i].By, false
		}
		r = before
	}
	return r, by, true
}

// stood returns what stood in mid where the slot s of cur stands, and whether it is s itself; nothing where nothing is
// known.
func (m *mapping) stood(s span.Slot) (mid span.Slots, kept bool) {
	if !s.IsLine() {
		k := s.Line()
		if from, ok := m.al.Joint(k); ok {
			return placeOf(span.Of(from, from)), true
		}
		if gap, ok := m.al.GapAtJoint(k); ok {
			return placeOf(gap), false
		}
		return span.Slots{}, false
	}
	j := s.Line()
	gap, ok := m.al.Gap(j)
	if !ok { // a sure line, or nothing is known
		one, _ := m.al.Partners(j)
		if one == NoLine {
			return span.Slots{}, false
		}
		return placeOf(span.Of(one, one+1)), true
	}
	if gap.Len() > 1 {
		runs := m.al.Runs()
		k := sort.Search(len(runs), func(i int) bool { return runs[i].New > j })
		start, end := span.Line(0), span.Line(m.cur.N) // the new lines between the same two sure lines
		if k > 0 {
			start = runs[k-1].New + span.Line(runs[k-1].Len)
		}
		if k < len(runs) {
			end = runs[k].New
		}
		if int(end-start) == gap.Len() {
			i := gap.From + j - start
			return placeOf(span.Of(i, i+1)), false
		}
	}
	return placeOf(gap), false
}

// placeOf returns the slots of the lines l, or the joint where an empty l lies.
func placeOf(l span.Lines) span.Slots {
	if l.Empty() {
		return span.Of(span.JointSlot(l.From), span.JointSlot(l.From)+1)
	}
	return span.InnerSlots(l)
}

// backThrough returns the slots before the splices ss that stood where r stands behind them; broken tells that a splice
// wrote some of r. A line that one line of equally many replaced stood in that one's place.
func backThrough(r span.Slots, ss span.Splices) (before span.Slots, broken bool) {
	shift := span.Slot(0)
	first, last := r.From, r.To-1
	fromDone, toDone := false, false
	for _, s := range ss {
		made := span.Of(span.JointSlot(s.Old.From)+shift, span.JointSlot(s.Old.From)+shift+span.Slot(2*s.New)+1)
		if !fromDone && first < made.From {
			before.From, fromDone = first-shift, true
		}
		if !toDone && last < made.From {
			before.To, toDone = last-shift+1, true
		}
		if made.Has(first) || made.Has(last) || made.From >= r.From && made.To <= r.To {
			broken = true
		}
		if !fromDone && made.Has(first) && s.Delta() == 0 && first == last && first.IsLine() {
			return span.Of(first-shift, first-shift+1), true
		}
		if !fromDone && made.Has(first) {
			before.From, fromDone = placeOf(s.Old).From, true
		}
		if !toDone && made.Has(last) {
			before.To, toDone = placeOf(s.Old).To, true
		}
		shift += span.Slot(2 * s.Delta())
	}
	if !fromDone {
		before.From = first - shift
	}
	if !toDone {
		before.To = last - shift + 1
	}
	return before, broken
}

// wasShown reports whether the place old was covered: one of its lines, or, of a place without lines, its joint.
func wasShown(set span.Set[span.Slot], old span.Slots) bool {
	if old.Len() == 1 {
		return set.Has(old.From)
	}
	for _, s := range set.Intersect(old).Spans() {
		if s.Len() > 1 || s.From.IsLine() {
			return true
		}
	}
	return false
}
