package edit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// block is one change: whole lines of the original, and what stands there afterwards.
type block struct {
	t     *content.Text
	op    int
	class Class
	parts []part
	old   span.Lines
	fresh []byte // the lines that replace old: whole lines, but for an unended one at the end of the file
	named span.Lines
	need  *span.Set[span.Slot] // what it owes, where that is fixed; nil where it depends on the reading

	// An insertion may slide up or down over at most so many lines, so that the readings of two changes never meet.
	up, down int
	// topTaken and bottomTaken tell that the place above or below the block is another change's to insert at.
	topTaken, bottomTaken bool
}

// changes reports whether the block is not left as it was.
func (b *block) changes() bool {
	return !bytes.Equal(b.fresh, b.t.Slice(int(b.old.From), int(b.old.To)))
}

// unended reports whether the last of the new lines has no ending.
func (b *block) unended() bool { return len(b.fresh) > 0 && b.fresh[len(b.fresh)-1] != '\n' }

// lineCount returns the number of lines that replace the block.
func (b *block) lineCount() int {
	n := bytes.Count(b.fresh, []byte{'\n'})
	if b.unended() {
		n++
	}
	return n
}

// sortParts brings replacements in order and refuses those that overlap.
func sortParts(t *content.Text, ops []Op, parts []part) error {
	slices.SortStableFunc(parts, func(a, b part) int {
		if a.at.From != b.at.From {
			return int(a.at.From - b.at.From)
		}
		return int(a.at.To - b.at.To)
	})
	for i := 1; i < len(parts); i++ {
		p, q := &parts[i-1], &parts[i]
		if p.at.To > q.at.From {
			from, to := max(p.at.From, q.at.From), max(min(p.at.To, q.at.To), q.at.From)
			return conflict(ops, p.op, q.op, "overlap", linesAt(t, span.Of(from, to)))
		}
		if p.at == q.at && p.at.Empty() {
			return conflict(ops, p.op, q.op, "insert at the same place", linesAt(t, p.at))
		}
	}
	return nil
}

func conflict(ops []Op, a, b int, how string, where span.Lines) error {
	return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf(
		"edits %d and %d of %d %s: %s; make one edit of the two", min(a, b)+1, max(a, b)+1, len(ops), how, fault.Ranges([]span.Lines{where}))}
}

// blocksOf returns the blocks of sorted parts. Parts of one operation that lie in one line make one block; those of
// several operations may share a line only if at most one of them changes it.
func blocksOf(t *content.Text, ops []Op, parts []part) ([]*block, error) {
	var out []*block
	var arena []byte
	var last *block // the last one that has lines
	for i := 0; i < len(parts); {
		b := &block{t: t, op: parts[i].op}
		arena, i = b.take(parts, i, arena)
		b.describe(ops)
		if n := len(out); n > 0 && b.old.From >= out[n-1].old.To && out[n-1].unended() {
			return nil, conflict(ops, out[n-1].op, b.op, "would be glued together", linesAt(t, out[n-1].parts[0].at))
		}
		if last != nil && b.old.From < last.old.To {
			if err := parted(ops, last, b); err != nil {
				return nil, err
			}
		}
		if !b.old.Empty() {
			last = b
		}
		out = append(out, b)
	}
	return out, nil
}

// take makes the block of parts[i] and of those that follow it in the same lines. The bytes of fresh are appended to
// arena.
func (b *block) take(parts []part, i int, arena []byte) ([]byte, int) {
	t, n, first, start := b.t, span.Line(b.t.Lines()), i, len(arena)
	body := t.Body()
	b.old.From = span.Line(t.LineAt(int(parts[i].at.From)))
	b.old.To = b.old.From
	cursor := t.Offset(int(b.old.From))
	for {
		p := &parts[i]
		arena = append(append(arena, body[cursor:p.at.From]...), p.text...)
		cursor = int(p.at.To)
		b.old.To = max(b.old.To, lineEnd(t, p.at))
		i++
		rest := body[cursor:t.Offset(int(b.old.To))]
		open := len(rest) == 0 && len(arena) > start && arena[len(arena)-1] != '\n' && b.old.To < n
		reach := b.old.To
		if open {
			reach++ // what is left of the last line is glued to the next one
		}
		if i < len(parts) && parts[i].op == b.op && span.Line(t.LineAt(int(parts[i].at.From))) < reach {
			continue
		}
		b.old.To = reach
		arena = append(arena, body[cursor:t.Offset(int(reach))]...)
		b.fresh = arena[start:len(arena):len(arena)]
		b.parts = parts[first:i]
		return arena, i
	}
}

