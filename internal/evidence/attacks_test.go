package evidence

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/span"
)

// Each test plays one attack on the evidence: U means that an unseen edit would be admitted, R that a good edit would
// be refused, B that bytes would be lost, L that the agent would be locked out.

// A1, U. k m n k, lines 1-2 shown, somebody deletes line 1: the remaining k is unique and its text was shown, yet it
// is another line.
func TestA1UniqueInTheNewTextIsNoIdentity(t *testing.T) {
	s := newStage(t, "k m n k")
	p := s.session("P")
	p.saw(1, 2)
	s.becomes("m n k")
	want(t, "edit of the other k", p.edit(quoting(3, 3, "K")), "not-seen missing 3-3")
}

// A2, B. a b c shown, somebody deletes b; a whole-file write that still has b would undo the deletion.
func TestA2ReplaceOwesTheSeams(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	p.sawAll()
	s.becomes("a c")
	v := p.write("a b c d")
	want(t, "write", v, "stale drifted 2-1 cure 1-2")
	p.cured(v)
	want(t, "write after the cure", p.write("a b c d"), "allow")
}

// A3, U. a b c shown, somebody prepends x y; in one round the file is read again and line 3 is replaced: line 3 of the
// composed call is c, not a.
func TestA3SameRoundReadIsNoNumbering(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	p.sawAll()
	s.becomes("x y a b c")
	p.readsAll()
	v := p.edit(numbering(3, 3, "C"))
	want(t, "edit by number", v, "stale drifted 3-3 cure 3-3 moved 3>5")
}

// A3 one round later: a window that shows only line 1 does not tell that a is line 3 now.
func TestA3AWindowElsewhereTellsNoNumbers(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	p.sawAll()
	s.becomes("x y a b c")
	p.saw(1, 1)
	v := p.edit(numbering(3, 3, "C"))
	want(t, "edit by number", v, "stale drifted 3-3 cure 3-3 moved 3>5")
	p.cured(v)
	want(t, "the same call by its new number", p.edit(numbering(5, 5, "C")), "allow")
}

// A4, B. In one round line 1 becomes two lines and line 3 is replaced: the second call means the old line 3.
func TestA4NumbersMoveThroughOwnEdits(t *testing.T) {
	s := newStage(t, "1 2 3 4")
	p := s.session("P")
	p.sawAll()
	want(t, "first", p.edit(numbering(1, 1, "1a 1b")), "allow")
	now, ok := Translate(p.t, p.h, p.version(), p.boundary, lines(3, 3))
	if !ok || now != lines(4, 4) {
		t.Fatalf("line 3 is %v, %v now", now, ok)
	}
	c := numbering(4, 4, "X")
	c.seen = lines(3, 3)
	want(t, "second", p.edit(c), "allow")
	if got := strings.Join(s.text, " "); got != "1a 1b 2 X 4" {
		t.Errorf("text is %s", got)
	}
	if _, ok := Translate(p.t, p.h, p.version(), p.boundary, lines(1, 1)); ok {
		t.Error("a line that the same round's edit wrote has a number of before it")
	}
}

// A5, U. Three equal lines, the first shown; the third is another line.
func TestA5EqualLinesAreNotASet(t *testing.T) {
	s := newStage(t, "} } }")
	p := s.session("P")
	p.saw(1, 1)
	want(t, "delete the third by number", p.edit(numbering(3, 3, "")), "not-seen missing 3-3")
	want(t, "all of them by text", p.edit(quoting(1, 1, "a"), quoting(3, 3, "a")), "not-seen missing 3-3")
}

// A6, R. A page of equal lines of which two were replaced elsewhere: line 500 is still line 500.
func TestA6APageOfEqualLines(t *testing.T) {
	page := slices.Repeat([]string{"0"}, 1001)
	s := newStage(t, "")
	s.text = slices.Clone(page)
	p := s.session("P")
	p.sawAll()
	page[300], page[700] = "x", "y"
	s.text = page
	want(t, "edit by number", p.judge(numbering(500, 500, "1")), "allow")
}

// A7, R. A lone brace that somebody wrapped is still the brace that was shown.
func TestA7AWrappedBrace(t *testing.T) {
	s := newStage(t, "}")
	p := s.session("P")
	p.sawAll()
	s.becomes("a } b")
	want(t, "edit", p.edit(quoting(2, 2, "};")), "allow")
}

