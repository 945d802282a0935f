package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// Bounds of the answers kept under request ids.
const (
	answersKept     = 512
	answerLifetime  = 24 * 60 * 60 * 1000 // milliseconds
	answerTextBytes = 8 << 20             // of the texts of all answers kept
)

// answers are the results recorded under request ids, so that a repeated call is answered and not judged again.
type answers struct {
	mu    sync.Mutex
	byID  map[string]*answer
	order []*answer // oldest first
	text  int
}

type answer struct {
	key    string
	digest [sha256.Size]byte
	at     int64
	done   chan struct{}

	// Written before done is closed.
	result any
	err    error
	shows  []*show
	size   int
}

func (a *answers) init() { a.byID = map[string]*answer{} }

// recorded runs one call, or, when its request id was used before, returns what that call returned. While the first is
// running the second waits. The same id with other arguments is invalid. Failures of the moment (io, cancelled) are not
// kept, so that a repeat tries again.
func recorded[T any](ctx context.Context, s *Session, verb string, m Meta, digest func() [sha256.Size]byte, run func(Meta) (T, error)) (T, error) {
	if m.Delivery == nil {
		m.Delivery, m.auto = &Delivery{}, true
	}
	if m.RequestID == "" {
		return run(m)
	}
	var none T
	if len(m.RequestID) > 200 {
		return none, s.begin(verb, m).fail(&fault.Error{Code: fault.Invalid, Field: "request_id", Message: "a request id has at most 200 bytes"}, "", scope.Name{})
	}
	key := verb + "\x00" + m.RequestID
	sum := digest()
	m.request = s.requested(key, sum)
	before, err := s.answeredBefore(m.request)
	if err != nil {
		return none, s.begin(verb, m).fail(err, "", scope.Name{})
	}
	refusal, err := s.declinedBefore(verb, m.request)
	if err != nil {
		return none, s.begin(verb, m).fail(err, "", scope.Name{})
	}
	for {
		a, first := s.answers.claim(key, sum, s.ws.opt.Clock())
		if out, ok := answerAgain[T](s.ws, before); ok && first {
			return produce(&s.answers, a, m, func(Meta) (T, error) { return out, nil })
		}
		if first {
			return produce(&s.answers, a, m, func(m Meta) (T, error) {
				if refusal != nil {
					return none, refusal
				}
				out, err := run(m)
				s.decline(verb, m.request, err)
				return out, err
			})
		}
		if a.digest != sum {
			return none, s.begin(verb, m).fail(otherCall(), "", scope.Name{})
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return none, &fault.Error{Op: verb, Code: fault.Cancelled, Err: ctx.Err()}
		}
		if a.result == nil && a.err == nil {
			continue // the first ran into a failure of the moment: this one tries for itself
		}
		c := s.begin(verb, m)
		m.Delivery.replay(a.shows, c.epoch, c.id)
		c.end()
		out, _ := again(a.result).(T)
		return out, a.err
	}
}

// again returns a recorded result for another caller, who owns what the answer says a caller owns.
func again(result any) any {
	p, ok := result.(*Page)
	if !ok || p == nil {
		return result
	}
	q := *p
	q.Shown = bytes.Clone(p.Shown)
	return &q
}

// produce runs the call whose answer n is to be. A call that panics has no answer either, so that nobody waits for it.
func produce[T any](a *answers, n *answer, m Meta, run func(Meta) (T, error)) (out T, err error) {
	err = &fault.Error{Code: fault.Internal, Message: "the call broke off"}
	defer func() { a.finish(n, out, err, m.Delivery.shown()) }()
	out, err = run(m)
	return out, err
}

// claim returns the answer under key and whether the caller is to produce it.
func (a *answers) claim(key string, sum [sha256.Size]byte, now int64) (found *answer, first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.order) > 0 {
		old := a.order[0]
		if old.running() || old.at+answerLifetime > now && len(a.order) < answersKept && a.text <= answerTextBytes {
			break // what is still running goes when it is done and the next call comes
		}
		a.order = a.order[1:]
		a.text -= old.size
		if a.byID[old.key] == old {
			delete(a.byID, old.key)
		}
	}
	if old := a.byID[key]; old != nil {
		return old, false
	}
	n := &answer{key: key, digest: sum, at: now, done: make(chan struct{})}
	a.byID[key] = n
	a.order = append(a.order, n)
	return n, true
}

func (n *answer) running() bool {
	select {
	case <-n.done:
		return false
	default:
		return true
	}
}

// finish records how the call of n ended. A failure of the moment is not kept.
func (a *answers) finish(n *answer, result any, err error, shows []*show) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch fault.CodeOf(err) {
	case fault.IO, fault.Cancelled, fault.Internal:
		if a.byID[n.key] == n {
			delete(a.byID, n.key)
		}
	default:
		n.result, n.err, n.shows, n.size = result, err, shows, sizeOf(result, err)
		a.text += n.size
	}
	close(n.done)
}

// sizeOf returns how many bytes of text an answer keeps alive.
func sizeOf(out any, err error) int {
	var f *fault.Error
	if errors.As(err, &f) && f.Cure != nil {
		n := 0
		for _, t := range f.Cure.Text {
			n += len(t.Text)
		}
		return n
	}
	if p, ok := out.(*Page); ok && p != nil {
		return len(p.Text) + len(p.Shown)
	}
	return 0
}

// digestOf identifies the arguments of a call.
func digestOf(request any) [sha256.Size]byte { return sha256.Sum256(fmt.Appendf(nil, "%#v", request)) }

func (r ReadRequest) digest() [sha256.Size]byte   { r.Meta = r.argument(); return digestOf(r) }
func (r EditRequest) digest() [sha256.Size]byte   { r.Meta = r.argument(); return digestOf(r) }
func (r WriteRequest) digest() [sha256.Size]byte  { r.Meta = r.argument(); return digestOf(r) }
func (r MoveRequest) digest() [sha256.Size]byte   { r.Meta = r.argument(); return digestOf(r) }
func (r DeleteRequest) digest() [sha256.Size]byte { r.Meta = r.argument(); return digestOf(r) }

// argument is what of m tells calls apart: where relative paths start.
func (m Meta) argument() Meta { return Meta{Dir: m.Dir} }
