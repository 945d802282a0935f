package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
)

// Rules for refusals under request ids, after a restart. A transport that repeats a refused call must not find it
// admitted, because the model behind it has not seen the cure: the refusal is answered again, with its ranges and
// without the text, which is nowhere at rest. Whoever read the cure sends the call under another id.

// declined is what the changes of a session were refused with under request ids, oldest first.
type declined struct {
	byID  map[content.Hash]*journal.Declined
	order []*journal.Declined
}

// decline records that a change was refused. Reads are not changes: they are read again.
func (s *Session) decline(verb string, r requested, err error) {
	var f *fault.Error
	if r == (requested{}) || verb == "read" || !errors.As(err, &f) || !f.Code.Refusal() {
		return
	}
	d := &journal.Declined{Session: s.id, Request: r.id, Digest: r.digest, At: s.ws.opt.Clock(), Code: string(f.Code),
		Missing: slices.Clone(f.Missing), Drifted: slices.Clone(f.Drifted)}
	s.ws.mu.Lock()
	s.keepDeclined(d)
	s.ws.stage(d)
	s.ws.mu.Unlock()
	s.ws.flush() // before the refusal leaves: it may be repeated as soon as it is lost
}

// keepDeclined puts d among what is kept, within its bounds; the caller holds the evidence lock.
func (s *Session) keepDeclined(d *journal.Declined) {
	k := &s.declined
	if k.byID == nil {
		k.byID = map[content.Hash]*journal.Declined{}
	}
	k.byID[d.Request] = d
	k.order = append(k.order, d)
	for len(k.order) > answersKept || k.order[0].At+answerLifetime <= d.At {
		old := k.order[0]
		if k.byID[old.Request] == old {
			delete(k.byID, old.Request)
		}
		k.order = k.order[1:]
	}
}

// declinedBefore returns the refusal that a change of this request id was answered with, if it was; invalid where it
// came with other arguments then.
func (s *Session) declinedBefore(verb string, r requested) (*fault.Error, error) {
	s.ws.mu.Lock()
	defer s.ws.mu.Unlock()
	d := s.declined.byID[r.id]
	if d == nil || r == (requested{}) || d.At+answerLifetime <= s.ws.opt.Clock() {
		return nil, nil
	}
	if d.Digest != r.digest {
		return nil, otherCall()
	}
	f := &fault.Error{Op: verb, Code: fault.Code(d.Code), Missing: slices.Clone(d.Missing), Drifted: slices.Clone(d.Drifted)}
	f.Message = "This call was refused before under the same request id, which is answered the same way"
	for _, part := range []struct {
		of    string
		lines string
	}{{"never shown: ", fault.Ranges(d.Missing)}, {"changed since they were shown: ", fault.Ranges(d.Drifted)}} {
		if part.lines != "" {
			f.Message += fmt.Sprintf("; %s%s", part.of, part.lines)
		}
	}
	f.Message += ". Send it again under another id, or without one: it is then judged on what you have seen."
	f.Cure = &fault.Cure{Next: &fault.Next{Tool: verb, Same: true}}
	return f, nil
}

// otherCall refuses a request id that came with other arguments before.
func otherCall() error {
	return &fault.Error{Code: fault.Invalid, Field: "request_id", Message: "this request id was used for another call; use a new one"}
}