// lineEnd returns the line behind the last one that bytes of the body lie in; for a place at the start of a line that
// line itself.
func lineEnd(t *content.Text, at span.Bytes) span.Line {
	if !at.Empty() {
		return span.Line(t.LineAt(int(at.To)-1) + 1)
	}
	k := t.LineAt(int(at.From))
	if t.Offset(k) == int(at.From) {
		return span.Line(k)
	}
	return span.Line(k + 1)
}

// describe sets the class and the fixed needs.
func (b *block) describe(ops []Op) {
	t, p := b.t, &b.parts[0]
	n := t.Lines()
	fixed := func(s span.Slots) {
		need := span.SetOf(s)
		b.need = &need
	}
	switch ops[b.op].(type) {
	case LineRange:
		b.class, b.named = Numbered, p.lines
		if p.lines.Empty() {
			need := neighbours(n, p.lines.From)
			b.need = &need
		} else {
			fixed(span.InnerSlots(p.lines))
		}
	case Anchors:
		b.class, b.named = Anchored, p.lines
		fixed(span.InnerSlots(p.owed))
	case Append:
		if n == 0 {
			fixed(span.WholeFile(0))
		} else if len(t.Line(n-1)) <= LineUnitMax {
			fixed(span.InnerSlots(span.Of(span.Line(n-1), span.Line(n))))
		}
	}
}

// neighbours returns the slots of the lines above and below a place between lines, or, where there is no line, the one
// slot of the empty file.
func neighbours(n int, place span.Line) span.Set[span.Slot] {
	if n == 0 {
		return span.SetOf(span.WholeFile(0))
	}
	var lines []span.Slots
	if place > 0 {
		lines = append(lines, span.Of(span.LineSlot(place-1), span.LineSlot(place-1)+1))
	}
	if int(place) < n {
		lines = append(lines, span.Of(span.LineSlot(place), span.LineSlot(place)+1))
	}
	return span.SetOf(lines...)
}

// parted takes the line that the blocks of two operations share from the one that leaves it as it is. Where both change
// it, or more lines than one are shared, they are in conflict.
func parted(ops []Op, a, b *block) error {
	shared := span.Of(b.old.From, max(a.old.To, b.old.From+1))
	if shared.Len() != 1 || b.old.Empty() || a.old.Empty() {
		return conflict(ops, a.op, b.op, "touch the same lines", shared)
	}
	line := a.t.Full(int(shared.From))
	above := bytes.HasSuffix(a.fresh, line) && startsLine(a.fresh, len(a.fresh)-len(line))
	below := bytes.HasPrefix(b.fresh, line) && startsLine(b.fresh, len(line))
	if !above && !below {
		return conflict(ops, a.op, b.op, "change the same line", shared)
	}
	if above {
		a.fresh = a.fresh[:len(a.fresh)-len(line)]
		a.old.To--
	}
	if below {
		b.fresh = b.fresh[len(line):]
		b.old.From++
	}
	return nil
}

// startsLine reports whether a line of b begins at off, or b ends there.
func startsLine(b []byte, off int) bool { return off == 0 || off == len(b) || b[off-1] == '\n' }

// territories keeps the readings of the changes of one call apart: each place between two of them belongs to one. Two
// changes that both insert at one place and touch no line beside it are in conflict.
func territories(ops []Op, blocks []*block) error {
	var last *block
	for _, b := range blocks {
		b.up, b.down = int(b.old.From), b.t.Lines()-int(b.old.To)
		if !b.changes() {
			continue
		}
		if last != nil {
			gap := int(b.old.From - last.old.To)
			switch {
			case gap == 0 && last.old.Empty() && b.old.Empty():
				return conflict(ops, last.op, b.op, "insert at the same place", b.old)
			case gap == 0 && last.old.Empty():
				b.topTaken = true
			case gap == 0:
				last.bottomTaken = true
			}
			last.down = max(gap-1, 0)
			b.up = max(gap-1-last.slideReach(), 0)
		}
		last = b
	}
	return nil
}
