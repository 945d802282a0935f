package evidence

import (
	"cmp"
	"slices"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// The bounds of what is kept of lines shown in part.
const (
	partialLinesMax = 64 // lines of one track
	piecesMax       = 64 // pieces of one line
)

// Columns tells that a part of one line was shown.
type Columns struct {
	Line  span.Line
	Shown span.Bytes // of the line without its ending
	Len   int        // of the line without its ending, in bytes
	Entry Entry      // moment, epoch, call and origin; its slots are ignored
}

// partialLine is one line by its hash, wherever it stands, and which of its columns were shown.
type partialLine struct {
	len    int
	pieces []piece
}

type piece struct {
	cols  span.Bytes
	entry Entry // its slots are meaningless
}

// ObserveColumns records that a part of one line of v was shown. The parts of a line are collected by its hash; a line
// of which all columns were shown is credited as a line of v, with the latest of their moments. A version without a
// skeleton, a line outside of it and an empty part credit nothing.
func (t *Track) ObserveColumns(h *History, v *Version, c Columns) {
	if dropped(v) || c.Line < 0 || int(c.Line) >= v.N || c.Shown.Empty() || c.Entry.Epoch < t.epoch {
		return
	}
	t.epoch = c.Entry.Epoch
	hash := v.Skeleton[c.Line]
	p := t.columns[hash]
	if p == nil {
		if t.columns == nil {
			t.columns = map[content.Hash]*partialLine{}
		}
		t.boundColumns()
		p = &partialLine{len: c.Len}
		t.columns[hash] = p
	}
	p.add(piece{c.Shown, c.Entry}, t.larger)
	whole := span.Of(0, span.Byte(p.len))
	if !p.shown(filter{upTo: Now}).Covers(whole) {
		return
	}
	e := p.pieces[0].entry
	for _, x := range p.pieces[1:] {
		e = joined2(e, x.entry, t.larger)
	}
	e.Slots = span.SlotsOf(span.Of(c.Line, c.Line+1))
	delete(t.columns, hash)
	t.Observe(h, v, []Entry{e})
}

// ColumnsOf returns the columns shown of the line with this hash. They are empty for a line that was shown whole.
func (t *Track) ColumnsOf(line content.Hash) span.Set[span.Byte] {
	if p := t.columns[line]; p != nil {
		return p.shown(filter{upTo: Now})
	}
	return span.Set[span.Byte]{}
}

// boundColumns makes room for one more line: the line of which a part was shown longest ago goes.
func (t *Track) boundColumns() {
	if len(t.columns) < partialLinesMax {
		return
	}
	var oldest content.Hash
	least := Now
	for hash, p := range t.columns {
		if s := p.latest(); s < least || s == least && slices.Compare(hash[:], oldest[:]) < 0 {
			oldest, least = hash, s
		}
	}
	delete(t.columns, oldest)
}

func (p *partialLine) latest() (s Seq) {
	for i := range p.pieces {
		s = max(s, p.pieces[i].entry.Seq)
	}
	return s
}

// add puts x among the pieces as far as it tells anything new.
func (p *partialLine) add(x piece, larger func(a, b *Entry) bool) {
	rest := span.SetOf(x.cols)
	for i := range p.pieces {
		if p.pieces[i].entry.dominates(&x.entry) {
			rest = rest.Minus(span.SetOf(p.pieces[i].cols))
		}
	}
	for _, s := range rest.Spans() {
		p.pieces = append(p.pieces, piece{s, x.entry})
	}
	if len(p.pieces) <= piecesMax {
		return
	}
	slices.SortFunc(p.pieces, func(a, b piece) int { return cmp.Compare(a.cols.From, b.cols.From) })
	out := p.pieces[:1]
	for _, x := range p.pieces[1:] {
		last := &out[len(out)-1]
		if x.cols.From <= last.cols.To {
			last.cols.To = max(last.cols.To, x.cols.To)
			last.entry = joined2(last.entry, x.entry, larger)
			continue
		}
		out = append(out, x)
	}
	if n := len(out) - piecesMax; n > 0 {
		slices.SortFunc(out, func(a, b piece) int { return cmp.Compare(a.entry.Seq, b.entry.Seq) })
		out = out[n:]
	}
	p.pieces = append([]piece(nil), out...)
}

// shown returns the columns that the pieces admitted by f cover.
func (p *partialLine) shown(f filter) span.Set[span.Byte] {
	var out []span.Bytes
	for i := range p.pieces {
		if f.admits(&p.pieces[i].entry) {
			out = append(out, p.pieces[i].cols)
		}
	}
	return span.SetOf(out...)
}

func (p *partialLine) keep(keep func(CallID) bool, epoch Epoch) {
	out := p.pieces[:0]
	for _, x := range p.pieces {
		if keep(x.entry.Call) {
			x.entry.Epoch = epoch
			out = append(out, x)
		}
	}
	p.pieces = out
}

func (p *partialLine) clone() *partialLine {
	return &partialLine{p.len, append([]piece(nil), p.pieces...)}
}
