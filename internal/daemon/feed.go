package daemon

import (
	"strconv"
	"sync"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/wire"
)

// Feed hands the receipts of a workspace on to subscribers. It is made before the workspace is opened, whose option
// Receipts is its Tell. It is safe for concurrent use; the zero Feed is ready.
type Feed struct {
	mu   sync.Mutex
	subs map[*subscription]bool
}

// subscription is one subscriber's queue.
type subscription struct {
	wake chan struct{} // holds one token while there is something

	// Guarded by the feed's mu.
	queue  []sightline.Receipt
	lagged bool // the queue was full, and nothing was put in it since
	ended  bool
}

// Tell hands a receipt on. It never waits: a subscriber that is too far behind gets no more.
func (f *Feed) Tell(r sightline.Receipt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subs {
		if len(s.queue) == rpc.LagMax {
			s.lagged = true
			delete(f.subs, s)
			continue
		}
		s.queue = append(s.queue, r)
		s.ring()
	}
}

func (s *subscription) ring() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (f *Feed) subscribe() *subscription {
	s := &subscription{wake: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs == nil {
		f.subs = map[*subscription]bool{}
	}
	f.subs[s] = true
	return s
}

// drop ends a subscription; nil is none.
func (f *Feed) drop(s *subscription) {
	if f == nil || s == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subs, s)
	s.ended = true
	s.ring()
}

// take waits for receipts; more is false after the last ones.
func (f *Feed) take(s *subscription) (batch []sightline.Receipt, lagged, more bool) {
	for {
		f.mu.Lock()
		batch, s.queue = s.queue, nil
		lagged, ended := s.lagged, s.ended
		f.mu.Unlock()
		if ended {
			return nil, false, false
		}
		if lagged || len(batch) > 0 {
			return batch, lagged, !lagged
		}
		<-s.wake
	}
}

// follow sends a subscriber what was kept and then what happens, until it ends or is too slow.
func (c *conn) follow(s *subscription, kept []sightline.Receipt, last uint64) {
	defer c.calls.Done()
	var frame []byte
	send := func(rs []sightline.Receipt) bool {
		for i := range rs {
			last = max(last, rs[i].Seq)
			params := append(append([]byte(`{"receipt":`), wire.ReceiptJSON(&rs[i])...), '}')
			frame = rpc.AppendNotice(frame[:0], rpc.ReceiptNotice, params)
			if c.write(frame) != nil {
				return false
			}
		}
		return true
	}
	if !send(kept) {
		c.s.opt.Feed.drop(s)
		return
	}
	for {
		batch, lagged, more := c.s.opt.Feed.take(s)
		if !send(batch) {
			c.s.opt.Feed.drop(s)
			return
		}
		if lagged {
			_ = c.write(rpc.AppendNotice(nil, rpc.LaggedNotice, []byte(`{"after":`+strconv.FormatUint(last, 10)+`}`)))
			c.mu.Lock()
			if c.sub == s {
				c.sub = nil
			}
			c.mu.Unlock()
		}
		if !more {
			return
		}
	}
}
