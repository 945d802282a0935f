package wire

import (
	"strconv"
	"time"

	"github.com/sightline-io/sightline"
)

const (
	maxRows = 40       // rows of a confirmation
	maxText = 64 << 10 // bytes of a text where the door names no bound
)

func editText(a *sightline.EditAnswer) []byte {
	b := append([]byte(a.Path), ": "...)
	switch {
	case a.Noop:
		b = append(b, nothingChanged+".\n"...)
		return notices(b, a.Warnings)
	default:
		b = append(append(b, "done, "...), count(len(a.Edits), "edit")...)
		b = append(b, '\n')
	}
	for i, c := range a.Edits {
		if i == maxRows {
			b = append(append(b, "and "...), count(len(a.Edits)-i, "more edit")...)
			b = append(b, '\n')
			break
		}
		switch {
		case c.Before.Empty() && c.After.Empty():
			first, _ := Outside(c.Before)
			b = appendInt(append(b, "nothing at line "...), first)
		case c.Before.Empty():
			b = appendLines(append(b, "inserted, now "...), c.After)
		case c.After.Empty():
			b = append(appendLines(b, c.Before), " removed"...)
		case c.Before == c.After:
			b = append(appendLines(b, c.Before), " changed"...)
		default:
			b = appendLines(append(appendLines(b, c.Before), ", now "...), c.After)
		}
		b = append(b, '\n')
	}
	return notices(b, a.Warnings)
}

func appendLines(b []byte, l sightline.Lines) []byte {
	if l.Len() == 1 {
		first, _ := Outside(l)
		return appendInt(append(b, "line "...), first)
	}
	return appendRange(append(b, "lines "...), l)
}

func writeText(a *sightline.WriteAnswer) []byte {
	b := append([]byte(a.Path), ": "...)
	switch {
	case a.Noop:
		return notices(append(b, nothingChanged+".\n"...), a.Warnings)
	case a.Before.IsZero():
		b = append(b, "created, "...)
	default:
		b = append(b, "replaced, "...)
	}
	return notices(append(append(b, count(a.Lines, "line")...), '\n'), a.Warnings)
}

func moveText(a *sightline.MoveAnswer) []byte {
	b := append(append(append([]byte(a.From), " is now "...), a.To...), '\n')
	return notices(b, a.Warnings)
}

func deleteText(a *sightline.DeleteAnswer) []byte {
	return append([]byte(a.Path), ": deleted\n"...)
}

// notices appends warnings as notices: after one blank line, each with the product's name.
func notices(b []byte, ws []string) []byte {
	for i, w := range ws {
		if i == 0 {
			b = append(b, '\n')
		}
		b = append(append(append(b, "[sightline] "...), clip(w, maxSentence)...), '\n')
	}
	return b
}

// checkText is the answer to a check for a model. It delivers nothing: the refusal it holds shows no text.
func checkText(a *sightline.CheckAnswer, n *nextCall) []byte {
	if a.Allowed {
		return append([]byte(a.Path), ": allowed\n"...)
	}
	b := append([]byte(a.Path), ": not allowed\n"...)
	if a.Refusal == nil {
		return b
	}
	return append(b, refusalText(a.Refusal, n, false)...)
}

func seenText(a *sightline.SeenAnswer, room int) []byte {
	b := append([]byte(a.Path), '\n')
	shown := 0
	for i := range a.Rows {
		at := len(b)
		b = appendSeen(b, &a.Rows[i])
		if len(b)+noteRoom > room {
			b = b[:at]
			break
		}
		shown++
	}
	if shown < len(a.Rows) {
		b = append(append(b, "\n[sightline] "...), count(len(a.Rows)-shown, "more row")...)
		b = append(b, " left out\n"...)
	}
	return b
}

// noteRoom is how many bytes are kept for the notice that says what was left out.
const noteRoom = 200

func appendSeen(b []byte, r *sightline.SeenLines) []byte {
	first, last := Outside(r.Lines)
	b = append(appendInt(append(appendInt(b, first), '-'), last), '\t')
	b = append(b, r.State.String()...)
	if r.Session == "" {
		return append(b, '\n')
	}
	b = append(append(b, '\t'), r.Origin.String()...)
	b = append(append(b, '\t'), r.Session...)
	b = time.UnixMilli(r.At).UTC().AppendFormat(append(b, '\t'), time.RFC3339)
	return append(b, '\n')
}

func listText(a *sightline.ListAnswer, room int) []byte {
	b := []byte{}
	shown := 0
	for i := range a.Entries {
		at := len(b)
		b = appendListed(b, &a.Entries[i])
		if len(b)+noteRoom > room {
			b = b[:at]
			break
		}
		shown++
	}
	if len(b) > 0 {
		b = append(b, '\n')
	}
	b = append(b, "[sightline] "...)
	b = append(b, count(shown, "name")...)
	if shown < len(a.Entries) {
		b = append(append(b, " shown, "...), strconv.Itoa(len(a.Entries)-shown)...)
		b = append(b, " left out for want of room: name a deeper path or a limit"...)
	} else {
		b = appendCut(b, a)
	}
	if a.Skipped > 0 {
		b = append(append(b, "; "...), strconv.Itoa(a.Skipped)...)
		b = append(b, " more ignored by git"...)
	}
	return append(b, '\n')
}

// appendCut says whether a listing is complete, what cut it, and how to go on.
func appendCut(b []byte, a *sightline.ListAnswer) []byte {
	if a.Limit == nil {
		if a.Complete {
			b = append(b, ", complete"...)
		}
		return b
	}
	n := strconv.Itoa(a.Limit.Value)
	switch a.Limit.Name {
	case "names":
		return append(append(append(b, ", without "...), n...), " more that hold control characters or are not UTF-8"...)
	case "unread":
		return append(append(append(append(b, ", without "...), n...), ' '), a.Limit.Unit...)
	case "limit":
		b = append(append(append(append(b, ", cut at "...), n...), ' '), a.Limit.Unit...)
		return append(b, " (limit): go on with a deeper path, an include pattern or a higher limit"...)
	}
	b = append(append(append(append(b, ", cut at "...), n...), ' '), a.Limit.Unit...)
	b = append(append(append(b, " (limit "...), a.Limit.Name...), ')')
	if a.Limit.Name == "depth" {
		b = append(b, ": go on with a deeper path"...)
	}
	return b
}

func appendListed(b []byte, e *sightline.Listed) []byte {
	b = append(b, oneLine(e.Path)...)
	switch e.Kind {
	case sightline.Regular:
		b = strconv.AppendInt(append(b, '\t'), e.Size, 10)
	case sightline.Folder:
		b = append(b, '/')
	default:
		b = append(append(b, '\t'), e.Kind.String()...)
	}
	return append(b, '\n')
}
