package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
	"github.com/sightline-io/sightline/internal/source"
	"github.com/sightline-io/sightline/internal/span"
)

// A file beyond the bound of captures is read window by window, within its first line too, and the windows join up to
// it. They name no version, tell the number of lines only where it was counted, and are no evidence.
func TestWindowsOfLargeFiles(t *testing.T) {
	s := newStage(t)
	p := s.player("P")
	var b strings.Builder
	b.WriteString("\ufeff" + strings.Repeat("é€", 4000) + "\n")
	lines := 1
	for ; b.Len() <= source.CaptureMax; lines++ {
		fmt.Fprintf(&b, "line %d, of which there are many %s\n", lines+1, strings.Repeat("=", 4000))
	}
	file := b.String()
	s.put("big", file)

	page := p.read("big")
	var text strings.Builder
	for n := 0; text.Len() < 60_000; n++ {
		if !page.Ref().IsZero() || page.TotalLines != -1 || !page.More || len(page.Shown) > session.PageBytesDefault {
			t.Fatalf("page %d: ref %v, %d lines, more %v, %d bytes", n, page.Ref(), page.TotalLines, page.More, len(page.Shown))
		}
		if within := text.Len() < 20_000; within != (len(page.Cut) == 1) {
			t.Errorf("page %d cuts %v", n, page.Cut)
		}
		text.Write(page.Text)
		page = p.page(session.ReadRequest{Path: "big", Cursor: page.Cursor})
	}
	if want := strings.TrimPrefix(file, "\ufeff"); !strings.HasPrefix(want, text.String()) {
		t.Errorf("the windows do not join up to the file, but to %.60q...", text.String())
	}
	last := p.read("big", lines, lines+5)
	if last.TotalLines != lines || last.More || last.Lines == nil || *last.Lines != span.Of(span.Line(lines-1), span.Line(lines)) {
		t.Errorf("the last line: lines %v of %d, more %v", last.Lines, last.TotalLines, last.More)
	}
	if past := p.read("big", lines+1, lines+5); past.Lines != nil || past.TotalLines != lines {
		t.Errorf("past the end: lines %v of %d", past.Lines, past.TotalLines)
	}
	if full := p.page(session.ReadRequest{Path: "big", Intent: session.Full}); full.State != session.NeedScope {
		t.Errorf("a full read is %s", full.State)
	}
	_, err := p.s.Read(context.Background(), session.ReadRequest{Path: "big", Lines: []span.Lines{span.Of[span.Line](0, 1), span.Of[span.Line](4, 5)}})
	if fault.CodeOf(err) != fault.NeedsScope {
		t.Errorf("two ranges: %v", err)
	}
	for what, got := range map[string]string{"edit": p.edit("big", replacing("line 3,", "x")), "write": p.write("big", "x"), "delete": p.remove("big"), "seen": p.seen("big")} {
		s.want(what, got, "limit")
	}
}
