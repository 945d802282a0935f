package client

import (
	"strconv"
	"sync"

	"github.com/sightline-io/sightline/internal/rpc"
)

// Delivery is what one answer shows. A door makes one for each call, hands it over in [Meta], and says when the answer
// left; only then does what it shows count. The zero Delivery is ready for use. Each of its methods works once. After the
// connection that brought the answer broke they say nothing to anybody: what the answer shows is lost, and costs a cure.
type Delivery struct {
	mu      sync.Mutex
	link    *link
	id      int64
	leaving bool
}

func (d *Delivery) bind(l *link, id int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.link, d.id = l, id
}

// Shows reports whether the answer tells anything that later calls may rely on: lines, or a change that was made.
func (d *Delivery) Shows() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.id != 0
}

// Leave marks the moment just before the last byte of the answer is written: calls that arrive from now on may rely on
// it. It is optional; [Delivery.Left] implies it.
func (d *Delivery) Leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leave()
}

func (d *Delivery) leave() {
	if d.id != 0 && !d.leaving {
		d.leaving = true
		d.link.leave(d.id)
	}
}

// Left says that the answer was written whole.
func (d *Delivery) Left() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leave()
	d.say(rpc.Delivered)
}

// Lost says that the answer was not written, or not whole: nothing of it counts.
func (d *Delivery) Lost() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.say(rpc.Lost)
}

func (d *Delivery) say(what string) {
	if d.id != 0 {
		_ = d.link.send(notice(nil, what, d.id)) // a link that broke has lost it
		d.id = 0
	}
}

func notice(dst []byte, method string, id int64) []byte {
	return rpc.AppendNotice(dst, method, append(strconv.AppendInt([]byte(`{"id":`), id, 10), '}'))
}
