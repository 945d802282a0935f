// Package receipt owns the statements of what happened: one for every decision, bounded, and without a byte of any
// file in them. A receipt holds names, refs, spans and codes from closed lists; text has no place to stand in it.
package receipt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// SpansMax is how many spans one list of a receipt holds; what is left out is counted in [Receipt.Cut].
const SpansMax = 64

// Durability says what a finished change has behind it. It is empty where nothing was changed.
type Durability string

// The durabilities.
const (
	Durable Durability = "durable"  // file and folder synced
	Atomic  Durability = "atomic"   // renamed, not synced
	InPlace Durability = "in-place" // overwritten where it lay
)

// Warning is the code of something worth telling about a call that was done: lower-case letters, digits and hyphens.
type Warning string

// Receipt states one decision. Lines are zero-based and half-open. A Receipt that a [Log] returned shares its slices
// with the log: they must not be changed.
type Receipt struct {
	Seq     uint64 // order of receipts in one log, from 1; given by the log
	At      int64  // milliseconds since 1970, told by the caller
	Session string
	Verb    string
	Name    scope.Name // the file; zero where no file was admitted
	To      scope.Name // move only: the new name
	Code    fault.Code // empty: done

	Missing   []span.Lines // refusals: lines of the current file that were never shown
	Drifted   []span.Lines // refusals: lines of the current file that have changed since they were shown
	Delivered []span.Lines // lines that reached the session: by a read, or in a refusal's cure
	Touched   []span.Lines // lines of the new file that the call wrote

	Before     content.Ref // what the call found; zero where nothing was found or captured
	After      content.Ref // what it left; zero where it changed nothing
	Durability Durability
	Warnings   []Warning

	Count int   // how often it happened: 1, or more where a refusal or failure was repeated; given by the log
	Last  int64 // when it happened last; given by the log
	Cut   int   // spans left out of the lists above for want of room; given by the log
}

// Sink is told of every decision as the log has booked it. A repeat comes with the sequence number of the first and
// a higher count: it replaces what was told before. A Sink must not block and must not call back.
type Sink func(Receipt)

// OfFault returns what a receipt may know of a refusal or failure: its code and its lines. Message, cause and the text
// of the cure stay behind.
func OfFault(f *fault.Error) Receipt {
	r := Receipt{Code: f.Code, Missing: f.Missing, Drifted: f.Drifted}
	if f.Cure != nil {
		r.Delivered = f.Cure.Delivered
	}
	return r
}

// same reports whether r and o state the same decision, times apart.
func (r *Receipt) same(o *Receipt) bool {
	return r.Session == o.Session && r.Verb == o.Verb && r.Name == o.Name && r.To == o.To && r.Code == o.Code &&
		r.Before == o.Before && r.After == o.After && r.Durability == o.Durability && r.Cut == o.Cut &&
		slices.Equal(r.Missing, o.Missing) && slices.Equal(r.Drifted, o.Drifted) && slices.Equal(r.Delivered, o.Delivered) &&
		slices.Equal(r.Touched, o.Touched) && slices.Equal(r.Warnings, o.Warnings)
}

// Render returns the receipt as one line for traces and tests: fields in a fixed order, absent ones left out, lines
// zero-based and half-open. Refs are cut to 12 digits.
func (r Receipt) Render() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d at=%d", r.Seq, r.At)
	put := func(key, value string) {
		if value != "" {
			b.WriteString(" " + key + "=" + value)
		}
	}
	put("session", word(r.Session))
	put("verb", word(r.Verb))
	if n := r.Name.String(); n != "" {
		put("name", fmt.Sprintf("%q", n))
	}
	if n := r.To.String(); n != "" {
		put("to", fmt.Sprintf("%q", n))
	}
	put("code", string(r.Code))
	for _, l := range []struct {
		key   string
		lines []span.Lines
	}{{"missing", r.Missing}, {"drifted", r.Drifted}, {"delivered", r.Delivered}, {"touched", r.Touched}} {
		if len(l.lines) > 0 {
			put(l.key, strings.ReplaceAll(fmt.Sprint(l.lines), " ", ""))
		}
	}
	put("before", short(r.Before))
	put("after", short(r.After))
	put("durability", string(r.Durability))
	for _, w := range r.Warnings {
		put("warning", string(w))
	}
	if r.Count > 1 {
		fmt.Fprintf(&b, " count=%d last=%d", r.Count, r.Last)
	}
	if r.Cut > 0 {
		fmt.Fprintf(&b, " cut=%d", r.Cut)
	}
	return b.String()
}

func short(r content.Ref) string {
	s := strings.TrimPrefix(r.String(), "sha256:")
	return s[:min(len(s), 12)]
}
