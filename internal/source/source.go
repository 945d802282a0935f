// Package source owns where bytes come from: the disk, or an editor's unsaved buffer that hides it.
//
// Every capture is one slice of bytes; what is said of it (ref, lines, encoding) is taken from that slice alone.
package source

import (
	"context"
	"sync"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/scope"
)

// CaptureMax is the size in bytes up to which a file is captured whole; larger files are read in windows that carry no
// identity.
const CaptureMax = 64 << 20

// Kind says where bytes came from.
type Kind uint8

// The kinds.
const (
	Disk Kind = iota
	Overlay
)

// String returns the kind's name at the doors.
func (k Kind) String() string { return [...]string{"disk", "overlay"}[k] }

// Found is what a source has under a name.
type Found struct {
	Name    scope.Name // canonical: after links inside the root
	From    Kind
	Info    disk.Info        // of the file on disk; zero for an overlay of a file that is not there
	Capture *content.Capture // nil when the file is larger than [CaptureMax]
}

// Source captures names. It answers missing for a name that is not there and not-regular for what is no file.
type Source interface {
	Capture(ctx context.Context, name scope.Name) (*Found, error)
}

// Files is the disk as a source. It remembers the captures of lately read files, so that a file whose bytes are what
// they were costs one comparison instead of hashing: identity is still decided by the bytes. It is safe for concurrent
// use.
type Files struct {
	fs     disk.FS
	recent *Recent
	pool   sync.Pool
}

// NewFiles returns the files below fs as a source.
func NewFiles(fs disk.FS, recent *Recent) *Files {
	return &Files{fs: fs, recent: recent, pool: sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }}}
}

// Capture reads the file under name in one piece.
func (f *Files) Capture(ctx context.Context, name scope.Name) (*Found, error) {
	file, err := f.fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info := file.Info()
	found := &Found{Name: info.Name, Info: info}
	if info.Size > CaptureMax {
		return found, nil
	}
	buf := f.pool.Get().(*[]byte)
	raw, more, err := file.ReadAll(ctx, CaptureMax, (*buf)[:0])
	if err != nil {
		f.pool.Put(buf)
		return nil, err
	}
	if more {
		f.pool.Put(buf)
		return found, nil
	}
	found.Info = file.Info() // as it was when these bytes were read
	if c := f.recent.Same(info.Name, raw); c != nil {
		if cap(raw) <= maxPooled {
			*buf = raw
		}
		f.pool.Put(buf)
		found.Capture = c
		return found, nil
	}
	// The bytes stay with the capture; a buffer that fits them goes back.
	own := append(make([]byte, 0, len(raw)), raw...)
	if cap(raw) <= maxPooled {
		*buf = raw
	}
	f.pool.Put(buf)
	found.Capture = content.CaptureOf(own)
	found.Capture.Text().Settle()
	f.recent.Keep(info.Name, found.Capture)
	return found, nil
}

// maxPooled bounds the read buffers that are kept for reuse.
const maxPooled = 8 << 20

// Keep remembers c, whose text must be settled, as what name holds now: the bytes that were just written there.
func (f *Files) Keep(name scope.Name, c *content.Capture) { f.recent.Keep(name, c) }
