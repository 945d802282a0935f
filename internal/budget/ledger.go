package budget

import (
	"math"
	"sync"

	"github.com/sightline-io/sightline/internal/fault"
)

// Ledger adds up what was used under some limits. It is charged before the act, never falls, never passes its limits,
// and gives nothing back: an act that fails stays charged. Acts that share limits share one Ledger. It is safe for
// concurrent use.
type Ledger struct {
	mu     *sync.Mutex // one for a ledger and all ledgers under it
	limits Limits
	used   Amounts
	above  *Ledger
}

// NewLedger returns an unused ledger under the limits.
func NewLedger(l Limits) *Ledger { return &Ledger{mu: new(sync.Mutex), limits: l} }

// Under returns an unused ledger under limits of its own, whose charges are charges of l too: one operation within a
// capability. A charge that either refuses is booked in neither.
func (l *Ledger) Under(own Limits) *Ledger { return &Ledger{mu: l.mu, limits: own, above: l} }

// Charge books the amounts, all of them or, answering limit, none. The error is a [*fault.Error] whose cause is the
// [*Exceeded] of the first unit that does not fit. A negative amount is a fault of ours and answers internal.
func (l *Ledger) Charge(a Amounts) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for u := range Unit(units) {
		if a.Get(u) < 0 {
			return fault.Newf(fault.Internal, "", "a ledger was charged %d %s", a.Get(u), u)
		}
	}
	for at := l; at != nil; at = at.above {
		if e := at.refuses(a); e != nil {
			return e.fault()
		}
	}
	for at := l; at != nil; at = at.above {
		at.book(a)
	}
	return nil
}

// Elapsed tells the ledger how many milliseconds have passed since it was opened. It answers limit when that has
// reached the limit of [Millis], and books the larger of what was known and what is told, so that a clock that goes
// back gives no time back. The ledgers above have clocks of their own.
func (l *Ledger) Elapsed(ms int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := l.limits.Millis
	if limit == 0 {
		l.used.Millis = max(l.used.Millis, ms)
		return nil
	}
	if ms >= limit {
		e := &Exceeded{Unit: Millis, Limit: max(limit, 0), Used: l.used.Millis, Asked: max(ms-l.used.Millis, 0)}
		l.used.Millis = max(l.used.Millis, limit, 0)
		return e.fault()
	}
	l.used.Millis = max(l.used.Millis, ms)
	return nil
}

func (l *Ledger) refuses(a Amounts) *Exceeded {
	for u := range Unit(units) {
		limit, used, n := l.limits.Get(u), l.used.Get(u), a.Get(u)
		if limit == 0 || n == 0 {
			continue
		}
		limit = max(limit, 0)
		if !u.summed() {
			used = 0
		}
		if n > limit-used {
			return &Exceeded{Unit: u, Limit: limit, Used: used, Asked: n}
		}
	}
	return nil
}

func (l *Ledger) book(a Amounts) {
	for u := range Unit(units) {
		used, n := l.used.at(u), a.Get(u)
		switch {
		case !u.summed():
			*used = max(*used, n)
		case n > math.MaxInt64-*used:
			*used = math.MaxInt64
		default:
			*used += n
		}
	}
}

// Used returns what was booked: sums, and the largest charge of the units that do not add up.
func (l *Ledger) Used() Amounts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used
}

// Limits returns the ledger's own limits.
func (l *Ledger) Limits() Limits { return l.limits }

// Left returns the most that a charge of u could book now, here and above; limited is false where nothing limits it.
func (l *Ledger) Left(u Unit) (n int64, limited bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = math.MaxInt64
	for at := l; at != nil; at = at.above {
		limit := at.limits.Get(u)
		if limit == 0 {
			continue
		}
		limited = true
		left := max(limit, 0)
		if u.summed() {
			left -= at.used.Get(u)
		}
		n = min(n, left)
	}
	return n, limited
}
