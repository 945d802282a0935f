package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-io/sightline"
)

// frameMax bounds one frame from the client, in bytes.
const frameMax = 64 << 20

// conn is the connection: it hands frames to the SDK, or takes them itself when they call one of our tools.
//
// When is a call received after an answer left? When the client could have read the answer before it wrote the call. So
// just before an answer that shows something is written, conn asks the system how many bytes of input are waiting: calls
// that begin in those bytes were written without knowing the answer, and keep the boundary from before it, however late
// they are taken off the pipe.
type conn struct {
	s     *server
	in    io.ReadCloser
	out   io.WriteCloser
	info  json.RawMessage // who we are, for results of the sessionless protocol
	queue chan frame      // frames for the SDK
	calls sync.WaitGroup

	closing sync.Once
	closed  chan struct{}

	writeMu sync.Mutex // guards writing, and the order of deliveries against arrivals
	marks   []mark
	taken   int64 // bytes of input that were taken off the pipe

	mu          sync.Mutex // guards what follows
	client      client
	initialized bool
	handshake   string // id of the initialize request under way
	running     map[string]context.CancelFunc
}

// mark says: calls that begin before byte upTo of the input know nothing of what left after before.
type mark struct {
	upTo   int64
	before sightline.Arrival
}

type frame struct {
	msg jsonrpc.Message
	err error
}

func newConn(s *server, in io.ReadCloser, out io.WriteCloser, info json.RawMessage) *conn {
	return &conn{s: s, in: in, out: out, info: info, queue: make(chan frame, 16), closed: make(chan struct{}),
		running: map[string]context.CancelFunc{}}
}

// Connect starts reading; it makes conn its own transport.
func (c *conn) Connect(ctx context.Context) (mcp.Connection, error) {
	go c.pump(context.WithoutCancel(ctx))
	return c, nil
}

// Read returns the next message that is the SDK's.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case f, ok := <-c.queue:
		if !ok {
			return nil, io.EOF
		}
		return f.msg, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, io.EOF
	}
}

// Write writes a message of the SDK's.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	if r, ok := msg.(*jsonrpc.Response); ok {
		c.answered(r)
	}
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	_, err = c.out.Write(append(b, '\n'))
	return err
}

// answered notices the end of the handshake.
func (c *conn) answered(r *jsonrpc.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handshake != "" && r.Error == nil {
		if id, err := json.Marshal(r.ID.Raw()); err == nil && string(id) == c.handshake {
			c.initialized, c.handshake = true, ""
		}
	}
}

// Close ends the connection. It may be called more than once.
func (c *conn) Close() error {
	var err error
	c.closing.Do(func() {
		close(c.closed)
		err = c.in.Close()
	})
	return err
}

// SessionID returns the empty string: stdio has one session per connection.
func (c *conn) SessionID() string { return "" }

// finish waits for the calls that are still running, which are cancelled: nobody is there to read their answers.
func (c *conn) finish() {
	_ = c.Close()
	c.mu.Lock()
	for _, cancel := range c.running {
		cancel()
	}
	c.mu.Unlock()
	c.calls.Wait()
}

// pump takes frames off the input until it ends.
func (c *conn) pump(ctx context.Context) {
	defer close(c.queue)
	r := &lineReader{in: c.in, taken: func(n int) {
		c.writeMu.Lock()
		c.taken += int64(n)
		c.writeMu.Unlock()
	}}
	for {
		start := r.offset
		line, tooLong, err := r.next()
		if tooLong {
			c.reply(nil, errorFrame("null", jsonrpc.CodeInvalidRequest, "a frame may have at most 67108864 bytes"), nil)
			continue
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.take(ctx, line, start)
		}
		if err != nil {
			return
		}
	}
}

// take routes one frame, or each frame of a batch.
func (c *conn) take(ctx context.Context, line []byte, start int64) {
	if line[0] == '[' {
		var batch []json.RawMessage
		if err := json.Unmarshal(line, &batch); err == nil && len(batch) > 0 {
			for _, one := range batch {
				c.take(ctx, one, start)
			}
			return
		}
	}
	h, err := parseHead(line)
	if err != nil {
		c.reply(nil, errorFrame("null", jsonrpc.CodeParseError, "the frame is no JSON object"), nil)
		return
	}
	switch {
	case h.Method == "tools/call" && len(h.ID) > 0:
		if call, ok := c.ours(h); ok {
			call.arrival = c.arrived(start)
			c.start(ctx, call)
			return
		}
	case h.Method == "notifications/cancelled":
		c.cancel(h.Params)
	case h.Method == "initialize":
		c.greet(h)
	}
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		c.reply(nil, errorFrame(idOrNull(h.ID), jsonrpc.CodeInvalidRequest, "the frame is no JSON-RPC message"), nil)
		return
	}
	select {
	case c.queue <- frame{msg: msg}:
	case <-c.closed:
	}
}

// arrived returns what a call that begins at byte start of the input may rely on.
func (c *conn) arrived(start int64) sightline.Arrival {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	for len(c.marks) > 0 && c.marks[0].upTo <= start {
		c.marks = c.marks[1:]
	}
	if len(c.marks) > 0 {
		return c.marks[0].before
	}
	return c.s.opt.Workspace.Arrive()
}

// greet notes who is there and that the handshake is under way.
func (c *conn) greet(h head) {
	var p struct {
		ClientInfo struct {
			Name string `json:"name"`
		} `json:"clientInfo"`
	}
	_ = json.Unmarshal(h.Params, &p) // the SDK refuses what is malformed; a nameless client is an unknown one
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client.name = p.ClientInfo.Name
	c.handshake = string(h.ID)
}

// cancel stops the call that a cancellation names; the SDK hears of it too and looks among its own.
func (c *conn) cancel(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	stop := c.running[string(p.RequestID)]
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// reply writes one frame, whose first parts are in head and whose last byte is the newline, and keeps the account of
// what it shows.
func (c *conn) reply(_ context.Context, b []byte, d *sightline.Delivery) {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	if d == nil || !d.Shows() {
		_, err := c.out.Write(b)
		if d != nil {
			end(d, err)
		}
		return
	}
	// A long frame reaches the client in parts: until its last byte is written, nothing the client sends can be an
	// answer to it.
	if len(b) > pipeBytes {
		if _, err := c.out.Write(b[:len(b)-1]); err != nil {
			d.Lost()
			return
		}
		b = b[len(b)-1:]
	}
	c.marks = append(c.marks, mark{upTo: c.taken + waiting(c.in), before: c.s.opt.Workspace.Arrive()})
	d.Leave()
	_, err := c.out.Write(b)
	end(d, err)
}

// pipeBytes is what fits into a pipe at once.
const pipeBytes = 64 << 10

func end(d *sightline.Delivery, err error) {
	if err != nil {
		d.Lost()
		return
	}
	d.Left()
}
