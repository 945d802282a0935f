package daemontest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/daemon"
)

// Local is a daemon in the test's own process.
type Local struct {
	Socket    string
	Workspace *sightline.Workspace
	Ended     chan struct{} // closed when Serve has returned
	Err       error         // of Serve; to be read after Ended
	Stop      context.CancelFunc
}

// Serve runs a daemon in this process, on a workspace without a journal. How may change the options first.
func (w *World) Serve(how func(*daemon.Options)) *Local {
	w.Helper()
	feed := &daemon.Feed{}
	ws, err := sightline.Open(context.Background(), sightline.Options{Root: w.Root, Durability: sightline.Atomic, Receipts: feed.Tell})
	if err != nil {
		w.Fatal(err)
	}
	l, err := daemon.Listen(w.Root, "", w.Env)
	if err != nil {
		w.Fatal(err)
	}
	opt := daemon.Options{Workspace: ws, Listener: l, Version: Version, Feed: feed}
	if how != nil {
		how(&opt)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Local{Socket: l.Addr().String(), Workspace: ws, Ended: make(chan struct{}), Stop: stop}
	go func() {
		defer close(s.Ended)
		s.Err = daemon.Serve(ctx, opt)
	}()
	w.Cleanup(func() {
		stop()
		s.Await(w)
		if err := ws.Close(); err != nil {
			w.Error(err)
		}
	})
	return s
}

// Await waits until Serve has returned.
func (s *Local) Await(tb testing.TB) {
	tb.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-s.Ended:
	case <-limit.C:
		tb.Fatal("Serve does not return")
	}
}

// Alarms is a clock's alarms under a test's control. The zero Alarms is ready.
type Alarms struct {
	mu  sync.Mutex
	set []*alarm
	due chan struct{}
}

type alarm struct {
	d time.Duration
	f func()
}

// After is the After of [daemon.Options].
func (a *Alarms) After(d time.Duration, f func()) func() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := &alarm{d, f}
	a.set = append(a.set, one)
	a.ring()
	return func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		for i, s := range a.set {
			if s == one {
				a.set = append(a.set[:i], a.set[i+1:]...)
				a.ring()
				return true
			}
		}
		return false
	}
}

func (a *Alarms) ring() {
	if a.due != nil {
		close(a.due)
		a.due = nil
	}
}

// Await waits until n alarms of that length are set, and returns what rings the first of them.
func (a *Alarms) Await(tb testing.TB, d time.Duration, n int) (fire func()) {
	tb.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		a.mu.Lock()
		var found []*alarm
		for _, s := range a.set {
			if s.d == d {
				found = append(found, s)
			}
		}
		if len(found) == n {
			a.mu.Unlock()
			if n == 0 {
				return nil
			}
			return found[0].f
		}
		if a.due == nil {
			a.due = make(chan struct{})
		}
		due := a.due
		a.mu.Unlock()
		select {
		case <-due:
		case <-limit.C:
			tb.Fatalf("%d alarms of %s are set, not %d", len(found), d, n)
		}
	}
}
