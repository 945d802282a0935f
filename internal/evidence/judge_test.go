package evidence

import (
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// Somebody reformats another line, or the line itself (F06, F08).
func TestAChangeElsewhereRefusesNothing(t *testing.T) {
	s := newStage(t, "import_os_ import_sys def return_1")
	p := s.session("P")
	p.sawAll()
	s.becomes("import_os import_sys def return_1")
	want(t, "elsewhere", p.edit(quoting(4, 4, "return_2")), "allow")
	v := p.judge(quoting(1, 1, "import_re"))
	want(t, "the line itself", v, "stale drifted 1-1 cure 1-1")
	p.cured(v)
	want(t, "after the cure", p.edit(quoting(1, 1, "import_re")), "allow")
}

// Somebody inserts lines above: a text edit moves along, a number edit is told the new number (F07).
func TestLinesInsertedAbove(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	p.sawAll()
	s.becomes("x y a b c")
	want(t, "by text", p.judge(quoting(5, 5, "C")), "allow")
	v := p.judge(numbering(3, 3, "C"))
	want(t, "by number", v, "stale drifted 3-3 cure 3-3 moved 3>5")
	want(t, "an insertion by number", p.judge(numbering(3, 2, "C")), "stale drifted 2-3 cure 2-3 moved 2>4 moved 3>5")
	p.cured(v)
	want(t, "by the new number", p.edit(numbering(5, 5, "C")), "allow")
	want(t, "the old number, seen now", p.judge(numbering(3, 3, "C")), "allow")
}

// A whole-file write over somebody's newer text (F09), and after a slice only (F13, F14).
func TestReplaceOwesEverything(t *testing.T) {
	s := newStage(t, "# a")
	p := s.session("P")
	p.sawAll()
	s.becomes("# a b")
	want(t, "a line was added", p.write("# a c"), "stale drifted 3-3 cure 3-3")

	s = newStage(t, "1 2 3 4 5 6 7 8 9 10")
	p = s.session("P")
	p.saw(1, 3)
	want(t, "a slice", p.kind(KindReplace), "needs-full missing 4-10")
	p.saw(4, 10)
	want(t, "all pages", p.kind(KindReplace), "allow")
	q := s.session("Q")
	q.saw(8, 10)
	want(t, "to the end", q.kind(KindReplace), "needs-full missing 1-7")
	want(t, "a waiver", Judge(q.t, s.h, s.version(), Call{Kind: KindReplace, Waived: true}), "allow")
	s.becomes("1 2 3 4 x 6 7 8 9 10")
	want(t, "missing and drifted", q.kind(KindReplace), "needs-full missing 1-7")
	q.saw(1, 2)
	s.becomes("one 2 3 4 x 6 7 8 9 10")
	want(t, "stale wins, and missing lists the rest", q.kind(KindReplace), "stale missing 3-7 drifted 1-1 cure 1-1 3-7")
}

// A broken joint beside a listed line adds nothing; elsewhere it is the empty range where lines are gone.
func TestGoneLinesAreDriftedPlaces(t *testing.T) {
	s := newStage(t, "a b c d e f")
	p := s.session("P")
	p.sawAll()
	s.becomes("a c d X")
	want(t, "gone and replaced", p.kind(KindReplace), "stale drifted 2-1 4-4 cure 1-2 4-4")
	s.becomes("c d e")
	want(t, "gone at both ends", p.kind(KindReplace), "stale drifted 1-0 4-3 cure 1-1 3-3")
	v := p.kind(KindDelete)
	want(t, "delete", v, "stale drifted 1-0 4-3 cure 1-1 3-3")
	want(t, "a text edit owes no joints", p.judge(quoting(1, 3, "x")), "allow")
	want(t, "a number edit owes those inside", p.judge(numbering(2, 3, "x")), "stale drifted 2-3 cure 2-3 moved 3>1")
	p.cured(v)
	want(t, "delete after the cure", p.kind(KindDelete), "allow")
}

// For a whole-file write and a delete a changed BOM is drift of line 1, for an edit it is nothing.
func TestAChangedMarkIsDriftOfLineOne(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.sawAll()
	s.bom = true
	want(t, "edit", p.judge(quoting(1, 1, "x")), "allow")
	for _, k := range []Kind{KindReplace, KindDelete} {
		q := &player{stage: s, name: "Q", t: p.t.Clone(), boundary: p.boundary}
		v := q.kind(k)
		want(t, "mark", v, "stale drifted 1-1 cure 1-1")
		q.cured(v)
		want(t, "after the cure", q.kind(k), "allow")
	}
	s.text = nil
	p.sawAll()
	s.bom = false
	want(t, "an empty file", p.kind(KindReplace), "stale drifted 1-0 cure 1-0")
}

// A page of the same text in another encoding of its endings has equal lines: dos2unix refuses nothing.
func TestEndingsAreNoEvidence(t *testing.T) {
	key := content.NewHasher(content.Key{1})
	version := func(raw string) *Version {
		c := content.CaptureOf([]byte(raw))
		return &Version{Ref: c.Ref(), N: c.Text().Lines(), Skeleton: key.Skeleton(c.Text())}
	}
	dos, unix := version("a\r\nb\r\n"), version("a\nb")
	p, h := NewTrack(), NewHistory(nil)
	p.Observe(h, dos, []Entry{{Slots: span.WholeFile(2), Seq: 1}})
	for _, k := range []Kind{KindReplace, KindDelete} {
		want(t, "other endings", Judge(p, h, unix, Call{Kind: k, Boundary: 1}), "allow")
	}
}

// Same-round reads never count (F56), not even when they come before the call is judged, and need not be repeated.
func TestSameRound(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.reads(1, 2)
	want(t, "in the round", p.judge(quoting(2, 2, "c")), "not-seen missing 2-2 same-round")
	want(t, "by number", p.judge(numbering(2, 2, "c")), "not-seen missing 2-2 same-round")
	want(t, "whole file", p.kind(KindReplace), "needs-full missing 1-2 same-round")
	want(t, "delete", p.kind(KindDelete), "allow")
	p.tick()
	want(t, "next round", p.judge(quoting(2, 2, "c")), "allow")

	s = newStage(t, "a b")
	p = s.session("P")
	p.saw(1, 1)
	s.becomes("a c")
	p.reads(2, 2)
	want(t, "delete of what only this round shows", p.kind(KindDelete), "stale drifted 2-2 cure 2-2")
}

// Own text counts at once for a call that quotes it, and not for one that names its number.
func TestOwnTextInItsOwnRound(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.sawAll()
	want(t, "edit", p.edit(quoting(1, 1, "x")), "allow")
	want(t, "quoted", p.judge(quoting(1, 1, "y")), "allow")
	want(t, "delete", p.kind(KindDelete), "allow")
	if _, ok := Translate(p.t, s.h, s.version(), p.boundary, lines(1, 1)); ok {
		t.Error("a number of the same round's own line is no conflict")
	}
	s.absent = true
	p.t.Clear()
	p.create("n1 n2")
	want(t, "created", p.edit(quoting(2, 2, "n3")), "allow")
	p.tick()
	want(t, "created, next round", p.judge(numbering(1, 2, "z")), "allow")
}

// Recorded lines license edits and are shown as recorded; strict ignores what is not exact.
func TestRecordedLines(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	v := s.version()
	p.seq = 2
	p.t.Observe(s.h, v, []Entry{
		{Slots: span.SlotsOf(lines(1, 1)), Seq: 1, Origin: Recorded},
		{Slots: span.SlotsOf(lines(2, 2)), Seq: 2, Origin: Recorded, Strength: Loose},
	})
	p.tick()
	p.wantSeen("recorded", "rr-")
	want(t, "exact", p.judge(quoting(1, 1, "x")), "allow")
	want(t, "loose", p.judge(quoting(2, 2, "x")), "allow")
	want(t, "whole file", p.kind(KindReplace), "needs-full missing 2-3")
	p.strict = true
	want(t, "loose, strict", p.judge(quoting(2, 2, "x")), "not-seen missing 2-2")
	p.strict = false
	p.saw(1, 3)
	p.wantSeen("delivered wins", "sss")
}

// A23, R. A record of mere coverage is bound to the ref: the same bytes again license.
func TestA23CoverageIsSettledByTheRef(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.seq = 1
	p.t.Observe(s.h, s.version(), []Entry{{Slots: span.SlotsOf(lines(1, 2)), Seq: 1, Origin: Recorded, Strength: Coverage}})
	p.tick()
	s.becomes("a c")
	want(t, "other bytes", p.judge(quoting(1, 1, "x")), "not-seen missing 1-1")
	s.becomes("a b")
	want(t, "the same bytes", p.judge(quoting(1, 1, "x")), "allow")
}

// A15, U. Joining a shown line to the next one touches both.
func TestA15JoiningOwesBothLines(t *testing.T) {
	s := newStage(t, "b c")
	p := s.session("P")
	p.saw(1, 1)
	want(t, "b\\n => b", p.judge(quoting(1, 2, "bc")), "not-seen missing 2-2")
}

// Which code wins, and what the closed list calls a refusal.
func TestCodesInTheirOrder(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	p.saw(1, 1)
	v := s.version()
	p.seq++
	p.t.ObserveColumns(s.h, v, Columns{Line: 1, Shown: span.Of[span.Byte](0, 1), Len: 5, Entry: Entry{Seq: p.seq}})
	p.tick()
	s.becomes("A b c")
	for _, c := range []struct {
		from, to int
		code     fault.Code
	}{{1, 3, fault.Stale}, {1, 2, fault.Stale}, {2, 2, fault.PartialLine}, {2, 3, fault.NotSeen}, {3, 3, fault.NotSeen}} {
		if got := p.judge(quoting(c.from, c.to, "x y z")).Code; got != c.code {
			t.Errorf("lines %d to %d: %s, want %s", c.from, c.to, got, c.code)
		}
	}
	if got := p.kind(KindReplace).Code; got != fault.Stale {
		t.Errorf("replace: %s", got)
	}
	if got := s.session("Q").kind(KindReplace).Code; got != fault.NeedsFull {
		t.Errorf("replace of a file never seen: %s", got)
	}
}

// A batch owes the union, and one unseen occurrence refuses a replace-all as a whole (F16).
func TestABatchOwesTheUnion(t *testing.T) {
	s := newStage(t, "a t=5 b c d e f t=5")
	p := s.session("P")
	p.saw(1, 4)
	all := []change{quoting(2, 2, "t=9"), quoting(8, 8, "t=9")}
	want(t, "one occurrence unseen", p.judge(all...), "not-seen missing 8-8")
	p.saw(8, 8)
	v := p.edit(all...)
	want(t, "both seen", v, "allow")
	if len(v.Splices) != 2 || !v.Splices.Valid(8) || len(v.Readings) != 2 {
		t.Errorf("%v, %v", v.Splices, v.Readings)
	}
}

// Two sessions on one file: different lines both live, on the same line the second hears who won (F50, F51).
func TestTwoSessions(t *testing.T) {
	s := newStage(t, "A=0 B=0 n=1")
	p, q := s.session("P"), s.session("Q")
	p.sawAll()
	q.sawAll()
	want(t, "P", p.edit(quoting(1, 1, "A=1")), "allow")
	want(t, "Q elsewhere", q.edit(quoting(2, 2, "B=1")), "allow")
	want(t, "P on n", p.edit(quoting(3, 3, "n=2")), "allow")
	v := q.judge(quoting(3, 3, "n=3"))
	want(t, "Q on n", v, "stale drifted 3-3 cure 3-3 by P")
	q.cured(v)
	want(t, "Q after the cure", q.edit(quoting(3, 3, "n=3")), "allow")
	q.tick()
	want(t, "Q, whole file", q.kind(KindReplace), "stale drifted 1-1 cure 1-1 by P")
	if got := Changed(p.t, s.h, s.version()); len(got) != 1 || got[0] != lines(2, 3) {
		t.Errorf("changed for P: %v", got)
	}
}

// A commit that replaces everything by a whole-file write is carried by content for the others.
func TestWholeFileWritesAreCarriedByContent(t *testing.T) {
	s := newStage(t, "a b c")
	p, q := s.session("P"), s.session("Q")
	p.sawAll()
	q.sawAll()
	want(t, "P", p.write("a x c"), "allow")
	want(t, "Q on a kept line", q.judge(quoting(3, 3, "C")), "allow")
	want(t, "Q on the changed one", q.judge(quoting(2, 2, "B")), "stale drifted 2-2 cure 2-2")
	p.wantSeen("the writer", "sas")
}
