// Package mcpserver is the door for agents that speak the Model Context Protocol over stdio.
//
// The official SDK negotiates the protocol and answers everything but calls of our own tools. Those are taken off the
// connection before the SDK sees them, for two reasons. Evidence needs to know when a call was received and when its
// last byte was written, which only the connection knows; and a read is not decoded and encoded three times over.
//
// The door converts and never decides: what a tool takes and answers is the wire's, what is admitted is the session's.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/engine"
	"github.com/sightline-io/sightline/internal/wire"
)

// Options say how a connection is served. In, Out and Engine are required.
type Options struct {
	Engine     engine.Engine
	In         io.ReadCloser  // frames from the client, one JSON value a line; closing it ends a Read that waits, unless it is a file
	Out        io.WriteCloser // frames to the client
	Version    string         // of the product
	Session    string         // the session of every call that names none; empty means that the client's own or a fresh one is used
	PageBytes  int            // bytes of text that reach the model in one answer; 0 means by the client's name
	Structured bool           // give structured content beside the text of every answer
	Log        *slog.Logger   // for people; nil means none
}

// instructions reach the model in clients that pass them on.
const instructions = "Sightline shows files and edits them under evidence: a line can be changed once it was shown to you. " +
	"A refused call carries the text that was missing and the next call to make; follow it."

// Serve answers one client until it closes its side, ctx is cancelled, or the connection breaks; In and Out are closed
// then. When the client closes its side, what it sent before is answered first. The end of ctx cancels calls that run
// and waits for the answer under way no longer than a second, for a client that does not read. An error is one of
// the connection and no fault of a call.
func Serve(ctx context.Context, opt Options) error {
	s := &server{opt: opt, opened: map[string]engine.Session{}}
	impl := &mcp.Implementation{Name: "sightline", Title: "Sightline", Version: opt.Version}
	sdk := mcp.NewServer(impl, &mcp.ServerOptions{Instructions: instructions, Logger: opt.Log})
	for _, t := range wire.Tools() {
		tool := &mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}
		tool.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: t.ReadOnly, OpenWorldHint: new(bool)}
		if t.Name != "write" && t.Name != "delete" && t.Name != "edit" {
			tool.Annotations.DestructiveHint = new(bool)
		}
		// Claude Code lists and offers such tools at once instead of behind a search.
		tool.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
		sdk.AddTool(tool, notHere)
	}
	info, err := json.Marshal(impl)
	if err != nil {
		return err
	}
	c, err := newConn(s, ctx, info)
	if err != nil {
		return err
	}
	ss, err := sdk.Connect(context.WithoutCancel(ctx), c, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- ss.Wait() }()
	return c.finish(ctx, ended)
}

// writeGrace is how long the end of a connection waits for a client that does not read.
const writeGrace = time.Second

// finish waits until the client hung up and every call that was received is answered, or until ctx ends. Then the
// calls that still run are cancelled, and an answer that is half written is given up after the grace.
func (c *conn) finish(ctx context.Context, ended <-chan error) error {
	var err error
	select {
	case err = <-ended:
		ended = nil
	case <-ctx.Done():
	}
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	answered := make(chan struct{})
	go func() { c.calls.Wait(); close(answered) }()
	select {
	case <-answered:
	case <-ctx.Done():
	}
	c.stop()
	c.computing.Wait()
	grace := time.NewTimer(writeGrace)
	defer grace.Stop()
	for open := true; open; {
		select {
		case <-answered:
			answered = nil
		case err = <-ended:
			ended = nil
		case <-grace.C:
			c.abandon()
			open = false
		}
		open = open && (answered != nil || ended != nil)
	}
	_ = c.out.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil
	case c.broken != nil:
		return c.broken
	case errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed):
		return nil
	}
	return err
}

// stop cancels what still runs; nothing more is taken or written.
func (c *conn) stop() {
	_ = c.Close()
	c.stopping.Do(func() { close(c.stopped) })
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.running {
		r.stop()
	}
}

// abandon gives up the answer that the client does not read.
func (c *conn) abandon() {
	c.mu.Lock()
	d := c.leaving
	c.mu.Unlock()
	if d != nil {
		d.Lost()
	}
}

// notHere answers the calls of our tools that the SDK sees after all: those before the handshake is over.
func notHere(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, errors.New("tools can be called once the connection is initialized")
}

