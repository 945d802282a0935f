package daemon

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// unsaid is an answer of which the front has not said yet whether it was written.
type unsaid struct {
	q       *call
	leaving bool // its last byte is being written; used by serve alone
}

// conn is one connection. One goroutine reads it and settles everything whose order matters: when a call arrived, what
// was delivered, who is there. Each call then has a goroutine of its own.
type conn struct {
	s     *server
	ctx   context.Context // of the calls
	nc    *net.UnixConn
	lines *rpc.Lines // read by serve alone
	owner string     // of the buffers it lays over the disk

	arrivals *arrivals
	wmu      sync.Mutex // held while a frame is written

	mu         sync.Mutex // guards what follows
	client     string     // empty before hello
	own        string     // id of the session of calls that name none
	opened     map[string]*sightline.Session
	plans      map[string]*plan
	planned    []string // ids of plans, oldest first
	deliveries map[int64]*unsaid
	delivery   int64 // the last id given to one
	running    map[string]context.CancelFunc
	taken      int64 // calls that were taken
	closing    bool  // no more are
	deaf       bool  // nothing more is read
	buffers    map[string]int
	sub        *subscription
	calls      sync.WaitGroup
	settled    chan struct{} // closed when it is closing and nothing is open any more
}

func newConn(s *server, ctx context.Context, nc *net.UnixConn, number int) (*conn, error) {
	in, err := newIntake(nc)
	if err != nil {
		return nil, err
	}
	c := &conn{
		s: s, ctx: ctx, nc: nc, owner: "connection-" + strconv.Itoa(number),
		arrivals: newArrivals(s.ws, in),
		opened:   map[string]*sightline.Session{}, plans: map[string]*plan{}, deliveries: map[int64]*unsaid{},
		running: map[string]context.CancelFunc{}, buffers: map[string]int{}, settled: make(chan struct{}),
	}
	c.lines = &rpc.Lines{In: in, Max: rpc.GreetingMax, Large: func() error { return s.reserve(c) }}
	return c, nil
}

// serve reads the connection to its end.
func (c *conn) serve() {
	for c.next() {
	}
	c.hungUp()
	c.calls.Wait() // what was sent is answered, where somebody still listens
	_ = c.nc.Close()
	c.mu.Lock()
	ids := make([]string, 0, len(c.opened))
	for id := range c.opened {
		ids = append(ids, id)
	}
	c.mu.Unlock()
	c.s.leave(c, ids)
}

// next takes one frame; it answers false where there are no more.
func (c *conn) next() bool {
	line, start, large, err := c.lines.Next()
	if large {
		defer func() { <-c.s.large }()
		if err == nil {
			err = c.nc.SetReadDeadline(time.Time{})
		}
	}
	if err != nil {
		if errors.Is(err, rpc.ErrLong) {
			c.refuse(nil, rpc.CodeRequest, "A line has at most "+strconv.Itoa(c.lines.Max)+" bytes; the connection is closed.")
		}
		return false
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return true
	}
	h, err := rpc.Parse(line)
	switch {
	case errors.Is(err, rpc.ErrSyntax):
		c.refuse(nil, rpc.CodeParse, "The line is no JSON value; the connection is closed.")
		return false
	case err != nil:
		c.refuse(h.ID, rpc.CodeOf(err), "Not taken: "+err.Error()+".")
	case h.Method == "": // an answer, and nothing was asked
	case h.ID == nil:
		c.notice(h)
	default:
		size := int64(0)
		if large {
			size = int64(len(line))
		}
		c.request(h, start, size)
	}
	return true
}

// hungUp settles what ends with the client's side: nobody says any more what was delivered, and claims are void.
func (c *conn) hungUp() {
	c.mu.Lock()
	c.deaf = true
	lost := c.deliveries
	c.deliveries = nil
	sub := c.sub
	c.sub = nil
	c.mu.Unlock()
	for _, u := range lost {
		u.q.d.Lost()
	}
	c.s.ws.Overlays().DropOwner(c.owner)
	c.s.opt.Feed.drop(sub)
}

// notice takes what needs no answer. What it says of a delivery or a call that is not there, or is settled, says nothing.
func (c *conn) notice(h rpc.Head) {
	f, bad := readFields(h.Method, h.Params, "id")
	if bad != nil {
		return
	}
	raw := f.raw("id")
	if h.Method == rpc.Cancel {
		c.mu.Lock()
		stop := c.running[string(raw)]
		c.mu.Unlock()
		if stop != nil {
			stop()
		}
		return
	}
	id, ok := rpc.Whole(raw)
	if !ok {
		return
	}
	c.mu.Lock()
	u := c.deliveries[id]
	c.mu.Unlock()
	if u == nil {
		return
	}
	if !u.leaving && (h.Method == rpc.Leaving || h.Method == rpc.Delivered) {
		u.leaving = true
		c.arrivals.leave(u.q)
	}
	switch h.Method {
	case rpc.Delivered:
		u.q.d.Left()
		c.forget(id)
	case rpc.Lost:
		u.q.d.Lost()
		c.arrivals.close(u.q)
		c.forget(id)
	}
}

// register gives an answer an id under which the front speaks of it; 0 where nobody would.
func (c *conn) register(q *call) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deaf {
		return 0
	}
	c.delivery++
	c.deliveries[c.delivery] = &unsaid{q: q}
	return c.delivery
}

func (c *conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.deliveries, id)
	c.settle()
}

// settle tells who waits for the end that nothing is open any more; the caller holds mu.
func (c *conn) settle() {
	if !c.closing || len(c.running) > 0 || len(c.deliveries) > 0 {
		return
	}
	select {
	case <-c.settled:
	default:
		close(c.settled)
	}
}

// wind ends the connection in good order: no more calls are taken, which the client is told, those that run are
// answered, and the front may say what it has written of the answers.
func (c *conn) wind() {
	c.mu.Lock()
	c.closing = true
	taken := c.taken
	greeted, sub := c.client != "", c.sub
	c.settle()
	c.mu.Unlock()
	c.s.opt.Feed.drop(sub)
	if greeted {
		_ = c.write(rpc.AppendNotice(nil, rpc.ClosingNotice, []byte(`{"taken":`+strconv.FormatInt(taken, 10)+`}`)))
	}
	c.calls.Wait()
	expired := make(chan struct{})
	stop := c.s.opt.After(handOver, func() { close(expired) })
	select {
	case <-c.settled:
	case <-expired:
	}
	stop()
	_ = c.nc.Close()
}

// refuse answers a frame that is no call.
func (c *conn) refuse(id []byte, code int, message string) {
	_ = c.write(rpc.AppendError(nil, id, code, message, nil)) // a connection that cannot be written to ends by itself
}

// write writes a frame that shows nothing, or whose showing the front accounts for.
func (c *conn) write(frame []byte) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	return c.put(frame)
}

// put writes bytes; the caller holds wmu. A connection that cannot be written to is closed: a client that gets no
// answers is to send no calls.
func (c *conn) put(frame []byte) error {
	_, err := c.nc.Write(frame)
	if err != nil {
		_ = c.nc.CloseRead()
		_ = c.nc.CloseWrite()
	}
	return err
}

// show writes an answer that counts once it is written. Its end is held back, because until then nobody can have read
// it; that is the last brace too, at which a reader of a stream of values takes it for whole.
func (c *conn) show(frame []byte, q *call) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	end := len(frame) - 2
	if err := c.put(frame[:end]); err != nil {
		return err
	}
	c.arrivals.leaveSocket(q)
	return c.put(frame[end:])
}
