package session

import (
	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// State says whether a read is done with what it was for.
type State string

// The states a read without a requirement can have.
const (
	Satisfied State = "satisfied"
	NeedsMore State = "needs_more"
	NeedScope State = "needs_scope"
)

// Page is the answer to a read.
type Page struct {
	Path         string      // canonical, relative to the root
	Source       string      // disk or overlay
	Lines        *span.Lines // what is shown, as one span from the first to the last line; nil when nothing is
	TotalLines   int         // -1 when not counted
	Text         []byte      // what is shown, decoded, with its own endings; owned by the engine, not to be changed
	Shown        []byte      // the same for a model: numbered, with notices; owned by the caller
	Encoding     content.Encoding
	EOL          content.EOL
	BOM          bool
	FinalNewline bool
	More         bool
	Cursor       string
	Cut          []span.Line // lines shown in part
	State        State

	ref      func() content.Ref
	coverage func() (covered, missing []span.Lines)
}

// Coverage returns which lines of this version the session holds, this page included, and which lines of what was
// asked for it does not: of the whole file for a full read, of the named lines for a range, none for an inspection.
// It costs a query of the evidence, so it is asked for only where it is shown.
func (p *Page) Coverage() (covered, missing []span.Lines) {
	if p.coverage == nil {
		return nil, nil
	}
	return p.coverage()
}

// Ref returns the ref of the version the page belongs to, or the zero Ref for a window of an unversioned file. The
// first call may cost a pass over the file's bytes.
func (p *Page) Ref() content.Ref {
	if p.ref == nil {
		return content.Ref{}
	}
	return p.ref()
}

// Changed tells where one edit of a call lies before and after. An empty span is the place of an insertion or of
// lines that were removed.
type Changed struct{ Before, After span.Lines }

// EditAnswer is the answer to a committed edit.
type EditAnswer struct {
	Path          string
	Before, After content.Ref
	Edits         []Changed // in the order of the call's edits; one that replaced several places has one row each
	Noop          bool
	Durability    disk.Durability
	Warnings      []string
}

// WriteAnswer is the answer to a whole-file write.
type WriteAnswer struct {
	Path       string
	Before     content.Ref // zero when the file was created
	After      content.Ref
	Lines      int
	Noop       bool
	Durability disk.Durability
	Warnings   []string
}

// MoveAnswer is the answer to a move.
type MoveAnswer struct {
	From, To string
	Ref      content.Ref
	Warnings []string
}

// DeleteAnswer is the answer to a delete.
type DeleteAnswer struct {
	Path   string
	Before content.Ref
}

// CheckAnswer says whether a call would be admitted, and the refusal if not.
type CheckAnswer struct {
	Path    string
	Allowed bool
	Refusal *fault.Error
}

// SeenLines is a run of lines that one session knows in one way.
type SeenLines struct {
	Lines   span.Lines
	State   evidence.LineState
	Origin  evidence.Origin
	Session string // empty for unseen lines
	At      int64  // when it was delivered or written, in milliseconds since 1970; 0 for unseen lines
}

// SeenAnswer is what is known of each line of a file. The rows of one session partition the file.
type SeenAnswer struct {
	Path string
	Ref  content.Ref
	Rows []SeenLines
}

// Listed is one entry of a listing.
type Listed struct {
	Path string // relative to the root
	Kind disk.Kind
	Size int64 // bytes, of regular files
}

// ListAnswer is the answer to a listing: sorted by path.
type ListAnswer struct {
	Path     string
	Entries  []Listed
	Skipped  int // entries that were left out because git ignores them; an ignored folder is one, whatever is in it
	Complete bool
	Limit    *ListLimit // what cut it; nil when complete
}

// ListLimit names the limit that cut a listing short.
type ListLimit struct {
	Name  string // limit, depth, unread or names
	Value int
	Unit  string
}
