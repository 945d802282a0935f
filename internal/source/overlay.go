package source

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// Overlays are the unsaved buffers of editors, laid over the disk. A claim lives as long as the connection that made
// it: the owner drops it with [Overlays.Drop]. A buffer that says what the disk says when it is set is clean; it claims
// nothing, and a later change of the disk is seen through it. Overlays is safe for concurrent use.
type Overlays struct {
	below *Files
	root  scope.Root

	mu   sync.RWMutex
	bufs map[scope.Key]buffer
}

type buffer struct {
	owner   string
	capture *content.Capture
}

// NewOverlays returns below, whose names root tells apart, with no buffers over it.
func NewOverlays(below *Files, root scope.Root) *Overlays {
	return &Overlays{below: below, root: root, bufs: map[scope.Key]buffer{}}
}

// Set lays text, which is UTF-8 without BOM, over name for owner. Codes: dirty-buffer where another owner's buffer of
// the same file differs from the disk; invalid for text that is not UTF-8; io where the disk could not be looked at, which leaves
// things as they were.
func (o *Overlays) Set(owner string, name scope.Name, text string) error {
	c := content.CaptureOf([]byte(strings.TrimPrefix(text, "\ufeff")))
	c.Text().Settle()
	if e := c.Text().Encoding(); e != content.UTF8 {
		return fault.Newf(fault.Invalid, name.String(), "the buffer of %s is not UTF-8 text", name)
	}
	found, err := o.below.Capture(context.Background(), name)
	switch fault.CodeOf(err) {
	case "":
		name = found.Name
	case fault.Missing:
		found = nil
	default:
		return err
	}
	key := name.Key(o.root)
	o.mu.Lock()
	defer o.mu.Unlock()
	b, taken := o.bufs[key]
	taken = taken && b.owner != owner
	switch {
	case found != nil && says(found.Capture, c):
		if !taken {
			delete(o.bufs, key)
		}
		return nil
	case taken && (found == nil || !says(found.Capture, b.capture)):
		return fault.Newf(fault.DirtyBuffer, name.String(), "another editor holds unsaved changes of %s", name)
	}
	o.bufs[key] = buffer{owner, c}
	return nil
}

// says reports whether a buffer holds the text of what is on disk, whatever its encoding there.
func says(onDisk, buffer *content.Capture) bool {
	return onDisk != nil && bytes.Equal(onDisk.Text().Body(), buffer.Text().Body())
}

// Drop takes owner's buffer of name away, as when it was saved or discarded. Without one nothing happens.
func (o *Overlays) Drop(owner string, name scope.Name) {
	key := o.canonical(name).Key(o.root)
	o.mu.Lock()
	defer o.mu.Unlock()
	if b, ok := o.bufs[key]; ok && b.owner == owner {
		delete(o.bufs, key)
	}
}

// canonical follows the links of a name, where it leads to something.
func (o *Overlays) canonical(name scope.Name) scope.Name {
	if info, err := o.below.fs.Stat(name); err == nil {
		return info.Name
	}
	return name
}

// DropOwner takes all of owner's buffers away, as when its connection ended.
func (o *Overlays) DropOwner(owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for k, b := range o.bufs {
		if b.owner == owner {
			delete(o.bufs, k)
		}
	}
}

// Has reports whether a buffer lies over a canonical name.
func (o *Overlays) Has(name scope.Name) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	_, ok := o.bufs[name.Key(o.root)]
	return ok
}

// Capture returns the buffer over name, or what the disk has. A buffer whose text is what the disk holds by now is the
// disk's.
func (o *Overlays) Capture(ctx context.Context, name scope.Name) (*Found, error) {
	found, err := o.below.Capture(ctx, name)
	if err == nil {
		name = found.Name
	} else if fault.CodeOf(err) != fault.Missing {
		return nil, err
	}
	o.mu.RLock()
	b, ok := o.bufs[name.Key(o.root)]
	o.mu.RUnlock()
	if !ok || err == nil && says(found.Capture, b.capture) {
		return found, err
	}
	over := &Found{Name: name, From: Overlay, Capture: b.capture}
	if err == nil {
		over.Info = found.Info
	}
	return over, nil
}
