package evidence

import (
	"strings"

	"github.com/sightline-io/sightline/internal/span"
)

// The oracle judges from texts alone. It knows every text the file ever had, which of them came from another by a commit
// made through us, and what the session was shown or wrote of which. A text is a string with one byte a line; gone is the
// text of a file that is not there.
const gone = "-"

// moment is one text the file had.
type moment struct {
	text    string
	seq     Seq
	edge    bool // made from the moment before by splices that are known exactly
	own     bool // by the session's own commit
	call    CallID
	splices span.Splices
}

// record is what the session was shown or wrote of one moment. Sets are bits of lines and of joints.
type record struct {
	time   int // index of the moment
	seq    Seq
	call   CallID
	own    bool
	lines  uint32
	joints uint32
}

// oracle is what there is to know.
type oracle struct {
	moments  []moment
	records  []record
	boundary Seq
	memo     map[int][]relation
}

// relation tells, of one moment, which lines and joints of an earlier one each of its lines and joints may be.
type relation struct {
	lines, joints [8]uint32
	unmoved       [8]uint32 // lines without those identified by being unique alone
}

// pairTruth is what the longest common subsequences of two texts say.
type pairTruth struct{ lines, joints []truth }

// truths remembers the truths of pairs of texts.
type truths map[[2]string]*pairTruth

func (ts truths) of(old, new string) *pairTruth {
	key := [2]string{old, new}
	if t := ts[key]; t != nil {
		return t
	}
	t := &pairTruth{}
	switch {
	case old == gone && new == gone:
		t.joints = []truth{{images: 1, kept: true}}
	case old == gone || new == gone:
		t.lines, t.joints = make([]truth, size(new)), make([]truth, size(new)+1)
	default:
		a, b := strings.Split(old, ""), strings.Split(new, "")
		all := readings(a, b)
		t.lines, t.joints = lineTruths(a, b, all), jointTruths(len(a), all, len(b))
	}
	ts[key] = t
	return t
}

// exactly returns the truth of a commit that is known exactly.
func exactly(old, new string, ss span.Splices) *pairTruth {
	t := &pairTruth{lines: make([]truth, size(new)), joints: make([]truth, size(new)+1)}
	at := func(k int) (int, bool) { // a line of new, with the ends of the file as lines
		switch {
		case k < 0:
			return -1, true
		case k == size(new):
			return size(old), true
		}
		i, ok := ss.Back(span.Line(k))
		return int(i), ok
	}
	for j := range t.lines {
		if i, ok := at(j); ok {
			t.lines[j] = truth{images: 1 << i, kept: true}
		}
	}
	for k := range t.joints {
		before, ok1 := at(k - 1)
		after, ok2 := at(k)
		if ok1 && ok2 && after == before+1 && !spliced(ss, k) {
			t.joints[k] = truth{images: 1 << after, kept: true}
		}
	}
	return t
}

// spliced reports whether a splice left its edge at joint k of the result.
func spliced(ss span.Splices, k int) bool {
	for i := range ss {
		r := ss.Result(i)
		if int(r.From) <= k && k <= int(r.To) {
			return true
		}
	}
	return false
}

func size(text string) int {
	if text == gone {
		return 0
	}
	return len(text)
}

// now returns the index of the current moment.
func (o *oracle) now() int { return len(o.moments) - 1 }

func (o *oracle) current() string { return o.moments[o.now()].text }

// hop returns what is known of the way from moment u to moment t, or nil where it is no way: a commit that began at u
// is known exactly, so nobody looks past it, unless the very same text came back.
func (o *oracle) hop(ts truths, u, t int) *pairTruth {
	a, b := o.moments[u], o.moments[t]
	if o.moments[u+1].edge && a.text != b.text {
		if t > u+1 {
			return nil
		}
		return exactly(a.text, b.text, b.splices)
	}
	return ts.of(a.text, b.text)
}

// may returns the relations from moment s to every later one, by all ways through the moments between.
func (o *oracle) may(ts truths, s int) []relation {
	if r := o.memo[s]; r != nil {
		return r
	}
	out := make([]relation, len(o.moments)-s)
	for i := range out[0].lines {
		out[0].lines[i], out[0].joints[i], out[0].unmoved[i] = 1<<i, 1<<i, 1<<i
	}
	for t := s + 1; t < len(o.moments); t++ {
		to := &out[t-s]
		for u := s; u < t; u++ {
			h := o.hop(ts, u, t)
			if h == nil {
				continue
			}
			from := &out[u-s]
			for j, tr := range h.lines {
				to.lines[j] |= through8(from.lines, uint32(tr.images|tr.unique))
				to.unmoved[j] |= through8(from.unmoved, uint32(tr.images))
			}
			for k, tr := range h.joints {
				to.joints[k] |= through8(from.joints, uint32(tr.images))
			}
		}
	}
	if o.memo == nil {
		o.memo = map[int][]relation{}
	}
	o.memo[s] = out
	return out
}

