package session

import (
	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/span"
)

// longLine is one line of which an edit owed only columns: what the session was shown of it holds in the new line too.
type longLine struct {
	old       content.Hash
	line      span.Line // of the result
	len       int       // of the new line in bytes, without its ending
	head      span.Byte // how many bytes at the start stayed
	tail      span.Byte // how many bytes at the end stayed
	tailShift int
}

// longLines finds the lines of the result that an edit changed by their columns. skeleton is that of the version before.
func longLines(before, after *content.Text, skeleton []content.Hash, p *Plan) []longLine {
	var out []longLine
	for i, s := range p.splices {
		now := p.splices.Result(i)
		for _, r := range p.verdict.Readings {
			for k := range r.Columns {
				j := now.From + k - s.Old.From
				if !s.Old.Has(k) || !now.Has(j) || int(k) >= len(skeleton) {
					continue
				}
				a, b := before.Line(int(k)), after.Line(int(j))
				l := longLine{old: skeleton[k], line: j, len: len(b), tailShift: len(b) - len(a)}
				shorter := span.Byte(min(len(a), len(b)))
				for l.head < shorter && a[l.head] == b[l.head] {
					l.head++
				}
				for l.tail < shorter-l.head && a[len(a)-1-int(l.tail)] == b[len(b)-1-int(l.tail)] {
					l.tail++
				}
				out = append(out, l)
			}
		}
	}
	return out
}

// keepColumns takes the columns that the session was shown of long lines through its own edit of them: what stayed is
// known as of the edit, and what was written is its own. The caller holds the evidence lock.
func (p *Plan) keepColumns(lines []longLine, shown []span.Set[span.Byte], v *evidence.Version, seq evidence.Seq) {
	w := p.s.ws
	for i, l := range lines {
		o := journal.Observed{Session: p.s.id, Key: p.key.String(), Version: v.Ref.String(), Seq: seq, Epoch: p.epoch, Call: p.id, At: w.opt.Clock()}
		add := func(cols span.Bytes) { o.Parts = append(o.Parts, journal.Part{Line: l.line, Shown: cols, Len: l.len}) }
		tail := span.Byte(l.len) - l.tail
		for _, c := range shown[i].Spans() {
			if c := c.Intersect(span.Of(0, l.head)); !c.Empty() {
				add(c)
			}
			if c := c.Shift(l.tailShift).Intersect(span.Of(tail, span.Byte(l.len))); !c.Empty() {
				add(c)
			}
		}
		own := o
		own.Parts, own.Origin = nil, evidence.Authored
		if l.head < tail {
			own.Parts = []journal.Part{{Line: l.line, Shown: span.Of(l.head, tail), Len: l.len}}
		}
		for _, o := range []*journal.Observed{&own, &o} {
			if len(o.Parts) > 0 {
				before := p.s.shownLast(p.key)
				p.s.learn(p.key, v, o)
				w.journalObserved(o, v, before)
			}
		}
	}
}
