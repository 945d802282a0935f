package mcpserver

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/engine"
	"github.com/sightline-io/sightline/internal/wire"
)

// toolCall is one call of a tool of ours.
type toolCall struct {
	id          []byte
	tool        string
	args        []byte
	client      client
	arrival     engine.Arrival
	round       *uint64
	structured  bool
	sessionless bool
	bad         *sightline.Error // what is wrong with what accompanies the arguments

	ctx context.Context
	run *running
}

// running is a call under way that a cancellation may stop.
type running struct{ stop context.CancelFunc }

// ours recognises a call that is answered here: of a tool we have, on a connection that may call it. What is wrong in
// any other way is left to the SDK, which knows the protocol's own errors.
func (c *conn) ours(h head) (t toolCall, ok bool) {
	if !h.callable() || !h.tagged {
		return t, false
	}
	p, ok := parseCall(h.params)
	if !ok || !wire.Known(string(p.name)) {
		return t, false
	}
	c.mu.Lock()
	who, ready := c.client, c.initialized
	c.mu.Unlock()
	t = toolCall{id: h.id, tool: string(p.name), args: p.arguments, client: who, structured: c.s.opt.Structured}
	var m callMeta
	m.read(p.meta)
	if m.version >= sessionlessSince {
		if !slices.Contains(mcp.SupportedProtocolVersions(), m.version) || !m.capable || m.anonymous {
			return t, false
		}
		t.sessionless, ready, t.client.name = true, true, m.client
	}
	t.client.conversation = m.conversation()
	t.structured = t.structured || m.structured
	t.round, t.bad = m.round, m.bad
	return t, ready
}

// sessionlessSince is the first protocol revision whose requests carry who is calling in themselves.
const sessionlessSince = "2026-07-28"

// callMeta is what the _meta of a call tells.
type callMeta struct {
	version    string
	client     string
	anonymous  bool // there is a clientInfo that cannot be read
	capable    bool // the client's capabilities are there
	sessionID  string
	threadID   string
	structured bool
	round      *uint64
	bad        *sightline.Error
}

func (m *callMeta) read(meta []byte) {
	if meta == nil {
		return
	}
	members(meta, func(name, raw []byte) {
		switch string(name) {
		case mcp.MetaKeyProtocolVersion:
			m.version = string(unquoted(raw))
		case mcp.MetaKeyClientCapabilities:
			m.capable = raw[0] == '{'
		case mcp.MetaKeyClientInfo:
			m.anonymous = raw[0] != '{'
			m.clientInfo(raw)
		case "sessionId":
			m.sessionID = string(unquoted(raw))
		case "threadId":
			m.threadID = string(unquoted(raw))
		case "sightline/structured":
			m.structured = string(raw) == "true"
			if !m.structured && string(raw) != "false" {
				m.bad = &sightline.Error{Code: sightline.Invalid, Field: "_meta.sightline/structured",
					Message: `"sightline/structured" in _meta must be true or false.`}
			}
		case "sightline/round":
			n, err := strconv.ParseUint(string(raw), 10, 53)
			if err != nil {
				m.bad = &sightline.Error{Code: sightline.Invalid, Field: "_meta.sightline/round",
					Message: `"sightline/round" in _meta must be a whole number from 0.`}
			}
			m.round = &n
		}
	})
}

func (m *callMeta) clientInfo(raw []byte) {
	members(raw, func(name, raw []byte) {
		if string(name) == "name" {
			m.client = string(unquoted(raw))
		}
	})
}

// conversation returns the client's own id of the conversation, for the clients that send one with each call, as Codex
// does.
func (m *callMeta) conversation() string {
	for _, id := range []string{m.sessionID, m.threadID} {
		if isHandle(id) {
			return id
		}
	}
	return ""
}

// isHandle reports whether a foreign id can be a part of a session's name.
func isHandle(id string) bool {
	if id == "" || len(id) > 120 || !utf8.ValidString(id) {
		return false
	}
	for _, r := range id {
		if r <= ' ' || r == utf8.RuneError || r >= 0x7f {
			return false
		}
	}
	return true
}

