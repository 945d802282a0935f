package evidence

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// numberedText returns n different lines.
func numberedText(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("line", i+1)
	}
	return out
}

// Window edges are exact, and a window past the end credits nothing (F97).
func TestWindowEdgesAreExact(t *testing.T) {
	s := newStage(t, "")
	s.text = numberedText(2000)
	p := s.session("P")
	p.saw(1441, 1464)
	for line, verdict := range map[int]string{
		1441: "allow", 1464: "allow", 1440: "not-seen missing 1440-1440", 1465: "not-seen missing 1465-1465",
	} {
		want(t, fmt.Sprint("line ", line), p.judge(quoting(line, line, "x")), verdict)
	}
	q := s.session("Q")
	q.saw(2500, 2600)
	if !q.t.Empty() || q.t.Known() {
		t.Error("a window past the end left a view")
	}
	want(t, "past the end", q.judge(quoting(2000, 2000, "x")), "not-seen missing 2000-2000")
}

// The empty file is known once it was shown to be empty (F02), and an absent one is a version of its own.
func TestEmptyAndAbsent(t *testing.T) {
	s := newStage(t, "")
	p := s.session("P")
	v := p.kind(KindReplace)
	if v.Allow || v.Code != "needs-full" || len(v.Missing)+len(v.Drifted) != 0 || len(v.Cure) != 1 || !v.Cure[0].Empty() {
		t.Errorf("%+v", v)
	}
	p.cured(v)
	want(t, "write", p.write("x"), "allow")
	p.tick()
	s.becomes("")
	v = p.kind(KindReplace)
	want(t, "write over a file that was emptied", v, "stale drifted 1-0 cure 1-0")
	p.cured(v)
	want(t, "after the cure", p.kind(KindReplace), "allow")
	s.becomes("new text")
	want(t, "lines that came into an empty file", p.judge(quoting(1, 1, "x")), "stale drifted 1-1 cure 1-1")

	s.absent = true
	p.observe(span.Lines{})
	p.tick()
	s.becomes("y z")
	want(t, "delete of what came after", p.kind(KindDelete), "stale drifted 1-2 cure 1-2")
	want(t, "edit of what came after", s.session("Q").judge(quoting(1, 1, "x")), "not-seen missing 1-1")
}

// Evidence moves with its line through own edits (F96), and what was never shown stays unseen.
func TestOwnEditsCarryEvidence(t *testing.T) {
	s := newStage(t, "a b c d")
	p := s.session("P")
	p.sawAll()
	want(t, "1", p.edit(quoting(1, 1, "a1 a2 a3")), "allow")
	want(t, "2", p.edit(quoting(6, 6, "D")), "allow")
	p.tick()
	want(t, "3", p.edit(numbering(2, 2, "A2")), "allow")
	p.wantSeen("after three edits", "aaassa")
	s.becomes("a1 A2 a3 b C! D")
	want(t, "4", p.edit(quoting(5, 5, "cc")), "stale drifted 5-5 cure 5-5")

	s = newStage(t, "a b c d")
	p = s.session("P")
	p.saw(1, 2)
	want(t, "5", p.edit(quoting(2, 2, "b1 b2")), "allow")
	p.tick()
	want(t, "6", p.edit(numbering(4, 4, "Z")), "not-seen missing 4-4")
	p.wantSeen("after one edit", "saa--")
	p.saw(4, 5)
	want(t, "pages add up across own edits", p.kind(KindReplace), "allow")
	p.strict = true
	want(t, "in strict as well", p.kind(KindReplace), "allow")
}

// A long chain of own edits keeps what was shown before the first.
func TestManyOwnEdits(t *testing.T) {
	s := newStage(t, "")
	s.text = numberedText(300)
	p := s.session("P")
	p.sawAll()
	for i := range 200 {
		want(t, fmt.Sprint("edit ", i), p.edit(quoting(2*(i%100)+1, 2*(i%100)+1, fmt.Sprintf("v%d w%d", i, i))), "allow")
	}
	p.tick()
	want(t, "whole file", p.kind(KindReplace), "allow")
	if n := p.t.Entries(); n > viewsMax*entriesMax || len(p.t.views) > viewsMax || len(s.h.edges) > edgesKept {
		t.Errorf("%d entries, %d views, %d edges", n, len(p.t.views), len(s.h.edges))
	}
}

