package evidence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// world is one state of the explored universe: the kernel's evidence of one session and one file beside the oracle's
// account of the same story. Another session commits through us, and strangers change the file behind our back.
type world struct {
	u *universe
	oracle
	t     *Track
	h     *History
	seq   Seq
	call  CallID
	epoch Epoch
	plan  *planned
	path  []step
	owes  bool // by a mutant
}

// planned is an admitted edit that waits for its commit.
type planned struct {
	time     int
	boundary Seq
	epoch    Epoch
	line     span.Line
	to       string
	readings []Reading
}

// step is one operation.
type step struct {
	op       op
	from, to int // lines, half-open
	text     string
}

type op uint8

const (
	opRead     op = iota // lines, counting from the next round on, which begins
	opReadSame           // lines, in the round of the calls that follow
	opTick               // the next round begins
	opEdit               // the session quotes the lines and replaces them
	opNumber             // the session names the lines by number and replaces them
	opReplace            // the session writes the whole file
	opDelete             // the session deletes the file
	opCreate             // the session creates the file
	opMove               // the session moves the file to another name
	opPlan               // the session plans the edit of one line
	opCommit             // and commits it
	opRewind             // the conversation goes back behind the call `from`
	opOther              // another session commits through us: lines become text
	opStranger           // somebody changes the file behind our back: lines become text
	opWrap               // somebody rewrites everything around one line
	opUnlink             // somebody deletes the file
	opCure               // the session is shown what would cure a whole-file write
)

func (s step) String() string {
	names := [...]string{"read", "read-same-round", "tick", "edit", "number", "replace", "delete", "create", "move", "plan", "commit", "rewind", "other", "stranger", "wrap", "unlink", "cure"}
	return fmt.Sprintf("%s[%d,%d)%q", names[s.op], s.from, s.to, s.text)
}

// universe is what all worlds of one exploration share.
type universe struct {
	letters  string
	maxLines int
	truths   truths
	versions map[string]*Version
	byRef    map[string]*Version
	names    map[*Version]string
	readings map[string][]Reading
	cache    *AlignmentCache
	mutant   mutant
	rules    rules
}

// rules are the mutants that lie outside of the kernel, in how it is used.
type rules struct {
	firstReading bool // of all readings only the first is tried
	relocate     bool // a commit locates its text again
	debt         bool // a refusal forbids every other call
}

func newUniverse(letters string, maxLines int) *universe {
	return &universe{
		letters: letters, maxLines: maxLines, truths: truths{}, versions: map[string]*Version{},
		byRef: map[string]*Version{}, names: map[*Version]string{}, readings: map[string][]Reading{}, cache: NewAlignmentCache(1 << 14),
	}
}

func (u *universe) version(text string) *Version {
	v := u.versions[text]
	if v == nil {
		if text == gone {
			v = &Version{Absent: true}
		} else {
			v = stageVersion(strings.Split(text, ""), false)
			if text == "" {
				v = stageVersion(nil, false)
			}
		}
		u.versions[text] = v
		u.byRef[v.Ref.String()] = v
		u.names[v] = text
	}
	return v
}

// start returns the world in which the file has this text and nobody saw it.
func (u *universe) start(text string) *world {
	w := &world{u: u, t: NewTrack(), h: NewHistory(u.cache)}
	w.t.mutant = u.mutant
	w.moments = []moment{{text: text}}
	return w
}

func (w *world) clone() *world {
	c := *w
	c.t, c.h = w.t.Clone(), w.h.Clone()
	c.moments, c.records, c.path = slices.Clone(w.moments), slices.Clone(w.records), slices.Clone(w.path)
	c.memo = nil
	return &c
}

func (w *world) version() *Version { return w.u.version(w.current()) }

// observe shows lines of the current text.
func (w *world) observe(ls ...span.Lines) {
	w.seq++
	w.call++
	v := w.version()
	r := record{time: w.now(), seq: w.seq, call: w.call}
	var add []Entry
	for _, l := range ls {
		s := v.Shown(l)
		add = append(add, Entry{Slots: s, Seq: w.seq, Epoch: w.epoch, Call: w.call})
		r.cover(s)
	}
	w.records = append(w.records, r)
	w.t.Observe(w.h, v, add)
}

func (r *record) cover(s span.Slots) {
	for x := s.From; x < s.To; x++ {
		if x.IsLine() {
			r.lines |= 1 << x.Line()
		} else {
			r.joints |= 1 << x.Line()
		}
	}
}

