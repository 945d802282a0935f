package wire

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sightline-io/sightline"
)

const (
	frameBytes  = 2048 // of a refusal's text besides the lines it delivers; the engine keeps as much free for it
	maxMessage  = 1400 // bytes of the whole message
	maxSentence = 900  // bytes of the engine's own sentences, or of one warning, that are shown
	maxPath     = 4096 // bytes of a path that are shown in a member; no longer one exists
	maxRanges   = 16   // ranges that a sentence lists
)

// message is what a refusal or a failure says: code, reason, file, and the exact ranges. The engine's own sentences
// mostly name the file and the ranges already; what they leave out is added.
func message(e *sightline.Error) string {
	said := clip(e.Text(), maxSentence)
	b := append([]byte(e.Code), ": "...)
	if e.Path != "" && !strings.Contains(said, e.Path) {
		b = append(append(b, clip(e.Path, 400)...), ": "...)
	}
	b = append(b, said...)
	if !names(said, e.Missing) {
		b = appendRanges(b, " Never shown: ", e.Missing)
	}
	if !names(said, e.Drifted) {
		b = appendRanges(b, " Changed since they were shown: ", e.Drifted)
	}
	return clip(string(b), maxMessage)
}

// names reports whether text spells out every one of the ranges, as 4-9, or as 4 for a single line and for a place.
func names(text string, ls []sightline.Lines) bool {
	if len(ls) > maxRanges {
		return false
	}
	for _, l := range ls {
		first, last := Outside(l)
		want := strconv.Itoa(first)
		if last > first {
			want += "-" + strconv.Itoa(last)
		}
		if !hasWord(text, want) {
			return false
		}
	}
	return true
}

// hasWord reports whether text holds the number or range want, not as a part of a longer one.
func hasWord(text, want string) bool {
	inNumber := func(c byte) bool { return c == '-' || '0' <= c && c <= '9' }
	for at := 0; ; at++ {
		i := strings.Index(text[at:], want)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(want)
		if (at == 0 || !inNumber(text[at-1])) && (end == len(text) || !inNumber(text[end])) {
			return true
		}
	}
}

