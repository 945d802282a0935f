// Package reader owns pages: which lines of a text are shown within a budget, how they look, and where the next page
// begins.
//
// It is pure but for the randomness that the session draws for cursors. A page that is announced as next always fits
// its own bound: a line that is longer than a whole page is shown in columns.
package reader

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// PageBytesMin is the smallest page that is served, in bytes of shown text: room for the notices and for some text.
const PageBytesMin = 1024

// NoticeBytes is what a page keeps free for its notices.
const NoticeBytes = 480

// gutterWidth is how wide a line number is shown at least, by contract.
const gutterWidth = 6

// Position is where a page begins.
type Position struct {
	Span   int       // index into the wanted spans
	Line   span.Line // the first line to show
	Column span.Byte // the first byte of it
}

// Cut is a line of which only some columns are shown.
type Cut struct {
	Line  span.Line
	Shown span.Bytes // of the line without its ending
	Len   int        // length of the line in bytes, without its ending
}

// Page is what one answer shows of a text.
type Page struct {
	Lines []span.Lines // shown whole, sorted and merged
	Cuts  []Cut        // shown in part: at most the first and the last line of the page
	Lossy []span.Line  // shown, but not exactly: at most eight are named
	Text  []byte       // what is shown, with the lines' own endings; of a cut line the shown columns
	Shown []byte       // numbered, one line each; notices may be appended by the owner
	Next  *Position    // where the next page begins; nil when all was shown
}

// Build returns the page of t that begins at pos and shows the wanted spans in order. budget is the number of bytes
// that Shown and its notices may take together; less than [PageBytesMin] counts as that. The spans must lie inside
// the text. Text is a part of t's body where the page is contiguous, so that the pages of one read add up to the lines
// that were wanted, whatever the bound cut in two.
func Build(t *content.Text, want []span.Lines, pos Position, budget int) *Page {
	return BuildWindow(t, 0, want, pos, budget)
}

// BuildWindow is Build for a text that is a window of a file and begins in the file's line first: the numbers shown are
// the file's, everything else counts from the window's own start.
func BuildWindow(t *content.Text, first span.Line, want []span.Lines, pos Position, budget int) *Page {
	b := builder{t: t, first: first, room: max(budget, PageBytesMin) - NoticeBytes, page: &Page{}}
	for i := pos.Span; i < len(want); i++ {
		line, col := want[i].From, span.Byte(0)
		if i == pos.Span {
			line, col = max(line, pos.Line), pos.Column
		}
		if next := b.run(line, want[i].To, col); next != nil {
			next.Span = i
			b.page.Next = next
			break
		}
	}
	b.finish()
	return b.page
}

type builder struct {
	t     *content.Text
	first span.Line // added to the numbers that are shown
	room  int
	page  *Page
}

// run shows lines from line to end until the room is used up, and returns where it stopped, or nil at the end.
func (b *builder) run(line, end span.Line, col span.Byte) *Position {
	p := b.page
	if p.Shown == nil && line < end {
		size := b.t.Offset(int(end)) - b.t.Offset(int(line)) + 8*int(end-line)
		p.Shown = make([]byte, 0, min(size, b.room)+NoticeBytes)
	}
	from := line
	for ; line < end; line++ {
		text := b.t.Line(int(line))
		head := gutterLen(b.first+line) + 1
		if col == 0 && len(p.Shown)+head+len(text) <= b.room && (len(text) == 0 || exact(text)) {
			p.Shown = append(appendGutter(p.Shown, b.first+line), text...)
			p.Shown = append(p.Shown, '\n')
			continue
		}
		b.add(from, line)
		next, whole := b.odd(line, text, col)
		if next != nil {
			return next
		}
		if !whole {
			from = line + 1
		} else {
			from = line
		}
		col = 0
	}
	b.add(from, end)
	return nil
}

// odd shows a line that is too long, inexact, or continued in the middle. It returns where to go on when the page is
// full, and whether the line counts as shown whole.
func (b *builder) odd(line span.Line, text []byte, col span.Byte) (next *Position, whole bool) {
	p := b.page
	shown := text[col:]
	room := b.room - len(p.Shown) - gutterLen(b.first+line) - 1
	if !exact(shown) {
		if len(p.Lossy) < 8 {
			p.Lossy = append(p.Lossy, line)
		}
	}
	looks := display(shown)
	if len(looks) > room {
		if len(p.Shown) > 0 { // the next page begins with this line, whole or cut
			return &Position{Line: line, Column: col}, false
		}
		n := columns(shown, room)
		b.put(line, display(shown[:n]))
		p.Cuts = append(p.Cuts, Cut{line, span.Of(col, col+span.Byte(n)), len(text)})
		return &Position{Line: line, Column: col + span.Byte(n)}, false
	}
	b.put(line, looks)
	if col > 0 {
		p.Cuts = append(p.Cuts, Cut{line, span.Of(col, span.Byte(len(text))), len(text)})
		return nil, false
	}
	return nil, true
}

