package edit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
)

// What the reader puts around text must not come back as text. The rule, so that nothing honest is refused:
//
//   - a notice is a line that begins with the mark; a gutter is a number from 1 without leading zeros, right-aligned to
//     six with at least one blank before it, and a tab. Numbers of six and more digits have no blank to tell them from a
//     column of data, so they alone never make a gutter.
//   - in new text such a line is an echo unless the file holds a line of that kind already: then it is a file of such
//     lines.
//   - in text to be replaced or an anchor it is an echo unless the file holds that very text.
//   - a new file has no such lines. There a gutter is an echo only where every line but blank ones and notices has one,
//     and their numbers go up by one.

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
		if kind := echoOf(o.Old); kind != "" && len(newFinder(e.t).find(o.Old, 1)) == 0 {
			return echoed("old", kind)
		}
		return e.text("new", o.New)
	case Anchors:
		for _, a := range []struct{ field, text string }{{"from", o.From}, {"to", o.To}} {
			if kind := echoOf(a.text); kind != "" && !bytes.Contains(e.t.Body(), []byte(trimEnding(a.text))) {
				return echoed(a.field, kind)
			}
		}
		return e.text("new", o.New)
	case LineRange:
		return e.text("new", o.New)
	case Append:
		return e.text("append", o.Text)
	}
	return nil
}

// text answers invalid for new text that holds an echo.
func (e *echoes) text(field, s string) error {
	gutter, notice := false, false
	for line := range strings.Lines(s) {
		gutter = gutter || gutterOf(line) > 0
		notice = notice || strings.HasPrefix(line, noticeMark)
	}
	if !gutter && !notice {
		return nil
	}
	e.look()
	switch {
	case gutter && !e.gutters:
		return echoed(field, "gutter")
	case notice && !e.notices:
		return echoed(field, "notice")
	}
	return nil
}

func (e *echoes) look() {
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
	last, all := 0, true
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, noticeMark) {
			return echoed(field, "notice")
		}
		n := gutterOf(line)
		switch {
		case n > 0 && (last == 0 || n == last+1):
			last = n
		case strings.TrimSpace(line) != "":
			all = false
		}
	}
	if last > 0 && all {
		return echoed(field, "gutter")
	}
	return nil
}

// echoOf names the first echo in s, as gutter or notice, or returns nothing.
func echoOf(s string) string {
	for line := range strings.Lines(s) {
		if gutterOf(line) > 0 {
			return "gutter"
		}
		if strings.HasPrefix(line, noticeMark) {
			return "notice"
		}
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
