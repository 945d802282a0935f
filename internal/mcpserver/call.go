package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/wire"
)

// toolCall is one call of a tool of ours.
type toolCall struct {
	id          json.RawMessage
	tool        string
	args        json.RawMessage
	client      client
	arrival     sightline.Arrival
	round       *uint64
	structured  bool
	sessionless bool
}

type callParams struct {
	Name      string                     `json:"name"`
	Arguments json.RawMessage            `json:"arguments"`
	Meta      map[string]json.RawMessage `json:"_meta"`
}

// ours recognises a call that is answered here: of a tool we have, on a connection that may call it. What is wrong in
// any other way is left to the SDK, which knows the protocol's own errors.
func (c *conn) ours(h head) (toolCall, bool) {
	var p callParams
	if json.Unmarshal(h.Params, &p) != nil || !known(p.Name) {
		return toolCall{}, false
	}
	c.mu.Lock()
	who, ready := c.client, c.initialized
	c.mu.Unlock()
	t := toolCall{id: h.ID, tool: p.Name, args: p.Arguments, client: who}
	var version string
	if raw, ok := p.Meta[mcp.MetaKeyProtocolVersion]; ok && json.Unmarshal(raw, &version) == nil && version >= sessionlessSince {
		if !slices.Contains(mcp.SupportedProtocolVersions(), version) || !isObject(p.Meta[mcp.MetaKeyClientCapabilities]) {
			return toolCall{}, false
		}
		t.sessionless, ready = true, true
		var info struct {
			Name string `json:"name"`
		}
		if raw, ok := p.Meta[mcp.MetaKeyClientInfo]; ok {
			if json.Unmarshal(raw, &info) != nil {
				return toolCall{}, false
			}
			t.client.name = info.Name
		}
	}
	if !ready {
		return toolCall{}, false
	}
	t.client.conversation = conversation(p.Meta)
	t.structured = c.s.opt.Structured || string(p.Meta["sightline/structured"]) == "true"
	if raw, ok := p.Meta["sightline/round"]; ok {
		var r uint64
		if json.Unmarshal(raw, &r) == nil {
			t.round = &r
		}
	}
	return t, true
}

// sessionlessSince is the first protocol revision whose requests carry who is calling in themselves.
const sessionlessSince = "2026-07-28"

// conversation returns the client's own id of the conversation, for the clients that send one with each call.
func conversation(meta map[string]json.RawMessage) string {
	for _, key := range []string{"sessionId", "threadId"} { // as Codex sends them
		var id string
		if raw, ok := meta[key]; ok && json.Unmarshal(raw, &id) == nil && id != "" && len(id) <= 120 {
			return id
		}
	}
	return ""
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

func known(tool string) bool {
	return slices.ContainsFunc(wire.Tools(), func(t wire.Tool) bool { return t.Name == tool })
}

// start runs a call beside the others.
func (c *conn) start(ctx context.Context, t toolCall) {
	ctx, stop := context.WithCancel(ctx)
	id := string(t.id)
	c.mu.Lock()
	c.running[id] = stop
	c.mu.Unlock()
	c.calls.Add(1)
	go func() {
		defer c.calls.Done()
		defer func() {
			c.mu.Lock()
			delete(c.running, id)
			c.mu.Unlock()
			stop()
		}()
		c.run(ctx, t)
	}()
}

var frames = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// run answers one call. A panic is a fault of ours: it costs this call an internal failure and nobody else anything.
func (c *conn) run(ctx context.Context, t toolCall) {
	d := &sightline.Delivery{}
	a, notice := c.ask(ctx, t, d)
	text := a.Text
	if notice != "" {
		text = append(text[:len(text):len(text)], notice...)
	}
	var structured json.RawMessage
	if t.structured {
		structured = a.Structured()
	}
	if ctx.Err() != nil && a.Code == sightline.Cancelled {
		d.Lost()
		return // the protocol wants no answer to a call that was cancelled
	}
	var extra []byte
	if t.sessionless {
		extra = append(append(append(extra, `"_meta":{"`+mcp.MetaKeyServerInfo+`":`...), c.info...), `},"resultType":"complete",`...)
	}
	buf := frames.Get().(*[]byte)
	b := resultFrame((*buf)[:0], t.id, extra, text, structured, a.Refused || a.Failed)
	c.reply(ctx, b, d)
	if cap(b) <= 1<<20 {
		*buf = b
		frames.Put(buf)
	}
}

// ask puts the call to its session. The notice is what the first read of a fresh session says below its text.
func (c *conn) ask(ctx context.Context, t toolCall, d *sightline.Delivery) (a *wire.Answer, notice string) {
	defer func() {
		if p := recover(); p != nil {
			if c.s.opt.Log != nil {
				c.s.opt.Log.Error("panic in a tool call", "tool", t.tool, "panic", p, "stack", string(debug.Stack()))
			}
			a = wire.Refuse(t.tool, t.args, &sightline.Error{Op: t.tool, Code: sightline.Internal})
		}
	}()
	env, err := wire.OpenEnvelope(t.args)
	if err != nil {
		return wire.Refuse(t.tool, t.args, err), ""
	}
	sess, fresh, err := c.s.session(env.Session, t.client)
	if err != nil {
		return wire.Refuse(t.tool, t.args, err), ""
	}
	a = wire.Call(ctx, sess, t.tool, t.args, sightline.Meta{
		Arrival: t.arrival, Round: t.round, PageBytes: c.s.pageBytes(t.client), Delivery: d,
	})
	if fresh && t.tool == "read" && !a.Refused && !a.Failed {
		notice = c.s.notice(sess)
	}
	return a, notice
}
