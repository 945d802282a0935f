package evidence

import (
	"container/list"

	"github.com/sightline-io/sightline/internal/content"
)

// alignmentCacheBytes is how much memory the alignments of one cache may take together.
const alignmentCacheBytes = 32 << 20

// AlignmentCache keeps the alignments that were asked for last, by the refs of their two versions. It is bounded by
// its entries and by 32 MiB of alignments; what does not fit is computed again. It is not safe for concurrent use.
type AlignmentCache struct {
	max, bytes, bytesMax int
	byRefs               map[refPair]*list.Element
	order                *list.List // of *cached, the one asked for last in front
}

type refPair struct{ a, b content.Ref }

type cached struct {
	key       refPair
	alignment *Alignment
}

// NewAlignmentCache returns an empty cache of at most entries alignments; of zero or fewer it keeps none.
func NewAlignmentCache(entries int) *AlignmentCache {
	return &AlignmentCache{
		max: entries, bytesMax: alignmentCacheBytes,
		byRefs: map[refPair]*list.Element{}, order: list.New(),
	}
}

// Align returns [Align](a, b), from the cache where it can. Equal versions are not kept, since they cost nothing, and
// neither is what could not be known, since the dropped skeleton may come back. The caller may share the result.
func (c *AlignmentCache) Align(a, b *Version) *Alignment {
	if nameless(a) || nameless(b) {
		return Align(a, b)
	}
	key := refPair{a.Ref, b.Ref}
	if e, ok := c.byRefs[key]; ok {
		c.order.MoveToFront(e)
		return e.Value.(*cached).alignment
	}
	al := Align(a, b)
	if size := al.Bytes(); al.known && a.Ref != b.Ref && c.max > 0 && size <= c.bytesMax {
		c.byRefs[key] = c.order.PushFront(&cached{key, al})
		c.bytes += size
		for len(c.byRefs) > c.max || c.bytes > c.bytesMax {
			c.drop(c.order.Back())
		}
	}
	return al
}

// Len returns the number of alignments kept.
func (c *AlignmentCache) Len() int { return len(c.byRefs) }

// Bytes returns about how many bytes of memory the alignments kept take.
func (c *AlignmentCache) Bytes() int { return c.bytes }

func (c *AlignmentCache) drop(e *list.Element) {
	old := c.order.Remove(e).(*cached)
	delete(c.byRefs, old.key)
	c.bytes -= old.alignment.Bytes()
}
