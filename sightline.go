// Package sightline is the file plane for coding agents: no line edited unseen.
//
// It sits between an agent and a repository and knows what was shown (which lines, of which exact bytes, to whom), what
// may change (an edit is admitted on that evidence and on nothing else) and what happened (one content-free receipt for
// every decision).
//
// A workspace is opened with [Open] and asked for a [Session]; the session reads, edits, writes, moves, deletes, checks
// and tells what was seen. A refused call returns an [*Error] whose code says why, whose Missing and Drifted name the
// exact lines, and whose Cure holds their current text and one next call. All lines are zero-based and half-open here;
// only the doors speak of one-based closed ranges. A Workspace and its sessions are safe for concurrent use.
package sightline

import (
	"context"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/session"
	"github.com/sightline-io/sightline/internal/span"
)

// A workspace and its sessions.
type (
	Workspace = session.Workspace
	Session   = session.Session
	Profile   = session.Profile
	Meta      = session.Meta
	Arrival   = session.Arrival
	Delivery  = session.Delivery
	Plan      = session.Plan
	Receipt   = receipt.Receipt
)

// Options say how a workspace is opened; see [Open].
type Options = session.Options

// Open opens the workspace at opt.Root. It answers invalid for a root that is no folder, and io where the root or the
// state cannot be held. The caller closes it.
func Open(ctx context.Context, opt Options) (*Workspace, error) { return session.Open(ctx, opt) }

// The two profiles.
const (
	Balanced = session.Balanced
	Strict   = session.Strict
)

// Requests and their answers.
type (
	ReadRequest   = session.ReadRequest
	Page          = session.Page
	EditRequest   = session.EditRequest
	EditAnswer    = session.EditAnswer
	WriteRequest  = session.WriteRequest
	WriteAnswer   = session.WriteAnswer
	MoveRequest   = session.MoveRequest
	MoveAnswer    = session.MoveAnswer
	DeleteRequest = session.DeleteRequest
	DeleteAnswer  = session.DeleteAnswer
	CheckRequest  = session.CheckRequest
	CheckAnswer   = session.CheckAnswer
	SeenRequest   = session.SeenRequest
	SeenAnswer    = session.SeenAnswer
	SeenLines     = session.SeenLines
	ListRequest   = session.ListRequest
	ListAnswer    = session.ListAnswer
	Listed        = session.Listed
	ListLimit     = session.ListLimit
	Changed       = session.Changed
)

// What a read is for, how it stands, and what a whole-file write does with what is there.
type (
	Intent    = session.Intent
	State     = session.State
	WriteMode = session.WriteMode
)

// The intents, states and write modes.
const (
	Inspect   = session.Inspect
	Range     = session.Range
	Full      = session.Full
	OpenEnd   = session.OpenEnd
	Satisfied = session.Satisfied
	NeedsMore = session.NeedsMore
	NeedScope = session.NeedScope
	Create    = session.Create
	Replace   = session.Replace
)

// PageBytesDefault is how many bytes of text one answer shows where nothing else is said.
const PageBytesDefault = session.PageBytesDefault

// The forms of one edit. All edits of a call are located in the file as it is before the call.
type (
	Op          = edit.Op
	ReplaceText = edit.Replace
	LineRange   = edit.LineRange
	Anchors     = edit.Anchors
	Append      = edit.Append
)

// Lines is a zero-based, half-open range of lines; Line is one line's number.
type (
	Line  = span.Line
	Lines = span.Lines
)

// Ref names exact bytes; Encoding and EOL say what they are.
type (
	Ref      = content.Ref
	Encoding = content.Encoding
	EOL      = content.EOL
)

// ParseRef reads the text form of a ref: sha256: and 64 hexadecimal digits.
func ParseRef(s string) (Ref, error) { return content.ParseRef(s) }

// What a session knows of a line, and why.
type (
	LineState = evidence.LineState
	Origin    = evidence.Origin
)

// The states of a line.
const (
	LineUnseen   = evidence.LineUnseen
	LineSeen     = evidence.LineSeen
	LineStale    = evidence.LineStale
	LineAuthored = evidence.LineAuthored
	LineRecorded = evidence.LineRecorded
)

// Faults: refusals and failures are of one type.
type (
	Error    = fault.Error
	Code     = fault.Code
	Cure     = fault.Cure
	Shown    = fault.Shown
	Next     = fault.Next
	LineEdit = fault.LineEdit
)

// The closed list of codes.
const (
	NotSeen          = fault.NotSeen
	NeedsFull        = fault.NeedsFull
	Stale            = fault.Stale
	NotFound         = fault.NotFound
	Ambiguous        = fault.Ambiguous
	Exists           = fault.Exists
	Missing          = fault.Missing
	OutsideRoot      = fault.OutsideRoot
	Denied           = fault.Denied
	Ignored          = fault.Ignored
	ReadOnly         = fault.ReadOnly
	NotRegular       = fault.NotRegular
	LossyEncoding    = fault.LossyEncoding
	PartialLine      = fault.PartialLine
	Conflict         = fault.Conflict
	DirtyBuffer      = fault.DirtyBuffer
	Cursor           = fault.Cursor
	ChangedSincePage = fault.ChangedSincePage
	NeedsScope       = fault.NeedsScope
	Limit            = fault.Limit
	Invalid          = fault.Invalid
	IO               = fault.IO
	Cancelled        = fault.Cancelled
	Internal         = fault.Internal
)

// CodeOf returns the code of err, Internal for an error that is no fault, and the empty code for nil.
func CodeOf(err error) Code { return fault.CodeOf(err) }

// Kinds of directory entries and what a finished write has behind it.
type (
	Kind       = disk.Kind
	Durability = disk.Durability
)

// The kinds and durabilities.
const (
	Regular = disk.Regular
	Folder  = disk.Folder
	Link    = disk.Link
	Special = disk.Special

	Durable = disk.Durable
	Atomic  = disk.Atomic
	InPlace = disk.InPlace
)

// Name is a path inside the root that was admitted.
type Name = scope.Name
