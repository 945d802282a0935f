package evidence

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/span"
)

var (
	exploreDepth = flag.Int("evidence.depth", 0, "operations of the exhaustive exploration of evidence; 0 is the short run, or, with SIGHTLINE_LONG, 3")
	walks        = flag.Int("evidence.walks", 0, "random walks through the universe of evidence; 0 is 150, or, with SIGHTLINE_LONG, 60000")
)

// long reports whether there is time.
func long() bool { return os.Getenv("SIGHTLINE_LONG") != "" }

// exploration is a breadth-first walk through all worlds.
type exploration struct {
	u        *universe
	depth    int
	seen     map[string]bool
	states   int
	verdicts int
	refusals int
	free     int // verdicts that the oracle leaves open
	cures    int
	commits  int
	failures []string
	limit    int // failures after which it ends
	thin     func(step) bool
}

func explore(u *universe, starts []*world, depth, limit int, thin func(step) bool) *exploration {
	x := &exploration{u: u, depth: depth, seen: map[string]bool{}, limit: limit, thin: thin}
	var level []*world
	for _, w := range starts {
		level = x.meet(level, w, depth)
	}
	for d := depth - 1; d >= 0 && len(x.failures) < x.limit; d-- {
		var next []*world
		for _, w := range level {
			for _, s := range w.steps() {
				if thin != nil && !thin(s) {
					continue
				}
				if n, ok := w.apply(s); ok {
					if s.op == opReadSame {
						x.later(w, n)
					}
					next = x.meet(next, n, d)
				}
				if len(x.failures) >= x.limit {
					return x
				}
			}
		}
		level = next
	}
	return x
}

// meet checks a world that was not met before, and keeps it for the next level.
func (x *exploration) meet(level []*world, w *world, left int) []*world {
	k := w.key()
	if x.seen[k] {
		return level
	}
	x.seen[k] = true
	x.states++
	x.check(w)
	if left == 0 {
		return level
	}
	return append(level, w)
}

func (x *exploration) fail(w *world, format string, args ...any) {
	var b strings.Builder
	fmt.Fprintf(&b, "start %q", w.moments[0].text)
	for _, s := range w.path {
		fmt.Fprintf(&b, " %v", s)
	}
	fmt.Fprintf(&b, "\n  text %q: ", w.current())
	fmt.Fprintf(&b, format, args...)
	x.failures = append(x.failures, b.String())
}

// steps returns what can happen next.
func (w *world) steps() []step {
	u, text := w.u, w.current()
	if text == gone {
		out := []step{{op: opRead, from: 0, to: 0}, {op: opCreate, text: "a"}, {op: opStranger, from: 0, to: 1, text: "a"}}
		for _, m := range w.moments {
			if m.text != gone && m.text != "a" {
				out = append(out, step{op: opStranger, from: 0, to: 1, text: m.text})
				break
			}
		}
		return out
	}
	n := len(text)
	var out []step
	for a := range n + 1 {
		for b := a + 1; b <= n; b++ {
			out = append(out, step{op: opRead, from: a, to: b}, step{op: opReadSame, from: a, to: b})
		}
	}
	if n == 0 {
		out = append(out, step{op: opRead}, step{op: opReadSame})
	}
	if len(w.records) > 0 && w.boundary < w.seq {
		out = append(out, step{op: opTick})
	}
	changes := func(o op) {
		for k := range n + 1 {
			for i := range len(u.letters) {
				l := u.letters[i : i+1]
				if n < u.maxLines {
					out = append(out, step{o, k, k, l})
				}
				if k < n && text[k] != l[0] {
					out = append(out, step{o, k, k + 1, l})
				}
			}
			if k < n {
				out = append(out, step{o, k, k + 1, ""})
			}
		}
	}
	changes(opStranger)
	for k := 0; k+1 < n; k++ {
		if text[k] != text[k+1] {
			out = append(out, step{opStranger, k, k + 2, text[k+1:k+2] + text[k:k+1]})
		}
	}
	if n > 2 {
		for k := range n {
			out = append(out, step{opWrap, 0, n, "[" + text[k:k+1] + "]"})
		}
	}
	changes(opOther)
	if len(w.records) == 0 {
		return out // nothing else is admitted, or changes anything
	}
	changes(opEdit)
	for k := range n {
		out = append(out, step{opNumber, k, k + 1, u.letters[:1]}, step{opNumber, k, k + 1, u.letters[1:2]})
		if k+1 < n {
			out = append(out, step{opNumber, k, k + 2, u.letters[:1]})
		}
	}
	out = append(out, step{op: opReplace, text: u.letters[:2]}, step{op: opReplace, text: ""}, step{op: opDelete}, step{op: opUnlink},
		step{op: opMove}, step{op: opCure}, step{op: opRewind, from: 0})
	if w.call > 1 {
		out = append(out, step{op: opRewind, from: int(w.call) - 1})
	}
	if w.plan == nil {
		for k := range n {
			out = append(out, step{opPlan, k, k + 1, "P"})
		}
	} else {
		out = append(out, step{op: opCommit})
	}
	return out
}