// A8, R. On a branch the agent is shown x=2; back on the old branch a call that quotes x=1 is good, and one that names
// line 1 by number is not: the newest text shown there was another.
func TestA8BranchSwitchThereAndBack(t *testing.T) {
	s := newStage(t, "x=1 y=1")
	p := s.session("P")
	p.sawAll()
	s.becomes("x=2 y=1")
	v := p.judge(quoting(1, 1, "x=9"))
	want(t, "on the branch", v, "stale drifted 1-1 cure 1-1")
	p.cured(v)
	s.becomes("x=1 y=1")
	want(t, "by number", p.judge(numbering(1, 1, "x=9")), "stale drifted 1-1 cure 1-1")
	want(t, "whole file", p.kind(KindReplace), "stale drifted 1-1 cure 1-1")
	want(t, "by text", p.edit(quoting(1, 1, "x=9")), "allow")
}

// A9, U. Between plan and commit the line k is deleted and another k is written elsewhere: the plan's lines are carried,
// its text is not located again. A fresh call may take the one k for the other, since it is unique in both.
func TestA9CommitNeverLocatesAgain(t *testing.T) {
	s := newStage(t, "k u z")
	p := s.session("P")
	p.sawAll()
	planned, v := s.version(), p.judge(quoting(1, 1, "K"))
	want(t, "plan", v, "allow")
	s.becomes("u z w k v")
	if _, ok := Transport(s.h, planned, s.version(), v.Readings); ok {
		t.Error("the plan moved to another line of the same text")
	}
	want(t, "a fresh call", p.judge(quoting(4, 4, "K")), "allow")
}

// A10, U. A plan is made, the conversation is rewound, a person approves: judged again in the new epoch nothing is left.
func TestA10ARewindTakesThePlansEvidence(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.sawAll()
	want(t, "plan", p.judge(quoting(1, 1, "A")), "allow")
	p.epoch++
	p.t.Rewind(func(CallID) bool { return false }, p.epoch)
	want(t, "commit", p.judge(quoting(1, 1, "A")), "not-seen missing 1-1")
	// A delivery of the dead epoch that arrives now is dropped.
	p.epoch--
	p.reads(1, 2)
	p.tick()
	want(t, "after a late delivery", p.judge(quoting(1, 1, "A")), "not-seen missing 1-1")
}

// A14, R. The result of putting two more braces below is the same as of putting them above: a reading that owes only
// shown lines is there.
func TestA14AnInsertionMaySlide(t *testing.T) {
	s := newStage(t, "a{ } } b")
	p := s.session("P")
	p.saw(1, 3)
	want(t, "edit", p.edit(change{class: Quoted, lines: lines(2, 3), to: splitText("} } }")}), "allow")
	q := s.session("Q")
	q.saw(1, 2)
	want(t, "between lines of which one was not shown", q.judge(quoting(3, 2, "c")), "not-seen missing 3-3")
}

// A22, U. Two records of mere coverage do not add up over a line that each covers by half the need.
func TestA22CoverageRecordsNeverJoin(t *testing.T) {
	s := newStage(t, "a b c d")
	p := s.session("P")
	v := s.version()
	for i, l := range []span.Lines{lines(1, 2), lines(3, 4)} {
		p.t.Observe(s.h, v, []Entry{{Slots: span.SlotsOf(l), Seq: Seq(i + 1), Origin: Recorded, Strength: Coverage}})
	}
	s.seq = 2
	p.tick()
	both := quoting(2, 3, "X Y")
	want(t, "over both", p.judge(both), "not-seen missing 2-3")
	want(t, "within one", p.judge(quoting(2, 2, "X")), "allow")
	p.wantSeen("shown as recorded", "rrrr")
	want(t, "whole file", p.kind(KindReplace), "needs-full missing 1-4")
	p.strict = true
	want(t, "strict", p.judge(quoting(2, 2, "X")), "not-seen missing 2-2")
	p.strict = false
	s.becomes("a b c d e")
	want(t, "on another version", p.judge(quoting(2, 2, "X")), "not-seen missing 2-2")
	p.wantSeen("on another version", "-----")

	// Nor does such a record make known what somebody else changed.
	p.saw(1, 5)
	s.becomes("a b c d E")
	p.seq++
	p.t.Observe(s.h, s.version(), []Entry{{Slots: span.SlotsOf(lines(1, 5)), Seq: p.seq, Origin: Recorded, Strength: Coverage}})
	p.tick()
	want(t, "delete", p.kind(KindDelete), "stale drifted 5-5 cure 5-5")
}

