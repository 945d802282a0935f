// Package daemon is the door for everything that speaks JSON-RPC over the socket of a root: one engine for the command,
// the MCP server, editors and hooks, in any language. docs/spec/daemon.md describes what it speaks; package rpc has its
// frames.
//
// The door converts and never decides: what a tool takes and answers is the wire's, what is admitted is the session's.
// What is its own is who may name which session, and when a delivery counts: where the front asked for it, when the
// front says that the answer was written; else when the last byte of the answer was written to the socket.
//
// A front that dies loses what it had not yet handed on, and nothing else. What it sent is still done.
package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// Options say what is served and how. Workspace and Listener are required.
type Options struct {
	// Workspace is what is served. Who opened it holds the root's lease, and closes it after Serve has returned.
	Workspace *sightline.Workspace
	Listener  *net.UnixListener // see [Listen]; closed when Serve returns, and its file removed
	Version   string            // of the product
	Feed      *Feed             // what subscribers hear; the workspace tells it, see [Feed.Tell]; nil: nothing
	Tally     *Tally            // what stats answers; the workspace tells it, see [Tally.Tell]; nil: nothing
	Page      string            // address of the page for people, told by status; empty: there is none
	IdleAfter time.Duration     // without any connection, after which Serve returns; 0 is never
	Grace     time.Duration     // how long a polite end waits for calls that run; 0 is ten seconds
	// After calls f once d has passed, unless stop is called before; nil is the machine's clock.
	After func(d time.Duration, f func()) (stop func() bool)
	Clock func() int64 // milliseconds since 1970; nil is the machine's
	Log   *slog.Logger // for people; nil means none
}

// Bounds of the server.
const (
	connectionsMax = 1024
	largeMax       = 2         // lines beyond a mebibyte that are being read at a time; others wait
	inHandMax      = 256 << 20 // bytes of such lines in calls that run; more are refused, for a wait could be for each other
	graceDefault   = 10 * time.Second
	handOver       = time.Second      // how long an end waits for fronts to say what they have written
	largeWithin    = 60 * time.Second // in which a large line must come
)

// server is what all connections have in common.
type server struct {
	opt     Options
	ws      *sightline.Workspace
	root    os.FileInfo   // of the folder that was opened
	large   chan struct{} // holds a token for each large line that is being read
	inHand  atomic.Int64  // bytes of large lines in calls that run
	started int64

	ending chan struct{} // closed when the end begins
	wg     sync.WaitGroup

	mu       sync.Mutex // guards what follows; taken before any connection's
	conns    map[*conn]bool
	live     map[string]int // how many connections have opened a session, by id
	number   int
	ended    bool
	stopIdle func() bool
}

// Serve answers every connection to the socket until ctx ends, a client asks for a shutdown, the root is gone, or
// nobody was connected for IdleAfter. Calls that run are answered before it returns, within the grace; the end of ctx
// cancels them. An error is one of the root or the listener and no fault of a connection.
func Serve(ctx context.Context, opt Options) error {
	if opt.Grace == 0 {
		opt.Grace = graceDefault
	}
	if opt.After == nil {
		opt.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if opt.Clock == nil {
		opt.Clock = func() int64 { return time.Now().UnixMilli() }
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	info, err := os.Stat(opt.Workspace.Root())
	if err != nil {
		return errors.Join(&sightline.Error{Op: "serve", Code: sightline.IO, Path: opt.Workspace.Root(), Message: "The root is gone.", Err: err}, opt.Listener.Close())
	}
	s := &server{opt: opt, ws: opt.Workspace, root: info, large: make(chan struct{}, largeMax), started: opt.Clock(),
		ending: make(chan struct{}), conns: map[*conn]bool{}, live: map[string]int{}}
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	accepted := make(chan error, 1)
	go func() { accepted <- s.accept(calls) }()
	s.mu.Lock()
	s.rest()
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		s.end("asked by a signal or the caller")
	case <-s.ending:
	case err = <-accepted:
		accepted <- nil
		s.end("the socket cannot be listened at")
	}
	s.finish(ctx, cancel)
	<-accepted
	return err
}

// accept takes connections until the listener is closed.
func (s *server) accept(calls context.Context) error {
	for {
		nc, err := s.opt.Listener.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil && isMomentary(err):
			s.opt.Log.Warn("a connection could not be accepted", "err", err)
			pause := make(chan struct{})
			stop := s.opt.After(50*time.Millisecond, func() { close(pause) })
			select {
			case <-pause:
			case <-s.ending:
				stop()
			}
			continue
		case err != nil:
			return &sightline.Error{Op: "serve", Code: sightline.IO, Message: "The socket cannot be listened at.", Err: err}
		}
		s.connect(calls, nc)
	}
}

