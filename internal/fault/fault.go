// Package fault owns the closed list of codes and the one error type of the product.
//
// A refusal means that we decided no; it carries what is missing, what drifted and its cure. A failure means that we
// could not decide. In Go both are a non-nil error of type [*Error], so a refused commit cannot pass for a done one;
// doors tell them apart by [Code.Refusal].
package fault

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/span"
)

// Code says what was decided, or why nothing could be. The list is closed and append-only: codes cross the wire.
type Code string

// Refusals.
const (
	NotSeen          Code = "not-seen"
	NeedsFull        Code = "needs-full"
	Stale            Code = "stale"
	NotFound         Code = "not-found"
	Ambiguous        Code = "ambiguous"
	Exists           Code = "exists"
	Missing          Code = "missing"
	OutsideRoot      Code = "outside-root"
	Denied           Code = "denied"
	Ignored          Code = "ignored"
	ReadOnly         Code = "read-only"
	NotRegular       Code = "not-regular"
	LossyEncoding    Code = "lossy-encoding"
	PartialLine      Code = "partial-line"
	Conflict         Code = "conflict"
	DirtyBuffer      Code = "dirty-buffer"
	Cursor           Code = "cursor"
	ChangedSincePage Code = "changed-since-page"
	NeedsScope       Code = "needs-scope"
	Limit            Code = "limit"
	Invalid          Code = "invalid"
)

// Failures.
const (
	IO        Code = "io"
	Cancelled Code = "cancelled"
	Internal  Code = "internal"
)

// Error is the one error type. It is built by literal and is immutable once returned.
type Error struct {
	Op      string // the verb that was asked for: read, edit, write, ...
	Code    Code
	Path    string // the caller's spelling of the file; empty when no file is concerned
	Message string // one or two sentences for a model; empty means the code's own text
	Field   string // invalid only: the member at fault

	// Missing and Drifted are ranges of the current file, disjoint, sorted and merged. An empty span in Drifted is
	// the place of lines that are gone.
	Missing, Drifted []span.Lines

	Cure *Cure // what the refusal delivers; nil where the code has none
	Err  error // the cause, kept for people and logs; never shown to a model
}

// Cure is what a refusal delivers so that one step mends it.
type Cure struct {
	Text      []Shown      // current text of the lines that are missing or drifted; empty when over the bound
	Delivered []span.Lines // the lines really shown in Text: these become evidence once the refusal has left
	Next      *Next        // one next call; nil where only a person can help
}

// Shown is the exact text of some lines of the current file, with their own endings.
type Shown struct {
	Lines span.Lines
	Text  string
}

// Next is one call that mends the refusal, in coordinates of the current file. Doors turn it into a call that is
// valid against their own schema.
type Next struct {
	Tool  string       // read, edit, write, move, delete, check, list
	Path  string       // the path to name, as the caller spells paths
	Same  bool         // the refused call itself, unchanged; the other members but Tool are then empty
	Lines []span.Lines // read: what to read; none means the whole file or the first page
	Full  bool         // read: with intent full
	Edits []LineEdit   // edit: the same edit by line numbers
	Text  *string      // write: the text to write, where it differs from the refused call's
	Mode  string       // write: create or replace, where it differs from the refused call's
}

// LineEdit is one edit by line numbers: replace the lines by New; an empty span inserts before it.
type LineEdit struct {
	Lines span.Lines
	New   string
}

// Error describes the fault for a person: verb, path, code and message.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op)
		b.WriteByte(' ')
	}
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	b.WriteString(string(e.Code))
	b.WriteString(": ")
	b.WriteString(e.Text())
	if e.Err != nil {
		fmt.Fprintf(&b, " (%v)", e.Err)
	}
	return b.String()
}

// Text returns the message, or the code's own meaning where there is none.
func (e *Error) Text() string {
	if e.Message != "" {
		return e.Message
	}
	return e.Code.Meaning()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, &Error{Code: c}) true for every fault of code c.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Op == "" && t.Path == ""
}

// CodeOf returns the code of err: of the fault in its chain, or Internal for an error that is none. It returns the
// empty code for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Newf returns a fault with a formatted message.
func Newf(code Code, path, format string, args ...any) *Error {
	return &Error{Code: code, Path: path, Message: fmt.Sprintf(format, args...)}
}
