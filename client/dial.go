package client

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// exchange makes one request and waits for its reply. A daemon that ends before it took the request is followed by the
// next one; so is one that may have taken it, where the request changes nothing.
func (c *Client) exchange(ctx context.Context, method string, at Arrival, build func([]byte, *link) []byte) (*reply, error) {
	for again := false; ; {
		l, err := c.connected(ctx)
		if err != nil {
			return nil, err
		}
		if at.link != nil && at.link != l && at.link.hasLeft(at.left) {
			// It arrived before an answer left that the next daemon knows as an old one.
			return nil, &sightline.Error{Op: method, Code: sightline.IO,
				Message: "The daemon was replaced while the call waited, and nothing was done. Send it again."}
		}
		r, err := l.request(method, build)
		switch {
		case errors.Is(err, errClosing) || errors.Is(err, errUnsent):
			continue
		case err != nil:
			return nil, &sightline.Error{Op: method, Code: sightline.Limit, Message: "The call has more than 67108864 bytes; send less."}
		}
		got, err := l.await(ctx, r)
		switch {
		case err == nil && got != nil:
			return got, nil
		case c.isClosed():
			return nil, &sightline.Error{Op: method, Code: sightline.Cancelled, Message: "The connection was closed before the call was answered.", Err: errClosed}
		case got == nil && err == nil || l.untaken(r):
			// Nobody took it: the next daemon may.
		case asks[method] && !again:
			again = true
		case asks[method]:
			return nil, &sightline.Error{Op: method, Code: sightline.IO, Message: "The daemon ended twice before it answered.", Err: err}
		default:
			return nil, &sightline.Error{Op: method, Code: sightline.IO, Err: err,
				Message: "The daemon ended before it answered: the call may have been done or not. Look at the file before you send it again."}
		}
	}
}

// asks are the methods that change nothing, and may be sent twice.
var asks = map[string]bool{"read": true, rpc.Continue: true, "list": true, "check": true, "seen": true, rpc.Plan: true,
	rpc.Status: true, rpc.Sessions: true, rpc.Stats: true, rpc.Log: true, rpc.Open: true, rpc.OverlayEnd: true}

// await waits for the reply; it is nil when nobody took the request, and an error when the link died. A cancelled
// request is given up by the daemon, which tells how far it came.
func (l *link) await(ctx context.Context, r *request) (*reply, error) {
	cancelled := ctx.Done()
	for {
		select {
		case got := <-r.reply:
			return got, nil
		case <-cancelled:
			cancelled = nil
			_ = l.send(notice(nil, rpc.Cancel, r.number))
		case <-l.dead:
			select {
			case got := <-r.reply:
				return got, nil
			default:
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			return nil, l.cause
		}
	}
}

// hasLeft reports whether more deliveries have left than n.
func (l *link) hasLeft(n int64) bool {
	l.wmu.Lock()
	defer l.wmu.Unlock()
	return l.left > n
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// connected returns a link that can be used, making one where there is none.
func (c *Client) connected(ctx context.Context) (*link, error) {
	if l, err := c.current(); l != nil || err != nil {
		return l, err
	}
	select {
	case c.dialling <- struct{}{}:
		defer func() { <-c.dialling }()
	case <-ctx.Done():
		return nil, cancelled(ctx)
	}
	if l, err := c.current(); l != nil || err != nil {
		return l, err
	}
	l, err := c.reach(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		l.end(errClosed)
		return nil, cancelled(ctx)
	}
	c.link = l
	c.own = l.info.Session
	return l, nil
}

func (c *Client) current() (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, &sightline.Error{Op: "dial", Code: sightline.Cancelled, Message: "The connection is closed.", Err: errClosed}
	case c.link != nil && c.link.usable():
		return c.link, nil
	}
	return nil, nil
}

func cancelled(ctx context.Context) error {
	return &sightline.Error{Op: "dial", Code: sightline.Cancelled, Message: "Given up before a daemon answered.", Err: ctx.Err()}
}

// reach dials until a daemon answers, starting one where none does.
func (c *Client) reach(ctx context.Context) (*link, error) {
	until := time.Now().Add(c.opt.Wait)
	var last, failed error
	started := false
	for step := waitStep; ; step = min(2*step, waitStepMax) {
		l, err := c.dial(ctx)
		if err == nil {
			return l, nil
		}
		if !isMomentary(err) {
			return nil, err
		}
		last = err
		if c.opt.Start == nil && c.firstTime() {
			return nil, c.nobody(last)
		}
		if c.opt.Start != nil && !started {
			started = true
			if failed = c.opt.Start(ctx); failed != nil { // and still another process may have been faster
				until = time.Now().Add(min(c.opt.Wait, waitAfterFailure))
			}
			step = waitStep
			continue
		}
		switch {
		case !time.Now().After(until):
		case failed != nil:
			return nil, failed
		default:
			return nil, c.nobody(last)
		}
		pause := time.NewTimer(step)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, cancelled(ctx)
		}
	}
}

