package receipt

import (
	"sync"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// Log keeps the latest receipts, a bounded number of them. A refusal or failure that a session repeats on one file,
// with nothing else of that session on that file in between, is counted in the receipt of the first and takes no
// further room: a storm of refusals is one line. It is safe for concurrent use.
type Log struct {
	mu     sync.Mutex
	ring   []Receipt // number s lies at (s-1-base) % most
	most   int
	base   uint64 // sequence numbers given before this log began
	next   uint64 // sequence number of the next receipt
	latest map[place]uint64
	tally  Tally
}

// place is what repeats are looked for in.
type place struct {
	session string
	name    scope.Name
}

// Tally counts decisions, repeats included.
type Tally struct {
	Done    uint64
	Refused map[fault.Code]uint64
	Failed  map[fault.Code]uint64
	Dropped uint64 // receipts that are no longer kept
}

// NewLog returns an empty log that keeps the latest most receipts; fewer than one is taken as one.
func NewLog(most int) *Log {
	return &Log{most: max(most, 1), next: 1, latest: map[place]uint64{},
		tally: Tally{Refused: map[fault.Code]uint64{}, Failed: map[fault.Code]uint64{}}}
}

// Resume makes an empty log number on behind after, so that numbers are not given twice across a restart. It does
// nothing once the log holds a receipt.
func (l *Log) Resume(after uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) == 0 {
		l.base, l.next = after, after+1
	}
}

// Add books r and returns it as booked: with its sequence number and count, its lists copied and bounded.
func (l *Log) Add(r Receipt) Receipt {
	r.bound()
	r.Count, r.Last = 1, r.At
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(r.Code)
	at := place{r.Session, r.Name}
	if seq, ok := l.latest[at]; ok && r.Code != "" {
		if e := l.entry(seq); e != nil && e.same(&r) {
			e.Count++
			e.Last = r.At
			return *e
		}
	}
	r.Seq = l.next
	l.next++
	if len(l.ring) < l.most {
		l.ring = append(l.ring, r)
	} else {
		i := int((r.Seq - 1 - l.base) % uint64(l.most))
		if gone := (place{l.ring[i].Session, l.ring[i].Name}); l.latest[gone] == l.ring[i].Seq {
			delete(l.latest, gone)
		}
		l.ring[i] = r
		l.tally.Dropped++
	}
	l.latest[at] = r.Seq
	return r
}

func (l *Log) count(c fault.Code) {
	switch {
	case c == "":
		l.tally.Done++
	case c.Refusal():
		l.tally.Refused[c]++
	default:
		l.tally.Failed[c]++
	}
}

// entry returns the kept receipt of that number, or nil.
func (l *Log) entry(seq uint64) *Receipt {
	if seq <= l.base || seq >= l.next || seq+uint64(l.most) < l.next {
		return nil
	}
	return &l.ring[(seq-1-l.base)%uint64(l.most)]
}

// All returns the receipts kept, oldest first.
func (l *Log) All() []Receipt { return l.Since(0) }

// Since returns the receipts kept whose number is higher than seq, oldest first.
func (l *Log) Since(seq uint64) []Receipt {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.next - uint64(len(l.ring))
	if seq >= l.next {
		return nil
	}
	var out []Receipt
	for s := max(first, seq+1); s < l.next; s++ {
		out = append(out, *l.entry(s))
	}
	return out
}

// Tally returns the counts since the log began. The caller owns the maps.
func (l *Log) Tally() Tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tally
	t.Refused, t.Failed = map[fault.Code]uint64{}, map[fault.Code]uint64{}
	for c, n := range l.tally.Refused {
		t.Refused[c] = n
	}
	for c, n := range l.tally.Failed {
		t.Failed[c] = n
	}
	return t
}
