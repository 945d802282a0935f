// Package client calls an engine that another process runs, over the socket of its root. The calls are those of the
// tools, with the same arguments and answers, so that a door is the same over an engine of its own and over a dialled
// one.
//
// What an answer shows counts when the door says that it was written ([Delivery]), and a call may rely on what had left
// when the door received it ([Arrival]); both are told to the daemon, which keeps the account. When the daemon ends, a
// client dials, or starts, the next one, and goes on under the same sessions: what was shown and written is known there.
// A call that the ended daemon did not take is sent again. One that it may have taken is sent again where it only asks,
// and else answered with the failure io, which says that it may have been done.
//
// All methods are safe for concurrent use.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/wire"
)

// Options say whom to call. Either Socket or Root is required.
type Options struct {
	Socket string // path of the socket
	// Root is the folder whose daemon is meant, where Socket is empty; it is looked for where a daemon of that root
	// listens. State is the root's state folder, see [sightline.StateDir]; Env looks variables up, as os.Getenv does.
	Root, State string
	Env         func(string) string

	Name    string // of this program; required
	Version string // of the product
	// Session is the session of calls that name none, from a flag or the environment: it may be anybody's. Empty means
	// one of this connection's own.
	Session string
	// Profile and Durability are what the engine must be served with; empty is whatever it is served with. A daemon that
	// is served otherwise is replaced as one of another version is, where nobody else is connected to it.
	Profile, Durability string
	// Start starts a daemon where none answers, and returns when it listens or cannot; nil means that none is started.
	// A daemon of another Version is ended politely before another one is started, once.
	Start func(context.Context) error
	Wait  time.Duration // how long a daemon is waited for; 0 is ten seconds
	// Notice is told of each notification of the daemon but closing, in order, by the goroutine that reads: nothing more
	// comes until it returns, and it must make no call. Nil means that nobody wants them.
	Notice func(method string, params json.RawMessage)
}

// Info is what a daemon tells of itself.
type Info struct {
	Protocol int
	Version  string
	PID      int
	Root     string
	Session  string // the connection's own
}

// Client is a connection to the daemon of one root, made anew when it breaks.
type Client struct {
	opt Options

	dialling chan struct{} // holds one token while somebody dials

	mu     sync.Mutex // guards what follows
	link   *link      // the last one; it may be broken
	own    string     // id of the own session, which stays the same
	opened []string   // sessions that are opened anew after a break
	fresh  bool       // a daemon of another version has been replaced
	closed bool
}

const (
	waitDefault = 10 * time.Second
	waitStep    = 5 * time.Millisecond // between two tries to dial, growing
	waitStepMax = 100 * time.Millisecond

	waitAfterFailure = time.Second // to dial, where a daemon could not be started
)

// Dial connects to the daemon, which is started first where none answers and [Options.Start] is there. Codes: io where
// none can be had, invalid where the daemon speaks no revision of the protocol that is spoken here, or refuses the
// session; cancelled. The caller closes the client.
func Dial(ctx context.Context, opt Options) (*Client, error) {
	if opt.Env == nil {
		opt.Env = func(string) string { return "" }
	}
	if opt.Wait == 0 {
		opt.Wait = waitDefault
	}
	if opt.Name == "" {
		opt.Name = "client"
	}
	c := &Client{opt: opt, own: opt.Session, dialling: make(chan struct{}, 1)}
	if _, err := c.connected(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Broken returns a channel that is closed when the present connection ends. The next call makes another one; what was
// subscribed to is subscribed to anew by who wants it.
func (c *Client) Broken() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link.dead
}

// Flush waits until the daemon has heard what was said of deliveries so far, so that calls over other connections may
// rely on them. On a connection that broke there is nothing to wait for.
func (c *Client) Flush(ctx context.Context) {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	_, _ = l.ask(ctx, rpc.Leave, []byte(`{}`)) // answered in the order of what was sent; a link that breaks has lost it
}

// Close ends the connection. Calls that run are answered with a failure; what is not said to be delivered is lost.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	l := c.link
	c.mu.Unlock()
	if l != nil {
		l.end(errClosed)
	}
	return nil
}

// errClosed is why a link ends that was closed here.
var errClosed = errors.New("the client is closed")

// Info returns what the daemon told when it was dialled last.
func (c *Client) Info() Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link.info
}

// Arrival is the moment at which a door received a call, as it knows it: after how many of its answers had left. The
// zero Arrival means that the call arrives when it is made.
type Arrival struct {
	link *link
	left int64
}

// Arrive returns the present moment.
func (c *Client) Arrive() Arrival {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	l.wmu.Lock()
	defer l.wmu.Unlock()
	return Arrival{l, l.left}
}

// Meta is what accompanies a call; see [sightline.Meta], whose members mean the same.
type Meta struct {
	Round      *uint64
	Arrival    Arrival
	Dir        string
	PageBytes  int // at most 16 MiB
	NoCure     bool
	Structured bool // the answer's facts are wanted beside its text
	// Delivery is told what the answer shows, so that the door can say when it left. Nil means that what it shows
	// counts when it reached this process.
	Delivery *Delivery
}

// Answer is what came of a call: done, refused, or failed. Its structured facts are there where Meta asked for them.
type Answer = wire.Answer

// Session is one session of the engine. Its calls belong to it whatever their arguments say: to look at a session that
// they name is the door's, with [Client.Named].
type Session struct {
	c  *Client
	id string
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Own returns the session of calls that name none: that of [Options.Session], or one of this client's own.
func (c *Client) Own() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Session{c, c.own}
}

// Open opens a session that a flag, the environment, or a client's own id of its conversation names; it may be
// anybody's. An empty id is a fresh one.
func (c *Client) Open(ctx context.Context, id string) (*Session, error) {
	return c.open(ctx, id, false)
}

// Named opens a session that a model named: one that this client has opened, or a new one; anybody else's is denied.
func (c *Client) Named(ctx context.Context, id string) (*Session, error) {
	return c.open(ctx, id, true)
}

func (c *Client) open(ctx context.Context, id string, named bool) (*Session, error) {
	c.mu.Lock()
	known := id != "" && (id == c.own || slices.Contains(c.opened, id))
	c.mu.Unlock()
	if known {
		return &Session{c, id}, nil
	}
	params := map[string]any{}
	if id != "" {
		params["session"] = id
	}
	if named {
		params["named"] = true
	}
	var got struct{ Session string }
	if err := c.Do(ctx, rpc.Open, params, &got); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.opened, got.Session) {
		c.opened = append(c.opened, got.Session)
	}
	return &Session{c, got.Session}, nil
}

// Do calls a method that is no tool's: status, sessions, log, waive, overlay.set, overlay.drop, shutdown. The result is
// decoded into out as encoding/json does, unless out is nil. A refusal is an error with its code, as a failure is.
func (c *Client) Do(ctx context.Context, method string, params, out any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return &sightline.Error{Op: method, Code: sightline.Invalid, Message: "The params cannot be sent.", Err: err}
	}
	if string(raw) == "null" {
		raw = []byte("{}")
	}
	r, err := c.exchange(ctx, method, Arrival{}, func(dst []byte, _ *link) []byte { return append(dst, raw...) })
	if err != nil {
		return err
	}
	if err := r.fault(method); err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(r.result, out); err != nil {
		return &sightline.Error{Op: method, Code: sightline.Internal, Message: "The daemon's answer is not understood.", Err: err}
	}
	return nil
}