// connect begins a connection, or closes it at once where it is a stranger's or there are too many.
func (s *server) connect(calls context.Context, nc *net.UnixConn) {
	if uid, known := peerUID(nc); known && uid != os.Geteuid() {
		s.opt.Log.Warn("a connection of another user was closed", "uid", uid)
		_ = nc.Close()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || len(s.conns) >= connectionsMax {
		_ = nc.Close()
		return
	}
	s.number++
	c, err := newConn(s, calls, nc, s.number)
	if err != nil {
		s.opt.Log.Warn("a connection could not be read", "err", err)
		_ = nc.Close()
		return
	}
	s.conns[c] = true
	if s.stopIdle != nil {
		s.stopIdle()
		s.stopIdle = nil
	}
	s.wg.Go(c.serve)
}

// leave ends a connection's membership.
func (s *server) leave(c *conn, opened []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	for _, id := range opened {
		if s.live[id]--; s.live[id] == 0 {
			delete(s.live, id)
		}
	}
	s.rest()
}

// rest sets the alarm where nobody is connected; the caller holds mu.
func (s *server) rest() {
	if len(s.conns) > 0 || s.ended || s.opt.IdleAfter == 0 || s.stopIdle != nil {
		return
	}
	var stop func() bool
	turn := s.number
	stop = s.opt.After(s.opt.IdleAfter, func() {
		s.mu.Lock()
		idle := len(s.conns) == 0 && s.number == turn
		if idle {
			s.ended = true // nobody is let in from here on
		}
		s.mu.Unlock()
		if idle {
			s.end("idle")
		}
	})
	s.stopIdle = stop
}

// end begins the end, once.
func (s *server) end(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ending:
		return
	default:
	}
	s.ended = true
	if s.stopIdle != nil {
		s.stopIdle()
		s.stopIdle = nil
	}
	s.opt.Log.Info("the daemon ends", "why", why)
	close(s.ending)
}

// finish lets every connection end in good order.
func (s *server) finish(ctx context.Context, cancel func()) {
	_ = s.opt.Listener.Close()
	if path := s.opt.Listener.Addr().String(); path != "" {
		_ = os.Remove(path)
	}
	s.mu.Lock()
	for c := range s.conns {
		go c.wind()
	}
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() { s.wg.Wait(); close(gone) }()
	late := make(chan struct{})
	stop := s.opt.After(s.opt.Grace, func() { close(late) })
	select {
	case <-gone:
		stop()
		return
	case <-ctx.Done():
		stop()
	case <-late:
	}
	cancel()
	over := make(chan struct{})
	stop = s.opt.After(2*handOver, func() { close(over) })
	select {
	case <-gone:
	case <-over:
		s.mu.Lock()
		for c := range s.conns {
			_ = c.nc.Close()
		}
		s.mu.Unlock()
		<-gone
	}
	stop()
}

// rootFault tells why the root cannot be served any more, or nil. A root that was removed or replaced is never the one
// that was opened, even where its name is there: the engine holds the old folder.
func (s *server) rootFault(op string) *sightline.Error {
	info, err := os.Stat(s.ws.Root())
	if err == nil && os.SameFile(info, s.root) {
		return nil
	}
	f := &sightline.Error{Op: op, Code: sightline.IO, Path: s.ws.Root(), Err: err,
		Message: "The root " + s.ws.Root() + " was replaced by another folder; nothing was done. Send the call again: it is then served anew."}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Message = "The root " + s.ws.Root() + " is gone; nothing was done."
	case err != nil:
		f.Message = "The root " + s.ws.Root() + " cannot be looked at; nothing was done."
		return f
	}
	s.end("the root is gone")
	return f
}

// isRoot reports whether a spelling names the root.
func (s *server) isRoot(spelling string) bool {
	if spelling == s.ws.Root() {
		return true
	}
	info, err := os.Stat(spelling)
	return err == nil && os.SameFile(info, s.root)
}

// wrongRoot refuses what is meant for another root.
func (s *server) wrongRoot(op, spelling string) *sightline.Error {
	return &sightline.Error{Op: op, Code: sightline.Invalid, Field: "root",
		Message: "\"root\" names another folder than the one that is served here, " + s.ws.Root() + "; it may be left out."}
}

// reserve waits until a large line of a connection may be read; the token it takes is given back when the line was.
func (s *server) reserve(c *conn) error {
	select {
	case s.large <- struct{}{}:
	case <-s.ending:
		return net.ErrClosed
	}
	return c.nc.SetReadDeadline(time.Now().Add(largeWithin))
}

// protocolOf returns the revision that both ends speak, or 0.
func protocolOf(theirs int64) int64 {
	if ours := min(theirs, rpc.Protocol); ours >= rpc.ProtocolMin {
		return ours
	}
	return 0
}