// through8 returns the union of what the chosen places may be.
func through8(from [8]uint32, chosen uint32) (out uint32) {
	for i := range from {
		if chosen>>i&1 == 1 {
			out |= from[i]
		}
	}
	return out
}

// surely returns which lines and joints of the current text are those of moment u in lines and joints, whatever way is
// taken and whatever reading of each step.
func (o *oracle) surely(ts truths, u int, lines, joints uint32) (uint32, uint32) {
	if u == o.now() {
		return lines, joints
	}
	outLines, outJoints := ^uint32(0), ^uint32(0)
	for t := u + 1; t <= o.now() && outLines|outJoints != 0; t++ {
		h := o.hop(ts, u, t)
		if h == nil {
			continue
		}
		var ls, js uint32
		for j, tr := range h.lines {
			if tr.must(uint64(lines)) {
				ls |= 1 << j
			}
		}
		for k, tr := range h.joints {
			if tr.must(uint64(joints)) {
				js |= 1 << k
			}
		}
		if o.moments[u].text == o.moments[t].text {
			ls, js = lines, joints
		}
		ls, js = o.surely(ts, t, ls, js)
		outLines, outJoints = outLines&ls, outJoints&js
	}
	return outLines, outJoints
}

// bounds are what the oracle leaves open: a call that it says to refuse must be refused, one that it says to admit must
// be admitted, and between the two the kernel decides.
type bounds struct{ refuse, admit bool }

// quotes reports whether a record counts for a call that quotes its text.
func (o *oracle) quotes(r record) bool { return r.seq <= o.boundary || r.own }

// quotedLines returns which lines of the current text a quoting call may be told to have seen, and which it must.
func (o *oracle) quotedLines(ts truths) (may, must uint32) {
	for _, r := range o.records {
		if !o.quotes(r) {
			continue
		}
		rel := o.may(ts, r.time)[o.now()-r.time]
		for j := range size(o.current()) {
			if rel.lines[j]&r.lines != 0 {
				may |= 1 << j
			}
		}
		ls, _ := o.surely(ts, r.time, r.lines, r.joints)
		if o.moments[r.time].text == o.current() {
			ls |= r.lines
		}
		must |= ls
	}
	return may, must
}

// emptySeen reports whether a quoting call on the empty file may and must know that it is empty.
func (o *oracle) emptySeen(ts truths) (may, must bool) {
	for _, r := range o.records {
		if !o.quotes(r) {
			continue
		}
		may = may || o.may(ts, r.time)[o.now()-r.time].joints[0]&r.joints != 0
		_, js := o.surely(ts, r.time, r.lines, r.joints)
		must = must || js&1 != 0 || o.moments[r.time].text == o.current() && r.joints&1 != 0
	}
	return may, must
}

// quoted bounds a text edit by the lines that its readings owe.
func (o *oracle) quoted(ts truths, all []Reading) bounds {
	may, must := o.quotedLines(ts)
	emptyMay, emptyMust := o.emptySeen(ts)
	b := bounds{refuse: true}
	for _, r := range all {
		var need uint32
		empty := false
		for _, sp := range r.Need.Spans() {
			for s := sp.From; s < sp.To; s++ {
				if s.IsLine() {
					need |= 1 << s.Line()
				} else {
					empty = true
				}
			}
		}
		if need&^may == 0 && (!empty || emptyMay) {
			b.refuse = false
		}
		if need&^must == 0 && (!empty || emptyMust) {
			b.admit = true
		}
	}
	return b
}

// numberOf returns the number by which the session knows line i of the record at the boundary: moved by its own
// commits, and by nobody else's.
func (o *oracle) numberOf(r record, i span.Line) (span.Line, bool) {
	ok := true
	for _, m := range o.moments {
		if m.own && m.seq > r.seq && m.seq <= o.boundary && ok {
			i, ok = m.splices.Line(i)
		}
	}
	return i, ok
}