// askings returns every call that is judged in a world.
func (w *world) askings() []asking {
	text := w.current()
	if text == gone {
		return nil
	}
	n := len(text)
	var out []asking
	for k := range n + 1 {
		for i := range len(w.u.letters) {
			out = append(out, w.quote(k, k, w.u.letters[i:i+1]))
		}
		if k < n {
			out = append(out, w.quote(k, k+1, "N"), w.quote(k, k+1, ""))
		}
	}
	for from := range w.u.maxLines + 1 {
		for to := from; to <= min(from+2, w.u.maxLines); to++ {
			if a, ok := w.byNumber(from, to, "N"); ok {
				out = append(out, a)
			}
		}
	}
	return append(out, w.whole(KindReplace, "N"), w.whole(KindDelete, ""))
}

// check judges every call, compares it with the oracle, and plays the cure of every refusal.
func (x *exploration) check(w *world) {
	for _, s := range w.path {
		if s.op == opCommit {
			x.commits++
			if s.to == -1 {
				x.fail(w, "the commit went to another line")
			}
		}
	}
	askings := w.askings()
	shown := make([]string, len(askings))
	for i, a := range askings {
		v := w.judge(a)
		shown[i] = v.show()
		x.verdicts++
		b := a.want()
		switch {
		case b.refuse && v.Allow:
			x.fail(w, "%v is admitted and must be refused", a.step)
		case b.admit && !b.refuse && !v.Allow:
			x.fail(w, "%v must be admitted: %s", a.step, v.show())
		case !b.admit && !b.refuse:
			x.free++
		}
		if !v.Allow {
			x.refusals++
			x.cure(w, a, v)
		}
		if len(x.failures) >= x.limit {
			return
		}
	}
	x.consistent(w, askings, shown)
}

// cure plays the cure of a refusal: with nothing else happening, the same call is admitted in the next round, or the
// call with the numbers that the refusal told.
func (x *exploration) cure(w *world, a asking, v Verdict) {
	before := w.t.Entries()
	c := *w
	c.path = append(append([]step(nil), w.path...), a.step)
	if v.SameRound {
		c.boundary = w.seq
		if again := c.again(a); !again.Allow {
			x.fail(&c, "was shown in its own round, but in the next one: %s; first it was %s", again.show(), v.show())
		}
	}
	c.t, c.records = w.t.Clone(), append([]record(nil), w.records...)
	c.memo = nil
	c.deliver(v)
	x.cures++
	if again := c.again(a); !again.Allow {
		x.fail(&c, "refused %s, and after the cure: %s", v.show(), again.show())
	}
	if a.step.op == opNumber && len(v.Moved) > 0 {
		x.renumbered(&c, a, v)
	}
	if w.t.Entries() != before {
		x.fail(w, "the refusal of %v changed the evidence", a.step)
	}
}

// again judges the refused call in the present round, at the lines that it was located at.
func (w *world) again(a asking) Verdict {
	call := a.call
	call.Boundary = w.boundary
	if len(call.Needs) > 0 {
		call.Needs = append([]Need(nil), call.Needs...)
		call.Needs[0].Seen = call.Needs[0].Lines
	}
	return w.judge(asking{call: call})
}

// renumbered plays the refused call with the numbers of now, where all its lines only moved together.
func (x *exploration) renumbered(w *world, a asking, v Verdict) {
	n := a.call.Needs[0]
	if n.Seen.Empty() || len(v.Moved) != n.Seen.Len() {
		return
	}
	for i, m := range v.Moved {
		if m.Now != v.Moved[0].Now+span.Line(i) {
			return
		}
	}
	now := int(v.Moved[0].Now)
	b, ok := w.byNumber(now, now+n.Seen.Len(), a.step.text)
	if !ok {
		x.fail(w, "%v cannot be sent with new numbers", a.step)
		return
	}
	if again := w.judge(b); !again.Allow && len(v.Missing) == 0 && n.Seen.Len() == 1 {
		x.fail(w, "%v by its new numbers %v: %s; first it was %s", a.step, b.step, again.show(), v.show())
	}
}

