// Package evidence owns what was shown to whom, and whether that licenses a write.
//
// Needs are existential, evidence is universal: an edit owes the cheapest reading of itself that yields the same
// bytes, and a line is held only if every reading of the history that the bytes allow says the agent saw it.
// Everything undecidable is refused together with its text, so it costs one step.
//
// A [Track] holds what one session was shown of one file and wrote of it, as views: one version, and which of its slots
// were shown when. [Track.Observe] records a delivery, [Track.Rebase] takes evidence through a commit made by us, and
// [Align] carries it over changes made behind our back. [Judge] decides whether a call is licensed, [Lines] tells the same
// for every line, and [Transport] moves an admitted plan to a file that changed before its commit. All of them ask one
// query, so there is one answer to what was seen, what is missing, and what may be written.
//
// The package is pure: no file, clock, goroutine or random source. Its values are not safe for concurrent use; the
// session that owns them serialises, for all tracks and histories that share a [Versions] or an [AlignmentCache]. Judging
// changes nothing that a later answer depends on.
package evidence

import (
	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// Seq orders everything that happens in one workspace. Zero is before everything.
type Seq uint64

// Epoch counts the lineages of one conversation. It changes only by a rewind or fork, or a new conversation.
type Epoch uint32

// CallID names one call of a session, so that a rewind can drop what was delivered on the branch it leaves. Calls of a
// session are numbered upwards in the order they arrived.
type CallID uint64

// Origin says why a line is credited.
type Origin uint8

// The origins.
const (
	Delivered Origin = iota // we showed it in an answer
	Authored                // the session wrote it through us
	Recorded                // a producer reported that it was shown
	Printed                 // a command printed it
	Searched                // a search printed it
)

// String returns the origin's name at the doors.
func (o Origin) String() string {
	return [...]string{"delivered", "authored", "recorded", "printed", "searched"}[o]
}

// Strength says how well an entry knows its lines.
type Strength uint8

// The strengths. The weaker ones stand for what other tools report; they never license a whole-file write or a delete,
// and nothing where a session is strict.
const (
	Exact    Strength = iota // the very line was shown
	Loose                    // a line that was equal to it but for white space was shown
	Coverage                 // its place was shown: good on this version alone, and for needs that lie within one record
)

// Version is one version of a file as evidence knows it: the ref of its bytes and the hash of every line, shown or
// not. Evidence is about bytes, not about where they lay: disk, overlay and pinned source share versions. Absent and
// empty are versions. A Version is immutable, but for a skeleton that is dropped, and interned per workspace by its ref;
// see [Versions].
type Version struct {
	Ref      content.Ref // zero for the absent version
	Absent   bool
	N        int            // number of lines
	Skeleton []content.Hash // hash of every line; nil with N > 0 when it was dropped for want of memory
	Encoding content.Encoding
	BOM      bool

	table  *Versions // the table it is interned in; nil for a version that stands alone
	holds  int       // views and edges that refer to it
	newest int       // how many of them are the newest view of a track
	asked  uint64    // when it was last of use, on the table's clock
}

// Entry credits a span of slots of one version to one session.
type Entry struct {
	Slots    span.Slots
	Seq      Seq
	Epoch    Epoch
	Call     CallID
	Origin   Origin
	Strength Strength
	Carried  bool // came here from an older view by carry; false: shown or written on this very version or before own edits
	// Moved: somebody else's change moved it to another number since it was shown. Its text is known, its number is not.
	Moved bool
	// Compacted: its text left the live context of the conversation.
	Compacted bool
}

// Mark is a moment in which a session learned something: the sequence number and the call. The zero Mark is never.
type Mark struct {
	Seq  Seq
	Call CallID
}

// by reports whether the moment came, and not after b.
func (m Mark) by(b Seq) bool { return m.Seq != 0 && m.Seq <= b }

// View is one version and what of it was shown.
type View struct {
	Version *Version
	Entries []Entry
	Born    Seq // when it was made; a call whose boundary lies before does not see it as the newest
	// Direct is when something was first shown or written on this very version: from then on numbers are read in it.
	Direct Mark
	// Told is when the session first knew this version as the current one: by a delivery, or by its own edit of one that
	// it knew. It is never where an own edit was made over a change of somebody else that was not shown.
	Told   Mark
	Forgot bool // entries were dropped over the bound

	undone bool // within a rewind
}

// Class says whether a call repeats the text that it acts on.
type Class uint8

// The classes.
const (
	Quoted   Class = iota // the call repeats the text: any live view may speak
	Numbered              // the call names lines by number: only the numbering view, and only unmoved lines
	Unquoted              // the call repeats nothing: only the newest view
)

// Reading is one way to read a located change that yields the same bytes.
type Reading struct {
	Splices span.Splices               // in lines of the original: which lines are replaced by how many
	Need    span.Set[span.Slot]        // what it owes
	Columns map[span.Line][]span.Bytes // lines above [LineUnitMax] of which only these columns are owed instead

	after Seq // the last commit known when it was admitted
}

// Need is what one located change of a call owes.
type Need struct {
	Class Class
	// Lines is where the change lies in the current text, for messages.
	Lines span.Lines
	// Seen holds, for Numbered, the lines the call named, in the numbering it was composed in; Lines is where own
	// edits made since have moved them.
	Seen span.Lines
	// Choose returns the cheapest reading all of which is held, or, when there is none, the first one. It must be
	// deterministic and may call held any number of times.
	Choose func(held func(span.Slot) bool) Reading
}

// Kind is what a call does to the file as a whole.
type Kind uint8

// The kinds.
const (
	KindEdit    Kind = iota // owes its Needs
	KindReplace             // whole-file write over a present file: owes every slot
	KindDelete              // owes that no change unseen is destroyed
	KindCreate              // owes nothing
	KindMove                // owes nothing
)

// LineUnitMax is the length in bytes up to which a line is shown, owed and credited as one unit. A longer line could
// not be cured in one step, so its unit is the column.
const LineUnitMax = 16 << 10

// Call is one located operation to be judged against the current version of its file.
type Call struct {
	Kind     Kind
	Needs    []Need
	Noop     bool // the result equals the current bytes
	Boundary Seq  // deliveries after it do not count for this call
	Strict   bool
	Waived   bool // KindReplace only: the host waived the need for exactly this file
}

// Moved tells that a line a call named by number stands elsewhere now.
type Moved struct{ Seen, Now span.Line }

// Verdict is the answer to a call. The zero value refuses nothing and allows nothing.
type Verdict struct {
	Allow   bool
	Code    fault.Code // when refused
	Missing []span.Lines
	Drifted []span.Lines // an empty span is the place of lines that are gone
	Cure    []span.Lines // what must be delivered so that the same call is admitted next: lines of the current version
	Moved   []Moved
	// SameRound: everything needed was delivered, but in this call's own round; the same call will do in the next.
	SameRound bool
	// Forgotten: some of it was shown once, and what was known of it was dropped for want of memory.
	Forgotten bool
	// By names the sessions whose commits changed the drifted lines, where they went through us; sorted, without doubles.
	By []string
	// Splices and Readings are what the admitted readings do, in the order of the needs.
	Splices  span.Splices
	Readings []Reading
}

// LineState is what a session knows of one line now: the answer of the one query that seen, check and the judge share.
type LineState uint8

// The states, as `seen` shows them.
const (
	LineUnseen LineState = iota
	LineSeen
	LineStale
	LineAuthored
	LineRecorded
)

// String returns the state's name at the doors.
func (s LineState) String() string {
	return [...]string{"unseen", "seen", "stale", "authored", "recorded"}[s]
}

// LineFact is one line's state with where the credit comes from; Origin and Seq are meaningful unless it is unseen.
type LineFact struct {
	State  LineState
	Origin Origin
	Seq    Seq
}
