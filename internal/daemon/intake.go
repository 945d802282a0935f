package daemon

import (
	"net"
	"sync"

	"github.com/sightline-io/sightline"
)

// Rules for when a call was received. It was received after an answer left when the client could have read the answer
// before it wrote the call.
//
// A front that keeps the account itself says with each call how many of its deliveries had left by then (arrived); it is
// the only one who knows when its own client read what. For everybody else the socket is asked: just before the last
// bytes of an answer that shows something are written, how much the client has written so far. Calls that begin in those
// bytes were written without knowing the answer.

// intake takes the client's bytes off the socket and counts them, so that no byte is in neither of two counts: what was
// taken, and what the system still holds.
type intake struct {
	pull *puller

	mu    sync.Mutex
	taken int64
}

func newIntake(nc *net.UnixConn) (*intake, error) {
	t := &intake{}
	pull, err := newPuller(nc, func(read func() int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.taken += int64(read())
	})
	t.pull = pull
	return t, err
}

// Read is as io.Reader has it. One goroutine at a time may call it.
func (t *intake) Read(p []byte) (int, error) { return t.pull.read(p) }

// written returns how many bytes the client has written so far.
func (t *intake) written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken + t.pull.waiting()
}

// marksMax bounds how many deliveries a front may be behind in what it says of its arrivals.
const marksMax = 4096

// arrivals is the order of a connection's answers against its calls.
//
// An answer matters to later calls when it shows something, and when it tells of a change: whoever does not know of the
// change yet speaks of line numbers as they were before it, although the change is made long before its answer has left.
// So while the answer to a change is on its way, calls of its session are taken to know no more than the change itself
// did.
type arrivals struct {
	ws *sightline.Workspace
	in *intake

	mu    sync.Mutex
	order int64    // of the last moment
	first moment   // when the connection began
	open  []change // whose answers have not left
	bytes []byteMark
	left  int64    // answers that the front let leave
	acked []moment // from before the last of them left, oldest first; none is later than one behind it
}

// moment is an arrival, and its place among those of the connection.
type moment struct {
	at    sightline.Arrival
	order int64
}

func (m moment) or(o moment) moment {
	if o.order < m.order {
		return o
	}
	return m
}

// change is a call that may change a file, by the session it is made in.
type change struct {
	call    *call
	session string
	at      moment
}

// byteMark says: calls that begin before byte upTo of the input know nothing of what left after before. Of several the
// later ones are never earlier moments.
type byteMark struct {
	upTo   int64
	before moment
}

func newArrivals(ws *sightline.Workspace, in *intake) *arrivals {
	a := &arrivals{ws: ws, in: in}
	a.first = a.now()
	return a
}

// now returns the present moment; the caller holds mu.
func (a *arrivals) now() moment {
	a.order++
	return moment{a.ws.Arrive(), a.order}
}

// stamp returns what a call of a session may rely on. It begins at byte start of the input, or, where arrived is told,
// the front received it after so many of its answers had left; ok is false where those are more than have. A call that
// changes is open from now on, until its answer leaves, or [arrivals.close].
func (a *arrivals) stamp(q *call, start int64, arrived *int64, session string, changes bool) (at sightline.Arrival, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.now()
	if arrived == nil {
		for len(a.bytes) > 0 && a.bytes[0].upTo <= start {
			a.bytes = a.bytes[1:]
		}
		if len(a.bytes) > 0 {
			m = m.or(a.bytes[0].before)
		}
	} else {
		kept := a.left - int64(len(a.acked))
		switch n := *arrived; {
		case n > a.left:
			return sightline.Arrival{}, false
		case n < kept: // far behind: that costs a cure, and never admits more
			m = a.first
		case n < a.left:
			m = m.or(a.acked[n-kept])
		}
	}
	for _, o := range a.open {
		if o.session == session {
			m = m.or(o.at)
		}
	}
	if changes {
		a.open = append(a.open, change{q, session, m})
	}
	return m.at, true
}

// close ends that a call is open: it changed nothing, or its answer is lost.
func (a *arrivals) close(q *call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.before(q)
}

// before returns the moment behind which is what the answer to q tells, and closes q; the caller holds mu.
func (a *arrivals) before(q *call) moment {
	m := a.now()
	for i, o := range a.open {
		if o.call == q {
			a.open = append(a.open[:i], a.open[i+1:]...)
			return m.or(o.at)
		}
	}
	return m
}

// leave books the answer to q as leaving the front now.
func (a *arrivals) leave(q *call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.before(q)
	for i := len(a.acked) - 1; i >= 0 && a.acked[i].order > m.order; i-- {
		a.acked[i] = m
	}
	a.left++
	if len(a.acked) == marksMax {
		a.acked = append(a.acked[:0], a.acked[marksMax/2:]...)
	}
	a.acked = append(a.acked, m)
	q.d.Leave()
}

// leaveSocket books the answer to q as leaving the socket now.
func (a *arrivals) leaveSocket(q *call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.before(q)
	for i := len(a.bytes) - 1; i >= 0 && a.bytes[i].before.order > m.order; i-- {
		a.bytes[i].before = m
	}
	upTo := a.in.written()
	if n := len(a.bytes); n == 0 || a.bytes[n-1].upTo < upTo {
		a.bytes = append(a.bytes, byteMark{upTo, m})
	}
	q.d.Leave()
}
