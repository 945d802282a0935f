package edit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// What the reader puts around text must not come back as text. The rule, so that nothing honest is refused:
//
//   - a notice is a line that begins with the mark; a gutter is a number from 1 without leading zeros, right-aligned to
//     six with at least one blank before it, and a tab. Numbers of six and more digits have no blank to tell them from a
//     column of data, so they alone never make a gutter.
//   - a file that holds a line of that kind already is a file of such lines: nothing new in it is an echo. Text to be
//     replaced and anchors are no echo where the file holds that very text.
//   - a notice in new text is an echo. A gutter is one if it numbers what is edited: its number is that of a line at the
//     place of the edit, or what follows it is the very line of that number, or every line of the new text has a gutter,
//     counting up by one. A numbered listing in the midst of other text is none of these.
//   - in the text of a whole file the place of a line is its own number; in a new file only the last of the three counts.

// noticeMark begins every line that a reader adds below the lines of a file.
const noticeMark = "[sightline]"

// gutterWidth is how wide a line number is shown at least.
const gutterWidth = 6

// echoes looks for echoes of the reader in texts that are meant for t. What t holds is found out once, when asked for.
type echoes struct {
	t       *content.Text
	looked  bool
	gutters bool // t holds a line with a gutter
	notices bool // t holds a line like a notice
}

// op answers invalid for an operation that holds an echo.
func (e *echoes) op(op Op) error {
	switch o := op.(type) {
	case Replace:
		kind := echoOf(o.Old)
		if kind == "" && echoOf(o.New) == "" {
			return nil
		}
		var found []span.Bytes
		if o.Old != "" {
			found = newFinder(e.t).find(o.Old, 1)
		}
		if len(found) == 0 && kind != "" {
			return echoed("old", kind)
		}
		place := span.Lines{}
		if len(found) > 0 {
			place = linesAt(e.t, found[0])
		}
		return e.text("new", o.New, place)
	case Anchors:
		for _, a := range []struct{ field, text string }{{"from", o.From}, {"to", o.To}} {
			if kind := echoOf(a.text); kind != "" && !bytes.Contains(e.t.Body(), []byte(trimEnding(a.text))) {
				return echoed(a.field, kind)
			}
		}
		return e.text("new", o.New, span.Lines{})
	case LineRange:
		return e.text("new", o.New, o.Lines)
	case Append:
		n := span.Line(e.t.Lines())
		return e.text("append", o.Text, span.Of(n, n))
	}
	return nil
}

// text answers invalid for new text that holds an echo and is put at place.
func (e *echoes) text(field, s string, place span.Lines) error {
	switch echoOf(s) {
	case "":
		return nil
	case "gutter":
		place.To += span.Line(strings.Count(s, "\n") + 1)
		if e.holds(); !e.gutters && (isPage(s) || e.numbers(s, func(_, n int) bool { return place.Has(span.Line(n - 1)) })) {
			return echoed(field, "gutter")
		}
	}
	return e.notice(field, s)
}

// whole answers invalid for the text of the whole file that holds an echo.
func (e *echoes) whole(field, s string) error {
	if echoOf(s) == "gutter" {
		if e.holds(); !e.gutters && (isPage(s) || e.numbers(s, func(i, n int) bool { return i+1 == n })) {
			return echoed(field, "gutter")
		}
	}
	return e.notice(field, s)
}

func (e *echoes) notice(field, s string) error {
	if hasNotice(s) {
		if e.holds(); !e.notices {
			return echoed(field, "notice")
		}
	}
	return nil
}

// numbers reports whether line i of s has a gutter with number n so that here(i, n) is true, or that stands before the
// very line n of the file.
func (e *echoes) numbers(s string, here func(i, n int) bool) bool {
	i := 0
	for line := range strings.Lines(s) {
		if n := gutterOf(line); n > 0 {
			rest := trimEnding(line[gutterWidth+1:])
			if here(i, n) || n <= e.t.Lines() && strings.TrimSpace(rest) != "" && rest == string(e.t.Line(n-1)) {
				return true
			}
		}
		i++
	}
	return false
}

// holds finds out, once, what of the kind the file holds already.
func (e *echoes) holds() {
	if e.looked {
		return
	}
	e.looked = true
	for i := range e.t.Lines() {
		line := e.t.Line(i)
		if len(line) > gutterWidth && (line[0] == ' ' || line[0] == '[') {
			head := string(line[:min(len(line), len(noticeMark))])
			e.gutters = e.gutters || gutterOf(head) > 0
			e.notices = e.notices || head == noticeMark
		}
	}
}

// echoInNew answers invalid for the text of a new file that is a page as a reader shows it.
func echoInNew(field, s string) error {
	switch {
	case isPage(s):
		return echoed(field, "gutter")
	case hasNotice(s):
		return echoed(field, "notice")
	}
	return nil
}

// isPage reports whether every line of s but blank ones and notices has a gutter, and they count up by one.
func isPage(s string) bool {
	last := 0
	for line := range strings.Lines(s) {
		n := gutterOf(line)
		switch {
		case n > 0 && (last == 0 || n == last+1):
			last = n
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, noticeMark):
			return false
		}
	}
	return last > 0
}

func hasNotice(s string) bool {
	return strings.HasPrefix(s, noticeMark) || strings.Contains(s, "\n"+noticeMark)
}

// echoOf names what of the reader s may hold: gutter, which there may be a notice beside, or notice, or nothing.
func echoOf(s string) string {
	for line := range strings.Lines(s) {
		if gutterOf(line) > 0 {
			return "gutter"
		}
	}
	if hasNotice(s) {
		return "notice"
	}
	return ""
}

// gutterOf returns the line number of the gutter that line begins with, or 0.
func gutterOf(line string) int {
	if len(line) <= gutterWidth || line[0] != ' ' || line[gutterWidth] != '\t' {
		return 0
	}
	digits := strings.TrimLeft(line[:gutterWidth], " ")
	if digits == "" || digits[0] == '0' {
		return 0
	}
	n := 0
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0
		}
		n = 10*n + int(digits[i]-'0')
	}
	return n
}

func echoed(field, kind string) error {
	if kind == "notice" {
		return invalid(field, fmt.Sprintf("the text holds a line that begins with %s: a notice of the reader, not text of the file; leave it out", noticeMark))
	}
	return invalid(field, "the text holds the reader's gutter, a line number and a tab before the line; give the lines without it")
}
