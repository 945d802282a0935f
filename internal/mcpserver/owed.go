package mcpserver

import (
	"sync"
	"time"
)

// owed counts the requests that the SDK was handed and has not answered. Clients, and people with a pipe, may send
// everything they have in one go and hang up; the SDK takes messages up side by side and drops what it is doing when the
// input ends. So the handshake is over before anything behind it is handed on, and the SDK hears of the end of the input
// once it owes nothing.
type owed struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n is 0 again; nil while it was always 0
}

// owedGrace is how long the end of the input waits for answers of the SDK. It answers within milliseconds; a request
// that it never answers, as those that are cancelled, is not to keep the connection.
const owedGrace = time.Second

func (o *owed) add() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == 0 {
		o.none = make(chan struct{})
	}
	o.n++
}

func (o *owed) paid() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == 0 {
		return // an answer to something that was no request
	}
	if o.n--; o.n == 0 {
		close(o.none)
	}
}

// settle waits until nothing is owed, until stop is closed, or until the grace is over.
func (o *owed) settle(stop <-chan struct{}) {
	o.mu.Lock()
	n, none := o.n, o.none
	o.mu.Unlock()
	if n == 0 {
		return
	}
	grace := time.NewTimer(owedGrace)
	defer grace.Stop()
	select {
	case <-none:
	case <-stop:
	case <-grace.C:
	}
}
