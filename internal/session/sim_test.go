package session_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
)

// TestSimulation lives many seeded lives: two or three agents with and without rounds, somebody else, formatters,
// touches, renames, links, rewinds, plans that wait, answers that are late or lost, and a disk that fails now and then.
// After each call the laws are held against a model that keeps texts. SIGHTLINE_LONG=1 lives millions of steps.
func TestSimulation(t *testing.T) {
	lives, steps := uint64(200), 100
	if long {
		lives, steps = 20_000, 150
	}
	first := uint64(1)
	if replay != "" {
		n, err := strconv.ParseUint(replay, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first, lives = n, 1
	}
	counts := map[string]int{}
	for seed := first; seed < first+lives; seed++ {
		s := newSim(t, seed)
		for s.step = range steps {
			s.live()
		}
		for c, n := range s.counts {
			counts[c] += n
		}
		if err := s.ws.Close(); err != nil {
			s.broken("close: %v", err)
		}
	}
	if replay == "" {
		s := ""
		for _, c := range slices.Sorted(maps.Keys(counts)) {
			s += fmt.Sprintf(" %s %d,", c, counts[c])
		}
		t.Logf("%d lives of %d steps:%s", lives, steps, s)
		for _, c := range []string{"edit ", "edit stale", "edit not-seen", "write ", "write needs-full", "write stale", "delete ", "delete stale", "move ", "move exists", "create ", "create exists", "commit "} {
			if counts[c] == 0 {
				t.Errorf("no call of these lives was %q: they prove nothing of it", c)
			}
		}
	}
}

// live lets one thing happen.
func (s *sim) live() {
	a := s.agents[s.rnd.IntN(len(s.agents))]
	switch k := s.rnd.IntN(100); {
	case k < 22:
		s.somebody()
	case k < 45:
		a.read()
	case k < 75:
		c := a.choose()
		c.meta, c.boundary = a.meta()
		if c.verb != "edit" && c.path == linkName {
			c.path = "a"
		}
		if r := a.act(c); r != nil && slices.Contains(ofEvidence, r.Code) && a.told && !s.faults && s.rnd.IntN(2) == 0 {
			a.cure(c, r)
		}
	case k < 82:
		a.turn()
	case k < 86:
		for _, f := range a.flights {
			s.say("%s: a late answer leaves", a.id)
			a.left(f)
		}
		a.flights = nil
	case k < 92:
		a.approve()
	case k < 94:
		a.rewind()
	}
	s.look()
	for _, b := range s.agents {
		b.tellsTruth()
	}
}

// approve commits the plan that waits, or makes one.
func (a *agent) approve() {
	if a.plan == nil {
		c := a.choose()
		if c.verb != "edit" {
			return
		}
		c.meta, c.boundary = a.meta()
		f := a.answer()
		c.meta.Delivery = f.d
		p, err := during(a.sim, func() (*session.Plan, error) {
			return a.s.Plan(context.Background(), session.EditRequest{Path: c.path, Edits: c.edits, Meta: c.meta})
		})
		a.say("%s: plan %v: %v", a.id, c, err)
		if err == nil {
			c.number = uint64(a.s.Calls())
			a.plan = &planned{p, c}
		}
		f.d.Lost()
		return
	}
	w := a.plan
	a.plan = nil
	a.look()
	before, files, seen := a.story(), maps.Clone(a.files), a.seen()
	call := uint64(a.s.Calls())
	f := a.answer()
	d, err := during(a.sim, func() (*session.EditAnswer, error) {
		return a.s.Commit(context.Background(), w.plan, session.Meta{Delivery: f.d})
	})
	a.counts["commit "+string(fault.CodeOf(err))]++
	a.say("%s: commit %v: %v", a.id, w.call, err)
	if err != nil {
		a.refused(simCall{verb: "commit", path: w.call.path, number: w.call.number}, f, err, before, seen)
		return
	}
	if call != uint64(a.s.Calls()) {
		a.broken("a commit is a call of its own")
	}
	path := a.canonical(w.call.path)
	was, now := textLines(string(w.plan.Before())), textLines(string(w.plan.After()))
	if got, want := surplus(textLines(a.contentIfThere(path)), textLines(files[path])), surplus(now, was); !slices.Equal(got, want) {
		a.broken("approved was %q, written %q", want, got)
	}
	verb := w.call
	if _, there := files[path]; !there {
		verb.verb = "create"
	}
	a.admitted(verb, done{path: d.Path, edits: d.Edits, noop: d.Noop}, files)
	a.land(f)
}

// rewind takes the conversation back to one of its calls.
func (a *agent) rewind() {
	upTo := uint64(a.s.Calls())
	upTo -= uint64(a.rnd.IntN(int(min(upTo, 12)) + 1))
	a.say("%s: rewinds to call %d", a.id, upTo)
	if err := a.s.Rewind(func(c evidence.CallID) bool { return uint64(c) <= upTo }); err != nil {
		a.broken("rewind: %v", err)
	}
	for _, k := range a.knows {
		k.rewind(upTo)
	}
	for _, f := range a.flights {
		f.tells = nil // what arrives now belongs to no branch
	}
	a.bounds = map[uint64]int{}
	clear(a.cursor)
	if w := a.plan; w != nil {
		a.plan = nil
		if _, err := a.s.Commit(context.Background(), w.plan, session.Meta{}); fault.CodeOf(err) != fault.Conflict {
			a.broken("a plan of another branch is committed: %v", err)
		}
	}
}