func (b *builder) put(line span.Line, looks []byte) {
	b.page.Shown = append(append(appendGutter(b.page.Shown, b.first+line), looks...), '\n')
}

// add notes that the lines [from, to) are shown whole.
func (b *builder) add(from, to span.Line) {
	if from >= to {
		return
	}
	p := b.page
	if n := len(p.Lines); n > 0 && p.Lines[n-1].To == from {
		p.Lines[n-1].To = to
		return
	}
	p.Lines = append(p.Lines, span.Of(from, to))
}

// finish puts the text together, of the whole lines and of the columns, in the order in which they stand in t.
func (b *builder) finish() {
	parts := make([]span.Bytes, 0, len(b.page.Lines)+len(b.page.Cuts))
	for _, l := range b.page.Lines {
		parts = append(parts, span.Of(span.Byte(b.t.Offset(int(l.From))), span.Byte(b.t.Offset(int(l.To)))))
	}
	for _, c := range b.page.Cuts {
		at := span.Byte(b.t.Offset(int(c.Line)))
		to := at + c.Shown.To
		if int(c.Shown.To) == c.Len { // the rest of the line, and so its ending
			to = at + span.Byte(len(b.t.Full(int(c.Line))))
		}
		parts = append(parts, span.Of(at+c.Shown.From, to))
	}
	parts = span.SetOf(parts...).Spans()
	body := b.t.Body()
	if len(parts) == 1 {
		b.page.Text = body[parts[0].From:parts[0].To:parts[0].To]
		return
	}
	for _, x := range parts {
		b.page.Text = append(b.page.Text, body[x.From:x.To]...)
	}
}

// Number returns the text of lines with their gutter, as a read shows them: what a refusal's cure shows.
func Number(dst []byte, t *content.Text, lines span.Lines) []byte {
	return NumberFrom(dst, t, []span.Lines{lines}, 0)
}

// NumberFrom is Number for a text that is a window of a file and begins at the file's line first.
func NumberFrom(dst []byte, t *content.Text, lines []span.Lines, first span.Line) []byte {
	for _, l := range lines {
		for i := l.From; i < l.To; i++ {
			dst = append(append(appendGutter(dst, first+i), display(t.Line(int(i)))...), '\n')
		}
	}
	return dst
}

// columns returns how many bytes of text can be shown in room bytes, not cutting a character in two.
func columns(text []byte, room int) int {
	n := characterEnd(text, min(room, len(text)))
	for len(display(text[:n])) > room && n > 1 {
		n = characterEnd(text, n*3/4)
	}
	return max(n, 1)
}

// characterEnd returns the end of the last whole character before n, or n where the bytes there are no text.
func characterEnd(text []byte, n int) int {
	for k := n; k < len(text) && k > max(0, n-utf8.UTFMax); k-- {
		if utf8.RuneStart(text[k]) {
			return k
		}
	}
	return n
}

var replacement = []byte(string(utf8.RuneError))

// display returns text as a model sees it: what is no valid UTF-8, and NUL, as U+FFFD.
func display(text []byte) []byte {
	if exact(text) {
		return text
	}
	out := bytes.ToValidUTF8(text, replacement)
	return bytes.ReplaceAll(out, []byte{0}, replacement)
}

func exact(text []byte) bool { return utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 }

func gutterLen(line span.Line) int {
	n, w := int(line)+1, 1
	for n >= 10 {
		n /= 10
		w++
	}
	return max(w, gutterWidth) + 1
}

// appendGutter appends the one-based number of line, right-aligned, and a tab. It is the display form that the
// contract fixes, not a coordinate that anything computes with.
func appendGutter(dst []byte, line span.Line) []byte {
	n := int(line) + 1
	if n < 1_000_000 {
		at := len(dst)
		dst = append(dst, "      \t"...)
		for i := at + gutterWidth - 1; n > 0; i-- {
			dst[i] = byte('0' + n%10)
			n /= 10
		}
		return dst
	}
	return append(strconv.AppendInt(dst, int64(n), 10), '\t')
}
