package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/span"
)

// TestMutantsAreKilled puts every fault into the kernel, or into how it is used, that somebody could take for an
// improvement, and shows that the exploration finds it. A mutant that survives is a rule that nothing tests.
func TestMutantsAreKilled(t *testing.T) {
	byName := map[string]family{}
	for _, f := range families() {
		byName[f.name] = f
	}
	for _, m := range []struct {
		name   string
		mutant mutant
		rules  rules
		family string // the one that kills it; the first where none is named
	}{
		{name: "the cure is computed as of the boundary only", mutant: cureAsOfBoundary, family: "what is shown, and when"},
		{name: "a line is held when an equal line was shown", mutant: setMembership},
		{name: "a line is held when it is unique now and its text was shown", mutant: uniqueInNew},
		{name: "a line is held by its number and text", mutant: byNumberAlone},
		{name: "joints are not owed", mutant: noJoints},
		{name: "the newest view speaks for every boundary", mutant: mergedViews},
		{name: "of two moments the earlier stays", mutant: smallerSeq, family: "one of two lines is left"},
		{name: "a window credits the whole file", mutant: creditWhole},
		{name: "a delivery counts in its own round", mutant: cureInOwnRound},
		{name: "lines that others moved may be called by number", mutant: numbersSurviveMoves, family: "strangers between rounds"},
		{name: "a delete compares with a version that was never told", mutant: deleteByNewest},
		{name: "only the first reading of an edit is tried", rules: rules{firstReading: true}},
		{name: "a commit locates its text again", rules: rules{relocate: true}, family: "plans that wait"},
		{name: "a refusal is remembered as a debt", rules: rules{debt: true}},
	} {
		t.Run(m.name, func(t *testing.T) {
			f, ok := byName[m.family]
			if !ok {
				f = families()[0]
			}
			u := newUniverse(f.letters, f.maxLines)
			u.mutant, u.rules = m.mutant, m.rules
			x := f.explore(u, f.depth, 1)
			if len(x.failures) == 0 {
				t.Fatalf("survived %d states", x.states)
			}
			t.Logf("killed after %d states by %s", x.states, strings.ReplaceAll(x.failures[0], "\n", " "))
		})
	}
}

// A view per version, and as many versions as a track keeps: showing the cure pushes out the oldest view, which alone
// holds one of the lines. The cure shows it too.
func TestTheCureReckonsWithWhatItPushesOut(t *testing.T) {
	play := func(m mutant) (refusal, again Verdict) {
		s := newStage(t, "k x y z")
		p := s.session("P")
		p.t.mutant = m
		p.saw(1, 1)
		for i := range viewsMax - 1 {
			s.becomes(fmt.Sprintf("other%d x y z", i))
			p.saw(1, 1)
		}
		s.becomes("k x y z2")
		both := []change{quoting(1, 1, "K"), quoting(3, 3, "Y")}
		refusal = p.judge(both...)
		p.cured(refusal)
		return refusal, p.judge(both...)
	}
	refusal, again := play(0)
	want(t, "refusal", refusal, "not-seen missing 3-3 cure 1-1 3-3")
	want(t, "after the cure", again, "allow")
	if _, again := play(evictBlindly); again.Allow {
		t.Error("the mutant that ignores the eviction survives")
	}
}

// The same faults are not there in the product.
func TestTheProductHasNoMutant(t *testing.T) {
	p := newStage(t, "a").session("P")
	if p.t.mutant != 0 || NewTrack().mutant != 0 || RestoreTrack(TrackState{}, nil).mutant != 0 {
		t.Error("a fresh track is a mutant")
	}
	c := p.t.Clone()
	c.Observe(p.h, p.version(), []Entry{{Slots: span.WholeFile(1), Seq: 1}})
	if c.mutant != 0 {
		t.Error("a used track is a mutant")
	}
}
