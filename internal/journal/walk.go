package journal

import (
	"math"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/span"
)

// all is the bound of numbers that may be anything.
const all = math.MaxUint64

func (r *Reserved) walk(c *coder) { num(c, &r.Seq, all) }

func (r *Version) walk(c *coder) {
	s := &r.State
	c.ref(&s.Ref)
	c.ref(&r.Base)
	// A skeleton that was dropped is not the same as that of an empty file, though both hold nothing.
	gone := s.N > 0 && s.Skeleton == nil && r.Base == ""
	c.flags(&s.Absent, &s.BOM, &gone)
	num(c, &s.N, numberMax)
	num(c, &s.Encoding, uint64(content.Binary))
	if gone {
		return
	}
	if r.Base != "" {
		c.splices(&r.Splices)
	}
	c.hashes(&s.Skeleton)
	written := s.N
	if r.Base != "" {
		written = 0
		for _, sp := range r.Splices {
			written += sp.New
		}
	}
	c.bad = c.bad || written != len(s.Skeleton)
}

func (r *Observed) walk(c *coder) {
	c.text(&r.Session)
	c.text(&r.Key)
	c.ref(&r.Version)
	num(c, &r.Seq, all)
	num(c, &r.Epoch, math.MaxUint32)
	num(c, &r.Call, all)
	num(c, &r.Origin, uint64(evidence.Searched))
	num(c, &r.At, math.MaxInt64)
	c.slots(&r.Slots)
	list(c, &r.Parts, 4, func(p *Part) {
		num(c, &p.Line, numberMax)
		spanOf(c, &p.Shown)
		num(c, &p.Len, numberMax)
	})
	c.spans(&r.Moved)
}

func (r *Round) walk(c *coder) {
	c.text(&r.Session)
	num(c, &r.Round, all)
	num(c, &r.Boundary, all)
}

func (r *Intent) walk(c *coder) {
	num(c, &r.ID, all)
	c.text(&r.Session)
	c.text(&r.Name)
	c.text(&r.Key)
	num(c, &r.Change, uint64(changes)-1)
	num(c, &r.Epoch, math.MaxUint32)
	num(c, &r.Call, all)
	c.ref(&r.Before)
	c.ref(&r.After)
	c.splices(&r.Splices)
	list(c, &r.Partial, 1, func(l *span.Line) { num(c, l, numberMax) })
	c.text(&r.To)
	c.text(&r.ToKey)
	r.Reply.walk(c)
}

func (r *Done) walk(c *coder) {
	num(c, &r.ID, all)
	c.text(&r.Name)
	num(c, &r.Seq, all)
	num(c, &r.At, math.MaxInt64)
	c.flags(&r.Failed)
	num(c, &r.Durability, math.MaxUint8)
	list(c, &r.Warnings, 1, c.text)
}

func (r *Reply) walk(c *coder) {
	given := r.Request != content.Hash{}
	c.flags(&given)
	if !given {
		return
	}
	for _, b := range [][]byte{r.Request[:], r.Digest[:], r.Before[:], r.After[:]} {
		c.fixed(b)
	}
	num(c, &r.Lines, numberMax)
	list(c, &r.Edits, 4, func(e *Edit) {
		spanOf(c, &e.Before)
		spanOf(c, &e.After)
	})
	num(c, &r.Durability, math.MaxUint8)
	list(c, &r.Warnings, 1, c.text)
	c.bad = c.bad || r.Request == content.Hash{}
}

func (r *Answered) walk(c *coder) {
	num(c, &r.ID, all)
	c.text(&r.Session)
	num(c, &r.Change, uint64(changes)-1)
	c.text(&r.Name)
	c.text(&r.To)
	num(c, &r.At, math.MaxInt64)
	r.Reply.walk(c)
}

func (r *Refused) walk(c *coder) {
	c.text(&r.Session)
	c.text(&r.Key)
	c.fixed(r.Mark[:])
}

func (r *Declined) walk(c *coder) {
	c.text(&r.Session)
	c.fixed(r.Request[:])
	c.fixed(r.Digest[:])
	num(c, &r.At, math.MaxInt64)
	c.text(&r.Code)
	c.spans(&r.Missing)
	c.spans(&r.Drifted)
}

func (r *Rewound) walk(c *coder) {
	c.text(&r.Session)
	num(c, &r.Epoch, math.MaxUint32)
	num(c, &r.UpTo, all)
}

func (r *Sibling) walk(c *coder) {
	num(c, &r.Dev, all)
	num(c, &r.Ino, all)
	c.text(&r.Name)
}

func (r *Session) walk(c *coder) {
	c.text(&r.ID)
	num(c, &r.Epoch, math.MaxUint32)
	num(c, &r.Calls, all)
	list(c, &r.Rounds, 2, func(m *RoundMark) {
		num(c, &m.Round, all)
		num(c, &m.Boundary, all)
	})
	list(c, &r.Times, 2, func(m *TimeMark) {
		num(c, &m.Seq, all)
		num(c, &m.At, math.MaxInt64)
	})
}

func (r *Track) walk(c *coder) {
	c.text(&r.Session)
	c.text(&r.Key)
	s := &r.State
	num(c, &s.Epoch, math.MaxUint32)
	list(c, &s.Views, 8, func(v *evidence.ViewState) {
		c.ref(&v.Version)
		list(c, &v.Entries, 7, c.entry)
		num(c, &v.Born, all)
		c.mark(&v.Direct)
		c.mark(&v.Told)
		c.flags(&v.Forgot)
	})
	list(c, &s.Own, 3, func(o *evidence.OwnState) {
		num(c, &o.Seq, all)
		num(c, &o.Call, all)
		c.splices(&o.Splices)
	})
	list(c, &s.Columns, 18, func(l *evidence.ColumnState) {
		c.fixed(l.Line[:])
		num(c, &l.Len, numberMax)
		list(c, &l.Pieces, 9, func(p *evidence.PieceState) {
			spanOf(c, &p.Columns)
			c.entry(&p.Entry)
		})
	})
}

func (r *History) walk(c *coder) {
	c.text(&r.Key)
	list(c, &r.Edges, 5, func(e *evidence.EdgeState) {
		c.ref(&e.From)
		c.ref(&e.To)
		c.splices(&e.Splices)
		c.text(&e.By)
		num(c, &e.Seq, all)
	})
}

func (c *coder) entry(e *evidence.Entry) {
	spanOf(c, &e.Slots)
	num(c, &e.Seq, all)
	num(c, &e.Epoch, math.MaxUint32)
	num(c, &e.Call, all)
	num(c, &e.Origin, uint64(evidence.Searched))
	num(c, &e.Strength, uint64(evidence.Coverage))
	c.flags(&e.Carried, &e.Moved, &e.Compacted)
}

func (c *coder) mark(m *evidence.Mark) {
	num(c, &m.Seq, all)
	num(c, &m.Call, all)
}

// encode appends the body of r; ok is false where r holds what no record may.
func encode(dst []byte, r Record) (out []byte, ok bool) {
	c := coder{buf: append(dst, byte(r.kind()))}
	r.walk(&c)
	return c.buf, !c.bad
}

// decode reads one body; ok is false where it is none of this format.
func decode(body []byte) (r Record, ok bool) {
	if len(body) == 0 {
		return nil, false
	}
	if r = blank(kind(body[0])); r == nil {
		return nil, false
	}
	c := coder{buf: body[1:], reading: true}
	r.walk(&c)
	return r, !c.bad && len(c.buf) == 0
}
