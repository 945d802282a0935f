package evidence

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// stage is one file on which sessions and strangers act, played against the real kernel. Every session is in a round:
// what it is shown counts from its next one on.
type stage struct {
	tb      testing.TB
	vs      *Versions
	h       *History
	text    []string
	absent  bool
	bom     bool
	seq     Seq
	players map[string]*player
}

// player is one session on the stage.
type player struct {
	*stage
	name     string
	t        *Track
	boundary Seq
	epoch    Epoch
	call     CallID
	strict   bool
}

func newStage(tb testing.TB, text string) *stage {
	return &stage{tb: tb, vs: NewVersions(1 << 20), h: NewHistory(NewAlignmentCache(64)), text: splitText(text), players: map[string]*player{}}
}

// splitText cuts "a b }" into lines; the lines of a stage hold no blanks.
func splitText(s string) []string { return strings.Fields(s) }

// session returns the session of that name.
func (s *stage) session(name string) *player {
	p := s.players[name]
	if p == nil {
		p = &player{stage: s, name: name, t: NewTrack()}
		s.players[name] = p
	}
	return p
}

// version returns the current version of the file.
func (s *stage) version() *Version {
	if s.absent {
		return s.vs.Absent()
	}
	return s.versionOf(s.text)
}

func (s *stage) versionOf(text []string) *Version {
	v := stageVersion(text, s.bom)
	return s.vs.Intern(v)
}

func stageVersion(text []string, bom bool) *Version {
	raw := strings.Join(text, "\n")
	if len(text) > 0 {
		raw += "\n"
	}
	if bom {
		raw = "\xef\xbb\xbf" + raw
	}
	h := content.NewHasher(content.Key{7})
	v := &Version{Ref: content.RefOf([]byte(raw)), N: len(text), BOM: bom}
	for _, l := range text {
		v.Skeleton = append(v.Skeleton, h.Line([]byte(l)))
	}
	return v
}

// becomes is a change by somebody else.
func (s *stage) becomes(text string) { s.absent, s.text = false, splitText(text) }

// tick begins the session's next round: everything shown so far counts.
func (p *player) tick() { p.boundary = p.seq }

// lines returns the one-based closed range a to b as a span.
func lines(a, b int) span.Lines { return span.Of(span.Line(a-1), span.Line(b)) }

// reads shows the lines a to b in this round.
func (p *player) reads(a, b int) {
	p.observe(lines(a, b))
}

func (p *player) readsAll() { p.observe(span.Of(0, span.Line(len(p.text)))) }

func (p *player) observe(ls ...span.Lines) {
	p.seq++
	p.call++
	v := p.version()
	var add []Entry
	for _, l := range ls {
		add = append(add, Entry{Slots: v.Shown(l), Seq: p.seq, Epoch: p.epoch, Call: p.call})
	}
	p.t.Observe(p.h, v, add)
}

// saw reads the lines and begins the next round.
func (p *player) saw(a, b int) { p.reads(a, b); p.tick() }

func (p *player) sawAll() { p.readsAll(); p.tick() }

// change is one edit of the stage: lines of the current text become others.
type change struct {
	class Class
	seen  span.Lines // numbered: as the call names them
	lines span.Lines
	to    []string
	slots span.Slots // owed instead, where not empty
}

// quoting is a text edit of the lines a to b; a = b+1 inserts before a.
func quoting(a, b int, to string) change {
	return change{class: Quoted, lines: lines(a, b), to: splitText(to)}
}

// numbering is an edit by the numbers a to b.
func numbering(a, b int, to string) change {
	return change{class: Numbered, seen: lines(a, b), lines: lines(a, b), to: splitText(to)}
}

// after returns the text with the change made.
func (c change) after(text []string) []string {
	return slices.Concat(text[:c.lines.From], c.to, text[c.lines.To:])
}

