package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// ErrServed is the error of [Run] where another process serves the root already: it is to be dialled.
var ErrServed = errors.New("the root is served by another process")

// RunOptions say how a root is opened and served.
type RunOptions struct {
	Open      sightline.Options // its Receipts are told too; an empty Purpose is daemon
	Env       func(string) string
	Version   string
	IdleAfter time.Duration
	Page      string // address of the page for people; see [Options]
	Log       *slog.Logger
	Ready     func(socket string) // called once connections are taken; nil is none
}

// watchEvery is how often somebody who waits for the lease looks whether its holder has come to serve.
const watchEvery = 20 * time.Millisecond

// Run opens a root, serves its socket as [Serve] does, and closes it. Of several processes that do so at once the one
// that gets the root's lease serves; the others answer [ErrServed] once it does. Other errors are those of
// [sightline.Open], [Listen] and [Serve].
func Run(ctx context.Context, opt RunOptions) (err error) {
	feed, tally := &Feed{}, &Tally{}
	open := opt.Open
	if open.Purpose == "" {
		open.Purpose = "daemon"
	}
	told := open.Receipts
	open.Receipts = func(r sightline.Receipt) {
		feed.Tell(r)
		tally.Tell(r)
		if told != nil {
			told(r)
		}
	}
	ws, err := openOrServed(ctx, open, opt.Env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	l, err := Listen(ws.Root(), open.State, opt.Env)
	if err != nil {
		return err
	}
	if opt.Ready != nil {
		opt.Ready(l.Addr().String())
	}
	return Serve(ctx, Options{Workspace: ws, Listener: l, Version: opt.Version, Feed: feed, Tally: tally, Page: opt.Page,
		IdleAfter: opt.IdleAfter, Log: opt.Log})
}

// openOrServed opens the workspace, and gives up the wait for its lease when somebody answers at the root's socket.
func openOrServed(ctx context.Context, open sightline.Options, env func(string) string) (*sightline.Workspace, error) {
	places, err := rpc.Places(open.Root, open.State, env)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	opened := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		beat := time.NewTicker(watchEvery)
		defer beat.Stop()
		for !answers(places) {
			select {
			case <-beat.C:
			case <-opened:
				return
			case <-ctx.Done():
				return
			}
		}
		cancel(ErrServed)
	}()
	ws, err := sightline.Open(ctx, open)
	close(opened)
	<-watched
	if err != nil && errors.Is(context.Cause(ctx), ErrServed) {
		return nil, ErrServed
	}
	return ws, err
}

func answers(places []string) bool {
	for _, p := range places {
		if nc, err := net.Dial("unix", p); err == nil {
			_ = nc.Close()
			return true
		}
	}
	return false
}