// numbered bounds a call that named lines from seen on, which its own later commits have moved to those from now on.
// owed tells of every line of the current text whether the call owes it.
func (o *oracle) numbered(ts truths, owed []span.Line, shift span.Line, seams []span.Line) bounds {
	b := bounds{admit: true}
	newest := -1
	for _, r := range o.records {
		if r.seq <= o.boundary && o.moments[r.time].text != gone {
			newest = max(newest, r.time)
		}
	}
	for _, j := range owed {
		may, must := o.number(ts, j, j+shift, newest)
		b.refuse = b.refuse || !may
		b.admit = b.admit && must
	}
	if len(seams) > 0 {
		b.admit = b.admit && newest >= 0 && newest == o.now()
	}
	return b
}

// number tells whether line j may, and must, be the one that the session knows by the number p.
func (o *oracle) number(ts truths, j, p span.Line, newest int) (may, must bool) {
	latest := Seq(0)
	shown := byte(0) // what was shown last under that number
	for _, r := range o.records {
		if r.seq > o.boundary || o.moments[r.time].text == gone {
			continue
		}
		rel := o.may(ts, r.time)[o.now()-r.time]
		for i := range span.Line(size(o.moments[r.time].text)) {
			q, ok := o.numberOf(r, i)
			if r.lines>>i&1 == 0 || !ok || q != p {
				continue
			}
			if r.seq >= latest {
				latest, shown = r.seq, o.moments[r.time].text[i]
			}
			if rel.unmoved[j]>>i&1 == 1 {
				may = true
			}
			if r.time == newest {
				ls, _ := o.surely(ts, r.time, 1<<i, 0)
				must = must || ls>>j&1 == 1
			}
		}
	}
	if shown != o.current()[j] {
		return false, false
	}
	return may, must
}

// replace bounds a whole-file write: every line and every seam.
func (o *oracle) replace(ts truths) bounds {
	var mayL, mayJ, mustL, mustJ uint32
	newest := record{time: -1}
	n := size(o.current())
	allL, allJ := uint32(1)<<n-1, uint32(1)<<(n+1)-1
	for _, r := range o.records {
		if r.seq > o.boundary {
			continue
		}
		if r.seq > newest.seq {
			newest = r
		}
		rel := o.may(ts, r.time)[o.now()-r.time]
		for j := range n {
			if rel.lines[j]&r.lines != 0 {
				mayL |= 1 << j
			}
		}
		for k := range n + 1 {
			if rel.joints[k]&r.joints != 0 {
				mayJ |= 1 << k
			}
		}
		ls, js := o.surely(ts, r.time, r.lines, r.joints)
		mustL, mustJ = mustL|ls, mustJ|js
	}
	b := bounds{refuse: mayL != allL || mayJ != allJ, admit: mustL&allL == allL && mustJ&allJ == allJ}
	// A session that was shown the whole of a text last, must not be taken to know an older one.
	if newest.time >= 0 {
		text := o.moments[newest.time].text
		if m := size(text); newest.lines == uint32(1)<<m-1 && newest.joints == uint32(1)<<(m+1)-1 {
			rel := o.may(ts, newest.time)[o.now()-newest.time]
			for j := range n {
				b.refuse = b.refuse || rel.lines[j] == 0
			}
			b.admit = b.admit && !b.refuse
		}
	}
	return b
}

// remove bounds a delete: what somebody else changed since the session last saw the file, and was not shown, must not be
// destroyed.
func (o *oracle) remove(ts truths) bounds {
	newest, later := -1, false
	for _, r := range o.records {
		if r.seq <= o.boundary && !r.own {
			newest = max(newest, r.time)
		} else {
			later = true
		}
	}
	switch {
	case newest < 0:
		return bounds{admit: !later}
	case o.moments[newest].text == o.current():
		return bounds{admit: !o.wrote()}
	}
	own, edited := true, false
	for _, m := range o.moments[newest+1:] {
		own = own && m.own
		edited = edited || m.own
	}
	if own {
		return bounds{admit: true} // whatever differs, the session wrote
	}
	if !edited && !o.wrote() {
		return bounds{refuse: true}
	}
	// What no reading of the story takes for a line that was there, or for the session's own, somebody put in.
	rel := o.may(ts, newest)[o.now()-newest]
	may, _ := o.quotedLines(ts)
	for j := range size(o.current()) {
		if rel.lines[j] == 0 && may>>j&1 == 0 {
			return bounds{refuse: true}
		}
	}
	return bounds{}
}

// wrote reports whether the session wrote anything.
func (o *oracle) wrote() bool {
	for _, r := range o.records {
		if r.own {
			return true
		}
	}
	return false
}
