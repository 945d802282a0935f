package journal

import (
	"encoding/binary"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// Bounds of what a record may hold. Whatever is beyond them is damage when it is read, and is not written.
const (
	textMax   = 8 << 10 // bytes of a name, key or id
	listMax   = 1 << 20 // members of one list
	numberMax = 1 << 40 // lines, slots, bytes
)

// coder writes the members of a record, or reads them, in the same order by the same code. A record is walked once; bad
// is set when a member is out of bounds, and then the whole record counts for nothing. Writing changes nothing of the
// record, which others may be reading.
type coder struct {
	buf     []byte // writing: what was written; reading: what is left
	reading bool
	bad     bool
}

func (c *coder) uint(v *uint64, most uint64) {
	if !c.reading {
		if *v > most {
			c.bad = true
		}
		c.buf = binary.AppendUvarint(c.buf, *v)
		return
	}
	x, n := binary.Uvarint(c.buf)
	if n <= 0 || x > most {
		c.bad, c.buf, *v = true, nil, 0
		return
	}
	*v, c.buf = x, c.buf[n:]
}

// num walks a number that is not negative.
func num[T ~int | ~int64 | ~uint64 | ~uint32 | ~uint8](c *coder, v *T, most uint64) {
	if !c.reading && *v < 0 {
		c.bad = true
		return
	}
	x := uint64(*v)
	c.uint(&x, most)
	if c.reading {
		*v = T(x)
	}
}

func (c *coder) flags(bits ...*bool) {
	var x uint64
	for i, b := range bits {
		if *b {
			x |= 1 << i
		}
	}
	c.uint(&x, 1<<len(bits)-1)
	if !c.reading {
		return
	}
	for i, b := range bits {
		*b = x>>i&1 == 1
	}
}

// take returns the next n bytes to be read.
func (c *coder) take(n int) []byte {
	if n > len(c.buf) {
		c.bad, c.buf = true, nil
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}

func (c *coder) text(s *string) {
	n := len(*s)
	num(c, &n, textMax)
	if !c.reading {
		c.buf = append(c.buf, *s...)
		return
	}
	*s = string(c.take(n))
}

func (c *coder) fixed(b []byte) {
	if !c.reading {
		c.buf = append(c.buf, b...)
		return
	}
	copy(b, c.take(len(b)))
}

// ref walks a ref in its text form, which is how evidence names versions; empty is the absent version.
func (c *coder) ref(s *string) {
	given := *s != ""
	c.flags(&given)
	if !given {
		return
	}
	var sum [32]byte
	if !c.reading {
		r, err := content.ParseRef(*s)
		if err != nil {
			c.bad = true
			return
		}
		sum = r.Digest()
	}
	c.fixed(sum[:])
	if c.reading {
		*s = refText(sum)
	}
}

func refText(sum [32]byte) string {
	const digits = "0123456789abcdef"
	b := make([]byte, 0, 71)
	b = append(b, "sha256:"...)
	for _, x := range sum {
		b = append(b, digits[x>>4], digits[x&15])
	}
	return string(b)
}

// list walks the members of a list; least is how many bytes one member takes at least, so that a length that lies is
// found out before memory is taken for it. A list without members is nil when it is read.
func list[T any](c *coder, l *[]T, least int, member func(*T)) {
	n := len(*l)
	num(c, &n, listMax)
	if c.reading {
		*l = nil
		if n > len(c.buf)/least {
			c.bad, c.buf = true, nil
			return
		}
		if n > 0 {
			*l = make([]T, n)
		}
	}
	for i := range *l {
		if c.bad {
			return
		}
		member(&(*l)[i])
	}
}

// spanOf walks a span as its start and length.
func spanOf[T ~int](c *coder, s *span.Span[T]) {
	n := s.To - s.From
	num(c, &s.From, numberMax)
	num(c, &n, numberMax)
	if c.reading {
		s.To = s.From + n
	}
}

func (c *coder) spans(l *[]span.Lines) { list(c, l, 2, func(s *span.Lines) { spanOf(c, s) }) }

func (c *coder) slots(l *[]span.Slots) { list(c, l, 2, func(s *span.Slots) { spanOf(c, s) }) }

func (c *coder) splices(l *span.Splices) {
	list(c, (*[]span.Splice)(l), 3, func(s *span.Splice) {
		spanOf(c, &s.Old)
		num(c, &s.New, numberMax)
	})
	if !l.Valid(numberMax * 2) {
		c.bad = true
	}
}

// hashes walks line hashes, 16 bytes each.
func (c *coder) hashes(l *[]content.Hash) {
	n := len(*l)
	num(c, &n, SkeletonLinesMax)
	if !c.reading {
		for i := range *l {
			c.buf = append(c.buf, (*l)[i][:]...)
		}
		return
	}
	*l = nil
	if n > len(c.buf)/len(content.Hash{}) {
		c.bad, c.buf = true, nil
		return
	}
	if n > 0 {
		*l = make([]content.Hash, n)
		for i := range *l {
			copy((*l)[i][:], c.take(len(content.Hash{})))
		}
	}
}
