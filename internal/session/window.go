package session

import (
	"context"
	"fmt"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/reader"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/source"
	"github.com/sightline-io/sightline/internal/span"
)

// Rules for files that are too large to be captured. They are shown in windows of consecutive lines, which name no
// version and are no evidence: nothing is ever edited on them. A line longer than a page goes on in the next one by its
// columns.

// window shows a part of a file that is too large to be captured.
func (j *readJob) window(ctx context.Context, found *source.Found) (*Page, error) {
	want := span.Of(span.Line(0), OpenEnd)
	if j.intent == Range {
		if len(j.want) > 1 {
			return nil, &fault.Error{Code: fault.NeedsScope, Message: fmt.Sprintf(
				"%s is larger than %d bytes; name one range of lines at a time", j.path, source.CaptureMax),
				Cure: &fault.Cure{Next: &fault.Next{Tool: "read", Path: j.path, Lines: j.want[:1]}}}
		}
		want = j.want[0]
	}
	at := source.Place{Line: j.at.Line, Column: j.at.Column}
	if at.Line < want.From {
		at = source.Place{Line: want.From}
	}
	win, err := j.s.ws.files.ReadWindow(ctx, found.Name, at, want.To, max(j.budget(), reader.PageBytesMin)-reader.NoticeBytes)
	if err != nil {
		return nil, err
	}
	t := content.Decode(win.Text)
	built := reader.BuildWindow(t, win.At.Line, []span.Lines{span.Of(0, span.Line(t.Lines()))}, reader.Position{}, j.budget())
	next, more := following(win, t, built, want.To)
	inFile(win, t, built)
	p := &Page{Path: j.name.String(), Source: found.From.String(), TotalLines: win.Total, State: Satisfied, Text: built.Text,
		Shown: built.Shown, Lines: hull(built), Encoding: t.Encoding(), EOL: t.EOL(), BOM: t.BOM(),
		FinalNewline: !win.End || t.FinalNewline()}
	for _, c := range built.Cuts {
		p.Cut = append(p.Cut, c.Line)
	}
	if j.intent == Full {
		p.State = NeedScope
	}
	key := j.s.ws.key(found)
	if more {
		p.More = true
		if err := j.issue(p, key, nil, next); err != nil {
			return nil, err
		}
	} else if err := j.spend(key); err != nil {
		return nil, err
	}
	p.Shown = notices(p, built, found, j.path)
	j.note(receipt.Receipt{Name: j.name})
	return p, nil
}

// following returns where the page behind this one begins, if there is one before line to.
func following(win *source.Window, t *content.Text, b *reader.Page, to span.Line) (reader.Position, bool) {
	if b.Next != nil {
		return reader.Position{Line: win.At.Line + b.Next.Line, Column: columnIn(win, t, b.Next.Line, b.Next.Column)}, true
	}
	if n := span.Line(t.Lines()); win.Cut {
		return reader.Position{Line: win.At.Line + n - 1, Column: columnIn(win, t, n-1, span.Byte(len(t.Full(int(n-1)))))}, true
	}
	next := reader.Position{Line: win.At.Line + span.Line(t.Lines())}
	return next, !win.End && next.Line < to
}

// columnIn returns which raw byte of its line in the file a byte of a line of the window's text is.
func columnIn(win *source.Window, t *content.Text, line span.Line, col span.Byte) span.Byte {
	if line > 0 {
		return col
	}
	return win.At.Column + span.Byte(len(t.Raw())-len(t.Body())) + col
}

// inFile puts what was shown of a window into the lines of the file. A line that the window holds in part is a cut one.
func inFile(win *source.Window, t *content.Text, b *reader.Page) {
	last := span.Line(t.Lines() - 1)
	inPart := func(k span.Line) bool { return k == 0 && win.At.Column > 0 || k == last && win.Cut }
	cuts := b.Cuts
	var whole []span.Lines
	for _, l := range b.Lines {
		for k := l.From; k < l.To; k++ {
			if inPart(k) {
				cuts = append(cuts, reader.Cut{Line: k, Shown: span.Of(0, span.Byte(len(t.Line(int(k)))))})
				continue
			}
			if n := len(whole); n > 0 && whole[n-1].To == win.At.Line+k {
				whole[n-1].To++
			} else {
				whole = append(whole, span.Of(win.At.Line+k, win.At.Line+k+1))
			}
		}
	}
	for i := range cuts {
		c := &cuts[i]
		k := c.Line
		c.Len = -1
		if k != last || !win.Cut {
			c.Len = int(columnIn(win, t, k, span.Byte(len(t.Line(int(k))))))
		}
		c.Line += win.At.Line
		c.Shown = span.Of(columnIn(win, t, k, c.Shown.From), columnIn(win, t, k, c.Shown.To))
	}
	for i := range b.Lossy {
		b.Lossy[i] += win.At.Line
	}
	b.Lines, b.Cuts = whole, cuts
}
