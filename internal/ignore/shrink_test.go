package ignore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// shrinksMax bounds how often the judges are asked for one disagreement.
const shrinksMax = 500

// shrink reduces a world in which two judges disagree about ask number i to one that can be read, and says what each of
// them answers there.
func shrink(t testing.TB, w *world, i int, a, b judge) string {
	t.Helper()
	small := &world{fold: w.fold, rules: maps.Clone(w.rules), dirs: maps.Clone(w.dirs), asks: []string{w.asks[i]}}
	tries := 0
	fails := func(c *world) bool {
		tries++
		return tries < shrinksMax && differ(a(t, c), b(t, c)) >= 0
	}
	for changed := true; changed && tries < shrinksMax; {
		changed = false
		for c := range small.smaller() {
			if fails(c) {
				small, changed = c, true
				break
			}
		}
	}
	return fmt.Sprintf("%s%s says %s\n%s says %s", small, "the judge", a(t, small)[0], "the rules here", b(t, small)[0])
}

// smaller yields worlds that are one step smaller, the large steps first.
func (w *world) smaller() func(yield func(*world) bool) {
	return func(yield func(*world) bool) {
		with := func(name, text string) *world {
			c := &world{fold: w.fold, rules: maps.Clone(w.rules), dirs: w.dirs, asks: w.asks}
			if text == "" {
				delete(c.rules, name)
			} else {
				c.rules[name] = text
			}
			return c
		}
		for _, name := range w.sources() {
			if !yield(with(name, "")) {
				return
			}
		}
		for _, name := range w.sources() {
			lines := strings.SplitAfter(w.rules[name], "\n")
			for i := range lines {
				if len(lines) > 1 && !yield(with(name, strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""))) {
					return
				}
			}
		}
		if w.fold && !yield(&world{rules: w.rules, dirs: w.dirs, asks: w.asks}) {
			return
		}
		for _, name := range w.sources() {
			text := w.rules[name]
			for i := range text {
				if !yield(with(name, text[:i]+text[i+1:])) {
					return
				}
			}
		}
	}
}

// A disagreement in a large world comes down to the one rule that is judged differently.
func TestShrink(t *testing.T) {
	slash := func(t testing.TB, w *world) []answer { // a judge with a fault: to it "?" is no wildcard
		return w.walk(t, func(dir string, text []byte, fold bool) *Rules {
			return parse(dir, []byte(strings.ReplaceAll(string(text), "?", `\?`)), fold)
		})
	}
	for seed := uint64(2); ; seed += 2 {
		w := newWorld(seed)
		good, bad := ours(t, w), slash(t, w)
		i := slices.IndexFunc(good, func(a answer) bool { return strings.Contains(a.pattern, "?") })
		if i < 0 || good[i] == bad[i] {
			continue
		}
		got := shrink(t, w, i, ours, slash)
		if n := strings.Count(got, "rules \""); n != 1 || strings.Count(got, "?") > 2 || len(got) > 300 {
			t.Errorf("seed %d was not shrunk:\n%s", seed, got)
		}
		t.Logf("seed %d, %d rule files and %d names shrunk to:\n%s", seed, len(w.rules), len(w.asks), got)
		return
	}
}
