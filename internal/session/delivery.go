package session

import (
	"sync"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/reader"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// Delivery is what one answer shows. A door makes one for each call, hands it over in [Meta], and says when the answer
// left; only then does what it shows count, and only for calls that are received afterwards. The zero Delivery is ready
// for use. Its methods are safe for concurrent use; each works once.
type Delivery struct {
	mu    sync.Mutex
	shows []*show
	state deliveryState
}

type deliveryState uint8

const (
	composing deliveryState = iota
	leaving
	done
)

// show is one file's lines in an answer.
type show struct {
	s       *Session
	key     scope.Key
	capture *content.Capture
	lines   []span.Lines
	cuts    []reader.Cut
	moved   []span.Lines // lines whose new numbers the answer tells
	told    bool         // the answer tells that the file is empty or absent
	origin  evidence.Origin
	epoch   evidence.Epoch
	call    evidence.CallID

	seq   evidence.Seq
	ready chan struct{} // closed when it is known whether the answer left
	lost  bool
}

// Leave marks the moment just before the last byte of the answer is written: calls received from now on may rely on
// it. It is optional; [Delivery.Left] implies it.
func (d *Delivery) Leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leave()
}

func (d *Delivery) leave() {
	if d.state != composing {
		return
	}
	d.state = leaving
	for _, sh := range d.shows {
		sh.ready = make(chan struct{})
		sh.s.enqueue(sh)
	}
}

// Left says that the answer was written whole.
func (d *Delivery) Left() { d.end(false) }

// Lost says that the answer was not written, or not whole: nothing of it counts.
func (d *Delivery) Lost() { d.end(true) }

func (d *Delivery) end(lost bool) {
	for _, sh := range d.ended(lost) {
		sh.s.drain()
	}
}

// ended notes how it ended and returns what may be written down now.
func (d *Delivery) ended(lost bool) []*show {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state == done {
		return nil
	}
	if !lost {
		d.leave()
	}
	was := d.state
	d.state = done
	if was != leaving {
		return nil
	}
	for _, sh := range d.shows {
		sh.lost = lost
		close(sh.ready)
	}
	return d.shows
}

// Shows reports whether the answer shows anything that will count.
func (d *Delivery) Shows() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.shows) > 0
}

func (d *Delivery) add(sh *show) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shows = append(d.shows, sh)
}

// replay makes d show again, in the call of that number and epoch, what an earlier answer showed.
func (d *Delivery) replay(shows []*show, epoch evidence.Epoch, call evidence.CallID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, sh := range shows {
		d.shows = append(d.shows, &show{s: sh.s, key: sh.key, capture: sh.capture, lines: sh.lines, cuts: sh.cuts,
			moved: sh.moved, told: sh.told, origin: sh.origin, epoch: epoch, call: call})
	}
}

func (d *Delivery) shown() []*show {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]*show(nil), d.shows...)
}

// enqueue puts sh at the end of what the session still has to write down and gives it its number.
func (s *Session) enqueue(sh *show) {
	s.queueMu.Lock()
	defer s.queueMu.Unlock()
	sh.seq = s.ws.next()
	s.queue = append(s.queue, sh)
}

// drain writes the queue down in order, up to the first answer of which it is not known yet whether it left. Whoever
// makes that known drains, after the answer has left; another one that is at it already goes on in its place.
func (s *Session) drain() {
	s.queueMu.Lock()
	defer s.queueMu.Unlock()
	if s.draining {
		return
	}
	s.draining = true
	for len(s.queue) > 0 && s.queue[0].known() {
		sh := s.queue[0]
		s.queueMu.Unlock()
		if !sh.lost {
			s.observe(sh)
			s.ws.flush() // the session's next call waits for it
		}
		s.queueMu.Lock()
		s.queue = s.queue[1:]
		s.written.Broadcast()
	}
	s.draining = false
}

// settle waits until everything delivered up to boundary is written down, and whatever else has left besides: a
// refusal must know of it, or its cure would not suffice. An answer that is still leaving is waited for only where the
// boundary says that the call was received after it.
func (s *Session) settle(boundary evidence.Seq) {
	s.queueMu.Lock()
	defer s.queueMu.Unlock()
	for len(s.queue) > 0 && (s.queue[0].seq <= boundary || s.queue[0].known()) {
		s.written.Wait()
	}
}

// known reports whether it is known by now whether the answer left.
func (sh *show) known() bool {
	select {
	case <-sh.ready:
		return true
	default:
		return false
	}
}

// observe is the one place where a delivery becomes evidence.
func (s *Session) observe(sh *show) {
	v := s.ws.version(sh.capture)
	o := &journal.Observed{Session: s.id, Key: sh.key.String(), Version: v.Ref.String(), Seq: sh.seq, Epoch: sh.epoch,
		Call: sh.call, Origin: sh.origin, At: s.ws.opt.Clock(), Moved: sh.moved}
	if v.N == 0 && sh.told {
		o.Slots = append(o.Slots, span.WholeFile(0))
	}
	for _, l := range sh.lines {
		if !l.Empty() {
			o.Slots = append(o.Slots, span.SlotsOf(l))
		}
	}
	for _, c := range sh.cuts {
		o.Parts = append(o.Parts, journal.Part{Line: c.Line, Shown: c.Shown, Len: c.Len})
	}
	s.ws.mu.Lock()
	defer s.ws.mu.Unlock()
	if sh.epoch != s.epoch {
		return // the conversation was rewound while the answer was on its way
	}
	before := s.shownLast(sh.key)
	s.learn(sh.key, v, o)
	s.ws.journalObserved(o, v, before)
}

// shownLast returns the version that the session was shown last, or nil; the caller holds the evidence lock.
func (s *Session) shownLast(key scope.Key) *evidence.Version {
	if views := s.peek(key).Views(); len(views) > 0 {
		return views[len(views)-1].Version
	}
	return nil
}

// learn makes evidence of an observation of v; the caller holds the evidence lock. It is the same for one that happens
// and for one that is resumed.
func (s *Session) learn(key scope.Key, v *evidence.Version, o *journal.Observed) {
	if o.Epoch != s.epoch {
		return
	}
	t, h := s.track(key), s.ws.history(key)
	s.times.mark(o.Seq, o.At)
	e := evidence.Entry{Seq: o.Seq, Epoch: o.Epoch, Call: o.Call, Origin: o.Origin}
	entries := make([]evidence.Entry, 0, len(o.Slots))
	for _, slots := range o.Slots {
		entry := e
		entry.Slots = slots
		entries = append(entries, entry)
	}
	if len(entries) > 0 {
		t.Observe(h, v, entries)
	}
	for _, p := range o.Parts {
		t.ObserveColumns(h, v, evidence.Columns{Line: p.Line, Shown: p.Shown, Len: p.Len, Entry: e})
	}
	if len(o.Moved) > 0 {
		t.Renumber(v, o.Moved)
	}
}