// own gives the call its own copy of the bytes it needs of its frame, in memory that is used again.
func (t *toolCall) own(memory *[]byte) {
	b := append(append((*memory)[:0], t.id...), t.args...)
	n := len(t.id)
	t.id = b[:n:n]
	if t.args != nil {
		t.args = b[n:]
	}
	if *memory = b; cap(b) > bufferMax {
		*memory = nil
	}
}

// begin enters the call among those that can be cancelled and are waited for. It answers false when no call is begun
// any more.
func (c *conn) begin(t *toolCall) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	ctx, stop := context.WithCancel(c.ctx)
	t.ctx, t.run = ctx, &running{stop}
	c.running[idKey(t.id)] = t.run
	c.computing.Add(1)
	c.calls.Add(1)
	c.underway.Add(1)
	return true
}

// end is the other side of begin.
func (c *conn) end(t *toolCall) {
	id := idKey(t.id)
	c.mu.Lock()
	if c.running[id] == t.run { // a client may use an id twice; the later call has it then
		delete(c.running, id)
	}
	c.mu.Unlock()
	t.run.stop()
	c.underway.Add(-1)
	c.calls.Done()
}

// run answers one call. Where the call was cancelled in time the protocol wants no answer.
func (c *conn) run(t toolCall) {
	defer c.end(&t)
	d := c.s.opt.Engine.Delivery()
	buf := c.buffers.Get().(*[]byte)
	b := c.answer(&t, d, (*buf)[:0])
	c.computing.Done()
	if len(b) == 0 {
		d.Lost()
	} else {
		c.reply(b, d)
	}
	if cap(b) <= bufferMax {
		*buf = b
		c.buffers.Put(buf)
	}
}

// answer makes the frame that answers a call. A panic is a fault of ours: it costs this call an internal failure and
// nobody else anything.
func (c *conn) answer(t *toolCall, d engine.Delivery, dst []byte) (b []byte) {
	defer func() {
		if p := recover(); p != nil {
			if c.s.opt.Log != nil {
				c.s.opt.Log.Error("panic in a tool call", "tool", t.tool, "panic", p, "stack", string(debug.Stack()))
			}
			d.Lost()
			a := wire.Refuse(t.tool, nil, &sightline.Error{Op: t.tool, Code: sightline.Internal})
			b = resultFrame(dst[:0], t.id, c.extraFor(t), a.Text, nil, true)
		}
	}()
	a, notice := c.ask(t, d)
	if a.Code == sightline.Cancelled && t.ctx.Err() != nil {
		return dst[:0]
	}
	text := a.Text
	if notice != "" {
		text = append(text[:len(text):len(text)], notice...)
	}
	var structured json.RawMessage
	if t.structured {
		structured = a.Structured()
	}
	b = resultFrame(dst, t.id, c.extraFor(t), text, structured, a.Refused || a.Failed)
	if most := c.s.frameBytes(t.client); most > 0 && len(b) > most && d.Shows() {
		d.Lost()
		text = append(text[:len(text):len(text)], tooLong...)
		b = resultFrame(dst, t.id, c.extraFor(t), text, structured, a.Refused || a.Failed)
	}
	return b
}

func (c *conn) extraFor(t *toolCall) []byte {
	if t.sessionless {
		return c.extra
	}
	return nil
}

// ask puts the call to its session. The notice is what the first read of a fresh session says below its text.
func (c *conn) ask(t *toolCall, d engine.Delivery) (a *wire.Answer, notice string) {
	if t.bad != nil {
		return wire.Refuse(t.tool, t.args, t.bad), ""
	}
	env, err := wire.OpenEnvelope(t.args)
	if err != nil {
		return wire.Refuse(t.tool, t.args, err), ""
	}
	sess, fresh, err := c.s.session(t.ctx, env.Session, t.client)
	if err != nil {
		return wire.Refuse(t.tool, t.args, err), ""
	}
	m := engine.Meta{Arrival: t.arrival, Round: t.round, PageBytes: c.s.pageBytes(t.client), Structured: t.structured, Delivery: d}
	if fresh && t.tool == "read" {
		if notice = c.s.notice(sess); notice != "" {
			m.PageBytes -= len(notice)
		}
	}
	a = sess.Call(t.ctx, t.tool, t.args, m)
	if notice != "" && (a.Refused || a.Failed) {
		c.s.untold()
		notice = ""
	}
	return a, notice
}
