package client

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"

	"github.com/sightline-io/sightline/internal/rpc"
)

// link is one connection to one daemon.
type link struct {
	nc   net.Conn
	info Info
	dead chan struct{} // closed when nothing more comes

	notice func(method string, params json.RawMessage) // nil is nobody

	wmu     sync.Mutex // held while frames are written; it guards the order of deliveries against calls
	unsent  []byte     // notices that go with the next frame
	left    int64      // deliveries that have begun to leave
	sent    int64      // requests
	closing bool       // the daemon takes no more

	mu      sync.Mutex // guards what follows
	pending map[int64]*request
	taken   int64 // requests that a closing daemon took; -1 while it said nothing
	cause   error // why it is dead
}

// request is one that is not answered yet.
type request struct {
	number int64 // among the requests of its link, from 1
	reply  chan *reply
}

func newLink(nc net.Conn, notice func(string, json.RawMessage)) *link {
	l := &link{nc: nc, notice: notice, dead: make(chan struct{}), pending: map[int64]*request{}, taken: -1}
	go l.read()
	return l
}

// errClosing says that the daemon takes no more requests.
var errClosing = errors.New("the daemon is ending")

// request sends a request. build appends its params. The reply comes, or the link dies.
func (l *link) request(method string, build func(dst []byte, l *link) []byte) (*request, error) {
	l.wmu.Lock()
	defer l.wmu.Unlock()
	if l.closing {
		return nil, errClosing
	}
	r := &request{number: l.sent + 1, reply: make(chan *reply, 1)}
	b := append(l.unsent, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, r.number, 10)
	b = rpc.AppendText(append(b, `,"method":`...), method)
	b = build(append(b, `,"params":`...), l)
	b = append(b, "}\n"...)
	if len(b)-len(l.unsent) > rpc.LineMax {
		return nil, errTooLong
	}
	l.mu.Lock()
	l.pending[r.number] = r
	l.mu.Unlock()
	l.sent++
	if err := l.put(b); err != nil {
		l.end(err)
		return nil, errUnsent // a line without its end is taken by nobody
	}
	return r, nil
}

var errUnsent = errors.New("the daemon is gone")

var errTooLong = errors.New("the request is longer than the daemon takes")

// put writes bytes that hold what was unsent; the caller holds wmu.
func (l *link) put(b []byte) error {
	_, err := l.nc.Write(b)
	if l.unsent = b[:0]; cap(b) > 1<<20 {
		l.unsent = nil
	}
	return err
}

// send writes notices at once.
func (l *link) send(frames []byte) error {
	l.wmu.Lock()
	defer l.wmu.Unlock()
	return l.put(append(l.unsent, frames...))
}

// leave books a delivery as leaving; the daemon hears of it before it gets the next request.
func (l *link) leave(id int64) {
	l.wmu.Lock()
	defer l.wmu.Unlock()
	l.left++
	l.unsent = notice(l.unsent, rpc.Leaving, id)
}

// read takes what the daemon sends, to the end.
func (l *link) read() {
	lines := &rpc.Lines{In: l.nc, Max: rpc.LineMax}
	for {
		line, _, _, err := lines.Next()
		if err != nil {
			l.die(err)
			return
		}
		h, err := rpc.Parse(line)
		switch {
		case err != nil:
			l.die(err)
			return
		case h.Method == rpc.ClosingNotice:
			l.ends(h.Params)
		case h.Method != "" && h.ID == nil && l.notice != nil:
			l.notice(h.Method, clone(h.Params))
		case h.Method == "" && h.ID != nil:
			l.answered(h)
		}
	}
}

func (l *link) answered(h rpc.Head) {
	n, ok := rpc.Whole(h.ID)
	if !ok {
		return
	}
	l.mu.Lock()
	r := l.pending[n]
	delete(l.pending, n)
	l.mu.Unlock()
	if r != nil {
		r.reply <- &reply{link: l, result: clone(h.Result), failure: clone(h.Error)}
	}
}

func clone(b []byte) json.RawMessage {
	if b == nil {
		return nil
	}
	return append(make(json.RawMessage, 0, len(b)), b...)
}

// ends notes that the daemon ends and how many requests it took. Those beyond are nobody's.
func (l *link) ends(params []byte) {
	var p struct{ Taken int64 }
	if json.Unmarshal(params, &p) != nil {
		return
	}
	l.mu.Lock()
	l.taken = p.Taken
	var nobodys []*request
	for n, r := range l.pending {
		if r.number > p.Taken {
			nobodys = append(nobodys, r)
			delete(l.pending, n)
		}
	}
	l.mu.Unlock()
	for _, r := range nobodys {
		r.reply <- nil
	}
	// Not waited for: a request may be writing, and is found to be nobody's when the link is dead.
	go func() {
		l.wmu.Lock()
		l.closing = true
		l.wmu.Unlock()
	}()
}

// untaken reports whether it is known that the daemon never took a request.
func (l *link) untaken(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken >= 0 && r.number > l.taken
}

// end closes the connection.
func (l *link) end(cause error) {
	l.mu.Lock()
	if l.cause == nil {
		l.cause = cause
	}
	l.mu.Unlock()
	_ = l.nc.Close()
}

// die notes that nothing more comes.
func (l *link) die(err error) {
	if errors.Is(err, io.EOF) {
		err = errors.New("the daemon closed the connection")
	}
	l.end(err)
	close(l.dead)
}

// usable reports whether requests can be sent.
func (l *link) usable() bool {
	select {
	case <-l.dead:
		return false
	default:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken < 0 && l.cause == nil
}
