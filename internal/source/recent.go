package source

import (
	"bytes"
	"container/list"
	"sync"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/scope"
)

// Recent remembers the latest capture of lately read files within a bound of bytes. It is safe for concurrent use.
type Recent struct {
	limit int

	mu    sync.Mutex
	used  int
	order *list.List // of *kept, newest first
	names map[string]*list.Element
}

type kept struct {
	name    string
	capture *content.Capture
}

// NewRecent returns an empty memory of at most limit bytes of files. A file larger than half of it is not kept.
func NewRecent(limit int) *Recent {
	return &Recent{limit: limit, order: list.New(), names: map[string]*list.Element{}}
}

// Same returns the remembered capture of name if its bytes are exactly raw, else nil.
func (r *Recent) Same(name scope.Name, raw []byte) *content.Capture {
	r.mu.Lock()
	e := r.names[name.String()]
	if e == nil {
		r.mu.Unlock()
		return nil
	}
	r.order.MoveToFront(e)
	c := e.Value.(*kept).capture
	r.mu.Unlock()
	if !bytes.Equal(c.Text().Raw(), raw) {
		return nil
	}
	return c
}

// Keep remembers c, whose text must be settled, as the latest capture of name.
func (r *Recent) Keep(name scope.Name, c *content.Capture) {
	size := len(c.Text().Raw())
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.names[name.String()]; e != nil {
		r.drop(e)
	}
	if size > r.limit/2 {
		return
	}
	r.names[name.String()] = r.order.PushFront(&kept{name.String(), c})
	r.used += size
	for r.used > r.limit {
		r.drop(r.order.Back())
	}
}

// drop forgets e; the caller holds the lock.
func (r *Recent) drop(e *list.Element) {
	k := e.Value.(*kept)
	r.order.Remove(e)
	delete(r.names, k.name)
	r.used -= len(k.capture.Text().Raw())
}
