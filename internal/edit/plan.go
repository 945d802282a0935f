package edit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// Class says whether a change repeats the text that it acts on.
type Class uint8

// The classes.
const (
	Quoted   Class = iota // the operation repeats the text it changes, or adds at the end
	Numbered              // the operation names lines by number
	Anchored              // the operation names lines by what stands around them, or the file as a whole

	wholeFile Class = 255 // inside a block only
)

// Plan is what operations do to one text, all of them together. It holds on to that text, owns After, and is not
// modified after it was returned.
type Plan struct {
	// After holds the raw bytes of the result, in the file's encoding and with its BOM. The caller must not change it.
	After []byte
	// Noop tells that After is what the file holds already.
	Noop bool
	// Changes are the changes in the order of their places; an operation that replaces all places may have several,
	// one that changes nothing has one without splices and needs.
	Changes []Change

	t     *content.Text
	ops   []Op
	parts []part
}

// Change is one change of a plan.
type Change struct {
	// Op is the index of the operation that makes the change.
	Op int
	// Class says whether the operation repeats the text.
	Class Class
	// Lines are the lines of the original that the change touches or names; they are empty for a pure insertion and
	// then name its place.
	Lines span.Lines
	// Result are the lines of the result that stand there afterwards.
	Result span.Lines

	block *block
}

// newPlan puts located replacements together. parts are owned by the plan.
func newPlan(t *content.Text, ops []Op, parts []part) (*Plan, error) {
	if err := sortParts(t, ops, parts); err != nil {
		return nil, err
	}
	blocks, err := blocksOf(t, ops, parts)
	if err != nil {
		return nil, err
	}
	if err := territories(ops, blocks); err != nil {
		return nil, err
	}
	p := &Plan{t: t, ops: ops, parts: parts}
	// What is inserted was checked against the encoding before it was located.
	if p.After, err = t.Encode(assemble(t.Body(), parts)); err != nil {
		return nil, err
	}
	if err := sameEncoding(t, p.After); err != nil {
		return nil, err
	}
	p.Noop = bytes.Equal(p.After, t.Raw())
	p.Changes = make([]Change, len(blocks))
	shift := 0
	for i, b := range blocks {
		p.Changes[i] = b.change(shift)
		shift += b.lineCount() - b.old.Len()
	}
	return p, nil
}

// sameEncoding refuses a result that would be taken for UTF-16 where the original was not: bytes that were no text until
// now may come to stand where the mark of UTF-16 does.
func sameEncoding(t *content.Text, after []byte) error {
	if t.Encoding() == content.UTF16LE || t.Encoding() == content.UTF16BE || len(after) < 2 || after[0]^after[1] != 0xFE^0xFF {
		return nil
	}
	if e := content.Decode(after).Encoding(); e == content.UTF16LE || e == content.UTF16BE {
		return &fault.Error{Code: fault.LossyEncoding, Message: fmt.Sprintf("the file is %s, and the result would begin as %s does; keep what stands at its start", t.Encoding(), e)}
	}
	return nil
}

// change describes the block, of which everything above is shift lines longer in the result.
func (b *block) change(shift int) Change {
	c := Change{Op: b.op, Class: b.class, Lines: b.named, block: b}
	if b.class == Quoted {
		c.Lines = b.old
		if (b.old.Len() != 1 || b.lineCount() != 1) && b.changes() {
			s := searcher{b: b, old: b.old, fresh: splitLines(b.fresh)}
			s.trim()
			c.Lines = s.old
		}
	}
	longer := b.lineCount() - b.old.Len()
	c.Result = span.Of(c.Lines.From+span.Line(shift), c.Lines.To+span.Line(shift+longer))
	return c
}

// assemble returns body with its parts replaced; they are sorted and do not overlap.
func assemble(body []byte, parts []part) []byte {
	size := len(body)
	for i := range parts {
		size += len(parts[i].text) - parts[i].at.Len()
	}
	out := make([]byte, 0, size)
	cursor := span.Byte(0)
	for i := range parts {
		p := &parts[i]
		out = append(append(out, body[cursor:p.at.From]...), p.text...)
		cursor = p.at.To
	}
	return append(out, body[cursor:]...)
}

// Whole plans to replace all of t by text: its encoding and its BOM stay, and every line gets the prevailing ending unless
// endings are to be as given. Lines that cannot be shown exactly are not replaced. A final newline is as given. A BOM at the start of text is not doubled. t is kept by the
// plan and must not be changed. There is one change with one reading, which owes the whole file. Codes: invalid,
// lossy-encoding.
func Whole(t *content.Text, text string, asGiven bool) (*Plan, error) {
	if err := checkText("text", text); err != nil {
		return nil, sentence(err)
	}
	e := echoes{t: t}
	if err := e.whole("text", text); err != nil {
		return nil, sentence(err)
	}
	if t.BOM() {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	if !asGiven && text != string(t.Body()) && t.EOL() != content.EOLNone {
		text = allEndings(text, t.Prevailing())
	}
	if text != string(t.Body()) {
		if err := (&locator{t: t}).showable(span.Of(0, span.Line(t.Lines())), text); err != nil {
			return nil, sentence(err)
		}
	}
	p := &Plan{t: t}
	if text == string(t.Body()) {
		p.After, p.Noop = t.Raw(), true
	} else {
		var err error
		if p.After, err = t.Encode([]byte(text), text); err != nil {
			return nil, sentence(err)
		}
		p.Noop = bytes.Equal(p.After, t.Raw())
	}
	n := t.Lines()
	need := span.SetOf(span.WholeFile(n))
	b := &block{t: t, class: wholeFile, old: span.Of(0, span.Line(n)), fresh: []byte(text), need: &need}
	p.Changes = []Change{{Class: Anchored, Lines: b.old, Result: span.Of(0, span.Line(b.lineCount())), block: b}}
	return p, nil
}

// Create plans a file that is not there. The bytes are the text as given. Codes: invalid.
func Create(text string) (*Plan, error) {
	if err := checkText("text", text); err != nil {
		return nil, sentence(err)
	}
	if err := echoInNew("text", text); err != nil {
		return nil, sentence(err)
	}
	t := content.Decode(nil)
	need := span.Set[span.Slot]{}
	b := &block{t: t, class: wholeFile, fresh: []byte(text), need: &need}
	p := &Plan{t: t, After: []byte(text)}
	p.Changes = []Change{{Class: Anchored, Result: span.Of(0, span.Line(b.lineCount())), block: b}}
	return p, nil
}