// Commits of another session elsewhere in the file refuse nothing, however many they are (law 2), and a number that
// they moved is told.
func TestManyCommitsOfOthers(t *testing.T) {
	s := newStage(t, "")
	s.text = numberedText(40)
	p, q := s.session("P"), s.session("Q")
	p.sawAll()
	q.sawAll()
	for i := range 3 * viewsMax {
		want(t, fmt.Sprint("Q ", i), q.edit(quoting(20, 20, fmt.Sprint("q", i))), "allow")
	}
	p.tick()
	want(t, "by number", p.judge(numbering(5, 5, "x")), "allow")
	want(t, "by text", p.judge(quoting(30, 30, "x")), "allow")
	want(t, "Q's line", p.judge(quoting(20, 20, "x")), "stale drifted 20-20 cure 20-20 by Q")
	want(t, "whole file", p.kind(KindReplace), "stale drifted 20-20 cure 20-20 by Q")
	want(t, "delete", p.kind(KindDelete), "stale drifted 20-20 cure 20-20 by Q")
	if len(p.t.views) > 2 {
		t.Errorf("%d views: other sessions' commits pile up", len(p.t.views))
	}
	want(t, "Q inserts", q.edit(quoting(11, 10, "in")), "allow")
	p.tick()
	v := p.judge(numbering(30, 31, "x"))
	want(t, "moved numbers", v, "stale drifted 30-31 cure 30-31 moved 30>31 moved 31>32")
	p.cured(v)
	want(t, "by the new numbers", p.edit(numbering(31, 32, "x")), "allow")
}