// server is what one connection's calls have in common.
type server struct {
	opt Options

	mu     sync.Mutex
	opened map[string]engine.Session // by the handles this connection may use
	fresh  string                    // the handle made for this connection, when one was needed
	told   bool                      // the fresh handle was printed
}

// client is what a call's frame or the handshake tells about the client.
type client struct {
	name         string // clientInfo.name
	conversation string // the client's own id of the conversation; empty when it has none
}

// pageBytes is how many bytes of text one answer may show to the model behind a client.
func (s *server) pageBytes(c client) int {
	if s.opt.PageBytes > 0 {
		return s.opt.PageBytes
	}
	if b := budgetOf(c); b != nil {
		return b.bytes
	}
	return sightline.PageBytesDefault
}

// frameBytes is how many bytes an answer may have as JSON before a client cuts it; 0 means that this is of no account.
func (s *server) frameBytes(c client) int {
	if b := budgetOf(c); b != nil && s.opt.PageBytes == 0 {
		return b.frame
	}
	return 0
}

// clientBudget is what a client lets through of one answer.
type clientBudget struct {
	name  string
	whole bool // the name and no longer one
	bytes int  // of text
	frame int  // bytes as JSON, where the client hands the model the result as JSON and cuts that; else 0
}

// clientBudgets is what clients let through of one tool result before they cut it, as measured with their releases of
// November 2026, less a margin for the envelope that some of them count. Only what reaches the model is evidence, so
// the figures err on the small side. opencode cuts at 2,000 lines too: its budget cannot hold more. Where JSON is cut,
// a page takes less than half of the bound, since in JSON quotes, backslashes, tabs and line ends are two bytes. Codex
// does that with models that call tools from a script, and it does not say which kind of model is there.
var clientBudgets = []clientBudget{
	{"@cline/", false, 3900, 7950},
	{"opencode", true, 16_000, 0},
	{"pi", true, 18_000, 0},
	{"codex-mcp-client", false, 19_500, 39_900},
	{"qwen-cli-mcp-client", false, 24_000, 0},
	{"reasonix", true, 30_000, 0},
	{"gemini-cli-mcp-client", false, 36_000, 0},
	{"claude-code", false, 44_000, 0},
}

func budgetOf(c client) *clientBudget {
	for i, b := range clientBudgets {
		if c.name == b.name || !b.whole && strings.HasPrefix(c.name, b.name) {
			return &clientBudgets[i]
		}
	}
	return nil
}

// tooLong stands below an answer that the client is going to cut, which control characters can make of a small page.
const tooLong = "[sightline] this client cuts the answer above, so nothing of it counts as shown; ask for fewer lines\n"

// session finds the session a call belongs to: the one it names, the one the server was started with, the client's own
// conversation, or one made for this connection. A call may name only a session this connection opened, or a new one.
func (s *server) session(ctx context.Context, named string, c client) (sess engine.Session, isFresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case named != "":
		sess, err = s.named(ctx, named)
		return sess, false, err
	case s.opt.Session != "":
		sess, err = s.open(ctx, s.opt.Session)
		return sess, false, err
	case c.conversation != "":
		name := c.name
		if !isHandle(name) {
			name = "client"
		}
		sess, err = s.open(ctx, name+":"+c.conversation)
		return sess, false, err
	}
	sess, err = s.open(ctx, s.fresh)
	if err == nil {
		s.fresh = sess.ID()
	}
	return sess, true, err
}

// named opens the session a model named; the caller holds mu.
func (s *server) named(ctx context.Context, id string) (engine.Session, error) {
	if sess := s.opened[id]; sess != nil {
		return sess, nil
	}
	sess, err := s.opt.Engine.Claim(ctx, id)
	if err == nil {
		s.opened[id] = sess
	}
	return sess, err
}

// open opens a session; an empty id is a fresh one. The caller holds mu.
func (s *server) open(ctx context.Context, id string) (engine.Session, error) {
	if sess := s.opened[id]; sess != nil {
		return sess, nil
	}
	sess, err := s.opt.Engine.Open(ctx, id)
	if err == nil {
		s.opened[sess.ID()] = sess
	}
	return sess, err
}

// notice is added to the first read of a session made for this connection, so that it can be resumed by name.
func (s *server) notice(sess engine.Session) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told {
		return ""
	}
	s.told = true
	return "[sightline] session " + sess.ID() + "\n"
}

// untold takes the notice back, for an answer that does not carry it.
func (s *server) untold() {
	s.mu.Lock()
	s.told = false
	s.mu.Unlock()
}
