package session

import (
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/reader"
	"github.com/sightline-io/sightline/internal/source"
	"github.com/sightline-io/sightline/internal/span"
)

// Rules for what stands below the lines of a page: one blank line, then notices that each begin with the mark. The
// first says which lines of how many were shown, then what is unusual about the file, then how to go on. All of them
// together stay within reader.NoticeBytes.

// noticeMark begins every line that is ours and not the file's.
const noticeMark = "[sightline] "

func notices(p *Page, b *reader.Page, found *source.Found, path string) []byte {
	out := p.Shown
	if len(out) > 0 {
		out = append(out, '\n')
	}
	say := func(format string, args ...any) {
		out = append(out, noticeMark...)
		out = fmt.Appendf(out, format, args...)
		out = append(out, '\n')
	}
	total := "?"
	if p.TotalLines >= 0 {
		total = fmt.Sprint(p.TotalLines)
	}
	switch {
	case p.TotalLines == 0:
		say("the file exists and is empty: 0 lines")
	case p.Lines == nil:
		say("past the end: the file has %s lines", total)
	default:
		say("%s of %s%s", shownRanges(p, b), total, traits(p, found))
	}
	for _, c := range b.Cuts {
		of := ""
		if c.Len >= 0 {
			of = fmt.Sprintf(" of %d", c.Len)
		}
		say("line %d is cut: bytes %d-%d%s shown", c.Line+1, c.Shown.From+1, c.Shown.To, of)
	}
	if len(b.Lossy) > 0 {
		say("line %d%s holds bytes that are no text; they are shown as U+FFFD", b.Lossy[0]+1, andMore(len(b.Lossy)-1))
	}
	if p.State == NeedScope {
		say("too large to be read whole: name the lines you need")
	}
	if p.More && len(path) <= 160 {
		say(`more: read {"path":%q,"cursor":%q}`, path, p.Cursor)
	} else if p.More {
		say(`more: read the same path with "cursor":%q`, p.Cursor)
	}
	return out
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// traits names what an editor of the file should know: everything but UTF-8, LF and a final newline.
func traits(p *Page, found *source.Found) string {
	var t []string
	if found.From == source.Overlay {
		t = append(t, "unsaved buffer of an editor")
	}
	if p.Encoding != content.UTF8 {
		t = append(t, p.Encoding.String())
	}
	if p.BOM {
		t = append(t, "BOM")
	}
	switch p.EOL {
	case content.EOLCRLF:
		t = append(t, "CRLF")
	case content.EOLMixed:
		t = append(t, "mixed line endings")
	}
	if !p.FinalNewline {
		t = append(t, "no final newline")
	}
	if len(t) == 0 {
		return ""
	}
	return "; " + strings.Join(t, ", ")
}

// shownRanges names the lines that are shown whole, or, when there are none, the one that is shown in part.
func shownRanges(p *Page, b *reader.Page) string {
	if len(b.Lines) == 0 {
		return fault.Ranges([]span.Lines{*p.Lines})
	}
	return fault.Ranges(b.Lines)
}
