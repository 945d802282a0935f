package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/wire"
)

// conn is the connection: it hands frames to the SDK, or takes them itself when they call one of our tools.
//
// When is a call received after an answer left? When the client could have read the answer before it wrote the call. So
// just before the last byte of an answer that shows something is written, conn asks the system how much the client has
// written so far: calls that begin in those bytes were written without knowing the answer, and keep the boundary from
// before it, however late they are taken off the pipe.
type conn struct {
	s     *server
	ctx   context.Context // of the calls; it has the values of the one Serve was given and not its end
	in    *intake
	lines *lineReader // used by whoever leads
	out   io.WriteCloser
	room  *outlet
	extra []byte     // what results of the sessionless protocol carry besides
	queue chan frame // frames for the SDK
	owed  owed       // requests that the SDK has not answered

	buffers sync.Pool // of answers that are being made

	turn      atomic.Uint64 // see lead
	watching  atomic.Bool
	computing sync.WaitGroup // calls whose answer is not made yet
	calls     sync.WaitGroup // calls that are not answered yet
	underway  atomic.Int64   // how many calls that is

	hangUp, stopping sync.Once
	hungUp           chan struct{} // nothing more is taken off the input
	stopped          chan struct{} // nothing more is written
	writing          chan struct{} // holds one token while somebody writes

	markMu   sync.Mutex // guards the order of deliveries against arrivals
	marks    []mark
	changing []*change

	mu          sync.Mutex // guards what follows
	client      client
	initialized bool
	handshake   string // id of the initialize request under way, see idKey
	running     map[string]*running
	leaving     *sightline.Delivery // of the answer that is being written
	broken      error               // why nothing can be written any more
	closing     bool                // no call is begun any more
}

// mark says: calls that begin before byte upTo of the input know nothing of what left after before, and no line numbers
// that came of a change after numbers.
type mark struct {
	upTo            int64
	before, numbers sightline.Arrival
}

type frame struct{ msg jsonrpc.Message }

func newConn(s *server, ctx context.Context, info json.RawMessage) (*conn, error) {
	in, err := newIntake(s.opt.In)
	if err != nil {
		return nil, err
	}
	extra := append([]byte(`"_meta":{"`+mcp.MetaKeyServerInfo+`":`), info...)
	return &conn{
		s: s, ctx: context.WithoutCancel(ctx), in: in, lines: &lineReader{in: in}, out: s.opt.Out, room: openOutlet(s.opt.Out),
		extra: append(extra, `},"resultType":"complete",`...), queue: make(chan frame, 16),
		hungUp: make(chan struct{}), stopped: make(chan struct{}), writing: make(chan struct{}, 1), running: map[string]*running{},
		buffers: sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }},
	}, nil
}

// Connect starts reading; it makes conn its own transport.
func (c *conn) Connect(context.Context) (mcp.Connection, error) {
	go c.lead()
	return c, nil
}

// Read returns the next message that is the SDK's.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case f, ok := <-c.queue:
		if !ok {
			c.owed.settle(c.hungUp)
			return nil, io.EOF
		}
		return f.msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.hungUp:
		return nil, io.EOF
	}
}

// Write writes a message of the SDK's.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	r, isResponse := msg.(*jsonrpc.Response)
	if isResponse {
		c.answered(r)
	}
	err = c.write(append(b, '\n'))
	if isResponse {
		c.owed.paid()
	}
	return err
}

// answered notices the end of the handshake.
func (c *conn) answered(r *jsonrpc.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handshake == "" {
		return
	}
	if id, err := json.Marshal(r.ID.Raw()); err == nil && idKey(id) == c.handshake {
		c.initialized, c.handshake = r.Error == nil, ""
	}
}

// Close ends the taking of frames, as the SDK asks when the client hung up; calls that were received are still
// answered. It may be called more than once.
func (c *conn) Close() error {
	var err error
	c.hangUp.Do(func() {
		close(c.hungUp)
		err = c.in.close()
	})
	return err
}

// SessionID returns the empty string: stdio has one session per connection.
func (c *conn) SessionID() string { return "" }

