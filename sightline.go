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
	"crypto/rand"
	"errors"
	"io"
	"time"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
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

// Options say how a workspace is opened; see [Open]. The zero value of every member but Root is a good default.
type Options struct {
	Root string // folder to serve; made absolute
	// State is the folder of the journal, from which sessions are resumed under their ids. It must not lie in Root; see
	// [StateDir]. Empty keeps everything in memory.
	State      string
	Purpose    string        // what the workspace is opened for, in a word, for those who find its state held
	Profile    Profile       // balanced or strict
	PageBytes  int           // bytes of text one answer may show; 0 is [PageBytesDefault]
	Durability Durability    // of writes; the zero value is durable
	Clock      func() int64  // milliseconds since 1970; nil is the machine's clock
	Entropy    io.Reader     // keys, cursors, temporary names; nil is the machine's
	Receipts   func(Receipt) // told of every decision; nil means that they are only kept
}

// stateWait is how long a state folder that another process holds is waited for: commands follow each other closely.
const stateWait = 10 * time.Second

// Open opens the workspace at opt.Root and resumes what opt.State records of it. A state folder that another process
// holds is waited for up to ten seconds. It answers invalid for a root that is no folder and for a state folder inside
// the root or of another one, io where the root or the state cannot be held, naming the holder, and cancelled. The
// caller closes the workspace.
func Open(ctx context.Context, opt Options) (*Workspace, error) {
	if opt.Clock == nil {
		opt.Clock = func() int64 { return time.Now().UnixMilli() }
	}
	if opt.Entropy == nil {
		opt.Entropy = rand.Reader
	}
	o := session.Options{Root: opt.Root, Profile: opt.Profile, PageBytes: opt.PageBytes, Durability: opt.Durability,
		Clock: opt.Clock, Entropy: opt.Entropy, Receipts: opt.Receipts}
	if opt.State == "" {
		return session.Open(ctx, o)
	}
	j, err := openJournal(ctx, opt)
	if err != nil {
		return nil, err
	}
	o.Journal = j
	w, err := session.Open(ctx, o)
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return w, nil
}

func openJournal(ctx context.Context, opt Options) (*journal.Journal, error) {
	root, err := disk.Absolute(opt.Root)
	if err != nil {
		return nil, err
	}
	state, err := disk.Absolute(opt.State)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(journal.Options{Dir: state, Root: root, Purpose: opt.Purpose, Entropy: opt.Entropy,
		Wait: stateWait, Clock: func() int64 { return time.Now().UnixMilli() }, Pause: func(d time.Duration) bool { return pause(ctx, d) }})
	if err != nil && ctx.Err() != nil {
		return nil, &fault.Error{Op: "open", Code: fault.Cancelled, Path: opt.Root, Err: errors.Join(ctx.Err(), err)}
	}
	return j, err
}

// IsHeld reports whether err says that another process holds the state of the root.
func IsHeld(err error) bool { return errors.Is(err, journal.ErrHeld) }

// pause lets d pass, or answers false when ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// StateDir returns the folder that a user's state of root is kept in: below $XDG_STATE_HOME, else $HOME/.local/state, or
// what the platform has for it, and never inside the root. env looks variables up. It is empty where there is no such
// folder: everything is then kept in memory.
func StateDir(root string, env func(string) string) string {
	dir, err := journal.DefaultDir(root, env)
	if err != nil {
		return ""
	}
	return dir
}

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
