package ignore

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func sorted(m map[string]bool) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}

// Git and we say the same of every name in every generated repository: which file, which line, which rule, taken back or
// not.
//
// The normal run takes about 25,000 verdicts, the one with SIGHTLINE_LONG=1 over 250,000. SIGHTLINE_SEED=N runs the one
// world of that seed.
func TestAgreesWithGit(t *testing.T) {
	g := newGit(t)
	first, worlds := uint64(1), 240
	if os.Getenv("SIGHTLINE_LONG") != "" {
		worlds = 2600
	}
	if s := os.Getenv("SIGHTLINE_SEED"); s != "" {
		if _, err := fmt.Sscan(s, &first); err != nil {
			t.Fatal(err)
		}
		worlds = 1
	}
	var verdicts, hostile, decided, negated, bad int
	for seed := first; seed < first+uint64(worlds); seed++ {
		w := newWorld(seed)
		want, got := g.judge(t, w), ours(t, w)
		verdicts += len(want)
		if seed%2 == 1 {
			hostile += len(want)
		}
		for i := range want {
			if want[i].line > 0 {
				decided++
			}
			if strings.HasPrefix(want[i].pattern, "!") {
				negated++
			}
		}
		if i := differ(want, got); i >= 0 {
			bad++
			t.Errorf("seed %d: git and we disagree. To see it again: SIGHTLINE_SEED=%d go test ./internal/ignore -run AgreesWithGit\n%s",
				seed, seed, shrink(t, w, i, g.judge, ours))
			if bad == 5 {
				t.Fatal("five are enough")
			}
		}
	}
	t.Logf("%d verdicts, %d of them hostile; a rule decided %d, %d of these by a negated rule", verdicts, hostile, decided, negated)
	if worlds > 1 && (verdicts < 20_000 || hostile < verdicts*2/5 || decided < verdicts/4 || negated < verdicts/40) {
		t.Errorf("the generated repositories ask too little")
	}
}

// differ returns the first place at which two answers differ, or -1.
func differ(a, b []answer) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