// take routes one frame that begins at byte start of the input. It is called by whoever leads, and returns a call that
// is to be run, if the frame is one of ours.
func (c *conn) take(line []byte, start int64) (toolCall, bool) {
	if line[0] == '[' {
		c.batch(line, start)
		return toolCall{}, false
	}
	h, err := parseHead(line)
	if err != nil {
		code := int(jsonrpc.CodeInvalidRequest)
		if err == errFrame {
			code = jsonrpc.CodeParseError
		}
		c.refuse(h, code, err.Error())
		return toolCall{}, false
	}
	switch string(h.method) {
	case "tools/call":
		if call, ok := c.ours(h); ok {
			call.arrival = c.arrived(start, &call)
			return call, true
		}
	case "notifications/cancelled":
		c.cancel(h.params)
	case "initialize":
		c.greet(h)
	}
	c.pass(h, line)
	return toolCall{}, false
}

// batchMax bounds how many frames may stand in one batch.
const batchMax = 1000

// batch takes each frame of a batch. Protocols since 2025-06-18 have no batches; every one of its frames is answered by
// itself, which is what a client that sends them anyway can tell apart.
func (c *conn) batch(line []byte, start int64) {
	var batch []json.RawMessage
	switch err := json.Unmarshal(line, &batch); {
	case err != nil:
		c.refuse(head{}, jsonrpc.CodeParseError, errFrame.Error())
	case len(batch) == 0 || len(batch) > batchMax:
		c.refuse(head{}, jsonrpc.CodeInvalidRequest, "a batch holds between 1 and 1000 frames")
	default:
		for _, one := range batch {
			if one[0] == '[' {
				c.refuse(head{}, jsonrpc.CodeInvalidRequest, errFrame.Error())
			} else if call, ok := c.take(one, start); ok && c.begin(&call) {
				go c.run(call)
			}
		}
	}
}

// pass hands a frame to the SDK.
func (c *conn) pass(h head, line []byte) {
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil || h.id != nil && !h.callable() {
		c.refuse(h, jsonrpc.CodeInvalidRequest, "the frame is no JSON-RPC 2.0 message")
		return
	}
	isRequest := h.id != nil && h.method != nil
	if isRequest {
		c.owed.add()
	}
	select {
	case c.queue <- frame{msg}:
	case <-c.hungUp:
	}
	if isRequest && string(h.method) == "initialize" {
		c.owed.settle(c.hungUp)
	}
}

// refuse answers a frame that cannot be understood.
func (c *conn) refuse(h head, code int, message string) {
	_ = c.write(errorFrame(h.idOrNull(), code, message)) // a broken connection is noted there
}

// arrived returns what a call that begins at byte start of the input may rely on: everything that had left by then.
//
// A call that names lines by number speaks of the numbers that the client knew. A call of its own that changes files gives
// lines other numbers, and the client knows of that only once the answer has left: until then the boundary of a call by
// numbers stays before the change, so that the session can translate.
func (c *conn) arrived(start int64, t *toolCall) sightline.Arrival {
	c.markMu.Lock()
	defer c.markMu.Unlock()
	known := 0
	for known < len(c.marks) && c.marks[known].upTo <= start {
		known++
	}
	c.marks = slices.Delete(c.marks, 0, known)
	now := c.s.opt.Workspace.Arrive()
	a := now
	numbers := byNumbers(t)
	for _, m := range c.marks {
		a = a.Earlier(m.before)
		if numbers {
			a = a.Earlier(m.numbers)
		}
	}
	for _, w := range c.changing {
		if numbers {
			a = a.Earlier(w.began)
		}
	}
	if wire.Changes(t.tool) {
		t.change = &change{now}
		c.changing = append(c.changing, t.change)
	}
	return a
}

// byNumbers reports whether a call may name lines by number. It errs on the side of yes.
func byNumbers(t *toolCall) bool {
	return (t.tool == "edit" || t.tool == "check") && bytes.Contains(t.args, []byte(`"first"`))
}

