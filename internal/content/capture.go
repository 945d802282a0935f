package content

import "sync"

// Capture is one file's bytes at one instant, with everything that is said of them taken from that one slice. The file
// may have been absent, which is a fact about it and no error.
//
// A Capture is safe for concurrent use once its Text is settled; see [Text]. Its ref is computed when first asked for.
type Capture struct {
	absent bool
	text   *Text

	once sync.Once
	ref  Ref
}

// Absent returns the capture of a file that was not there.
func Absent() *Capture { return &Capture{absent: true, text: Decode(nil)} }

// CaptureOf returns the capture of a file that held raw. The caller must not change raw afterwards.
func CaptureOf(raw []byte) *Capture { return &Capture{text: Decode(raw)} }

// IsAbsent reports whether there was no file.
func (c *Capture) IsAbsent() bool { return c.absent }

// Text returns the text of the bytes; it is empty where the file was absent.
func (c *Capture) Text() *Text { return c.text }

// Ref returns the ref of the raw bytes, or the zero Ref where the file was absent. It costs one pass over the bytes
// the first time.
func (c *Capture) Ref() Ref {
	if c.absent {
		return Ref{}
	}
	c.once.Do(func() { c.ref = RefOf(c.text.raw) })
	return c.ref
}
