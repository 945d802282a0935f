package edit

import (
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// withEndings returns the new text that replaces the bytes at of t, with the endings it is to have: a line that stays
// keeps its own, and any other takes that of the last line which it replaces or follows, else the prevailing one. CRLF
// in text stays CRLF.
func withEndings(t *content.Text, at span.Bytes, text string) string {
	if strings.IndexByte(text, '\n') < 0 {
		return text
	}
	switch t.EOL() {
	case content.EOLNone, content.EOLLF:
		return text
	case content.EOLCRLF:
		return allCRLF(text)
	}
	return mixedEndings(t, at, text)
}

// allCRLF gives CRLF to every line of text.
func allCRLF(text string) string { return allEndings(text, content.CRLF) }

// allEndings gives one ending to every line of text.
func allEndings(text string, e content.Ending) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if e == content.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// mixedEndings compares the replaced lines with the new ones, to find for each new line the old one it came from.
func mixedEndings(t *content.Text, at span.Bytes, text string) string {
	first := t.LineAt(int(at.From))
	old := strings.Split(string(t.Body()[at.From:at.To]), "\n")
	fresh := strings.Split(text, "\n")
	rest := old[len(old)-1] // of the line in whose middle the replaced text ends
	old = old[:len(old)-1]
	follow := endingNear(t, first-1)
	if first == 0 || int(at.From) > t.Offset(first) {
		follow = endingNear(t, first)
	}
	last := follow
	if rest != "" {
		last = endingNear(t, first+len(old))
	} else if len(old) > 0 {
		last = endingNear(t, first+len(old)-1)
	}
	tail := len(old) // where new lines at the end come from: the line that the replaced text ends in,
	if rest == fresh[len(fresh)-1] {
		tail = -1 // unless that stays
	}
	from := origins(old, fresh[:len(fresh)-1], tail)
	var b strings.Builder
	for j, line := range fresh {
		b.WriteString(line)
		if j == len(fresh)-1 {
			break
		}
		end := last
		if k := from[j]; k < len(old) {
			end = follow
			if k >= 0 {
				end = endingNear(t, first+k)
			}
		}
		if end == content.CRLF && !strings.HasSuffix(line, "\r") {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// origins returns for each new line the old one whose ending it takes: the one it is equal to, or the last one that it
// replaces or follows; -1 where that lies above all of old. Those behind the last line that is equal come from tail, if
// that is not -1.
func origins(old, fresh []string, tail int) []int {
	ids := names{}
	a, b := make([]int32, len(old)), make([]int32, len(fresh))
	for i, s := range old {
		a[i] = ids.of(strings.TrimSuffix(s, "\r"))
	}
	for j, s := range fresh {
		b[j] = ids.of(strings.TrimSuffix(s, "\r"))
	}
	out := make([]int, len(fresh))
	top := 0
	for top < len(a) && top < len(b) && a[top] == b[top] {
		out[top] = top
		top++
	}
	if (len(a)-top)*(len(b)-top) > cellsMax {
		for j := top; j < len(b); j++ {
			out[j] = len(old) - 1
			if tail >= 0 {
				out[j] = tail
			}
		}
		return out
	}
	t := newTable(a[top:], b[top:])
	i, j, run := 0, 0, 0 // a run of new lines is flushed where it ends: it replaces or follows line i-1
	flush := func(k int) {
		for ; run < j; run++ {
			out[top+run] = k
		}
	}
	for i < len(t.a) || j < len(t.b) {
		switch {
		case t.match(i, j):
			flush(top + i - 1)
			out[top+j] = top + i
			i, j, run = i+1, j+1, j+1
		case t.drop(i, j):
			i++
		default:
			j++
		}
	}
	if tail < 0 {
		tail = len(old) - 1
	}
	flush(tail)
	return out
}

// endingNear returns the ending of line i, or, where it has none, of the line above, else the prevailing one.
func endingNear(t *content.Text, i int) content.Ending {
	for ; i >= 0; i-- {
		if i < t.Lines() && t.Ending(i) != content.NoEnding {
			return t.Ending(i)
		}
	}
	return t.Prevailing()
}
