// Package engine is what a door calls: the engine in this process, or one that another process runs and that was dialled.
// A door that is written against it is the same over both.
//
// It decides nothing and keeps nothing but the connection. What the doors say of deliveries and arrivals is handed on as
// it was said.
package engine

import (
	"context"
	"encoding/json"

	"github.com/sightline-io/sightline/internal/wire"
)

// Engine is one root with everything known of it. It is safe for concurrent use. [Local] and [Dialled] make one.
type Engine interface {
	// Root returns the absolute path of the root.
	Root() string
	// Arrive returns the present moment, for a door that reads a call before it can say whose it is.
	Arrive() Arrival
	// Delivery returns a fresh account of what one answer shows, for one call of this engine.
	Delivery() Delivery
	// Open opens the session that a flag, the environment or a client's own id of its conversation names; it may be
	// anybody's. An empty id is a fresh one. Codes: invalid, io, cancelled.
	Open(ctx context.Context, id string) (Session, error)
	// Claim opens the session that a model named, which must be new: one that is known already is denied. The door
	// knows which sessions it has opened itself.
	Claim(ctx context.Context, id string) (Session, error)
}

// Session is one session of an engine. It is safe for concurrent use.
type Session interface {
	ID() string
	// Call calls a tool; see [wire.Call]. The call belongs to this session whatever its arguments say.
	Call(ctx context.Context, tool string, args json.RawMessage, m Meta) *wire.Answer
	// Plan locates and judges an edit and changes nothing. A refusal or a failure comes as an answer, and the plan is
	// then nil.
	Plan(ctx context.Context, args json.RawMessage, m Meta) (*Plan, *wire.Answer)
}

// Arrival is the moment at which a door received a call. Only the engine that gave it knows what is in it; nil is the
// moment at which the call is made.
type Arrival any

// Delivery is what one answer shows. The door says when the answer leaves; only then does what it shows count. Each of
// Leave, Left and Lost works once.
type Delivery interface {
	// Shows reports whether the answer shows anything that will count.
	Shows() bool
	// Leave marks the moment just before the last byte of the answer is written. Left implies it.
	Leave()
	// Left says that the answer was written whole.
	Left()
	// Lost says that it was not: nothing of it counts.
	Lost()
}

// Meta is what accompanies a call; see the meta of the root package, whose members mean the same.
type Meta struct {
	Round      *uint64
	Arrival    Arrival
	Dir        string
	PageBytes  int
	NoCure     bool
	Structured bool     // the answer's facts are wanted beside its text
	Delivery   Delivery // of the same engine; required
}

// Plan is an edit that would be admitted.
type Plan struct {
	Path   string
	Before *string // the file's text; nil where the edit creates it
	After  string
}
