package journal

import (
	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/span"
)

// Record is one thing that happened, or, at the beginning of a log that was rewritten, one piece of what was known. The
// types of this file are all the records there are. Sessions are named by their ids, files by their names and by the
// keys that evidence keeps them under, versions by keyed refs in text form, empty for the absent version. What a journal
// hands out shares nothing with it.
type Record interface {
	kind() kind
	walk(*coder)
}

// Reserved tells that sequence numbers up to Seq may be in use. It is synced before the first of them is.
type Reserved struct{ Seq evidence.Seq }

// Version defines a version before anything is said of it: whole, or, with a Base that was defined before, as Base with
// Splices put in, State.Skeleton then holding the hashes of the lines they wrote and of no other.
type Version struct {
	State   evidence.VersionState
	Base    string
	Splices span.Splices
}

// Observed tells that lines of one version were shown. It is written after the answer was handed over.
type Observed struct {
	Session, Key, Version string
	Seq                   evidence.Seq
	Epoch                 evidence.Epoch
	Call                  evidence.CallID
	Origin                evidence.Origin
	At                    int64 // milliseconds since 1970
	Slots                 []span.Slots
	Parts                 []Part
	Moved                 []span.Lines // lines whose new numbers were told
}

// Part is one line of which only some columns were shown.
type Part struct {
	Line  span.Line
	Shown span.Bytes // of the line without its ending
	Len   int        // of the line without its ending, in bytes
}

// Round tells what a round of the conversation may rely on, which is settled when its first call arrives.
type Round struct {
	Session  string
	Round    uint64
	Boundary evidence.Seq
}

// Change is the kind of a commit.
type Change uint8

// The changes.
const (
	Edited  Change = iota // lines were spliced
	Written               // the whole file was written, or created
	Deleted
	Moved
	changes
)

// Intent tells, before a file is changed, what the change will be.
type Intent struct {
	ID            uint64 // larger than that of every intent before
	Session       string
	Name, Key     string
	Change        Change
	Epoch         evidence.Epoch
	Call          evidence.CallID
	Before, After string // versions
	Splices       span.Splices
	Partial       []span.Line // lines of Before of which the call owed only columns
	To, ToKey     string      // Moved: the new name
	Reply         Reply
}

// Done ends an intent: the change was made, with Seq its moment, or, with Failed, it was not.
type Done struct {
	ID     uint64
	Name   string // of the changed file, of a moved one the new, where it is another than the intent's
	Seq    evidence.Seq
	At     int64 // milliseconds since 1970
	Failed bool

	Durability uint8    // as disk numbers it
	Warnings   []string // codes
}

// Reply is what a change answers, and answers again when its request is repeated. The zero Reply is that of a change
// without a request id.
type Reply struct {
	Request, Digest content.Hash // keyed hashes of the request's id and of its arguments
	Before, After   Masked
	Lines           int // of the file as it was written
	Edits           []Edit
	Durability      uint8
	Warnings        []string
}

// Masked is the digest of a ref under a mask that only the key's owner can take off; all zeros for no ref. Every mask
// is used once.
type Masked [32]byte

// Edit tells where one edit of a change lies before and after.
type Edit struct{ Before, After span.Lines }

// Answered tells, in a log that was rewritten, what a change answered whose request may be repeated.
type Answered struct {
	ID       uint64 // of the intent
	Session  string
	Change   Change
	Name, To string
	At       int64 // milliseconds since 1970
	Reply    Reply
}

// Declined tells what a change was refused with whose request may be repeated.
type Declined struct {
	Session          string
	Request, Digest  content.Hash // keyed hashes of the request's id and of its arguments
	At               int64        // milliseconds since 1970
	Code             string
	Missing, Drifted []span.Lines
}

// Refused tells by what a session's last refusal of a file is known again. It shapes what a repeat says and nothing else.
type Refused struct {
	Session, Key string
	Mark         content.Hash // keyed, of the call, its code and the version it was judged on
}

// Rewound tells that a conversation went back: what its calls after UpTo showed or wrote no longer counts. It is synced
// before it is acknowledged.
type Rewound struct {
	Session string
	Epoch   evidence.Epoch // the one that begins
	UpTo    evidence.CallID
}

// Sibling tells the name under which a file was met first: should it get more names, its evidence is there. An empty
// name takes it back.
type Sibling struct {
	Dev, Ino uint64
	Name     string
}

// Session is what is known of one session apart from files.
type Session struct {
	ID     string
	Epoch  evidence.Epoch
	Calls  evidence.CallID // the last one
	Rounds []RoundMark
	Times  []TimeMark // in order
}

// RoundMark is one round of a session and its boundary.
type RoundMark struct {
	Round    uint64
	Boundary evidence.Seq
}

// TimeMark tells when a sequence number was given out.
type TimeMark struct {
	Seq evidence.Seq
	At  int64 // milliseconds since 1970
}

// Track is what one session knows of one file.
type Track struct {
	Session, Key string
	State        evidence.TrackState
}

// History is what is known of the commits of one file.
type History struct {
	Key   string
	Edges []evidence.EdgeState
}

// kind is the first byte of a body. The numbers are part of the format.
type kind uint8

const (
	kindHeader kind = 1 + iota
	kindCompacted
	kindReserved
	kindVersion
	kindObserved
	kindRound
	kindIntent
	kindDone
	kindRewound
	kindSibling
	kindSession
	kindTrack
	kindHistory
	kindAnswered
	kindRefused
	kindDeclined
	kinds
)

func (*Reserved) kind() kind { return kindReserved }
func (*Version) kind() kind  { return kindVersion }
func (*Observed) kind() kind { return kindObserved }
func (*Round) kind() kind    { return kindRound }
func (*Intent) kind() kind   { return kindIntent }
func (*Done) kind() kind     { return kindDone }
func (*Rewound) kind() kind  { return kindRewound }
func (*Sibling) kind() kind  { return kindSibling }
func (*Session) kind() kind  { return kindSession }
func (*Track) kind() kind    { return kindTrack }
func (*History) kind() kind  { return kindHistory }
func (*Answered) kind() kind { return kindAnswered }
func (*Refused) kind() kind  { return kindRefused }
func (*Declined) kind() kind { return kindDeclined }

// blank returns an empty record of kind k, or nil where there is none.
func blank(k kind) Record {
	switch k {
	case kindReserved:
		return new(Reserved)
	case kindVersion:
		return new(Version)
	case kindObserved:
		return new(Observed)
	case kindRound:
		return new(Round)
	case kindIntent:
		return new(Intent)
	case kindDone:
		return new(Done)
	case kindRewound:
		return new(Rewound)
	case kindSibling:
		return new(Sibling)
	case kindSession:
		return new(Session)
	case kindTrack:
		return new(Track)
	case kindHistory:
		return new(History)
	case kindAnswered:
		return new(Answered)
	case kindRefused:
		return new(Refused)
	case kindDeclined:
		return new(Declined)
	}
	return nil
}
