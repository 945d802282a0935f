package session

import (
	"cmp"
	"maps"
	"slices"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/scope"
)

// sessionsKept is how many sessions a log that is written anew tells of: those that were last of use.
const sessionsKept = 1024

// compact writes the log anew from what is known; the caller holds book.writing. A log that cannot be written anew goes
// on as it is.
func (w *Workspace) compact() error {
	b := w.book
	w.mu.Lock()
	staged := b.staged // what is known holds it already
	b.staged = nil
	recs := w.snapshot()
	w.mu.Unlock()
	err := b.log.Compact(func(emit func(journal.Record) error) error {
		if err := emit(&journal.Reserved{Seq: evidence.Seq(b.reserved.Load())}); err != nil {
			return err
		}
		for _, r := range recs {
			if err := emit(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.mu.Lock()
		b.staged = append(staged, b.staged...)
		b.defined.clear()
		w.mu.Unlock()
		w.warnUnrecorded()
	}
	return err
}

// snapshot returns records that tell all that is known; the caller holds the evidence lock, and nothing is staged.
func (w *Workspace) snapshot() []journal.Record {
	b := w.book
	b.defined.clear()
	all := slices.SortedFunc(maps.Values(w.sessions), func(a, b *Session) int {
		return cmp.Or(cmp.Compare(b.times.last(), a.times.last()), cmp.Compare(a.id, b.id))
	})
	for _, s := range all[:min(len(all), sessionsKept)] {
		w.stage(s.record())
		for _, key := range slices.SortedFunc(maps.Keys(s.tracks), byText) {
			w.stageTrack(s, key)
		}
		for _, a := range s.past.order {
			w.stage(a)
		}
		for _, d := range s.declined.order {
			w.stage(d)
		}
		for _, key := range slices.SortedFunc(maps.Keys(s.refusals), byText) {
			w.stage(&journal.Refused{Session: s.id, Key: key.String(), Mark: s.refusals[key]})
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(w.histories), byText) {
		w.stageHistory(key)
	}
	for id, name := range w.inodes {
		w.stage(&journal.Sibling{Dev: id.dev, Ino: id.ino, Name: name.String()})
	}
	for _, id := range slices.Sorted(maps.Keys(b.intents)) {
		w.stage(b.intents[id])
	}
	recs := b.staged
	b.staged = nil
	return recs
}

func byText(a, b scope.Key) int { return cmp.Compare(a.String(), b.String()) }

// record returns what is known of the session apart from files.
func (s *Session) record() *journal.Session {
	r := &journal.Session{ID: s.id, Epoch: s.epoch, Calls: s.calls}
	for _, round := range slices.Sorted(maps.Keys(s.rounds)) {
		r.Rounds = append(r.Rounds, journal.RoundMark{Round: round, Boundary: s.rounds[round]})
	}
	for _, m := range s.times {
		r.Times = append(r.Times, journal.TimeMark{Seq: m.seq, At: m.at})
	}
	return r
}

// stageTrack stages all that the session knows of one file.
func (w *Workspace) stageTrack(s *Session, key scope.Key) {
	t := s.tracks[key]
	if w.book == nil || t == nil || t.Empty() {
		return
	}
	var before *evidence.Version
	for _, v := range t.Views() {
		w.define(v.Version, before)
		before = v.Version
	}
	w.stage(&journal.Track{Session: s.id, Key: key.String(), State: t.State()})
}

func (w *Workspace) stageHistory(key scope.Key) {
	h := w.histories[key]
	edges := h.Edges()
	if len(edges) == 0 {
		return
	}
	for _, e := range edges {
		w.define(e.From, nil)
		w.define(e.To, e.From)
	}
	w.stage(&journal.History{Key: key.String(), Edges: h.State()})
}