// becomes gives the file another text.
func (w *world) becomes(m moment) {
	w.memo = nil
	w.seq++
	m.seq = w.seq
	w.moments = append(w.moments, m)
}

// commit makes the text what splices make of it.
func (w *world) commit(text string, ss span.Splices, readings []Reading, mine bool) {
	before := w.version()
	if mine {
		w.call++
	}
	w.becomes(moment{text: text, edge: true, own: mine, splices: ss, call: w.call})
	e := Edge{From: before, To: w.version(), Splices: ss, By: map[bool]string{true: "P", false: "Q"}[mine], Seq: w.seq}
	w.h.Add(e)
	w.t.Rebase(w.h, e, mine, readings, w.seq, w.epoch, w.call)
	if mine {
		r := record{time: w.now(), seq: w.seq, call: w.call, own: true}
		for _, s := range authored(ss, nil) {
			r.cover(s)
		}
		w.records = append(w.records, r)
	}
}

// author makes the text one that the session wrote as a whole.
func (w *world) author(text string) {
	w.call++
	w.becomes(moment{text: text, own: true, call: w.call})
	w.moments[w.now()].own = false // no splices are known
	w.t.Author(w.h, w.version(), w.seq, w.epoch, w.call)
	r := record{time: w.now(), seq: w.seq, call: w.call, own: true}
	r.cover(w.version().slots())
	w.records = append(w.records, r)
}

// change returns the text with lines replaced.
func replaced(text string, from, to int, by string) string { return text[:from] + by + text[to:] }

// ways returns the readings of a change.
func (u *universe) ways(text string, c change) []Reading {
	key := fmt.Sprint(text, c.class, c.lines, c.to)
	rs, ok := u.readings[key]
	if !ok {
		var ls []string
		if text != "" {
			ls = strings.Split(text, "")
		}
		rs = c.readings(ls)
		u.readings[key] = rs
	}
	return rs
}

func letters(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "")
}

// asking is one call that the session could make now.
type asking struct {
	step step
	call Call
	all  []Reading
	want func() bounds
}

// quote returns the asking of a text edit.
func (w *world) quote(from, to int, by string) asking {
	c := change{class: Quoted, lines: span.Of(span.Line(from), span.Line(to)), to: letters(by)}
	all := w.u.ways(w.current(), c)
	if w.u.rules.firstReading {
		all = all[:1]
	}
	return asking{
		step: step{opEdit, from, to, by}, all: all, call: w.callOf(c, all),
		want: func() bounds { return w.quoted(w.u.truths, w.u.ways(w.current(), c)) },
	}
}

func (w *world) callOf(c change, all []Reading) Call {
	n := Need{Class: c.class, Lines: c.lines, Seen: c.seen, Choose: func(held func(span.Slot) bool) Reading { return cheapest(all, held) }}
	return Call{Kind: KindEdit, Needs: []Need{n}, Boundary: w.boundary}
}

// byNumber returns the asking of an edit of the lines that the session calls from to to; ok is false where the numbers
// are moved into conflict or past the end.
func (w *world) byNumber(from, to int, by string) (a asking, ok bool) {
	seen := span.Of(span.Line(from), span.Line(to))
	now, ok := Translate(w.t, w.h, w.version(), w.boundary, seen)
	if !ok || int(now.To) > size(w.current()) {
		return a, false
	}
	c := change{class: Numbered, seen: seen, lines: now, to: letters(by)}
	all := w.u.ways(w.current(), c)
	var owed, seams []span.Line
	for _, sp := range all[0].Need.Spans() {
		for s := sp.From; s < sp.To; s++ {
			if s.IsLine() {
				owed = append(owed, s.Line())
			} else {
				seams = append(seams, s.Line())
			}
		}
	}
	a = asking{step: step{opNumber, from, to, by}, all: all, call: w.callOf(c, all)}
	a.want = func() bounds {
		if w.current() == "" { // an insertion into the empty file owes that it is known to be empty
			return bounds{}
		}
		return w.numbered(w.u.truths, owed, seen.From-now.From, seams)
	}
	return a, true
}

func (w *world) whole(k Kind, text string) asking {
	a := asking{call: Call{Kind: k, Boundary: w.boundary}}
	if k == KindDelete {
		a.step, a.want = step{op: opDelete}, func() bounds { return w.remove(w.u.truths) }
	} else {
		a.step, a.want = step{op: opReplace, text: text}, func() bounds { return w.replace(w.u.truths) }
	}
	return a
}

