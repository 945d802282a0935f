package edit

import (
	"bytes"
	"sort"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// finder finds quoted text in a text, whichever endings either has. It searches a copy in which every CRLF is an LF, if
// the text has any CRLF and the quoted text could meet one: so one search is enough, as fast as searching bytes is, and
// half an ending is never matched.
type finder struct {
	t    *content.Text
	flat []byte // the body with LF endings; nil until needed
	crlf []int  // where in flat the LFs stand that are CRLF in the body
}

func newFinder(t *content.Text) *finder { return &finder{t: t} }

// find returns where old occurs in the body, every place counted, overlapping or not, but no more than limit of them.
// old must not be empty.
func (f *finder) find(old string, limit int) []span.Bytes { return f.search(old, limit, 1) }

// all returns where old occurs, from the top, without overlaps, up to one more than may be changed.
func (f *finder) all(old string) []span.Bytes { return f.search(old, PlacesMax+1, len(old)) }

func (f *finder) search(old string, limit, step int) []span.Bytes {
	body, q := f.t.Body(), quoted{flat: old}
	hasCRLF := f.t.EOL() == content.EOLCRLF || f.t.EOL() == content.EOLMixed
	mapped := hasCRLF && (strings.IndexByte(old, '\n') >= 0 || old[len(old)-1] == '\r')
	if mapped {
		f.flatten()
		body, q = f.flat, flatten(old)
		step = min(step, len(q.flat))
	} else if strings.Contains(old, "\r\n") {
		return nil // no line of the text ends so
	}
	var out []span.Bytes
	pattern := []byte(q.flat)
	for from := 0; len(out) < limit; {
		i := bytes.Index(body[from:], pattern)
		if i < 0 {
			break
		}
		at := span.Of(span.Byte(from+i), span.Byte(from+i+len(pattern)))
		from += i + 1
		if mapped && !f.ended(int(at.From), q.crlf) {
			continue
		}
		from += step - 1
		if mapped {
			at = span.Of(f.place(at.From), f.place(at.To))
		}
		out = append(out, at)
	}
	return out
}

// ended reports whether a place at from in the flat body has CRLF wherever the quoted text says so.
func (f *finder) ended(from int, crlf []int) bool {
	for _, c := range crlf {
		i := sort.SearchInts(f.crlf, from+c)
		if i == len(f.crlf) || f.crlf[i] != from+c {
			return false
		}
	}
	return true
}

// place returns where in the body the flat body's byte at lies.
func (f *finder) place(at span.Byte) span.Byte {
	return at + span.Byte(sort.SearchInts(f.crlf, int(at)))
}

func (f *finder) flatten() {
	if f.flat != nil {
		return
	}
	body := f.t.Body()
	f.flat = make([]byte, 0, len(body))
	for {
		i := bytes.Index(body, []byte("\r\n"))
		if i < 0 {
			break
		}
		f.flat = append(f.flat, body[:i]...)
		f.crlf = append(f.crlf, len(f.flat))
		f.flat = append(f.flat, '\n')
		body = body[i+2:]
	}
	f.flat = append(f.flat, body...)
}

// quoted is quoted text with LF endings, and where it says CRLF.
type quoted struct {
	flat string
	crlf []int
}

func flatten(s string) quoted {
	var b strings.Builder
	var q quoted
	for {
		head, rest, ok := strings.Cut(s, "\r\n")
		b.WriteString(head)
		if !ok {
			break
		}
		q.crlf = append(q.crlf, b.Len())
		b.WriteByte('\n')
		s = rest
	}
	q.flat = b.String()
	return q
}
