package evidence

import (
	"fmt"
	"testing"

	"github.com/sightline-io/sightline/internal/span"
)

// smallWorld calls visit for every pair of texts of at most n lines over letters, with all readings of the pair.
func smallWorld(letters string, n int, visit func(old, new []string, a, b *Version, all []reading)) {
	texts := textsUpTo(letters, n)
	versions := make([]*Version, len(texts))
	for i, t := range texts {
		versions[i] = versionOf(t)
	}
	for i, old := range texts {
		for j, new := range texts {
			visit(old, new, versions[i], versions[j], readings(old, new))
		}
	}
}

// checkWorldSize fails unless the world was visited as a whole: the counts follow from letters and length alone.
func checkWorldSize(t *testing.T, c *tally, letters, n int, joints bool) {
	t.Helper()
	texts, covers, places := 0, 0, 0
	for k, power := 0, 1; k <= n; k, power = k+1, power*letters {
		texts += power
		if joints {
			covers += power << (k + 1)
			places += power * (k + 1)
		} else {
			covers += power << k
			places += power * k
		}
	}
	if c.pairs != texts*texts || c.verdicts != covers*places || c.mustRefuse+c.mustAdmit+c.free != c.verdicts {
		t.Errorf("visited %d pairs and %d verdicts, want %d and %d", c.pairs, c.verdicts, texts*texts, covers*places)
	}
	if c.mustRefuse == 0 || c.mustAdmit == 0 || c.free == 0 {
		t.Errorf("a class of verdicts is empty: %+v", *c)
	}
}

// Goal: no line is held that some reading could not have shown, and none refused that every reading shows. Method: every
// pair of texts of a small world, every coverage of the old text, against all longest common subsequences.
func TestCarryLinesInSmallWorld(t *testing.T) {
	var c tally
	smallWorld("ab}", worldLines, func(old, new []string, a, b *Version, all []reading) {
		c.pairs++
		truths := lineTruths(old, new, all)
		for j, ans := range answersOf(Align(a, b)) {
			c.add(len(old), truths[j], ans.held, func() string {
				return fmt.Sprintf("%q -> %q line %d: %+v, truth %+v", old, new, j, ans, truths[j])
			})
		}
	})
	t.Logf("%d pairs, %d line verdicts: %d must refuse, %d must admit, %d free", c.pairs, c.verdicts, c.mustRefuse, c.mustAdmit, c.free)
	checkWorldSize(t, &c, 3, worldLines, false)
	if c.wronglyHeld != 0 || c.wronglyUnheld != 0 {
		t.Errorf("%d wrongly held, %d wrongly refused, such as %s", c.wronglyHeld, c.wronglyUnheld, c.example)
	}
}

// The same for the joints, under every coverage of the old joints.
func TestCarryJointsInSmallWorld(t *testing.T) {
	var c tally
	carried, several := 0, 0
	smallWorld("ab}", worldLines, func(old, new []string, a, b *Version, all []reading) {
		c.pairs++
		al := Align(a, b)
		for k, truth := range jointTruths(len(old), all, len(new)) {
			ans := answer{loose: true}
			if i, ok := al.Joint(span.Line(k)); ok {
				ans = answer{partners: 1 << i}
				carried++
			}
			if truth.several {
				several++
			}
			c.add(len(old)+1, truth, ans.held, func() string {
				return fmt.Sprintf("%q -> %q joint %d: %+v, truth %+v", old, new, k, ans, truth)
			})
		}
	})
	t.Logf("%d pairs, %d joint verdicts: %d must refuse, %d must admit, %d free; %d joints carried, %d kept by all readings but not as one", c.pairs, c.verdicts, c.mustRefuse, c.mustAdmit, c.free, carried, several)
	checkWorldSize(t, &c, 3, worldLines, true)
	if c.wronglyHeld != 0 || c.wronglyUnheld != 0 {
		t.Errorf("%d wrongly carried, %d wrongly broken, such as %s", c.wronglyHeld, c.wronglyUnheld, c.example)
	}
}

// Which side is the older one is a matter of view: i may be j exactly where j may be i, and so for moved, sure and
// joints. Every other promise is checked on the way.
func TestCarryIsSymmetricInSmallWorld(t *testing.T) {
	pairs := 0
	smallWorld("ab}", worldLines, func(_, _ []string, a, b *Version, _ []reading) {
		pairs++
		al := Align(a, b)
		checkAlignment(t, a, b, al)
		if a.Ref.String() <= b.Ref.String() {
			checkSymmetry(t, al, Align(b, a))
		}
	})
	t.Logf("%d pairs", pairs)
}
