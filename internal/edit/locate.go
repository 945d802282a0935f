package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// Locate finds every operation in t and returns what they do together, or refuses all of them and says why. Numbers
// mean the lines of t, also for the later ones of several operations. t is kept by the plan and must not be changed.
// The cost is one search of t for each operation that quotes text, and O(len(t)) besides. Codes, the first that
// applies: invalid, exists, limit, lossy-encoding, not-found, ambiguous, conflict. A refusal for not-found or ambiguous
// has a [LocateDetail] in its chain.
func Locate(t *content.Text, ops []Op) (*Plan, error) {
	if err := checkOps(t, ops); err != nil {
		return nil, err
	}
	l := locator{t: t, ops: ops, finder: newFinder(t)}
	if err := l.locate(); err != nil {
		return nil, err
	}
	return newPlan(t, ops, l.parts)
}

// part is one replacement of bytes of the body.
type part struct {
	op   int
	at   span.Bytes
	text string // with the endings it is to have
	// lines are what an edit by numbers or anchors replaces, owed what an anchored one owes.
	lines, owed span.Lines
}

type locator struct {
	t      *content.Text
	ops    []Op
	finder *finder
	parts  []part
}

// locate finds all operations. Where some cannot be found it says of the others where they would have been.
func (l *locator) locate() error {
	if err := l.searchable(); err != nil {
		return err
	}
	var bad error
	var badOp int
	for i, op := range l.ops {
		if err := l.encodable(i, op); err != nil {
			return err
		}
	}
	for i, op := range l.ops {
		n := len(l.parts)
		err := l.op(i, op)
		if err == nil {
			continue
		}
		l.parts = l.parts[:n]
		if c := fault.CodeOf(err); c == fault.LossyEncoding || c == fault.Limit {
			return at(i, l.ops, err)
		}
		if bad == nil {
			bad, badOp = err, i
		}
	}
	if bad == nil {
		return nil
	}
	f := *at(badOp, l.ops, bad).(*fault.Error)
	f.Message += l.others()
	return &f
}

// searchable refuses what would take too long to find.
func (l *locator) searchable() error {
	searches := int64(0)
	for _, op := range l.ops {
		switch op.(type) {
		case Replace, Anchors:
			searches++
		}
	}
	if size := int64(len(l.t.Body())); size > 0 && searches > SearchBytesMax/size {
		return &fault.Error{Code: fault.Limit, Message: fmt.Sprintf(
			"%d edits by text in a file of %d bytes are too many for one call; at most %d are taken", searches, size, SearchBytesMax/size)}
	}
	return nil
}

// encodable refuses text that the file's encoding cannot hold, before anything is looked for.
func (l *locator) encodable(i int, op Op) error {
	switch l.t.Encoding() {
	case content.EightBit, content.Binary:
		text := op.inserted()
		if r, ok := op.(Replace); ok { // what old and new have in common is in the file already
			text = text[commonPrefix([]byte(r.Old), text):]
			text = text[:len(text)-commonSuffix([]byte(r.Old[len(r.New)-len(text):]), text)]
		}
		if _, err := l.t.Encode(nil, text); err != nil {
			return at(i, l.ops, err)
		}
	}
	return nil
}

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

// at returns the lines that bytes of the body lie in; the place of an insertion is empty.
func (l *locator) at(b span.Bytes) span.Lines { return linesAt(l.t, b) }

func linesAt(t *content.Text, b span.Bytes) span.Lines {
	from := t.LineAt(int(b.From))
	if b.Empty() {
		return span.Of(span.Line(from), span.Line(from))
	}
	return span.Of(span.Line(from), span.Line(t.LineAt(int(b.To)-1)+1))
}

func (l *locator) op(i int, op Op) error {
	switch o := op.(type) {
	case Replace:
		return l.replace(i, o)
	case LineRange:
		return l.lines(i, o)
	case Anchors:
		return l.anchors(i, o)
	case Append:
		l.parts = append(l.parts, part{op: i, at: l.end(), text: l.atEnd(o.Text)})
		return nil
	}
	panic(fmt.Sprintf("edit: operation of unknown type %T", op))
}

func (l *locator) replace(i int, o Replace) error {
	var found []span.Bytes
	switch {
	case o.All:
		if found = l.finder.all(o.Old); len(found) > PlacesMax-len(l.parts) {
			return &fault.Error{Code: fault.Limit, Message: fmt.Sprintf("the text to replace occurs more often than one call may change: %d places are the most", PlacesMax)}
		}
	case o.Old == o.New:
		found = l.finder.find(o.Old, 1) // whichever of several it is, the result is the same
	default:
		if found = l.finder.find(o.Old, 2); len(found) > 1 {
			return l.ambiguous(i, "the text to replace", l.finder.find(o.Old, occurrencesMax+1))
		}
	}
	if len(found) == 0 {
		return l.notFound(i, "the text to replace", o.Old)
	}
	for _, at := range found {
		text := string(l.t.Body()[at.From:at.To])
		if o.Old != o.New {
			text = l.text(at, o.New)
		}
		l.parts = append(l.parts, part{op: i, at: at, text: text})
	}
	return nil
}

// text returns new text with its endings, and without a BOM that the file has already.
func (l *locator) text(at span.Bytes, s string) string {
	const bom = "\ufeff"
	if at.From == 0 && l.t.BOM() && !bytes.HasPrefix(l.t.Body(), []byte(bom)) {
		s = strings.TrimPrefix(s, bom)
	}
	return withEndings(l.t, at, s)
}

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