func (w *world) judge(a asking) Verdict {
	v := Judge(w.t, w.h, w.version(), a.call)
	if w.u.rules.debt {
		if w.owes {
			return Verdict{Code: fault.NotSeen}
		}
		w.owes = !v.Allow
	}
	return v
}

// apply plays one step in a copy; ok is false where it cannot be played.
func (w *world) apply(s step) (*world, bool) {
	c := w.clone()
	c.path = append(c.path, s)
	text := c.current()
	l := span.Of(span.Line(s.from), span.Line(s.to))
	switch s.op {
	case opRead:
		c.observe(l)
		c.boundary = c.seq
	case opReadSame:
		c.observe(l)
	case opTick:
		c.boundary = c.seq
	case opEdit, opNumber, opReplace, opDelete:
		return c, c.act(s)
	case opCreate:
		c.author(s.text)
	case opMove:
		c.t, c.h = c.t.Clone(), c.h.Clone()
	case opPlan:
		a := c.quote(s.from, s.to, s.text)
		v := c.judge(a)
		c.plan = &planned{c.now(), c.boundary, c.epoch, l.From, s.text, v.Readings}
		return c, v.Allow
	case opCommit:
		return c, c.commitPlan()
	case opRewind:
		c.rewind(CallID(s.from))
	case opOther:
		c.commit(replaced(text, s.from, s.to, s.text), span.Splices{{Old: l, New: len(s.text)}}, nil, false)
	case opStranger, opWrap:
		c.becomes(moment{text: replaced(text, s.from, s.to, s.text)})
	case opUnlink:
		c.becomes(moment{text: gone})
	case opCure:
		v := c.judge(c.whole(KindReplace, ""))
		if v.Allow {
			return c, false
		}
		c.deliver(v)
	}
	return c, true
}

// act makes one of the session's own calls, if it is admitted.
func (w *world) act(s step) bool {
	var a asking
	ok := true
	switch s.op {
	case opEdit:
		a = w.quote(s.from, s.to, s.text)
	case opNumber:
		a, ok = w.byNumber(s.from, s.to, s.text)
	case opReplace:
		a = w.whole(KindReplace, s.text)
	case opDelete:
		a = w.whole(KindDelete, "")
	}
	if !ok {
		return false
	}
	v := w.judge(a)
	switch {
	case !v.Allow:
		return false
	case s.op == opReplace:
		w.author(s.text)
	case s.op == opDelete:
		w.t.Clear()
		w.records = nil
		w.becomes(moment{text: gone})
	default:
		l := a.call.Needs[0].Lines
		if w.current()[l.From:l.To] == s.text {
			return false // nothing is changed and nothing credited
		}
		w.commit(replaced(w.current(), int(l.From), int(l.To), s.text), v.Splices, v.Readings, true)
	}
	return true
}

// commitPlan commits the plan if evidence lets it.
func (w *world) commitPlan() bool {
	p := w.plan
	w.plan = nil
	if p == nil || p.epoch != w.epoch || w.current() == gone {
		return false
	}
	plan := w.u.version(w.moments[p.time].text)
	readings, line := p.readings, p.line
	if w.u.rules.relocate {
		line = span.Line(strings.Index(w.current(), w.moments[p.time].text[p.line:p.line+1]))
		if line < 0 || strings.Count(w.current(), w.current()[line:line+1]) > 1 {
			return false
		}
		readings = w.u.ways(w.current(), change{class: Quoted, lines: span.Of(line, line+1), to: letters(p.to)})
	} else if !same(plan, w.version()) {
		t, ok := Transport(w.h, plan, w.version(), p.readings)
		if !ok {
			return false
		}
		readings, line = t.Readings, t.Lines[p.line]
	}
	call := Call{Kind: KindEdit, Boundary: p.boundary, Needs: []Need{{Class: Quoted, Choose: func(func(span.Slot) bool) Reading { return readings[0] }}}}
	v := Judge(w.t, w.h, w.version(), call)
	if !v.Allow {
		return false
	}
	rel := w.may(w.u.truths, p.time)[w.now()-p.time]
	if rel.unmoved[line]>>p.line&1 == 0 {
		w.path = append(w.path, step{op: opCommit, from: int(line), to: -1, text: "another line"})
	}
	w.commit(replaced(w.current(), int(line), int(line)+1, p.to), v.Splices, v.Readings, true)
	return true
}