// A28, L. Of a line of megabytes a text edit owes the columns it changes, and an edit by number all of it.
func TestA28LongLinesAreOwedByColumns(t *testing.T) {
	s := newStage(t, "long b")
	p := s.session("P")
	v := s.version()
	const size = 5 << 20
	p.seq++
	p.t.ObserveColumns(s.h, v, Columns{Line: 0, Shown: span.Of[span.Byte](100, 300), Len: size, Entry: Entry{Seq: p.seq}})
	call := func(from, to span.Byte) Call {
		c := p.callOf(s.text, quoting(1, 1, "LONG"))
		c.Needs[0].Choose = func(func(span.Slot) bool) Reading {
			return Reading{Splices: span.Splices{{Old: lines(1, 1), New: 1}}, Columns: map[span.Line][]span.Bytes{0: {span.Of(from, to)}}}
		}
		return c
	}
	want(t, "in its own round", Judge(p.t, s.h, v, call(150, 160)), "not-seen missing 1-1")
	p.tick()
	want(t, "shown columns", Judge(p.t, s.h, v, call(150, 160)), "allow")
	want(t, "other columns", Judge(p.t, s.h, v, call(290, 310)), "partial-line missing 1-1")
	want(t, "by number", p.judge(numbering(1, 1, "x")), "partial-line missing 1-1")
	want(t, "with an unseen line", p.judge(quoting(1, 2, "x y")), "not-seen missing 1-2")
	s.becomes("c long")
	v = s.version()
	p.seq++
	p.t.ObserveColumns(s.h, v, Columns{Line: 1, Shown: span.Of[span.Byte](0, 100), Len: size, Entry: Entry{Seq: p.seq}})
	p.seq++
	p.t.ObserveColumns(s.h, v, Columns{Line: 1, Shown: span.Of[span.Byte](250, size), Len: size, Entry: Entry{Seq: p.seq}})
	p.tick()
	want(t, "when all columns are in", p.judge(numbering(2, 2, "x")), "allow")
}

// A33, R. A formatter rewrites the line after every edit; the edit's answer prints the line and so delivers it.
func TestA33WhatTheFormatterWroteIsDelivered(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.sawAll()
	for i := range 3 {
		want(t, fmt.Sprint("edit ", i), p.edit(quoting(1, 1, fmt.Sprint("v", i))), "allow")
		s.becomes(fmt.Sprintf("v%d; b", i))
		p.saw(1, 1)
	}
}

// A35, R. An unsaved buffer was shown, then saved: versions are bytes, wherever they lie.
func TestA35ASavedBufferIsTheSameVersion(t *testing.T) {
	s := newStage(t, "a b!")
	p := s.session("P")
	p.sawAll()
	s.vs = NewVersions(1 << 20) // the disk is captured anew
	want(t, "edit on disk", p.edit(quoting(2, 2, "c")), "allow")
}

// A36, U. A sub-agent that runs under its parent's session has a track of its own.
func TestA36LanesShareNothing(t *testing.T) {
	s := newStage(t, "a b")
	s.session("P/sub").sawAll()
	p := s.session("P")
	p.tick()
	want(t, "edit by the parent", p.edit(quoting(1, 1, "A")), "not-seen missing 1-1")
}

// A37, U. The session's own delete clears; a new file of the same name is unseen. Somebody else's delete does not: the
// same bytes back need no read.
func TestA37OwnDeleteClears(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.sawAll()
	want(t, "delete", p.remove(), "allow")
	s.becomes("a Z")
	want(t, "edit of an equal line", p.edit(quoting(1, 1, "A")), "not-seen missing 1-1")

	s = newStage(t, "a b")
	p = s.session("P")
	p.sawAll()
	s.absent = true
	p.observe(span.Lines{}) // told that it is gone
	p.tick()
	s.becomes("a b")
	want(t, "edit after unlink and checkout", p.edit(quoting(1, 1, "A")), "allow")
}

