package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/wire"
)

// call is one request under way.
type call struct {
	c       *conn
	ctx     context.Context
	id      []byte
	method  string
	params  params
	bad     *sightline.Error // what is wrong with what accompanies the tool's input
	arrival sightline.Arrival
	d       *sightline.Delivery
	session string // that it was put to
	changed bool   // it changed a file, which its answer tells
	then    func() // what follows once it is answered
}

// request takes a call that begins at byte start of the input. size is how many bytes it has, where those are many.
func (c *conn) request(h rpc.Head, start, size int64) {
	m, known := methods[h.Method]
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		return // the client was told how many were taken
	}
	c.taken++
	greeted, many, unsaid := c.client != "", len(c.running) >= rpc.UnansweredMax, len(c.deliveries) >= rpc.UnsaidMax
	_, twice := c.running[string(h.ID)]
	c.mu.Unlock()
	refuse := func(code int, message string) { c.refuse(h.ID, code, message) }
	switch {
	case h.Method == rpc.Hello:
		c.hello(h)
		return
	case !greeted && h.Method != rpc.Shutdown:
		refuse(rpc.CodeRequest, "The first call of a connection is hello.")
		return
	case !known:
		refuse(rpc.CodeMethod, "There is no method "+strconv.Quote(h.Method)+".")
		return
	case twice:
		refuse(rpc.CodeRequest, "A call with this id is not answered yet.")
		return
	case h.Params != nil && h.Params[0] != '{':
		refuse(rpc.CodeParams, "The params must be an object.")
		return
	}
	if room := c.s.inHand.Add(size) <= inHandMax; !room {
		h.Params, many = nil, true
	}
	release := func() { c.s.inHand.Add(-size) }
	q := &call{c: c, id: bytes.Clone(h.ID), method: h.Method, d: &sightline.Delivery{}}
	q.params, q.bad = readParams(h.Method, bytes.Clone(h.Params), m.tool)
	switch {
	case q.bad != nil:
	case many:
		q.bad = &sightline.Error{Op: h.Method, Code: sightline.Limit, Message: "256 calls of this connection are not answered yet, or those that run hold 268435456 bytes; wait for one."}
	case unsaid && q.params.ack:
		q.bad = &sightline.Error{Op: h.Method, Code: sightline.Limit, Message: "Of 4096 answers to this connection nobody said whether they were delivered or lost; say so first."}
	}
	if q.bad == nil && m.tool {
		q.stamp(start, m.changes)
	}
	ctx, stop := context.WithCancel(c.ctx)
	q.ctx = ctx
	if !c.begin(string(q.id), stop) {
		stop()
		release()
		return
	}
	run := func() {
		defer c.end(string(q.id), stop, release)
		q.run(m)
	}
	if m.inline || q.bad != nil { // so that whoever sends without reading is not read without end
		run()
		return
	}
	go run()
}

// stamp settles what the call may rely on.
func (q *call) stamp(start int64, changes bool) {
	var ok bool
	if q.arrival, ok = q.c.arrivals.stamp(q, start, q.params.arrived, q.sessionID(), changes); !ok {
		q.bad = &sightline.Error{Op: q.method, Code: sightline.Invalid, Field: "meta.arrived",
			Message: "\"meta.arrived\" counts more answers than have left this connection."}
	}
}

// sessionID returns the id of the session that a tool's call belongs to, as far as the call tells.
func (q *call) sessionID() string {
	q.c.mu.Lock()
	defer q.c.mu.Unlock()
	switch {
	case q.method == rpc.Commit:
		if f, bad := readFields(q.method, q.params.args, "plan", "session"); bad == nil {
			if p := q.c.plans[f.text("plan")]; p != nil {
				return p.sess.ID()
			}
		}
	case q.params.as != "":
		return q.params.as
	default:
		if env, err := wire.OpenEnvelope(q.params.args); err == nil && env.Session != "" {
			return env.Session
		}
	}
	return q.c.own
}

// begin enters a call among those that run.
func (c *conn) begin(id string, stop context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		c.taken--
		return false
	}
	c.running[id] = stop
	c.calls.Add(1)
	return true
}

// end is the other side of begin.
func (c *conn) end(id string, stop context.CancelFunc, release func()) {
	stop()
	release()
	c.mu.Lock()
	delete(c.running, id)
	c.settle()
	c.mu.Unlock()
	c.calls.Done()
}

var frames = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// frameKept is how large a buffer may be to be used again.
const frameKept = 1 << 20