// rewind drops the calls behind upTo.
func (w *world) rewind(upTo CallID) {
	keep := func(c CallID) bool { return c <= upTo }
	w.epoch++
	w.t.Rewind(keep, w.epoch)
	w.records = slices.DeleteFunc(w.records, func(r record) bool { return !keep(r.call) })
	for i := range w.moments {
		w.moments[i].own = w.moments[i].own && keep(w.moments[i].call)
	}
	w.memo = nil
	w.boundary = w.seq
}

// deliver shows the cure of a refusal and begins the next round.
func (w *world) deliver(v Verdict) {
	if len(v.Cure) > 0 {
		w.observe(v.Cure...)
	}
	var now []span.Lines
	for _, m := range v.Moved {
		now = append(now, span.Of(m.Now, m.Now+1))
	}
	w.t.Renumber(w.version(), now)
	w.boundary = w.seq
}

// restart returns the world after its engine was killed and resumed from what was written down.
func (w *world) restart() *world {
	c := *w
	find := func(ref string) *Version { return w.u.byRef[ref] }
	c.t = RestoreTrack(w.t.State(), find)
	c.t.mutant = w.t.mutant
	c.h = NewHistory(w.u.cache)
	c.h.Restore(w.h.State(), find)
	return &c
}

// key tells worlds apart by everything that matters later: texts and evidence, with letters and moments renamed in the
// order of their occurrence.
func (w *world) key() string {
	k := keyWriter{}
	w.eachSeq(func(s Seq) { k.seqs = append(k.seqs, s) })
	slices.Sort(k.seqs)
	k.seqs = slices.Compact(k.seqs)
	for _, m := range w.moments[w.oldest():] {
		k.text(m.text)
		if m.edge || m.own {
			k.flags(m.edge, m.own)
			k.seq(m.seq)
			for _, s := range m.splices {
				k.ints(int(s.Old.From), int(s.Old.To), s.New)
			}
		}
	}
	k.seq(w.boundary)
	for _, r := range w.records {
		k.flags(r.own)
		k.seq(r.seq)
		k.ints(w.now()-r.time, int(r.lines), int(r.joints))
	}
	for i := range w.t.views {
		v := &w.t.views[i]
		k.out = append(k.out, '/')
		k.text(w.u.names[v.Version])
		k.seq(v.Born)
		k.seq(v.Direct.Seq)
		k.seq(v.Told.Seq)
		for _, e := range v.Entries {
			k.ints(int(e.Slots.From), int(e.Slots.To), int(e.Origin))
			k.flags(e.Carried, e.Moved)
			k.seq(e.Seq)
		}
	}
	if p := w.plan; p != nil {
		k.ints(w.now()-p.time, int(p.line))
		k.flags(p.epoch == w.epoch)
		k.seq(p.boundary)
		k.text(p.to)
	}
	return string(k.out)
}

func (w *world) eachSeq(yield func(Seq)) {
	yield(w.boundary)
	for _, r := range w.records {
		yield(r.seq)
	}
	for _, m := range w.moments {
		yield(m.seq)
	}
	for i := range w.t.views {
		v := &w.t.views[i]
		yield(v.Born)
		yield(v.Direct.Seq)
		yield(v.Told.Seq)
	}
}

// keyWriter writes a key with everything renamed.
type keyWriter struct {
	out   []byte
	seqs  []Seq
	names [256]byte
	next  byte
}

func (k *keyWriter) text(s string) {
	for i := range len(s) {
		if s == gone {
			k.out = append(k.out, '-')
			continue
		}
		if k.names[s[i]] == 0 {
			k.next++
			k.names[s[i]] = k.next
		}
		k.out = append(k.out, 'A'+k.names[s[i]])
	}
	k.out = append(k.out, '|')
}

func (k *keyWriter) seq(s Seq) {
	i, _ := slices.BinarySearch(k.seqs, s)
	k.ints(i)
}

func (k *keyWriter) ints(ns ...int) {
	for _, n := range ns {
		k.out = append(strconv.AppendInt(k.out, int64(n), 10), ',')
	}
}

func (k *keyWriter) flags(fs ...bool) {
	for _, f := range fs {
		if f {
			k.out = append(k.out, 't')
		} else {
			k.out = append(k.out, 'f')
		}
	}
}

// oldest returns the first moment that anything refers to.
func (w *world) oldest() int {
	first := w.now()
	for _, r := range w.records {
		first = min(first, r.time)
	}
	if w.plan != nil {
		first = min(first, w.plan.time)
	}
	return first
}
