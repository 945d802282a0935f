package evidence

import (
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// The oracle knows texts, not hashes, and shares nothing with what it checks: no table, no trimming, no line values.
// It writes down every way to match equal lines in order and keeps the longest ones.

// reading is one longest common subsequence: the old line of every new line, or nobody.
type reading []int8

const nobody = -1

// readings returns every longest common subsequence of two short texts.
func readings(old, new []string) []reading {
	best, all := 0, []reading(nil)
	now := make(reading, len(new))
	var walk func(i, j, n int)
	walk = func(i, j, n int) {
		if j == len(new) {
			if n > best {
				best, all = n, all[:0]
			}
			if n == best {
				all = append(all, append(reading(nil), now...))
			}
			return
		}
		now[j] = nobody
		walk(i, j+1, n)
		for k := i; k < len(old); k++ {
			if old[k] == new[j] {
				now[j] = int8(k)
				walk(k+1, j+1, n+1)
			}
		}
	}
	walk(0, 0, 0)
	return all
}

// truth is what the readings of a pair allow to say of one place of the new text. Sets are bit sets of old places.
type truth struct {
	images uint64 // where some reading puts it
	kept   bool   // every reading puts it somewhere
	unique uint64 // the old line, where the line occurs once in each whole text
	// several tells of a joint that every reading keeps, but not all as the same one.
	several bool
}

// may reports whether a rule may say that the place is covered, must whether it has to.
func (t truth) may(covered uint64) bool  { return (t.images|t.unique)&covered != 0 }
func (t truth) must(covered uint64) bool { return t.kept && t.images&^covered == 0 }

// lineTruths returns the truth of every line of new.
func lineTruths(old, new []string, all []reading) []truth {
	out := make([]truth, len(new))
	for j := range new {
		t := &out[j]
		t.kept = true
		for _, r := range all {
			if r[j] == nobody {
				t.kept = false
			} else {
				t.images |= 1 << r[j]
			}
		}
		if occurs(new, new[j]) == 1 && occurs(old, new[j]) == 1 {
			for i := range old {
				if old[i] == new[j] {
					t.unique = 1 << i
				}
			}
		}
	}
	return out
}

// jointTruths returns the truth of every joint of new. A reading keeps a joint where the lines beside it come from
// neighbours; start and end of the text count as lines. Only one and the same old joint has to be kept: a joint that
// every reading keeps, but not all as the same one, is free.
func jointTruths(oldN int, all []reading, newN int) []truth {
	out := make([]truth, newN+1)
	for k := range out {
		t := &out[k]
		t.kept = true
		for _, r := range all {
			before, after := -1, oldN
			if k > 0 {
				if before = int(r[k-1]); before == nobody {
					before = -9
				}
			}
			if k < newN {
				after = int(r[k])
			}
			if after == before+1 {
				t.images |= 1 << after
			} else {
				t.kept = false
			}
		}
		t.several = t.kept && t.images&(t.images-1) != 0
		t.kept = t.kept && !t.several
	}
	return out
}

// ordered returns what carry is defined to answer where everything fits into one exact rectangle, but for moved lines:
// equal lines at the start, then at the end, are themselves; of the lines between, each may be whatever some reading of
// the part between says.
func ordered(old, new []string) (out []answer) {
	top, bottom := 0, 0
	for top < len(old) && top < len(new) && old[top] == new[top] {
		out = append(out, answer{partners: 1 << top})
		top++
	}
	for bottom < len(old)-top && bottom < len(new)-top && old[len(old)-1-bottom] == new[len(new)-1-bottom] {
		bottom++
	}
	inner, part := old[top:len(old)-bottom], new[top:len(new)-bottom]
	for _, t := range lineTruths(inner, part, readings(inner, part)) {
		out = append(out, answer{partners: t.images << top, loose: !t.kept})
	}
	for i := len(old) - bottom; i < len(old); i++ {
		out = append(out, answer{partners: 1 << i})
	}
	return out
}

// definition returns the whole of it: what is not sure but occurs once in each whole text is itself as well.
func definition(old, new []string) []answer {
	out := ordered(old, new)
	for j := range out {
		if undecided(out[j]) && occurs(old, new[j]) == 1 && occurs(new, new[j]) == 1 {
			out[j] = answer{partners: placesOf(old, new[j])}
		}
	}
	return out
}

func occurs(text []string, line string) int {
	n := 0
	for _, l := range text {
		if l == line {
			n++
		}
	}
	return n
}

// textsUpTo returns every text of at most n lines over the given letters, shortest first.
func textsUpTo(letters string, n int) [][]string {
	all := [][]string{{}}
	for from, k := 0, 0; k < n; k++ {
		to := len(all)
		for _, t := range all[from:to] {
			for _, l := range strings.Split(letters, "") {
				all = append(all, append(append([]string(nil), t...), l))
			}
		}
		from = to
	}
	return all
}

// versionOf returns the version of a text as the engine would make it.
func versionOf(lines []string) *Version {
	raw := []byte(strings.Join(lines, "\n"))
	if len(lines) > 0 {
		raw = append(raw, '\n')
	}
	h := content.NewHasher(content.Key{1})
	v := &Version{Ref: content.RefOf(raw), N: len(lines)}
	for _, l := range lines {
		v.Skeleton = append(v.Skeleton, h.Line([]byte(l)))
	}
	return v
}

// answer is what a rule says of one place: the old places it may be, whether it may be none, and, for the mutants that
// know no better, that any covered one of them is enough.
type answer struct {
	partners uint64
	loose    bool
	any      bool
}

func (a answer) held(covered uint64) bool {
	if a.any {
		return a.partners&covered != 0
	}
	return a.partners != 0 && !a.loose && a.partners&^covered == 0
}

// answersOf returns what al says of every line of its new version, which must be short.
func answersOf(al *Alignment) []answer {
	out := make([]answer, al.New())
	for j := range out {
		out[j] = answerAt(al, span.Line(j), 0)
	}
	return out
}

// answerAt returns what al says of line j, with partners counted from the old line base on.
func answerAt(al *Alignment, j, base span.Line) (ans answer) {
	one, many := al.Partners(j)
	if one != NoLine {
		many = []span.Line{one}
	}
	for _, i := range many {
		ans.partners |= 1 << (i - base)
	}
	ans.loose = al.Loose(j)
	return ans
}

// tally counts verdicts against the truth.
type tally struct {
	pairs, verdicts            int
	mustRefuse, mustAdmit      int
	free                       int
	wronglyHeld, wronglyUnheld int
	example                    string
}

// add judges one place under every coverage of n old places.
func (c *tally) add(n int, t truth, held func(covered uint64) bool, example func() string) {
	for covered := range uint64(1) << n {
		c.verdicts++
		h := held(covered)
		bad := false
		switch {
		case !t.may(covered):
			c.mustRefuse++
			if h {
				c.wronglyHeld++
				bad = true
			}
		case t.must(covered):
			c.mustAdmit++
			if !h {
				c.wronglyUnheld++
				bad = true
			}
		default:
			c.free++
		}
		if bad && c.example == "" {
			c.example = example()
		}
	}
}