// One hundred reads of one window, or of two in turn, take no more memory than one, and the earliest moment stays.
func TestReadingAgainTakesNoMemory(t *testing.T) {
	s := newStage(t, "")
	s.text = numberedText(100)
	p := s.session("P")
	p.saw(10, 20)
	one := len(p.t.State().Views[0].Entries)
	first := p.t.State()
	for range 100 {
		p.reads(10, 20)
		p.reads(12, 13)
	}
	if got := p.t.Entries(); got != one || len(p.t.views) != 1 {
		t.Errorf("%d entries in %d views after a hundred reads, %d after one", got, len(p.t.views), one)
	}
	if !reflect.DeepEqual(first, p.t.State()) {
		t.Error("a read that adds nothing changed what is kept")
	}
	want(t, "in the round of the hundred", p.judge(numbering(10, 12, "x")), "allow")
	raw, err := json.Marshal(p.t.State())
	if err != nil || len(raw) > 2000 {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}

// Compaction: what was shown stays known; a whole-file write asks for live text, strict always does.
func TestCompaction(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.sawAll()
	p.t.DropLive()
	want(t, "edit", p.judge(quoting(1, 1, "A")), "allow")
	v := p.kind(KindReplace)
	want(t, "whole file", v, "needs-full missing 1-2")
	p.strict = true
	want(t, "strict edit", p.judge(quoting(1, 1, "A")), "not-seen missing 1-1")
	p.strict = false
	p.cured(v)
	want(t, "whole file after the cure", p.kind(KindReplace), "allow")
	p.strict = true
	want(t, "strict edit after the cure", p.judge(quoting(1, 1, "A")), "allow")
	for range 50 {
		p.t.DropLive()
		p.readsAll()
	}
	if n := p.t.Entries(); n > 2 {
		t.Errorf("%d entries after fifty compactions", n)
	}
}

// Strict wants a whole-file write to rest on one version, shown directly.
func TestStrictReplaceRestsOnOneVersion(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	p.sawAll()
	s.becomes("a x c")
	p.saw(2, 2)
	want(t, "balanced", p.kind(KindReplace), "allow")
	p.strict = true
	v := p.kind(KindReplace)
	want(t, "strict", v, "needs-full missing 1-1 3-3")
	p.cured(v)
	want(t, "strict after the cure", p.kind(KindReplace), "allow")
}

// A rewind drops what left the branch and carries the rest over; a fork begins with what lay before it.
func TestRewindAndFork(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	p.saw(1, 1) // call 1
	p.saw(2, 2) // call 2
	p.saw(1, 3) // call 3
	f := p.t.Fork(2, 7)
	p.epoch = 1
	p.t.Rewind(func(c CallID) bool { return c <= 1 }, 1)
	p.wantSeen("rewound", "s--")
	q := s.session("Q")
	q.t, q.epoch = f, 7
	q.tick()
	q.wantSeen("forked", "ss-")
	p.saw(2, 2)
	p.wantSeen("read again", "ss-")
	if got := q.t.Entries(); got != 2 {
		t.Errorf("%d entries in the fork", got)
	}
}

// Own edits that a rewind takes back are unseen text, and leave the numbers of before.
func TestRewindOfOwnEdits(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.sawAll()
	want(t, "edit", p.edit(quoting(1, 0, "new")), "allow")
	p.epoch = 1
	p.t.Rewind(func(c CallID) bool { return c <= 1 }, 1)
	p.tick()
	p.wantSeen("rewound", "xss") // its place was shown, and differs
	want(t, "numbers of before the edit", p.judge(numbering(1, 1, "x")), "stale drifted 1-1 cure 1-1 moved 1>2 by P")
	if _, ok := Translate(p.t, s.h, s.version(), 0, lines(1, 1)); !ok || len(p.t.own) != 0 {
		t.Error("the numbers move through an edit that was taken back")
	}
}

// What was known survives a restart through plain values.
func TestStateSurvivesAsJSON(t *testing.T) {
	s := newStage(t, "a b c d")
	p, q := s.session("P"), s.session("Q")
	p.saw(1, 3)
	q.sawAll()
	want(t, "P", p.edit(quoting(2, 2, "B B2")), "allow")
	want(t, "Q", q.edit(quoting(5, 5, "D")), "allow")
	p.t.ObserveColumns(s.h, s.version(), Columns{Line: 4, Shown: span.Of[span.Byte](0, 3), Len: 9, Entry: Entry{Seq: p.seq}})
	p.tick()

	var versions []VersionState
	for _, v := range s.vs.byRef {
		versions = append(versions, v.State())
	}
	saved := struct {
		Track    TrackState
		Edges    []EdgeState
		Versions []VersionState
	}{p.t.State(), s.h.State(), append(versions, s.vs.Absent().State())}
	raw, err := json.Marshal(saved)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Track    TrackState
		Edges    []EdgeState
		Versions []VersionState
	}
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	vs, byRef := NewVersions(1<<20), map[string]*Version{}
	for _, v := range back.Versions {
		known, err := vs.Restore(v)
		if err != nil {
			t.Fatal(err)
		}
		byRef[v.Ref] = known
	}
	find := func(ref string) *Version { return byRef[ref] }
	track, h := RestoreTrack(back.Track, find), NewHistory(nil)
	h.Restore(back.Edges, find)
	if !reflect.DeepEqual(track.State(), p.t.State()) || !reflect.DeepEqual(h.State(), s.h.State()) {
		t.Error("the restored values differ")
	}
	cur := byRef[s.version().Ref.String()]
	for k := 1; k <= 5; k++ {
		for _, c := range []change{quoting(k, k, "x"), numbering(k, k, "x")} {
			call := p.callOf(s.text, c)
			if a, b := Judge(p.t, s.h, s.version(), call).show(), Judge(track, h, cur, call).show(); a != b {
				t.Errorf("line %d: %s, after the restart %s", k, a, b)
			}
		}
	}
	if _, err := vs.Restore(VersionState{Ref: "sha256:x"}); err == nil {
		t.Error("a ref that is none was restored")
	}
	if !strings.Contains(string(raw), "sha256:") || strings.Contains(string(raw), "B2") {
		t.Error("the saved values hold text, or no refs")
	}
}