// call returns the call that makes the changes to the text.
func (p *player) callOf(text []string, cs ...change) Call {
	c := Call{Kind: KindEdit, Boundary: p.boundary, Strict: p.strict}
	for _, ch := range cs {
		n := Need{Class: ch.class, Lines: ch.lines, Seen: ch.seen}
		all := ch.readings(text)
		n.Choose = func(held func(span.Slot) bool) Reading { return cheapest(all, held) }
		c.Needs = append(c.Needs, n)
		c.Noop = slices.Equal(ch.after(text), text)
	}
	return c
}

func cheapest(all []Reading, held func(span.Slot) bool) Reading {
	for _, r := range all {
		if ok := func() bool {
			for _, sp := range r.Need.Spans() {
				for s := sp.From; s < sp.To; s++ {
					if !held(s) {
						return false
					}
				}
			}
			return true
		}(); ok {
			return r
		}
	}
	return all[0]
}

// readings returns every way to read the change that replaces as few lines as can be, the one at the change's own
// place first. An edit by numbers has one: it replaces what it names.
func (c change) readings(text []string) []Reading {
	if !c.slots.Empty() {
		return []Reading{{Splices: span.Splices{{Old: c.lines, New: len(c.to)}}, Need: span.SetOf(c.slots)}}
	}
	if c.class == Numbered && !c.lines.Empty() {
		return []Reading{{Splices: span.Splices{{Old: c.lines, New: len(c.to)}}, Need: span.SetOf(span.InnerSlots(c.lines))}}
	}
	if c.lines.Empty() && c.class == Numbered {
		return []Reading{readingOf(text, span.Splices{{Old: c.lines, New: len(c.to)}})}
	}
	if len(text) > 12 { // too many to list: at its own place
		return []Reading{readingOf(text, span.Splices{{Old: c.lines, New: len(c.to)}})}
	}
	after := c.after(text)
	best, all := 0, []span.Splices(nil)
	var walk func(i, j, n int, ss span.Splices)
	walk = func(i, j, n int, ss span.Splices) {
		gap := func(oldTo, newTo int) span.Splices {
			if i == oldTo && j == newTo {
				return ss
			}
			return append(slices.Clone(ss), span.Splice{Old: span.Of(span.Line(i), span.Line(oldTo)), New: newTo - j})
		}
		for k := i; k < len(text); k++ {
			for l := j; l < len(after); l++ {
				if text[k] == after[l] {
					walk(k+1, l+1, n+1, gap(k, l))
				}
			}
		}
		if n > best {
			best, all = n, nil
		}
		if n == best {
			all = append(all, gap(len(text), len(after)))
		}
	}
	walk(0, 0, 0, nil)
	distance := func(ss span.Splices) (d int) {
		for _, s := range ss {
			d += max(int(c.lines.From-s.Old.From), 0) + max(int(s.Old.To-c.lines.To), 0)
		}
		return d + len(ss)
	}
	slices.SortStableFunc(all, func(a, b span.Splices) int { return distance(a) - distance(b) })
	var out []Reading
	for _, ss := range all {
		out = append(out, readingOf(text, ss))
	}
	return out
}

// readingOf owes what the splices touch, and for an insertion both neighbours.
func readingOf(text []string, ss span.Splices) Reading {
	r := Reading{Splices: ss}
	owe := func(k span.Line) {
		if 0 <= k && int(k) < len(text) {
			r.Need = r.Need.With(span.Of(span.LineSlot(k), span.LineSlot(k)+1))
		}
	}
	for _, s := range ss {
		for k := s.Old.From; k < s.Old.To; k++ {
			owe(k)
		}
		if s.Old.Empty() {
			owe(s.Old.From - 1)
			owe(s.Old.From)
			if len(text) == 0 {
				r.Need = r.Need.With(span.WholeFile(0))
			}
		}
	}
	return r
}

// judge asks without doing anything.
func (p *player) judge(cs ...change) Verdict {
	return Judge(p.t, p.h, p.version(), p.callOf(p.text, cs...))
}