// run answers the call and settles what the answer shows.
func (q *call) run(m method) {
	buf := frames.Get().(*[]byte)
	frame, id := q.frame(m, (*buf)[:0])
	q.send(frame, id)
	if cap(frame) <= frameKept {
		*buf = frame
		frames.Put(buf)
	}
	if q.then != nil {
		q.then()
	}
}

// send writes the answer. id is that of its delivery, where the front will say whether it was written.
func (q *call) send(frame []byte, id int64) {
	tells := q.d.Shows() || q.changed
	switch {
	case tells && id == 0 && !q.params.ack:
		if q.c.show(frame, q) == nil {
			q.d.Left()
			return
		}
	case q.c.write(frame) == nil && id != 0:
		return
	}
	q.d.Lost()
	q.c.arrivals.close(q)
	if id != 0 {
		q.c.forget(id)
	}
}

// answer is what came of a call: a wire answer, or a result of the daemon's own.
type answer struct {
	wire   *wire.Answer
	result json.RawMessage
}

func refused(op string, err error) *answer { return &answer{wire: wire.Refuse(op, nil, err)} }

// frame makes the frame that answers the call, and registers its delivery where the front wants to account for it. A
// panic is a fault of ours: it costs this call an internal failure and nobody else anything.
func (q *call) frame(m method, dst []byte) (frame []byte, id int64) {
	defer func() {
		if p := recover(); p != nil {
			q.c.s.opt.Log.Error("panic in a call", "method", q.method, "panic", p, "stack", string(debug.Stack()))
			if id != 0 {
				q.c.forget(id)
			}
			id, q.changed = 0, false
			frame = q.failure(dst[:0], wire.Refuse(q.method, nil, &sightline.Error{Op: q.method, Code: sightline.Internal}))
		}
	}()
	var a *answer
	switch {
	case q.bad != nil:
		a = refused(q.method, q.bad)
	case q.params.root != "" && !q.c.s.isRoot(q.params.root):
		a = refused(q.method, q.c.s.wrongRoot(q.method, q.params.root))
	default:
		a = m.run(q)
	}
	if a.wire != nil && a.wire.Failed {
		q.c.arrivals.close(q)
		return q.failure(dst, a.wire), 0
	}
	q.changed = m.changes && a.wire != nil && !a.wire.Refused
	if m.changes && !q.changed {
		q.c.arrivals.close(q)
	}
	if q.params.ack && (q.d.Shows() || q.changed) {
		id = q.c.register(q)
	}
	dst = q.result(dst, a, id)
	if len(dst)-1 > rpc.LineMax {
		if id != 0 {
			q.c.forget(id)
		}
		q.d.Lost()
		q.d = &sightline.Delivery{}
		return q.result(dst[:0], refused(q.method, &sightline.Error{Op: q.method, Code: sightline.Limit,
			Message: "The answer would have more than 67108864 bytes; ask for less."}), 0), 0
	}
	return dst, id
}

func (q *call) failure(dst []byte, a *wire.Answer) []byte {
	code := rpc.CodeInternal
	switch a.Code {
	case sightline.IO:
		code = rpc.CodeIO
	case sightline.Cancelled:
		code = rpc.CodeCancelled
	}
	return rpc.AppendError(dst, q.id, code, string(bytes.TrimRight(a.Text, "\n")), a.Structured())
}

// result makes the frame of what was decided, in the form that was asked for.
func (q *call) result(dst []byte, a *answer, delivery int64) []byte {
	var tail []byte
	if delivery != 0 {
		tail = strconv.AppendInt(append(tail, `,"delivery":`...), delivery, 10)
	}
	dst = append(append(append(dst, `{"jsonrpc":"2.0","id":`...), q.id...), `,"result":`...)
	if a.wire == nil || q.params.answer == formStructured {
		facts := a.result
		if a.wire != nil {
			facts = a.wire.Structured()
		}
		dst = append(append(dst, facts[:len(facts)-1]...), tail...)
		return append(dst, "}}\n"...)
	}
	dst = rpc.AppendText(append(dst, `{"v":1,"text":`...), a.wire.Text)
	if q.params.answer == formBoth {
		dst = append(append(dst, `,"structured":`...), a.wire.Structured()...)
	}
	if q.session != "" {
		dst = rpc.AppendText(append(dst, `,"session":`...), q.session)
	}
	if a.wire.Refused {
		dst = rpc.AppendText(append(dst, `,"refused":true,"code":`...), string(a.wire.Code))
	}
	return append(append(dst, tail...), "}}\n"...)
}
