// Package edit owns what an edit means: where its operations lie in one original, what the bytes are afterwards, which
// are its touched lines, and by which readings of itself it could have done so.
//
// All operations of one call are located in one original, all or nothing. Text is matched exactly, but for the file's
// own line endings, and inserted literally; nothing is ever applied where it only nearly fits. What an operation owes is
// existential: an insertion that could lie in several places with the same result is one change with several readings,
// and evidence picks the one that it can license.
//
// The package is pure: no file, clock, goroutine or random source. A [Plan] is not modified after it was returned and
// may be shared once its text is settled.
package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// OpsMax is how many operations one call may hold. More than that is a new file, which is written as a whole.
const OpsMax = 1 << 16

// SearchBytesMax bounds the bytes that locating the operations of one call may search: the operations that search
// times the length of the text.
const SearchBytesMax int64 = 4 << 30

// PlacesMax is how many places one call may change.
const PlacesMax = 1 << 18

// LineUnitMax is the length in bytes, without its ending, up to which a line is owed as one unit; of a longer one a
// quoted edit owes the changed columns only. It is the bound of the same name in evidence, said again here because this
// room stands beside that one and may not import it: a line longer than this cannot be shown in one step, so owing it
// whole would lock it.
const LineUnitMax = 16 << 10

// Op is one operation on the text of a file: [Replace], [LineRange], [Anchors] or [Append]. Its text is UTF-8 without
// NUL; anything else is invalid.
type Op interface {
	// check answers invalid for what can mean nothing in any file.
	check() error
	// inserted is the text that the operation puts in.
	inserted() string
}

// Replace replaces text by text. Old is matched exactly, but that an LF in it matches whichever ending the file has at
// that place, while CRLF in it matches CRLF only. It must occur exactly once, places that overlap counted each, unless
// All is set: then all of its places are replaced, from the top, where places overlap the first of them. New is literal;
// its LF becomes the ending of the lines that it replaces. An empty Old means that the file is to be created.
type Replace struct {
	Old, New string
	All      bool
}

// LineRange replaces whole lines, endings included, by New; empty Lines insert before Lines.From, which may be the
// number of lines. An empty New removes the lines. New gains the file's ending if it lacks one, and the end of a file
// without final newline stays without one.
type LineRange struct {
	Lines span.Lines
	New   string
}

// Anchors replaces the lines between two lines that are given whole, without ending, each of which must occur exactly
// once in the file, From before To. With Inclusive the two lines themselves are replaced too. New is as in [LineRange].
type Anchors struct {
	From, To  string
	Inclusive bool
	New       string
}

// Append puts whole lines behind the last one. A file that ends in a newline, ends in one afterwards; one that does not,
// is given a separator and ends without one afterwards too.
type Append struct {
	Text string
}

func (o Replace) inserted() string   { return o.New }
func (o LineRange) inserted() string { return o.New }
func (o Anchors) inserted() string   { return o.New }
func (o Append) inserted() string    { return o.Text }

func (o Replace) check() error { return checkText("new", o.New) }

func (o LineRange) check() error {
	if o.Lines.From < 0 || o.Lines.To < o.Lines.From {
		return invalid("lines", "an edit by line numbers ends at or behind the line before its first")
	}
	if o.Lines.Empty() && o.New == "" {
		return invalid("new", "the edit inserts nothing: its new text is empty")
	}
	return checkText("new", o.New)
}

func (o Anchors) check() error {
	for _, a := range []struct{ field, text string }{{"from", o.From}, {"to", o.To}} {
		switch line := trimEnding(a.text); {
		case line == "":
			return invalid(a.field, "an anchor is one whole line; this one is empty")
		case strings.ContainsRune(line, '\n'):
			return invalid(a.field, "an anchor is one whole line; this one holds several")
		}
	}
	return checkText("new", o.New)
}

func (o Append) check() error {
	if o.Text == "" {
		return invalid("append", "the edit appends nothing: its text is empty")
	}
	return checkText("append", o.Text)
}

// checkText answers invalid for text that no text file should be given.
func checkText(field, s string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return invalid(field, "the new text holds a NUL, which no text file has")
	}
	if !utf8.ValidString(s) {
		return invalid(field, "the new text is not valid UTF-8")
	}
	return nil
}

func invalid(field, message string) *fault.Error {
	return &fault.Error{Code: fault.Invalid, Field: field, Message: message}
}

// checkOps answers invalid, then exists, for what is wrong with the operations whatever the text says but for echoes.
func checkOps(t *content.Text, ops []Op) error {
	if len(ops) == 0 {
		return invalid("edits", "an edit call needs at least one edit")
	}
	if len(ops) > OpsMax {
		return &fault.Error{Code: fault.Limit, Message: fmt.Sprintf("the call holds %d edits; at most %d are taken in one call", len(ops), OpsMax)}
	}
	echo := echoes{t: t}
	for i, op := range ops {
		if op == nil {
			return at(i, ops, invalid("", "the edit says neither what to replace nor by what"))
		}
		if err := op.check(); err != nil {
			return at(i, ops, err)
		}
		if err := echo.op(op); err != nil {
			return at(i, ops, err)
		}
		if r, ok := op.(LineRange); ok && int(r.Lines.To) > t.Lines() {
			return at(i, ops, invalid("lines", fmt.Sprintf("the edit names %s, and the file has %d lines", fault.Ranges([]span.Lines{r.Lines}), t.Lines())))
		}
	}
	for i, op := range ops {
		if r, ok := op.(Replace); ok && r.Old == "" {
			return at(i, ops, &fault.Error{Code: fault.Exists, Message: "the file exists, and an empty old text means to create it; quote the text to replace, or append"})
		}
	}
	return nil
}

// at says in err which of several operations it is about.
func at(i int, ops []Op, err error) error {
	f, ok := err.(*fault.Error)
	if !ok {
		return err
	}
	g := *f
	if f.Code == fault.Invalid {
		g.Field = fmt.Sprintf("edits[%d]", i)
		if f.Field != "" {
			g.Field += "." + f.Field
		}
	}
	if len(ops) > 1 {
		g.Message = fmt.Sprintf("edit %d of %d: %s", i+1, len(ops), f.Message)
	}
	return &g
}

// trimEnding returns s without one ending at its end.
func trimEnding(s string) string {
	if t, ok := strings.CutSuffix(s, "\r\n"); ok {
		return t
	}
	return strings.TrimSuffix(s, "\n")
}
