package source

import (
	"context"
	"sync"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// Overlays are the unsaved buffers of editors, laid over another source. A claim lives as long as the connection that
// made it: the owner drops it with [Overlays.Drop]. Overlays is safe for concurrent use.
type Overlays struct {
	below Source

	mu   sync.RWMutex
	bufs map[string]buffer
}

type buffer struct {
	owner   string
	capture *content.Capture
}

// NewOverlays returns below with no buffers over it.
func NewOverlays(below Source) *Overlays {
	return &Overlays{below: below, bufs: map[string]buffer{}}
}

// Set lays text, which is UTF-8, over name for owner. Another owner's buffer of the same name is refused dirty-buffer.
func (o *Overlays) Set(owner string, name scope.Name, text string) error {
	c := content.CaptureOf([]byte(text))
	c.Text().Settle()
	o.mu.Lock()
	defer o.mu.Unlock()
	if b, ok := o.bufs[name.String()]; ok && b.owner != owner {
		return fault.Newf(fault.DirtyBuffer, name.String(), "another editor holds unsaved changes of %s", name)
	}
	o.bufs[name.String()] = buffer{owner, c}
	return nil
}

// Drop takes owner's buffer of name away, as when it was saved or discarded. Without one nothing happens.
func (o *Overlays) Drop(owner string, name scope.Name) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b, ok := o.bufs[name.String()]; ok && b.owner == owner {
		delete(o.bufs, name.String())
	}
}

// DropOwner takes all of owner's buffers away, as when its connection ended.
func (o *Overlays) DropOwner(owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for n, b := range o.bufs {
		if b.owner == owner {
			delete(o.bufs, n)
		}
	}
}

// Dirty reports whether a buffer lies over name whose text differs from the bytes of disk.
func (o *Overlays) Dirty(name scope.Name, onDisk *content.Capture) bool {
	o.mu.RLock()
	b, ok := o.bufs[name.String()]
	o.mu.RUnlock()
	return ok && b.capture.Ref() != onDisk.Ref()
}

// Has reports whether a buffer lies over name.
func (o *Overlays) Has(name scope.Name) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	_, ok := o.bufs[name.String()]
	return ok
}

// Capture returns the buffer over name, or what the source below has. A buffer whose text is what the disk holds is
// the disk's.
func (o *Overlays) Capture(ctx context.Context, name scope.Name) (*Found, error) {
	found, err := o.below.Capture(ctx, name)
	o.mu.RLock()
	defer o.mu.RUnlock()
	if len(o.bufs) == 0 {
		return found, err
	}
	at := name
	if err == nil {
		at = found.Name
	} else if fault.CodeOf(err) != fault.Missing {
		return found, err
	}
	b, ok := o.bufs[at.String()]
	if !ok {
		return found, err
	}
	if err == nil && found.Capture != nil && found.Capture.Ref() == b.capture.Ref() {
		return found, nil
	}
	over := &Found{Name: at, From: Overlay, Capture: b.capture}
	if err == nil {
		over.Info = found.Info
	}
	return over, nil
}