func (c *Client) firstTime() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link == nil
}

func (c *Client) nobody(cause error) error {
	return &sightline.Error{Op: "dial", Code: sightline.IO, Path: c.opt.Root, Err: cause, Message: "No daemon answers for this root."}
}

// momentary marks what may be otherwise a moment later.
type momentary struct{ error }

func (m momentary) Unwrap() error { return m.error }

func isMomentary(err error) bool {
	var m momentary
	return errors.As(err, &m)
}

// dial tries each place once and says hello.
func (c *Client) dial(ctx context.Context) (*link, error) {
	places := []string{c.opt.Socket}
	if c.opt.Socket == "" {
		var err error
		if places, err = rpc.Places(c.opt.Root, c.opt.State, c.opt.Env); err != nil {
			return nil, err
		}
	}
	var d net.Dialer
	var causes []error
	for _, p := range places {
		nc, err := d.DialContext(ctx, "unix", p)
		if err != nil {
			causes = append(causes, err)
			continue
		}
		l := newLink(nc, c.opt.Notice)
		if err := c.greet(ctx, l); err != nil {
			l.end(err)
			<-l.dead
			return nil, err
		}
		return l, nil
	}
	return nil, momentary{errors.Join(causes...)}
}

// greet says hello, replaces a daemon of another version, and opens the sessions that were open before.
func (c *Client) greet(ctx context.Context, l *link) error {
	c.mu.Lock()
	session, again, replaced := c.own, append([]string(nil), c.opened...), c.fresh
	c.mu.Unlock()
	hello := rpc.AppendText([]byte(`{"protocol":`+strconv.Itoa(rpc.Protocol)+`,"client":`), c.opt.Name)
	if c.opt.Version != "" {
		hello = rpc.AppendText(append(hello, `,"version":`...), c.opt.Version)
	}
	if session != "" {
		hello = rpc.AppendText(append(hello, `,"session":`...), session)
	}
	result, err := l.ask(ctx, rpc.Hello, append(hello, '}'))
	if err == nil {
		err = json.Unmarshal(result, &l.info)
	}
	if err == nil && (l.info.Protocol < rpc.ProtocolMin || l.info.Protocol > rpc.Protocol) {
		err = &sightline.Error{Op: "dial", Code: sightline.Invalid, Message: "The daemon speaks another revision of the protocol. End it, and try again."}
	}
	other := err == nil && c.opt.Version != "" && l.info.Version != c.opt.Version || sightline.CodeOf(err) == sightline.Invalid && session == ""
	if other && c.opt.Start != nil && !replaced && !isMomentary(err) {
		return c.replace(ctx, l, "a daemon of another version was ended")
	}
	if err != nil {
		return err
	}
	if err := c.suits(ctx, l, replaced); err != nil {
		return err
	}
	for _, id := range again {
		if _, err := l.ask(ctx, rpc.Open, append(rpc.AppendText([]byte(`{"session":`), id), '}')); err != nil {
			return err
		}
	}
	return nil
}

// replace ends the daemon politely, so that another one is started; the error says that it is tried again. It is done
// once in the life of a client.
func (c *Client) replace(ctx context.Context, l *link, why string) error {
	if err := l.replace(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh = true
	return momentary{errors.New(why)}
}

// replace asks the daemon to end, and waits until it has closed the connection.
func (l *link) replace(ctx context.Context) error {
	if _, err := l.ask(ctx, rpc.Shutdown, []byte(`{}`)); err != nil {
		return err
	}
	select {
	case <-l.dead:
		return nil
	case <-ctx.Done():
		return cancelled(ctx)
	}
}

// ask makes a request while the link is being made. What broke before it was answered may be otherwise a moment later.
func (l *link) ask(ctx context.Context, method string, params []byte) (json.RawMessage, error) {
	r, err := l.request(method, func(dst []byte, _ *link) []byte { return append(dst, params...) })
	if err != nil {
		return nil, momentary{err}
	}
	select {
	case got := <-r.reply:
		if got == nil {
			return nil, momentary{errClosing}
		}
		if err := got.fault(method); err != nil {
			if sightline.CodeOf(err) == sightline.IO {
				return nil, momentary{err} // its root is not ours any more: it ends
			}
			return nil, err
		}
		return got.result, nil
	case <-l.dead:
		return nil, momentary{l.cause}
	case <-ctx.Done():
		return nil, cancelled(ctx)
	}
}
