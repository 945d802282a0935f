package evidence

import (
	"math/bits"
	"slices"
	"testing"
)

// pairOf is one pair of texts with its versions.
type pairOf struct {
	old, new []string
	a, b     *Version
}

// carryRule is a way to carry that somebody could take for a good one. It answers for every line of p.new.
type carryRule struct {
	name    string
	answers func(p pairOf) []answer
	// inBounds tells that the rule never holds what no reading shows nor refuses what every reading shows. Rules that
	// are in bounds differ from carry only where the readings leave it open.
	inBounds bool
}

// ruleOf returns the rule that does other things than carry between the equal ends.
func ruleOf(do func(*matcher)) func(p pairOf) []answer {
	return func(p pairOf) []answer { return answersOf(align(p.a, p.b, do)) }
}

// amended returns the rule that changes the answers of Align afterwards.
func amended(change func(p pairOf, j int, ans *answer)) func(p pairOf) []answer {
	return func(p pairOf) []answer {
		out := answersOf(Align(p.a, p.b))
		for j := range out {
			change(p, j, &out[j])
		}
		return out
	}
}

// placesOf returns the set of places of a line in a text.
func placesOf(text []string, line string) (set uint64) {
	for i, l := range text {
		if l == line {
			set |= 1 << i
		}
	}
	return set
}

func lowest(set uint64) uint64 { return set & -set }

// undecided reports whether carry holds the line under no coverage.
func undecided(ans answer) bool { return ans.loose || ans.partners == 0 }

// weakLines lets "}" match only in the equal ends and beside a line that matched, as if it were too common to count.
func weakLines(p pairOf) []answer {
	brace := versionOf([]string{"}"}).Skeleton[0]
	out := answersOf(align(p.a, p.b, func(m *matcher) {
		for j := range m.b {
			if m.news[m.top+j] == brace {
				m.b[j] = alone
			}
		}
		m.carry()
	}))
	beside := func(j, neighbour, step int) {
		if p.new[j] != "}" || !undecided(out[j]) || neighbour < 0 || neighbour >= len(out) || undecided(out[neighbour]) {
			return
		}
		if i := bits.TrailingZeros64(out[neighbour].partners) + step; i >= 0 && i < len(p.old) && p.old[i] == "}" {
			out[j] = answer{partners: 1 << i}
		}
	}
	for j := range out {
		beside(j, j-1, 1)
	}
	for j := len(out) - 1; j >= 0; j-- {
		beside(j, j+1, -1)
	}
	return out
}

// carryRules are carry itself and what it must not be confused with.
var carryRules = []carryRule{
	{"carry", ruleOf((*matcher).carry), true},
	{"equal ends alone", ruleOf(func(*matcher) {}), false},
	{"lines of equal number", amended(func(p pairOf, j int, ans *answer) {
		*ans = answer{loose: true}
		if j < len(p.old) && p.old[j] == p.new[j] {
			*ans = answer{partners: 1 << j}
		}
	}), false},
	{"equally long sides line by line", ruleOf(func(m *matcher) {
		if len(m.a) != len(m.b) {
			m.carry()
			return
		}
		for i, v := range m.a {
			if m.b[i] == v {
				m.sure(i, i, 1)
			}
		}
	}), false},
	{"set membership", amended(func(p pairOf, j int, ans *answer) {
		*ans = answer{partners: placesOf(p.old, p.new[j]), any: true}
	}), false},
	{"set membership of all equal lines", amended(func(p pairOf, j int, ans *answer) {
		*ans = answer{partners: placesOf(p.old, p.new[j])}
	}), false},
	{"once in the new text alone", amended(func(p pairOf, j int, ans *answer) {
		if undecided(*ans) && occurs(p.new, p.new[j]) == 1 {
			*ans = answer{partners: placesOf(p.old, p.new[j]), any: true}
		}
	}), false},
	{"once in the old text alone", amended(func(p pairOf, j int, ans *answer) {
		if undecided(*ans) && occurs(p.old, p.new[j]) == 1 {
			*ans = answer{partners: placesOf(p.old, p.new[j])}
		}
	}), false},
	{"seeds without the exact rectangle", ruleOf(func(m *matcher) { m.cells = 0; m.carry() }), false},
	{"weak lines never seed", weakLines, false},
	{"once in the changed part alone", ruleOf(func(m *matcher) {
		m.news = slices.Clone(m.news)
		clear(m.news[:m.top])
		clear(m.news[len(m.news)-m.bottom:])
		m.carry()
	}), false},
	{"the first partner is enough", amended(func(p pairOf, j int, ans *answer) { ans.partners = lowest(ans.partners) }), true},
	{"any partner is enough", amended(func(p pairOf, j int, ans *answer) { ans.any = !ans.loose }), true},
	{"looseness ignored", amended(func(p pairOf, j int, ans *answer) { ans.loose = false }), true},
	{"without moved lines", ruleOf(func(m *matcher) { m.rect(m.whole(), 0) }), true},
	{"the first longest common subsequence", func(p pairOf) []answer {
		out := make([]answer, len(p.new))
		for j, i := range readings(p.old, p.new)[0] {
			out[j] = answer{loose: i == nobody}
			if i != nobody {
				out[j].partners = 1 << i
			}
		}
		return out
	}, true},
}

// Goal: the suite tells carry from every rule that was ever taken for it. Method: each rule is judged like carry, by
// the bounds that all readings set, and compared with the definition, which leaves nothing open.
func TestCarryMutants(t *testing.T) {
	bounds := make([]tally, len(carryRules))
	differ := make([]int, len(carryRules))
	smallWorld("ab}", worldLines, func(old, new []string, a, b *Version, all []reading) {
		truths, defined := lineTruths(old, new, all), definition(old, new)
		for r, rule := range carryRules {
			same := true
			for j, ans := range rule.answers(pairOf{old, new, a, b}) {
				bounds[r].add(len(old), truths[j], ans.held, func() string { return "" })
				same = same && equivalent(ans, defined[j])
			}
			if !same {
				differ[r]++
			}
		}
	})
	for r, rule := range carryRules {
		held, unheld := bounds[r].wronglyHeld, bounds[r].wronglyUnheld
		t.Logf("%-40s %7d wrongly held %7d wrongly refused %7d pairs differ from the definition", rule.name, held, unheld, differ[r])
		if rule.inBounds != (held+unheld == 0) {
			t.Errorf("%s: in bounds = %v, want %v", rule.name, !rule.inBounds, rule.inBounds)
		}
		if (r == 0) != (differ[r] == 0) {
			t.Errorf("%s differs from the definition at %d pairs", rule.name, differ[r])
		}
	}
}

// equivalent reports whether two answers give the same verdict under every coverage.
func equivalent(a, b answer) bool {
	if undecided(a) && undecided(b) && !a.any && !b.any {
		return true
	}
	one := bits.OnesCount64(a.partners) == 1
	return a.partners == b.partners && a.loose == b.loose && (one || a.any == b.any)
}
