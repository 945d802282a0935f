package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// others names the operations that were found, for the message of one that was not.
func (l *locator) others() string {
	if len(l.parts) == 0 {
		return ""
	}
	var b strings.Builder
	shown := 0
	for i := 0; i < len(l.parts); {
		j := i
		var lines []span.Lines
		for ; j < len(l.parts) && l.parts[j].op == l.parts[i].op; j++ {
			if len(lines) < 3 {
				lines = append(lines, l.at(l.parts[j].at))
			}
		}
		if shown++; shown > 8 {
			b.WriteString(", and more")
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "edit %d at %s", l.parts[i].op+1, fault.Ranges(lines))
		i = j
	}
	return ". Nothing was changed; these would have matched: " + b.String()
}

func (l *locator) ambiguous(i int, what string, found []span.Bytes) error {
	lines := make([]span.Lines, len(found))
	for k, at := range found {
		lines[k] = l.at(at)
	}
	return l.severalPlaces(i, what, lines)
}

func (l *locator) severalPlaces(i int, what string, lines []span.Lines) error {
	d := &LocateDetail{Op: i, Occurrences: lines}
	count := fmt.Sprintf("%d times", len(lines))
	if len(lines) > occurrencesMax {
		d.Occurrences, d.More = lines[:occurrencesMax], true
		count = fmt.Sprintf("more than %d times", occurrencesMax)
	}
	return &fault.Error{Code: fault.Ambiguous, Err: d, Message: fmt.Sprintf(
		"%s occurs %s, at %s; quote neighbouring lines too, or name the lines by number", what, count, fault.Ranges(slices.Compact(slices.Clone(d.Occurrences))))}
}

func (l *locator) notFound(i int, what, text string) error {
	d := &LocateDetail{Op: i}
	d.Near, d.Hint = hint(l.t, text)
	m := what + " does not occur in the file"
	if d.Hint != "" {
		m += ": " + d.Hint
	}
	return &fault.Error{Code: fault.NotFound, Err: d, Message: m}
}

// sentence makes the message of a refusal one that others can follow: it begins with a capital and ends in a stop.
func sentence(err error) error {
	f, ok := err.(*fault.Error)
	if !ok || f.Message == "" {
		return err
	}
	g := *f
	g.Message = strings.ToUpper(f.Message[:1]) + f.Message[1:]
	if !strings.HasSuffix(g.Message, ".") {
		g.Message += "."
	}
	return &g
}
