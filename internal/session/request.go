package session

import (
	"math"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/span"
)

// Intent is what a read is for.
type Intent string

// The intents. An empty intent means range when lines are named and inspect otherwise.
const (
	Inspect Intent = "inspect" // look around: the first page of what is there
	Range   Intent = "range"   // exactly the named lines
	Full    Intent = "full"    // every line, page by page, within one version
)

// OpenEnd as the end of a span of lines means as many lines as the page takes.
const OpenEnd = span.Line(math.MaxInt)

// Arrival is the moment at which a call was received, as the number of the last delivery that had left by then. The
// zero Arrival means that the call arrives when the method is entered.
type Arrival struct {
	seq evidence.Seq
	set bool
}

// Earlier returns the earlier one of two moments, both of which are set.
func (a Arrival) Earlier(b Arrival) Arrival {
	if b.seq < a.seq {
		return b
	}
	return a
}

// Meta is what accompanies every request.
type Meta struct {
	// RequestID makes a call repeatable: a second call of the same session and verb with the same id returns the
	// recorded result and is not judged again. Empty means none.
	RequestID string
	// Round tells which request of the model this call answers, where the host knows; nil where it does not.
	Round *uint64
	// Arrival is when the call was received.
	Arrival Arrival
	// Dir is the folder, relative to the root, that relative paths of this call start at; empty is the root.
	Dir string
	// PageBytes is how many bytes of text reach the model in one answer; 0 means the workspace's default.
	PageBytes int
	// Delivery is told what the answer shows, so that the door can say when it left. Nil means that the answer
	// counts as delivered when the method returns.
	Delivery *Delivery
	// NoCure is set by doors whose refusals do not reach the model whole: nothing is delivered with them.
	NoCure bool

	request requested // RequestID, as the journal has it
	auto    bool      // Delivery is ours: what it shows counts when the method returns
}

// ReadRequest asks for one page.
type ReadRequest struct {
	Path   string
	Intent Intent
	Lines  []span.Lines // what to show, in order; a span may end at [OpenEnd]
	Cursor string       // continues an earlier page; Intent and Lines must then be empty
	Meta
}

// EditRequest asks for edits of one file, all or nothing.
type EditRequest struct {
	Path   string
	Edits  []edit.Op
	Expect content.Ref // when set, the file must be exactly this version
	Meta
}

// WriteMode says what a whole-file write does with what is there.
type WriteMode string

// The write modes.
const (
	Create  WriteMode = "create"  // the file must be absent; parent folders are made
	Replace WriteMode = "replace" // the file must be present
)

// WriteRequest asks for a whole-file write.
type WriteRequest struct {
	Path    string
	Text    string
	Mode    WriteMode
	AsGiven bool // keep the endings of Text instead of the file's
	Expect  content.Ref
	Meta
}

// MoveRequest asks for a rename, never onto an existing file.
type MoveRequest struct {
	From, To string
	Meta
}

// DeleteRequest asks for the removal of one regular file.
type DeleteRequest struct {
	Path string
	Meta
}

// CheckRequest asks whether a call would be admitted. Exactly one of Edits, Lines, Overwrite and Delete is given;
// none of them asks about an edit of every line.
type CheckRequest struct {
	Path      string
	Edits     []edit.Op
	Lines     *span.Lines
	Overwrite bool
	Delete    bool
	Meta
}

// SeenRequest asks what is known of each line of a file; the session's own knowledge only, unless All is set.
type SeenRequest struct {
	Path string
	All  bool
	Meta
}

// ListRequest asks for the names below a folder.
type ListRequest struct {
	Path             string // empty means the root
	Depth            int    // how many levels; 0 means 1
	Include, Exclude []string
	Limit            int // entries at most; 0 means 1000
	Meta
}