// A38, B. Two of ten lines shown, somebody changes line 9: a delete would destroy that change.
func TestA38DeleteComparesWholeVersions(t *testing.T) {
	s := newStage(t, "1 2 3 4 5 6 7 8 9 10")
	p := s.session("P")
	p.saw(1, 2)
	want(t, "nothing changed", p.kind(KindDelete), "allow")
	s.becomes("1 2 3 4 5 6 7 8 nine 10")
	v := p.kind(KindDelete)
	want(t, "delete", v, "stale drifted 9-9 cure 9-9")
	p.cured(v)
	want(t, "delete after the cure", p.remove(), "allow")
	want(t, "of a file never seen", s.session("Q").kind(KindDelete), "allow")
}

// A38 through another session's commit and an own one: an own edit does not make known what somebody else changed.
func TestA38OwnEditsTellNothingOfOthers(t *testing.T) {
	s := newStage(t, "1 2 3 4")
	p, q := s.session("P"), s.session("Q")
	p.sawAll()
	q.sawAll()
	want(t, "Q", q.edit(quoting(4, 4, "four")), "allow")
	want(t, "P elsewhere", p.edit(quoting(1, 1, "one")), "allow")
	p.tick()
	v := p.kind(KindDelete)
	want(t, "delete", v, "stale drifted 4-4 cure 4-4 by Q")
	p.cured(v)
	want(t, "delete after the cure", p.kind(KindDelete), "allow")
}

// A41, L. A refusal leaves nothing behind: another call is judged as if it had not been.
func TestA41ARefusalIsNoDebt(t *testing.T) {
	s := newStage(t, "a b c")
	p := s.session("P")
	p.saw(1, 1)
	for range 3 {
		want(t, "refused", p.judge(quoting(2, 2, "B")), "not-seen missing 2-2")
		want(t, "elsewhere", p.judge(quoting(1, 1, "A")), "allow")
	}
}

// A42, R. A call that changes nothing is admitted first.
func TestA42NothingChangesNothing(t *testing.T) {
	s := newStage(t, "a")
	p := s.session("P")
	want(t, "write of the same bytes", Judge(p.t, s.h, s.version(), Call{Kind: KindReplace, Noop: true}), "allow")
	want(t, "edit to the same text", p.judge(quoting(1, 1, "a")), "allow")
}

// A43, U. Joining entries keeps the later moment: a half shown in this round does not count in it.
func TestA43JoiningKeepsTheLaterMoment(t *testing.T) {
	const n = 2*entriesMax - 24
	s := newStage(t, strings.Repeat("x ", n))
	for i := range s.text {
		s.text[i] = fmt.Sprint(i)
	}
	p := s.session("P")
	for k := 1; k < n; k += 2 {
		p.reads(k, k)
	}
	p.tick()
	for k := 2; k <= n; k += 2 {
		p.reads(k, k) // in this round, every other line: all entries touch now
	}
	if e := p.t.Entries(); e > entriesMax {
		t.Errorf("%d entries", e)
	}
	for k := 2; k <= n; k += 2 {
		if v := p.judge(quoting(k, k, "new")); v.Allow {
			t.Fatalf("line %d counts in its own round", k)
		}
	}
	p.tick()
	want(t, "next round", p.kind(KindReplace), "allow")
}

// A46, L. Line 1 of a b is shown; it becomes x, is read again in the round of the call, and becomes a again. As of the
// boundary line 1 is held by the old view; the cure must show it too, since the refusal's delivery is built on the view
// that shows x.
func TestA46TheCureLooksAtTheNewestView(t *testing.T) {
	s := newStage(t, "a b")
	p := s.session("P")
	p.saw(1, 1)
	s.becomes("x b")
	p.reads(1, 1)
	s.becomes("a b")
	v := p.write("z")
	want(t, "write", v, "needs-full missing 2-2 cure 1-2")
	p.cured(v)
	want(t, "write after the cure", p.write("z"), "allow")
}

// A45, R. Somebody sorts b a to a b: each line is unique in both texts.
func TestA45SortedLinesAreKnown(t *testing.T) {
	s := newStage(t, "b a")
	p := s.session("P")
	p.sawAll()
	s.becomes("a b")
	want(t, "text edit", p.judge(quoting(1, 1, "A")), "allow")
	want(t, "by number", p.judge(numbering(1, 1, "A")), "stale drifted 1-1 cure 1-1 moved 1>2")
}