// edit judges and, where it is allowed, makes the changes.
func (p *player) edit(cs ...change) Verdict {
	v := p.judge(cs...)
	if v.Allow {
		slices.SortFunc(cs, func(a, b change) int { return int(b.lines.From - a.lines.From) })
		after := p.text
		for _, c := range cs {
			after = c.after(after)
		}
		p.commit(after, v)
	}
	return v
}

// commit makes the text what an admitted edit makes of it.
func (p *player) commit(after []string, v Verdict) {
	before := p.version()
	p.text = after
	p.seq++
	p.call++
	e := Edge{From: before, To: p.version(), Splices: v.Splices, By: p.name, Seq: p.seq}
	p.h.Add(e)
	for _, q := range p.players {
		q.t.Rebase(p.h, e, q == p, v.Readings, p.seq, p.epoch, p.call)
	}
}

func (p *player) kind(k Kind) Verdict {
	return Judge(p.t, p.h, p.version(), Call{Kind: k, Boundary: p.boundary, Strict: p.strict})
}

// write replaces the whole file.
func (p *player) write(text string) Verdict {
	v := p.kind(KindReplace)
	if v.Allow {
		p.create(text)
	}
	return v
}

// create writes the whole file without asking.
func (p *player) create(text string) {
	p.absent, p.text = false, splitText(text)
	p.seq++
	p.call++
	p.t.Author(p.h, p.version(), p.seq, p.epoch, p.call)
}

func (p *player) remove() Verdict {
	v := p.kind(KindDelete)
	if v.Allow {
		p.absent, p.text = true, nil
		p.t.Clear()
	}
	return v
}

// cured shows what the refusal cures with, and begins the next round.
func (p *player) cured(v Verdict) {
	if len(v.Cure) > 0 {
		p.observe(v.Cure...)
	}
	p.renumbered(v)
	p.tick()
}

func (p *player) renumbered(v Verdict) {
	var now []span.Lines
	for _, m := range v.Moved {
		now = append(now, span.Of(m.Now, m.Now+1))
	}
	p.t.Renumber(p.version(), now)
}

// show writes a verdict in one line, one-based: "allow" or "stale missing 2-3 drifted 5-4 cure 2-5".
func (v Verdict) show() string {
	if v.Allow {
		return "allow"
	}
	out := string(v.Code)
	add := func(name string, ls []span.Lines) {
		if len(ls) > 0 {
			out += " " + name
		}
		for _, l := range ls {
			out += fmt.Sprintf(" %d-%d", l.From+1, l.To)
		}
	}
	add("missing", v.Missing)
	add("drifted", v.Drifted)
	if !slices.Equal(v.Cure, v.Missing) {
		add("cure", v.Cure)
	}
	for _, m := range v.Moved {
		out += fmt.Sprintf(" moved %d>%d", m.Seen+1, m.Now+1)
	}
	if v.SameRound {
		out += " same-round"
	}
	if v.Forgotten {
		out += " forgotten"
	}
	if len(v.By) > 0 {
		out += " by " + strings.Join(v.By, ",")
	}
	return out
}

// want fails unless the verdict reads so.
func want(tb testing.TB, what string, v Verdict, text string) {
	tb.Helper()
	if got := v.show(); got != text {
		tb.Errorf("%s:\n got %s\nwant %s", what, got, text)
	}
	if v.Allow != (v.Code == "") || !v.Allow && !v.Code.Refusal() {
		tb.Errorf("%s: allow %v with code %q", what, v.Allow, v.Code)
	}
}

// wantSeen fails unless the states of all lines read so, one letter a line: s seen, a authored, r recorded, x stale,
// - unseen.
func (p *player) wantSeen(what, states string) {
	p.tb.Helper()
	var b strings.Builder
	for _, f := range Lines(p.t, p.h, p.version()) {
		b.WriteByte("-sxar"[f.State])
	}
	if b.String() != states {
		p.tb.Errorf("%s: lines are %s, want %s", what, b.String(), states)
	}
}
