package mcpserver

import (
	"bytes"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Rules for who reads. A call is run by the goroutine that read it: waking another one costs more than most calls. The
// one that reads is said to lead. So that a long call holds up nobody, a watch looks on, and a leader that has spent
// a whole beat in one call is relieved: another one leads from then on, and the old one ends with its call.
//
// The turn counts up with each step; it is odd while the leader runs a call. Whoever moves it on from there leads.

const (
	beat         = time.Millisecond // of the watch
	restingBeats = 100              // without a call, after which the watch goes home
)

// underwayMax bounds how many calls may be unanswered before no more are read.
const underwayMax = 1000

// lead takes frames off the input until it ends or another one leads.
func (c *conn) lead() {
	var own []byte // the frame of the call that runs, which outlives the line
	for {
		line, start, tooLong, err := c.lines.next()
		line = bytes.TrimSpace(line)
		switch {
		case tooLong:
			c.refuse(head{}, jsonrpc.CodeInvalidRequest, "a frame may have at most 67108864 bytes")
		case len(line) > 0:
			if call, ok := c.take(line, start); ok && c.begin(&call) {
				call.own(&own)
				turn := c.turn.Add(1)
				c.watch()
				c.run(call)
				if !c.turn.CompareAndSwap(turn, turn+1) {
					return
				}
			}
		}
		if err != nil {
			close(c.queue)
			return
		}
	}
}

// watch makes sure that somebody looks on.
func (c *conn) watch() {
	if !c.watching.Load() && c.watching.CompareAndSwap(false, true) {
		go c.relieve()
	}
}

func (c *conn) relieve() {
	beats := time.NewTicker(beat)
	defer beats.Stop()
	last, resting := c.turn.Load(), 0
	for {
		select {
		case <-beats.C:
		case <-c.stopped:
			return
		}
		switch turn := c.turn.Load(); {
		case turn != last:
			last, resting = turn, 0
		case turn%2 == 1:
			if c.underway.Load() < underwayMax && c.turn.CompareAndSwap(turn, turn+1) {
				go c.lead()
			}
		default:
			if resting++; resting < restingBeats {
				continue
			}
			c.watching.Store(false)
			if c.turn.Load() == last || !c.watching.CompareAndSwap(false, true) {
				return
			}
		}
	}
}