// appendRanges lists ranges as first-last. The place of lines that are gone is the inverted range the structured
// answer has, with a word of explanation.
func appendRanges(b []byte, title string, ls []sightline.Lines) []byte {
	if len(ls) == 0 {
		return b
	}
	b = append(b, title...)
	for i, l := range ls {
		if i == maxRanges {
			_, end := Outside(ls[len(ls)-1])
			b = append(b, " and "...)
			b = append(b, count(len(ls)-i, "more range")...)
			b = append(b, " up to line "...)
			b = appendInt(b, end)
			break
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendRange(b, l)
		if l.Empty() {
			b = append(b, " (lines are gone here)"...)
		}
	}
	return append(b, '.')
}

func appendRange(b []byte, l sightline.Lines) []byte {
	first, last := Outside(l)
	return appendInt(append(appendInt(b, first), '-'), last)
}

// refusalJSON is the shape of a refusal. A refusal that delivers nothing has an empty cure; shown tells whether the
// cure's text is part of this answer at all, which it is not in the answer to a check.
func refusalJSON(e *sightline.Error, n *nextCall, shown bool) json.RawMessage {
	size := 512
	if n != nil {
		size += len(n.args)
	}
	o := begin(size)
	o.boolean("refused", true)
	o.text("code", string(e.Code))
	o.text("path", clip(e.Path, maxPath))
	o.spans("missing", e.Missing)
	o.spans("drifted", e.Drifted)
	o.text("message", message(e))
	var text []sightline.Shown
	var delivered []sightline.Lines
	if e.Cure != nil && shown {
		text, delivered = e.Cure.Text, e.Cure.Delivered
	}
	o.name("cure")
	o.nested(func(o *object) {
		o.each("text", len(text), func(o *object, i int) {
			o.nested(func(o *object) {
				o.span("lines", text[i].Lines)
				o.text("text", text[i].Text)
			})
		})
		o.spans("delivered", delivered)
		if n == nil {
			o.null("next")
		} else {
			o.raw("next", n.json())
		}
	})
	return o.end()
}

// failureJSON is the shape of a failure: we could not decide.
func failureJSON(e *sightline.Error) json.RawMessage {
	o := begin(0)
	o.boolean("failed", true)
	o.text("code", string(e.Code))
	o.text("path", clip(e.Path, maxPath))
	o.text("message", message(e))
	return o.end()
}

// refusalText is what a model sees of a refusal: why, the current text of the lines concerned with their numbers, and
// the one next call.
func refusalText(e *sightline.Error, n *nextCall, shown bool) []byte {
	b := append([]byte(message(e)), '\n')
	shownBytes := 0
	if e.Cure != nil && shown && len(e.Cure.Text) > 0 {
		shownBytes = len(b)
		for _, t := range e.Cure.Text {
			b = appendNumbered(b, t)
		}
		shownBytes = len(b) - shownBytes
	}
	if n != nil {
		room := frameBytes - len(b) + shownBytes
		b = append(b, "\n[sightline] next call"...)
		b = append(appendNext(b, e, n, room-frameNext), '\n')
	}
	return b
}

// frameNext is what the line of the next call has besides the call.
const frameNext = 160

// appendNext writes the next call on one line, or describes it where it has more than room bytes.
func appendNext(b []byte, e *sightline.Error, n *nextCall, room int) []byte {
	switch {
	case len(n.args) <= room:
		return append(append(b, ": "...), n.json()...)
	case n.same:
		return append(append(append(b, ": the same "...), n.tool...), " again, unchanged"...)
	case n.tool == "read" && len(e.Cure.Next.Lines) > 1:
		part := *e.Cure.Next
		for part.Lines = part.Lines[:len(part.Lines)/2]; len(part.Lines) > 1; part.Lines = part.Lines[:len(part.Lines)/2] {
			if n = next(&part, n.tool, sessionOf(n.args)); len(n.args) <= room {
				break
			}
		}
		b = append(append(b, ", for the first "...), strconv.Itoa(len(part.Lines))...)
		b = append(append(b, " of "...), strconv.Itoa(len(e.Cure.Next.Lines))...)
		return append(append(b, " ranges: "...), n.json()...)
	case n.tool == "edit":
		return append(appendPlaces(append(b, ": edit with the same new texts, at lines "...), e.Cure.Next.Edits), '.')
	}
	b = append(append(b, ": "...), n.tool...)
	if m, ok := member(n.args, "mode"); ok {
		b = append(append(b, " with mode "...), m...)
	}
	return append(b, " and the same text"...)
}

func appendPlaces(b []byte, edits []sightline.LineEdit) []byte {
	for i, ed := range edits {
		if i == maxRanges {
			b = append(b, " and "...)
			return append(b, count(len(edits)-i, "more place")...)
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendRange(b, ed.Lines)
	}
	return b
}

// sessionOf returns arguments that hold the session of args and nothing else.
func sessionOf(args json.RawMessage) json.RawMessage {
	o := &object{out: []byte{'{'}}
	copyMembers(o, args, "session")
	return o.end()
}

// appendNumbered shows lines as a read does: the number right-aligned to six, a tab, the line without its ending.
func appendNumbered(b []byte, t sightline.Shown) []byte {
	n, _ := Outside(t.Lines)
	for rest := t.Text; rest != ""; n++ {
		line, after, ended := strings.Cut(rest, "\n")
		if ended {
			line = strings.TrimSuffix(line, "\r")
		}
		b = append(append(appendGutter(b, n), line...), '\n')
		rest = after
	}
	return b
}

func appendGutter(b []byte, n int) []byte {
	for w := 100_000; w > n && w > 1; w /= 10 {
		b = append(b, ' ')
	}
	return append(appendInt(b, n), '\t')
}
