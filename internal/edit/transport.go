package edit

import (
	"bytes"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// Transport moves the plan to a newer text of the same file, for a commit that finds the file changed. line tells where
// a line of the plan's text stands in to; it must answer for all lines that one reading of each change touches or owes.
// The very same lines are replaced by the very same bytes, together and in order as they were; text is never located
// again, but for an operation on all places, whose places must be the same ones now. Anything else is a conflict, and
// so is a plan of a whole file. Operations that change nothing have no change in the new plan. to is kept by the plan
// and must not be changed. line is not kept.
func (p *Plan) Transport(to *content.Text, line func(span.Line) (span.Line, bool)) (*Plan, error) {
	if p.ops == nil {
		return nil, moved("a file that is written whole is not carried over to a newer version")
	}
	if to.Encoding() != p.t.Encoding() {
		return nil, moved("the file has another encoding now")
	}
	c := carrier{to: to, line: line}
	for i := range p.Changes {
		b := p.Changes[i].block
		if !b.changes() {
			continue
		}
		if !c.carry(b) {
			return nil, moved("the lines of the edit do not stand together as they did")
		}
	}
	if !p.sameEverywhere(to, c.parts) {
		return nil, moved("the text to replace occurs at other places now")
	}
	return newPlan(to, p.ops, c.parts)
}

func moved(message string) error { return &fault.Error{Code: fault.Conflict, Message: message} }

// carrier collects the replacements in the newer text, one for each change.
type carrier struct {
	to    *content.Text
	line  func(span.Line) (span.Line, bool)
	parts []part
	end   span.Line // of the last replacement
}

func (c *carrier) carry(b *block) bool {
	if b.class == Numbered || b.class == Anchored {
		return c.carryNamed(b)
	}
	_, hunks := b.choose(func(s span.Slot) bool {
		if !s.IsLine() {
			return true
		}
		_, ok := c.line(s.Line())
		return ok
	})
	var text []byte
	var all span.Lines
	for i, h := range hunks {
		now, ok := c.place(b.t, h.old)
		if !ok {
			return false
		}
		if i == 0 {
			all = span.Of(now.From, now.From)
		}
		if now.From < all.To {
			return false
		}
		text = append(append(text, c.to.Slice(int(all.To), int(now.From))...), h.fresh...)
		all.To = now.To
	}
	return c.put(part{op: b.op, text: string(text)}, all)
}

// carryNamed carries a change over that owes every line it names.
func (c *carrier) carryNamed(b *block) bool {
	now, ok := c.place(b.t, b.old)
	if !ok {
		return false
	}
	by := int(now.From - b.old.From)
	p := part{op: b.op, text: string(b.fresh), lines: b.named.Shift(by), owed: b.parts[0].owed.Shift(by)}
	for k := p.owed.From; k < p.owed.To; k++ {
		if at, ok := c.line(k - span.Line(by)); !ok || at != k {
			return false
		}
	}
	return c.put(p, now)
}

// put notes that lines of the newer text are replaced; they must stand below those before.
func (c *carrier) put(p part, lines span.Lines) bool {
	if lines.From < c.end {
		return false
	}
	c.end = lines.To
	p.at = span.Of(span.Byte(c.to.Offset(int(lines.From))), span.Byte(c.to.Offset(int(lines.To))))
	c.parts = append(c.parts, p)
	return true
}

// place returns where lines of the old text stand in the newer one: byte by byte the same, endings included, and
// together. For a place between lines, its two neighbours must still be neighbours; an end of the file is still that
// end.
func (c *carrier) place(t *content.Text, ls span.Lines) (span.Lines, bool) {
	if ls.Empty() {
		return c.seam(t, ls.From)
	}
	first, ok := c.line(ls.From)
	if !ok || first < 0 || int(first)+ls.Len() > c.to.Lines() {
		return ls, false
	}
	for k := ls.From; k < ls.To; k++ {
		at, ok := c.line(k)
		if !ok || at != first+k-ls.From || !bytes.Equal(t.Full(int(k)), c.to.Full(int(at))) {
			return ls, false
		}
	}
	return span.Of(first, first+span.Line(ls.Len())), true
}

func (c *carrier) seam(t *content.Text, k span.Line) (span.Lines, bool) {
	n, m := span.Line(t.Lines()), span.Line(c.to.Lines())
	at := span.Line(0)
	if k > 0 {
		above, ok := c.line(k - 1)
		if !ok {
			return span.Lines{}, false
		}
		at = above + 1
	}
	if k < n {
		below, ok := c.line(k)
		return span.Of(at, at), ok && below == at
	}
	// The end of the file: what is put there follows a line that is ended as it was.
	same := at == m && (k == 0 || t.Ending(int(k-1)) == c.to.Ending(int(m-1)))
	return span.Of(at, at), same
}

// sameEverywhere reports whether the operations on all places, located in the newer text, do there what parts do.
func (p *Plan) sameEverywhere(to *content.Text, parts []part) bool {
	l := locator{t: to, ops: p.ops, finder: newFinder(to)}
	for i, op := range p.ops {
		o, ok := op.(Replace)
		if !ok || !o.All || o.Old == o.New {
			continue
		}
		l.parts = l.parts[:0]
		if err := l.replace(i, o); err != nil {
			return false
		}
		var own []part
		for _, q := range parts {
			if q.op == i {
				own = append(own, q)
			}
		}
		if !bytes.Equal(assemble(to.Body(), l.parts), assemble(to.Body(), own)) {
			return false
		}
	}
	return true
}
