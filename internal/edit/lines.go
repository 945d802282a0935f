package edit

import (
	"bytes"
	"fmt"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

func (l *locator) lines(i int, o LineRange) error {
	if err := l.showable(o.Lines, o.New); err != nil {
		return err
	}
	p := l.whole(i, o.Lines, o.New)
	p.lines = o.Lines
	l.parts = append(l.parts, p)
	return nil
}

// showable refuses to replace lines by number or by anchors that no model can have seen as they are. To remove them
// loses nothing that was meant to stay.
func (l *locator) showable(ls span.Lines, text string) error {
	if text == "" || l.t.Encoding() == content.UTF16LE || l.t.Encoding() == content.UTF16BE {
		return nil
	}
	for k := ls.From; k < ls.To; k++ {
		if !l.t.Exact(int(k)) {
			return &fault.Error{Code: fault.LossyEncoding, Message: fmt.Sprintf(
				"line %d holds bytes that cannot be shown exactly, and replacing the whole line would lose them; quote the shown part that should change", k+1)}
		}
	}
	return nil
}

// whole returns the replacement of whole lines by new ones.
func (l *locator) whole(i int, ls span.Lines, text string) part {
	t := l.t
	n := span.Line(t.Lines())
	if ls.Empty() && ls.From == n && text != "" {
		return part{op: i, at: l.end(), text: l.atEnd(text)}
	}
	at := span.Of(span.Byte(t.Offset(int(ls.From))), span.Byte(t.Offset(int(ls.To))))
	if text == "" {
		return part{op: i, at: at}
	}
	if ls.To == n && !t.FinalNewline() && !ls.Empty() {
		if bare := trimEnding(text); bare != "" {
			text = bare
		}
	} else if text[len(text)-1] != '\n' {
		text += "\n"
	}
	return part{op: i, at: at, text: l.text(at, text)}
}

// end returns the place behind the last byte.
func (l *locator) end() span.Bytes {
	n := span.Byte(len(l.t.Body()))
	return span.Of(n, n)
}

// atEnd returns text as it is put behind the last line.
func (l *locator) atEnd(text string) string {
	switch {
	case len(l.t.Body()) == 0:
		return l.text(l.end(), text)
	case l.t.FinalNewline():
		if text[len(text)-1] != '\n' {
			text += "\n"
		}
		return l.text(l.end(), text)
	}
	if bare := trimEnding(text); bare != "" {
		text = bare
	}
	return l.text(l.end(), "\n"+text)
}

func (l *locator) anchors(i int, o Anchors) error {
	from, err := l.anchor(i, "the line of from", trimEnding(o.From))
	if err != nil {
		return err
	}
	to, err := l.anchor(i, "the line of to", trimEnding(o.To))
	if err != nil {
		return err
	}
	if to <= from {
		return &fault.Error{Code: fault.NotFound, Err: &LocateDetail{Op: i, Near: span.Of(to, to+1)}, Message: fmt.Sprintf(
			"the line of to is line %d and does not stand below the line of from, line %d", to+1, from+1)}
	}
	lines := span.Of(from+1, to)
	if o.Inclusive {
		lines = span.Of(from, to+1)
	}
	if err := l.showable(lines, o.New); err != nil {
		return err
	}
	p := l.whole(i, lines, o.New)
	p.lines, p.owed = lines, span.Of(from, to+1)
	l.parts = append(l.parts, p)
	return nil
}

// anchor finds the one line that is equal to text.
func (l *locator) anchor(i int, what, text string) (span.Line, error) {
	t := l.t
	body, pattern := t.Body(), []byte(text)
	var found []span.Lines
	for off := 0; len(found) <= occurrencesMax; {
		k := bytes.Index(body[off:], pattern)
		if k < 0 {
			break
		}
		at := off + k
		off = at + 1
		if at > 0 && body[at-1] != '\n' {
			continue
		}
		line := t.LineAt(at)
		if len(t.Line(line)) == len(pattern) {
			found = append(found, span.Of(span.Line(line), span.Line(line+1)))
		}
	}
	switch len(found) {
	case 0:
		return 0, l.notFound(i, what, text)
	case 1:
		return found[0].From, nil
	}
	return 0, l.severalPlaces(i, what, found)
}