// change is a call under way that may change a file.
type change struct{ began sightline.Arrival }

// settled takes a call off the changes under way; the caller holds markMu.
func (c *conn) settled(t *toolCall) {
	c.changing = slices.DeleteFunc(c.changing, func(w *change) bool { return w == t.change })
}

// leave marks the moment just before the last byte of an answer is written.
func (c *conn) leave(t *toolCall, d *sightline.Delivery) {
	c.markMu.Lock()
	defer c.markMu.Unlock()
	before := c.s.opt.Workspace.Arrive()
	numbers := before
	if t.changed {
		numbers = t.change.began
	}
	c.settled(t)
	upTo := c.in.written()
	if n := len(c.marks); n > 0 && c.marks[n-1].upTo >= upTo {
		c.marks[n-1].numbers = c.marks[n-1].numbers.Earlier(numbers)
	} else {
		c.marks = append(c.marks, mark{upTo, before, numbers})
	}
	d.Leave()
}

// greet notes who is there and that the handshake is under way.
func (c *conn) greet(h head) {
	var p struct {
		ClientInfo struct {
			Name string `json:"name"`
		} `json:"clientInfo"`
	}
	_ = json.Unmarshal(h.params, &p) // the SDK refuses what is malformed; a nameless client is an unknown one
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client.name = p.ClientInfo.Name
	c.handshake = idKey(h.id)
}

// cancel stops the call that a cancellation names; the SDK hears of it too and looks among its own.
func (c *conn) cancel(params []byte) {
	var id string
	members(params, func(name, raw []byte) {
		if string(name) == "requestId" {
			id = idKey(raw)
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.running[id]; r != nil {
		r.stop()
	}
}

// idKey is the id of a request as a map key: the same for all spellings of one string or whole number.
func idKey(raw []byte) string {
	if text := unquoted(raw); text != nil {
		return `"` + string(text)
	}
	if bytes.ContainsAny(raw, ".eE") {
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return strconv.FormatInt(int64(f), 10)
		}
	}
	return string(raw)
}

// write writes a frame that shows nothing.
func (c *conn) write(b []byte) error {
	if !c.lock() {
		return errHungUp
	}
	_, err := c.out.Write(b)
	<-c.writing
	return c.failed(err)
}

// lock waits for the right to write; it answers false once nothing is written any more.
func (c *conn) lock() bool {
	select {
	case <-c.stopped:
		return false
	default:
	}
	select {
	case c.writing <- struct{}{}:
		return true
	case <-c.stopped:
		return false
	}
}

// failed ends a connection that cannot be written to: a client that reads no answers is not to send calls.
func (c *conn) failed(err error) error {
	if err != nil {
		c.mu.Lock()
		if c.broken == nil {
			c.broken = err
		}
		c.mu.Unlock()
		_ = c.Close()
	}
	return err
}

// reply writes the answer to a call and keeps the account of what it shows.
func (c *conn) reply(t *toolCall, b []byte, d *sightline.Delivery) {
	if !c.lock() {
		d.Lost()
		return
	}
	err := c.show(t, b, d)
	<-c.writing
	if c.failed(err) != nil {
		d.Lost()
		return
	}
	d.Left()
}

func (c *conn) show(t *toolCall, b []byte, d *sightline.Delivery) error {
	if !d.Shows() && !t.changed {
		_, err := c.out.Write(b)
		return err
	}
	c.now(d)
	defer c.now(nil)
	// A frame that does not fit reaches the client in parts: until its last brace is written, nothing the client sends
	// can be an answer to it. The newline behind the brace is no part of the value, and some clients do not wait for it.
	if last := len(b) - len("}\n"); !c.room.takes(len(b)) {
		if _, err := c.out.Write(b[:last]); err != nil {
			return err
		}
		b = b[last:]
	}
	c.leave(t, d)
	_, err := c.out.Write(b)
	return err
}

// now notes whose answer is being written.
func (c *conn) now(d *sightline.Delivery) {
	c.mu.Lock()
	c.leaving = d
	c.mu.Unlock()
}
