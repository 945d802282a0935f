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

// arrivals is the order of a connection's deliveries against its calls.
type arrivals struct {
	ws *sightline.Workspace
	in *intake

	mu    sync.Mutex
	first sightline.Arrival // when the connection began
	bytes []byteMark
	left  int64               // deliveries that the front let leave
	acked []sightline.Arrival // from before the last of them left, oldest first
}

// byteMark says: calls that begin before byte upTo of the input know nothing of what left after before.
type byteMark struct {
	upTo   int64
	before sightline.Arrival
}

// at returns what a call that begins at byte start of the input may rely on.
func (a *arrivals) at(start int64) sightline.Arrival {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.bytes) > 0 && a.bytes[0].upTo <= start {
		a.bytes = a.bytes[1:]
	}
	if len(a.bytes) > 0 {
		return a.bytes[0].before
	}
	return a.ws.Arrive()
}

// after returns what a call may rely on that the front received after n of its deliveries had left. A front that is far
// behind is taken to have received the call when the connection began: that costs a cure, and never admits more.
func (a *arrivals) after(n int64) (sightline.Arrival, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	kept := a.left - int64(len(a.acked))
	switch {
	case n > a.left:
		return sightline.Arrival{}, false
	case n == a.left:
		return a.ws.Arrive(), true
	case n < kept:
		return a.first, true
	}
	return a.acked[n-kept], true
}

// leave books what d shows as leaving the front now.
func (a *arrivals) leave(d *sightline.Delivery) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left++
	if len(a.acked) == marksMax {
		a.acked = append(a.acked[:0], a.acked[marksMax/2:]...)
	}
	a.acked = append(a.acked, a.ws.Arrive())
	d.Leave()
}

// leaveSocket books what d shows as leaving the socket now.
func (a *arrivals) leaveSocket(d *sightline.Delivery) {
	a.mu.Lock()
	defer a.mu.Unlock()
	upTo := a.in.written()
	if n := len(a.bytes); n == 0 || a.bytes[n-1].upTo < upTo {
		a.bytes = append(a.bytes, byteMark{upTo, a.ws.Arrive()})
	}
	d.Leave()
}
