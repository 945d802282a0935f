package session

import (
	"maps"
	"slices"
	"sync"
	"unicode"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// Bounds of what one session remembers besides its evidence.
const (
	roundsKept  = 64
	cursorsKept = 256
	tracksKept  = 4096
)

// Session is one agent's conversation with a workspace. Its verbs may be called from any goroutine; each is one call
// of the conversation.
type Session struct {
	ws *Workspace
	id string

	queueMu  sync.Mutex // guards the deliveries that are not yet written down
	written  *sync.Cond
	queue    []*show
	draining bool

	answers answers // recorded under request ids
	// What changes answered and were refused with, for repeats after a restart; guarded by the evidence lock.
	past     past
	declined declined

	rewinding sync.Mutex // one rewind at a time; taken before every other lock

	// Guarded by the workspace's evidence lock.
	epoch    evidence.Epoch
	calls    evidence.CallID
	rounds   map[uint64]evidence.Seq
	tracks   map[scope.Key]*evidence.Track
	cursors  map[scope.Key]*cursor
	refusals map[scope.Key]content.Hash // what the last refusal of a file is known again by
	waived   map[scope.Key]bool         // files that may be replaced once without having been seen whole
	times    seqTimes
}

func newSession(w *Workspace, id string) *Session {
	s := &Session{
		ws: w, id: id,
		rounds:   map[uint64]evidence.Seq{},
		tracks:   map[scope.Key]*evidence.Track{},
		cursors:  map[scope.Key]*cursor{},
		refusals: map[scope.Key]content.Hash{},
	}
	s.written = sync.NewCond(&s.queueMu)
	s.answers.init()
	return s
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Workspace returns the workspace the session belongs to.
func (s *Session) Workspace() *Workspace { return s.ws }

func checkID(id string) error {
	bad := &fault.Error{Code: fault.Invalid, Field: "session", Message: "a session id is 1 to 200 characters without blanks or control characters"}
	if id == "" || len(id) > 200 {
		return bad
	}
	for _, r := range id {
		if r == unicode.ReplacementChar || unicode.IsSpace(r) || unicode.IsControl(r) {
			return bad
		}
	}
	return nil
}

// call is one call under way: when it came and what it may rely on.
type call struct {
	s        *Session
	op       string
	id       evidence.CallID
	epoch    evidence.Epoch
	boundary evidence.Seq
	meta     Meta
	delivery *Delivery
	intent   *journal.Intent // of the commit under way
}

// begin opens a call of the verb op.
func (s *Session) begin(op string, m Meta) *call {
	arrived := m.Arrival
	if !arrived.set {
		arrived = s.ws.Arrive()
	}
	c := &call{s: s, op: op, meta: m, delivery: m.Delivery, boundary: arrived.seq}
	s.ws.mu.Lock()
	defer s.ws.mu.Unlock()
	s.calls = evidence.CallID(s.ws.next()) // no number is given out twice, not even after a crash
	c.id, c.epoch = s.calls, s.epoch
	if m.Round != nil {
		c.boundary = s.round(*m.Round, arrived.seq)
	}
	return c
}

// end closes a call whose caller keeps no account of deliveries: what it showed counts from now on.
func (c *call) end() {
	if c.meta.auto {
		c.delivery.Left()
		c.s.settle(0)
	}
}

// round returns the boundary of round r, which is frozen when its first call arrives. A round that was never met but
// is older than one that was has that one's boundary, or an earlier arrival.
func (s *Session) round(r uint64, arrived evidence.Seq) evidence.Seq {
	if b, ok := s.rounds[r]; ok {
		return b
	}
	b := arrived
	for k, v := range s.rounds {
		if k > r && v < b {
			b = v
		}
	}
	s.setRound(r, b)
	s.ws.stage(&journal.Round{Session: s.id, Round: r, Boundary: b})
	return b
}

// setRound settles the boundary of round r. Over the bound the oldest round goes.
func (s *Session) setRound(r uint64, b evidence.Seq) {
	s.rounds[r] = b
	if len(s.rounds) > roundsKept {
		oldest := r
		for k := range s.rounds {
			oldest = min(oldest, k)
		}
		delete(s.rounds, oldest)
	}
}

// track returns what the session knows of key; the caller holds the evidence lock.
func (s *Session) track(key scope.Key) *evidence.Track {
	t := s.tracks[key]
	if t == nil {
		t = evidence.NewTrack()
		s.tracks[key] = t
	}
	return t
}

// peek is track without making one.
func (s *Session) peek(key scope.Key) *evidence.Track {
	if t := s.tracks[key]; t != nil {
		return t
	}
	return evidence.NewTrack()
}

// Rewind tells that the conversation went back to a point before some of its calls, or was forked there: deliveries
// and own text of calls for which keep answers false, and of all calls after the first such one, no longer count, and
// plans made before can no longer be committed. keep is asked with the numbers of calls in the order they were begun,
// of those alone that made something known. When it returns the rewind is recorded; where it cannot be, Rewind answers
// io and nothing was changed.
func (s *Session) Rewind(keep func(evidence.CallID) bool) error {
	s.rewinding.Lock()
	defer s.rewinding.Unlock()
	s.settle(0)
	r := &journal.Rewound{Session: s.id}
	s.ws.mu.Lock()
	r.Epoch, r.UpTo = s.epoch+1, s.lastKept(keep)
	s.ws.mu.Unlock()
	if err := s.ws.record(true, func() { s.ws.stage(r) }); err != nil {
		return &fault.Error{Op: "rewind", Code: fault.IO, Message: "The journal cannot be written, so the session was not rewound.", Err: err}
	}
	s.ws.mu.Lock()
	defer s.ws.mu.Unlock()
	s.rewind(r.UpTo, r.Epoch)
	return nil
}

// rewind begins epoch with what the calls up to upTo made known; the caller holds the evidence lock.
func (s *Session) rewind(upTo evidence.CallID, epoch evidence.Epoch) {
	s.epoch = epoch
	for _, t := range s.tracks {
		t.Rewind(func(c evidence.CallID) bool { return c <= upTo }, epoch)
	}
	clear(s.cursors)
	clear(s.refusals)
	clear(s.rounds)
}

// lastKept returns the last call before the first one that keep does not keep, of those that made something known.
func (s *Session) lastKept(keep func(evidence.CallID) bool) evidence.CallID {
	known := map[evidence.CallID]bool{}
	for _, t := range s.tracks {
		state := t.State()
		for _, v := range state.Views {
			for _, e := range v.Entries {
				known[e.Call] = true
			}
			known[v.Direct.Call], known[v.Told.Call] = true, true
		}
		for _, o := range state.Own {
			known[o.Call] = true
		}
		for _, c := range state.Columns {
			for _, p := range c.Pieces {
				known[p.Entry.Call] = true
			}
		}
	}
	delete(known, 0) // no call
	kept := evidence.CallID(0)
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if !keep(id) {
			return kept
		}
		kept = id
	}
	return s.calls
}

// Calls returns the number of the latest call, for a later [Session.Rewind].
func (s *Session) Calls() evidence.CallID {
	s.ws.mu.Lock()
	defer s.ws.mu.Unlock()
	return s.calls
}

// note writes the receipt of one decision.
func (c *call) note(r receipt.Receipt) {
	r.Session, r.Verb, r.At = c.s.id, c.op, c.s.ws.opt.Clock()
	r = c.s.ws.log.Add(r)
	if c.s.ws.opt.Receipts != nil {
		c.s.ws.opt.Receipts(r)
	}
	c.s.ws.flush() // rounds and names that the call met
}

// fail finishes err as the fault of this call: with the verb, the caller's spelling and a receipt.
func (c *call) fail(err error, path string, name scope.Name) error {
	f := asFault(err)
	out := *f
	out.Op = c.op
	if path != "" && (out.Path == "" || out.Path == name.String()) {
		out.Path = path
	}
	c.note(receipt.Receipt{Name: name, Code: out.Code, Missing: out.Missing, Drifted: out.Drifted, Delivered: delivered(out.Cure)})
	return &out
}

func delivered(c *fault.Cure) []span.Lines {
	if c == nil {
		return nil
	}
	return c.Delivered
}