// Skeletons are bounded: the ones that are nobody's newest view go first, and then lines are known while the bytes are.
func TestVersionsForget(t *testing.T) {
	const n = 100
	one := cost(&Version{Skeleton: make([]content.Hash, n)})
	s := newStage(t, "")
	s.vs = NewVersions(4 * one)
	p := s.session("P")
	at := func(i int) []string {
		text := numberedText(n)
		text[0] = fmt.Sprint("version", i)
		return text
	}
	s.text = at(0)
	p.saw(50, 60)
	first := s.version()
	for i := 1; i < 4; i++ {
		s.text = at(i)
		p.saw(1, 1)
	}
	s.text = at(4)
	s.version()
	if s.vs.Dropped() == 0 || !dropped(first) || dropped(p.t.newest().Version) || s.vs.Bytes() > 4*one {
		t.Fatalf("%d dropped, %d bytes of %d", s.vs.Dropped(), s.vs.Bytes(), 4*one)
	}
	want(t, "carried before it was dropped", p.judge(quoting(55, 55, "x")), "allow")
	s.text = at(0)
	want(t, "the version came back, which brings its skeleton", p.judge(quoting(55, 55, "x")), "allow")

	q := s.session("Q")
	v := s.version()
	q.saw(1, 10)
	v.Skeleton = nil
	want(t, "the same bytes", Judge(q.t, s.h, v, q.callOf(s.text, quoting(5, 5, "x"))), "allow")
	s.text = at(9)
	want(t, "other bytes", q.judge(quoting(5, 5, "x")), "not-seen missing 5-5 forgotten")
	q.t.Clear()
	p.t.Clear()
	if v.holds != 0 || first.holds != 0 {
		t.Errorf("%d and %d holds are left", v.holds, first.holds)
	}
}

// Over the bound of entries the ones shown longest ago go, and the session is told that something was forgotten.
func TestEntriesAreBounded(t *testing.T) {
	s := newStage(t, "")
	s.text = numberedText(4 * entriesMax)
	p := s.session("P")
	for k := 1; k < 4*entriesMax; k += 2 {
		p.reads(k, k)
	}
	p.tick()
	if n := p.t.Entries(); n > entriesMax {
		t.Errorf("%d entries", n)
	}
	last := 4*entriesMax - 1
	want(t, "shown last", p.judge(quoting(last, last, "x")), "allow")
	want(t, "shown first", p.judge(quoting(1, 1, "x")), "not-seen missing 1-1 forgotten")
	want(t, "never shown", p.judge(quoting(last-1, last-1, "x")), "not-seen missing "+fmt.Sprintf("%d-%d", last-1, last-1)+" forgotten")
}

// Parts of a line add up by its text, wherever it stands, within their bounds.
func TestColumnsAreBounded(t *testing.T) {
	s := newStage(t, "")
	s.text = numberedText(3 * partialLinesMax)
	p := s.session("P")
	v := s.version()
	for k := range 3 * partialLinesMax {
		p.seq++
		p.t.ObserveColumns(s.h, v, Columns{Line: span.Line(k), Shown: span.Of[span.Byte](0, 1), Len: 1000, Entry: Entry{Seq: p.seq}})
	}
	if len(p.t.columns) != partialLinesMax {
		t.Errorf("%d lines in part", len(p.t.columns))
	}
	p.tick()
	last := 3 * partialLinesMax
	want(t, "shown last", p.judge(quoting(last, last, "x")), fmt.Sprintf("partial-line missing %d-%d", last, last))
	want(t, "shown first", p.judge(quoting(1, 1, "x")), "not-seen missing 1-1")
	for i := 0; i < 600; i += 2 {
		p.seq++
		p.t.ObserveColumns(s.h, v, Columns{Line: 0, Shown: span.Of(span.Byte(i), span.Byte(i+1)), Len: 1000, Entry: Entry{Seq: p.seq}})
	}
	if n := len(p.t.columns[v.Skeleton[0]].pieces); n > piecesMax {
		t.Errorf("%d pieces", n)
	}
	if got := p.t.ColumnsOf(v.Skeleton[0]).Len(); got != piecesMax {
		t.Errorf("%d columns of the line are known", got)
	}
}
