package edit

import (
	"bytes"
	"slices"

	"github.com/sightline-io/sightline/internal/span"
)

// Reading is one way to read a change that gives the same bytes.
type Reading struct {
	// Splices says which lines of the original are replaced by how many.
	Splices span.Splices
	// Need is what the reading owes of the original.
	Need span.Set[span.Slot]
	// Columns holds, for lines longer than [LineUnitMax], the columns that are owed in place of the line: bytes of the
	// line without its ending.
	Columns map[span.Line][]span.Bytes
}

// hunk is one place of a reading: the lines old are replaced by n lines, whose bytes are fresh.
type hunk struct {
	old   span.Lines
	n     int
	fresh []byte
}

// Choose returns a reading of which held holds everything that is owed, if there is one, and otherwise the first one.
// The readings are all minimal differences between the lines of the block and what replaces them, with every insertion
// moved to every place where it gives the same bytes. A block of more than 65,536 cells, lines times lines, is first
// trimmed of equal lines at both ends, and if it still is one, it is read as replaced whole. Columns are never asked
// for: of two readings the one that owes whole lines which are held comes first, then one that owes columns.
//
// It is deterministic, may call held any number of times, and does not keep it. It costs O(cells) plus the lines that
// an insertion may slide over, of which at most 65,536 are looked at.
func (c Change) Choose(held func(span.Slot) bool) Reading {
	r, _ := c.block.choose(held)
	return r
}

func (b *block) choose(held func(span.Slot) bool) (Reading, []hunk) {
	if b.class == wholeFile {
		h := hunk{old: b.old, n: b.lineCount(), fresh: b.fresh}
		return Reading{Splices: span.Splices{{Old: h.old, New: h.n}}, Need: *b.need}, []hunk{h}
	}
	if !b.changes() {
		return Reading{}, nil
	}
	s := newSearcher(b)
	var hunks []hunk
	if b.need != nil || !s.exact() {
		hunks = s.first()
	} else {
		hunks = s.heldBy(held)
	}
	r := Reading{}
	if b.need != nil {
		r.Need = *b.need
	} else {
		o := owing{b: b}
		for _, h := range hunks {
			o.hunk(h)
		}
		r.Need, r.Columns = span.SetOf(o.slots...), o.columns
	}
	hunks = b.apart(hunks)
	for _, h := range hunks {
		r.Splices = append(r.Splices, span.Splice{Old: h.old, New: h.n})
	}
	return r, hunks
}

// apart gives an insertion at a place that another change may insert at too the line beside it, so that the two stay
// apart and in order.
func (b *block) apart(hunks []hunk) []hunk {
	if !b.topTaken && !b.bottomTaken || b.old.Empty() {
		return hunks
	}
	var out []hunk
	for _, h := range hunks {
		kept := 0 // bytes of the line above that was taken in
		switch {
		case !h.old.Empty():
		case b.topTaken && h.old.From == b.old.From:
			h.fresh = slices.Concat(h.fresh, b.t.Full(int(h.old.From)))
			h.old.To, h.n = h.old.To+1, h.n+1
		case b.bottomTaken && h.old.From == b.old.To:
			line := b.t.Full(int(h.old.From - 1))
			h.fresh, kept = slices.Concat(line, h.fresh), len(line)
			h.old.From, h.n = h.old.From-1, h.n+1
		}
		if n := len(out); n > 0 && out[n-1].old.To > h.old.From { // both took the same single line
			out[n-1].fresh = slices.Concat(out[n-1].fresh, h.fresh[kept:])
			out[n-1].n += h.n - 1
			continue
		}
		out = append(out, h)
	}
	return out
}

// owing collects what the hunks of a quoted change owe.
type owing struct {
	b       *block
	slots   []span.Slots
	columns map[span.Line][]span.Bytes
}

func (o *owing) hunk(h hunk) {
	n := o.b.t.Lines()
	if !h.old.Empty() {
		for k := h.old.From; k < h.old.To; k++ {
			o.line(k, o.b.columnsOf(k))
		}
		return
	}
	if n == 0 {
		o.slots = append(o.slots, span.WholeFile(0))
		return
	}
	if k := h.old.From - 1; k >= 0 {
		end := span.Byte(len(o.b.t.Line(int(k))))
		o.line(k, []span.Bytes{span.Of(max(end-1, 0), end)})
	}
	if k := h.old.From; int(k) < n {
		o.line(k, []span.Bytes{span.Of[span.Byte](0, 1)})
	}
}

// line owes line k, or, where it is too long to be a unit, the given columns of it.
func (o *owing) line(k span.Line, columns []span.Bytes) {
	line := o.b.t.Line(int(k))
	if len(line) <= LineUnitMax {
		o.slots = append(o.slots, span.Of(span.LineSlot(k), span.LineSlot(k)+1))
		return
	}
	if o.columns == nil {
		o.columns = map[span.Line][]span.Bytes{}
	}
	whole := make([]span.Bytes, 0, len(columns))
	for _, c := range columns {
		whole = append(whole, wholeRunes(line, c))
	}
	o.columns[k] = span.SetOf(append(whole, o.columns[k]...)...).Spans()
}

// columnsOf returns the columns of line k that the change alters: what of the replaced text differs from the new text.
// Text put between two columns alters the seam between them, and so owes both.
func (b *block) columnsOf(k span.Line) []span.Bytes {
	start := span.Byte(b.t.Offset(int(k)))
	end := start + span.Byte(len(b.t.Line(int(k))))
	var out []span.Bytes
	for _, p := range b.parts {
		old := b.t.Body()[p.at.From:p.at.To]
		head := commonPrefix(old, p.text)
		tail := commonSuffix(old[head:], p.text[head:])
		at := span.Of(p.at.From+span.Byte(head), p.at.To-span.Byte(tail))
		if at.Empty() {
			at = span.Of(at.From-1, at.To+1)
		}
		if at = at.Intersect(span.Of(start, end)); !at.Empty() {
			out = append(out, at.Shift(-int(start)))
		}
	}
	if len(out) == 0 { // the line is touched by its ending alone, or by another reading than the text says
		out = append(out, span.Of(end-start-1, end-start))
		if !bytes.ContainsRune(b.fresh, '\n') {
			out[0].From = 0
		}
	}
	return out
}

func commonPrefix(a []byte, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a []byte, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// wholeRunes widens c to whole characters of line.
func wholeRunes(line []byte, c span.Bytes) span.Bytes {
	const most = 3 // continuation bytes of one character
	mid := func(at span.Byte) bool { return at > 0 && int(at) < len(line) && line[at]&0xC0 == 0x80 }
	for i := 0; i < most && mid(c.From); i++ {
		c.From--
	}
	for i := 0; i < most && mid(c.To); i++ {
		c.To++
	}
	return c
}