// consistent checks that asking changes nothing, that seen says what the judge does, and that a restart changes no
// answer.
func (x *exploration) consistent(w *world, askings []asking, shown []string) {
	r := w.restart()
	for i := len(askings) - 1; i >= 0; i-- {
		if got := w.judge(askings[i]).show(); got != shown[i] {
			x.fail(w, "%v: first %s, then %s", askings[i].step, shown[i], got)
		}
		if got := r.judge(askings[i]).show(); got != shown[i] {
			x.fail(w, "%v: %s, after a restart %s", askings[i].step, shown[i], got)
		}
	}
	if !reflect.DeepEqual(w.t.State(), r.t.State()) {
		x.fail(w, "a restart changes the evidence")
	}
	if w.current() == gone {
		return
	}
	for k, f := range Lines(w.t, w.h, w.version()) {
		s := span.LineSlot(span.Line(k))
		one := Reading{Need: span.SetOf(span.Of(s, s+1))}
		v := Judge(w.t, w.h, w.version(), Call{Boundary: Now, Needs: []Need{{Choose: func(func(span.Slot) bool) Reading { return one }}}})
		if seen := f.State == LineSeen || f.State == LineAuthored; seen != v.Allow {
			x.fail(w, "line %d is %v, and an edit of it: %s", k+1, f.State, v.show())
		}
		if f.State == LineStale != (len(v.Drifted) > 0) {
			x.fail(w, "line %d is %v, and an edit of it: %s", k+1, f.State, v.show())
		}
	}
}

// later checks that what is shown in a round admits nothing in that round.
func (x *exploration) later(before, after *world) {
	if before.current() == gone {
		return
	}
	as := after.askings()
	for i, a := range before.askings() {
		if v := before.judge(a); !v.Allow && after.judge(as[i]).Allow {
			x.fail(after, "%v: %s before the last step, which is of the same round, and admitted after it", a.step, v.show())
		}
	}
}

func (x *exploration) report(t *testing.T) {
	t.Helper()
	t.Logf("%d states, %d verdicts (%d left open by the oracle), %d refusals, %d cures played, %d commits of plans",
		x.states, x.verdicts, x.free, x.refusals, x.cures, x.commits)
	for _, f := range x.failures {
		t.Error(f)
	}
}

// family is a part of the universe that is explored to a depth of its own.
type family struct {
	name     string
	letters  string
	maxLines int
	texts    []string
	prefix   []step // played first where it can be
	ops      []op   // what may happen then; nil is everything
	windows  bool   // only single lines are read
	sameSize bool   // strangers and others replace lines, and neither insert nor delete
	depth    int    // of the short run
}

// The texts of up to three lines, but for the names of their letters.
var shortTexts = []string{"", "a", "aa", "ab", "aaa", "aab", "aba", "abb", "abc"}

func families() []family {
	return []family{
		{name: "everything", letters: "abc", maxLines: 4, texts: shortTexts, depth: 2},
		{
			name: "what is shown, and when", letters: "ab", maxLines: 2, texts: []string{"a", "ab", "aa"},
			ops: []op{opRead, opReadSame, opTick, opStranger, opCure}, sameSize: true, depth: 4,
		},
		{
			name: "strangers between rounds", letters: "ab", maxLines: 3, texts: []string{"ab", "aa", "aba"},
			ops: []op{opRead, opReadSame, opStranger}, depth: 3,
		},
		{
			name: "one of two lines is left", letters: "ab", maxLines: 4, texts: []string{"aba", "aaa"},
			ops: []op{opRead, opReadSame, opWrap}, depth: 4, windows: true,
		},
		{
			name: "plans that wait", letters: "ab", maxLines: 4, texts: []string{"aa", "ab", "aba", "abc"},
			prefix: []step{{op: opRead, from: 0, to: -1}, {opPlan, 0, 1, "P"}},
			ops:    []op{opStranger, opOther, opCommit, opEdit, opRewind}, depth: 2,
		},
		{
			name: "plans of the last line", letters: "ab", maxLines: 4, texts: []string{"aa", "ab", "aba"},
			prefix: []step{{op: opRead, from: 0, to: -1}, {opPlan, -1, 0, "P"}},
			ops:    []op{opStranger, opOther, opCommit, opNumber}, depth: 2,
		},
		{
			name: "own edits, others' commits and rewinds", letters: "ab", maxLines: 3, texts: []string{"ab", "aa"},
			prefix: []step{{op: opRead, from: 0, to: -1}},
			ops:    []op{opEdit, opOther, opRewind, opTick, opReadSame, opReplace, opDelete, opCreate}, depth: 2,
		},
		{
			name: "gone and back", letters: "ab", maxLines: 3, texts: []string{"ab", "a"},
			ops: []op{opRead, opReadSame, opUnlink, opStranger, opCreate, opDelete, opMove, opReplace}, sameSize: true, depth: 3,
		},
	}
}

