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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/wire"
)

// Options say how a connection is served. In, Out and Workspace are required.
type Options struct {
	Workspace  *sightline.Workspace
	In         io.ReadCloser  // frames from the client, one JSON value a line
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

// Serve answers one client until it closes its side, ctx is cancelled, or the connection breaks.
func Serve(ctx context.Context, opt Options) error {
	s := &server{opt: opt, opened: map[string]*sightline.Session{}}
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
	c := newConn(s, opt.In, opt.Out, info)
	ss, err := sdk.Connect(ctx, c, nil)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- ss.Wait() }()
	select {
	case err = <-done:
	case <-ctx.Done():
		_ = c.Close()
		err = <-done
	}
	c.finish()
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}

// notHere answers the calls of our tools that the SDK sees after all: those before the handshake is over.
func notHere(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, errors.New("tools can be called once the connection is initialized")
}

// server is what one connection's calls have in common.
type server struct {
	opt Options

	mu     sync.Mutex
	opened map[string]*sightline.Session // by the handles this connection may use
	fresh  string                        // the handle made for this connection, when one was needed
	told   bool                          // the fresh handle was printed
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
	for _, b := range clientBudgets {
		if strings.HasPrefix(c.name, b.prefix) {
			return b.bytes
		}
	}
	return sightline.PageBytesDefault
}

// clientBudgets is what clients let through of one tool result before they cut it, as measured with their releases of
// November 2026, less a margin for the envelope that some of them count. Only what reaches the model is evidence, so
// the figures err on the small side. opencode cuts at 2,000 lines too: its budget cannot hold more.
var clientBudgets = []struct {
	prefix string
	bytes  int
}{
	{"@cline/", 5500},
	{"pi", 18_000},
	{"qwen-cli", 24_000},
	{"reasonix", 30_000},
	{"gemini-cli", 36_000},
	{"codex", 40_000},
	{"claude-code", 44_000},
	{"opencode", 16_000},
}

// session finds the session a call belongs to: the one it names, the one the server was started with, the client's own
// conversation, or one made for this connection. A call may name only a session this connection opened, or a new one.
func (s *server) session(named string, c client) (sess *sightline.Session, isFresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case named != "":
		return s.named(named)
	case s.opt.Session != "":
		sess, err = s.open(s.opt.Session)
		return sess, false, err
	case c.conversation != "":
		sess, err = s.open(c.name + ":" + c.conversation)
		return sess, false, err
	}
	if s.fresh == "" {
		id, err := s.opt.Workspace.NewID("s-")
		if err != nil {
			return nil, false, err
		}
		s.fresh = id
	}
	sess, err = s.open(s.fresh)
	return sess, true, err
}

// named opens the session a model named; the caller holds mu.
func (s *server) named(id string) (*sightline.Session, bool, error) {
	if sess := s.opened[id]; sess != nil {
		return sess, false, nil
	}
	if s.opt.Workspace.Has(id) {
		return nil, false, &sightline.Error{Code: sightline.Denied, Field: "session",
			Message: "This session belongs to another connection; leave session out, or choose a new name."}
	}
	sess, err := s.open(id)
	return sess, false, err
}

func (s *server) open(id string) (*sightline.Session, error) {
	if sess := s.opened[id]; sess != nil {
		return sess, nil
	}
	sess, err := s.opt.Workspace.Session(id)
	if err == nil {
		s.opened[id] = sess
	}
	return sess, err
}

// notice is added to the first read of a session made for this connection, so that it can be resumed by name.
func (s *server) notice(sess *sightline.Session) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told {
		return ""
	}
	s.told = true
	return "[sightline] session " + sess.ID() + "\n"
}
