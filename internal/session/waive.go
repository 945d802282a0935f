package session

import (
	"slices"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// Rules for a waiver. It lets one session replace one file, by exactly that name, once, without having been shown all of
// it. It covers neither edits of lines nor a delete, and not the look at commit: the file must still be what it was when
// the write was judged. It is spent by the write that it admitted and lives in this process alone: after a restart
// the same write is refused again, with its cure.

// waiversMax bounds how many waivers of one session are open.
const waiversMax = 1000

// Waive lets the session replace each of the files once. Codes: invalid, outside-root, denied, limit; where one path is
// refused nothing is waived.
func (s *Session) Waive(paths []string) error {
	names := make([]scope.Name, len(paths))
	for i, p := range paths {
		name, err := s.ws.admit(p, "")
		if err == nil {
			err = s.ws.policy.Check(name, scope.Write)
		}
		if err != nil {
			f := *asFault(err)
			f.Op, f.Path = "waive", p
			return &f
		}
		names[i] = name
	}
	s.ws.mu.Lock()
	defer s.ws.mu.Unlock()
	fresh := 0
	for _, n := range names {
		if !s.waived[n.Key(s.ws.root)] {
			fresh++
		}
	}
	if len(s.waived)+fresh > waiversMax {
		return &fault.Error{Op: "waive", Code: fault.Limit, Message: "A session has at most 1000 open waivers; nothing was waived."}
	}
	if s.waived == nil {
		s.waived = map[scope.Key]bool{}
	}
	for _, n := range names {
		s.waived[n.Key(s.ws.root)] = true
	}
	return nil
}

// isWaived reports whether the file that the job is about may be replaced unseen. The caller holds the evidence lock.
func (j *wholeJob) isWaived() bool {
	return j.s.waived[j.found.Name.Key(j.s.ws.root)]
}

// spendWaiver takes the waiver for a name away, if there is one. The caller holds the evidence lock.
func (s *Session) spendWaiver(name scope.Name) { delete(s.waived, name.Key(s.ws.root)) }

// SessionIDs returns the ids of the sessions that are known, sorted.
func (w *Workspace) SessionIDs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.sessions))
	for id := range w.sessions {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
