package session

import "github.com/sightline-io/sightline/internal/fault"

// Claim makes the session of that id for a caller that may not have another's: taken tells that there is one already,
// which is not returned. Of several callers that claim one id at the same time one gets it. Codes: those of
// [Workspace.Session].
func (w *Workspace) Claim(id string) (s *Session, taken bool, err error) {
	if err := checkID(id); err != nil {
		return nil, false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, false, &fault.Error{Code: fault.IO, Message: "the workspace is closed"}
	}
	if w.sessions[id] != nil {
		return nil, true, nil
	}
	s = newSession(w, id)
	w.sessions[id] = s
	return s, false, nil
}
