package fault

import (
	"strconv"
	"strings"

	"github.com/sightline-io/sightline/internal/span"
)

// rangesShown bounds how many ranges a message spells out.
const rangesShown = 12

// Ranges returns ls as people read them: "line 4", "lines 4-9, 12"; an empty span is "before line 4". More than twelve
// are counted instead of spelled out. It is text for messages: nothing computes with these numbers.
func Ranges(ls []span.Lines) string {
	if len(ls) == 0 {
		return "no lines"
	}
	var b strings.Builder
	switch {
	case len(ls) == 1 && ls[0].Empty():
		return "the place before line " + strconv.Itoa(int(ls[0].From)+1)
	case len(ls) == 1 && ls[0].Len() == 1:
		b.WriteString("line ")
	default:
		b.WriteString("lines ")
	}
	for i, l := range ls {
		if i == rangesShown {
			b.WriteString(" and " + strconv.Itoa(len(ls)-i) + " more ranges")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		switch from := strconv.Itoa(int(l.From) + 1); l.Len() {
		case 0:
			b.WriteString("before " + from)
		case 1:
			b.WriteString(from)
		default:
			b.WriteString(from + "-" + strconv.Itoa(int(l.To)))
		}
	}
	return b.String()
}