// begin returns the worlds that the family starts from.
func (f family) begin(u *universe) []*world {
	var out []*world
	for _, text := range f.texts {
		w := u.start(text)
		ok := true
		for _, s := range f.prefix {
			switch { // -1 counts from the end of the text
			case s.to == -1:
				s.to = size(text)
			case s.from == -1:
				s.from, s.to = size(text)-1, size(text)
			}
			if w, ok = w.apply(s); !ok {
				break
			}
		}
		if ok {
			out = append(out, w)
		}
	}
	return out
}

func (f family) allows(s step) bool {
	if f.ops != nil && !slices.Contains(f.ops, s.op) {
		return false
	}
	if f.windows && (s.op == opRead || s.op == opReadSame) && s.to-s.from > 1 {
		return false
	}
	return !f.sameSize || s.op != opStranger && s.op != opOther || len(s.text) == s.to-s.from || s.from == 0 && s.to == 1
}

func (f family) explore(u *universe, depth, limit int) *exploration {
	return explore(u, f.begin(u), depth, limit, f.allows)
}

// TestOracle checks every verdict in every world of each family against the oracle. The flag -evidence.depth=N explores
// every family at least N operations deep.
func TestOracle(t *testing.T) {
	for _, f := range families() {
		t.Run(f.name, func(t *testing.T) {
			depth := f.depth
			switch {
			case *exploreDepth > 0:
				depth = max(depth, *exploreDepth)
			case long():
				depth = max(depth, 3)
			case worldLines < 5: // the race detector runs: it finds nothing in pure functions, and takes its time
				depth = max(depth-1, 1)
			}
			f.explore(newUniverse(f.letters, f.maxLines), depth, 10).report(t)
		})
	}
}

// pick chooses the operation first, so that the many ways to change a text do not crowd out the rest.
func pick(steps []step, random *rand.Rand) step {
	byOp := map[op][]step{}
	for _, s := range steps {
		byOp[s.op] = append(byOp[s.op], s)
	}
	for {
		if some := byOp[op(random.IntN(int(opCure)+1))]; len(some) > 0 {
			return some[random.IntN(len(some))]
		}
	}
}

// TestOracleWalks takes longer walks than can be exhausted, at random. A failure names its seed.
func TestOracleWalks(t *testing.T) {
	n := 150
	switch {
	case *walks > 0:
		n = *walks
	case long():
		n = 60000
	}
	u := newUniverse("abc", 5)
	x := &exploration{u: u, seen: map[string]bool{}, limit: 5}
	texts := append([]string{"aabb", "abcb", "abab", "abca"}, shortTexts...)
	for seed := range n {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		w := u.start(texts[random.IntN(len(texts))])
		for range 7 {
			n, ok := w.apply(pick(w.steps(), random))
			if !ok {
				continue
			}
			w = n
			failed := len(x.failures)
			x.meet(nil, w, 0)
			if len(x.failures) > failed {
				t.Errorf("seed %d", seed)
				break
			}
		}
	}
	x.report(t)
}

// FuzzOracle lets the fuzzer choose the start and the steps; every world on the way is checked against the oracle.
func FuzzOracle(f *testing.F) {
	f.Add([]byte{4, 0, 1, 30, 2})
	f.Add([]byte{8, 11, 200, 3, 77, 5, 140})
	f.Add([]byte{6, 1, 60, 61, 62, 63, 64, 65})
	f.Add([]byte("read, change, cure, and again"))
	u := newUniverse("abc", 5)
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) == 0 {
			return
		}
		w := u.start(shortTexts[int(script[0])%len(shortTexts)])
		x := &exploration{u: u, seen: map[string]bool{}, limit: 1}
		for _, b := range script[1:min(len(script), 8)] {
			steps := w.steps()
			if n, ok := w.apply(steps[int(b)%len(steps)]); ok {
				w = n
				x.meet(nil, w, 0)
			}
		}
		for _, failure := range x.failures {
			t.Error(failure)
		}
	})
}
