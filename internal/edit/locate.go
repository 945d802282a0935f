package edit

import (
	"bytes"
	"fmt"
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
		return nil, sentence(err)
	}
	l := locator{t: t, ops: ops, finder: newFinder(t)}
	if err := l.locate(); err != nil {
		return nil, sentence(err)
	}
	p, err := newPlan(t, ops, l.parts)
	if err != nil {
		return nil, sentence(err)
	}
	return p, nil
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
