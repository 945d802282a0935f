package evidence

import (
	"slices"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// checkAlignment fails unless al keeps every promise of its documentation that does not need a second opinion: partners
// have equal hashes, runs and moved lines are what they are said to be, and the questions agree with one another.
func checkAlignment(t testing.TB, a, b *Version, al *Alignment) {
	t.Helper()
	if al.Old() != a.N || al.New() != b.N || !al.Known() {
		t.Fatalf("alignment of %d and %d lines, known %v, for %d and %d", al.Old(), al.New(), al.Known(), a.N, b.N)
	}
	// sure[j] is what Runs say of line j, and what the neighbours of a place are found from.
	sure := make([]span.Line, b.N)
	for j := range sure {
		sure[j] = NoLine
	}
	newEnd, oldEnd := span.Line(0), span.Line(0)
	for k, r := range al.Runs() {
		if r.Len < 1 || r.New < newEnd || r.Old < oldEnd || k > 0 && r.New == newEnd && r.Old == oldEnd {
			t.Fatalf("run %d of %v is empty, out of order or not maximal", k, al.Runs())
		}
		newEnd, oldEnd = r.New+span.Line(r.Len), r.Old+span.Line(r.Len)
		if int(newEnd) > b.N || int(oldEnd) > a.N {
			t.Fatalf("run %v leaves the versions", r)
		}
		for d := range r.Len {
			sure[int(r.New)+d] = r.Old + span.Line(d)
		}
	}
	checkLines(t, a, b, al, sure)
	checkPlaces(t, a, al, sure)
}

func checkLines(t testing.TB, a, b *Version, al *Alignment, sure []span.Line) {
	t.Helper()
	counts := map[content.Hash][2]int{}
	for i, s := range [2][]content.Hash{a.Skeleton, b.Skeleton} {
		for _, h := range s {
			c := counts[h]
			c[i]++
			counts[h] = c
		}
	}
	unsure := slices.Collect(al.Unsure)
	if !slices.IsSorted(unsure) {
		t.Fatalf("unsure lines out of order: %v", unsure)
	}
	for j := span.Line(0); int(j) < b.N; j++ {
		one, many := al.Partners(j)
		all := many
		if one != NoLine {
			all = []span.Line{one}
		}
		if one != NoLine && many != nil || many != nil && len(many) < 2 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Fatalf("line %d: partners %d and %v", j, one, many)
		}
		for _, i := range all {
			if a.Skeleton[i] != b.Skeleton[j] {
				t.Fatalf("line %d: partner %d has another hash", j, i)
			}
		}
		loose, moved := al.Loose(j), al.Moved(j)
		switch c := counts[b.Skeleton[j]]; {
		case sure[j] != NoLine && (one != sure[j] || loose || moved):
			t.Fatalf("line %d: sure as %d, but partners %d %v, loose %v, moved %v", j, sure[j], one, many, loose, moved)
		case moved && (one == NoLine || loose || c != [2]int{1, 1}):
			t.Fatalf("line %d: moved, but partners %d %v, loose %v, %d times", j, one, many, loose, c)
		case len(all) == 0 && !loose:
			t.Fatalf("line %d: alone, but not loose", j)
		case sure[j] == NoLine && one != NoLine && !loose && !moved:
			t.Fatalf("line %d: neither in a run nor moved nor in doubt", j)
		case loose && c == [2]int{1, 1}:
			t.Fatalf("line %d: once in each version, but loose", j)
		}
		_, listed := slices.BinarySearch(unsure, j)
		if wanted := sure[j] == NoLine && len(all) > 0; wanted != listed {
			t.Fatalf("line %d: in Unsure %v, want %v", j, !wanted, wanted)
		}
		if held := al.Held(j, func(span.Line) bool { return true }); held == loose {
			t.Fatalf("line %d: held %v under full coverage, loose %v", j, held, loose)
		}
		if len(all) > 0 && al.Held(j, func(i span.Line) bool { return i != all[len(all)-1] }) {
			t.Fatalf("line %d: held without its last partner", j)
		}
	}
}

// checkPlaces compares joints and gaps with what the sure lines, start and end make of them.
func checkPlaces(t testing.TB, a *Version, al *Alignment, sure []span.Line) {
	t.Helper()
	n := len(sure)
	// before[k] is the old line behind the last sure line before place k, after[k] the first sure one from k on.
	before, after := make([]span.Line, n+1), make([]span.Line, n+1)
	for j, i := range sure {
		before[j+1] = before[j]
		if i != NoLine {
			before[j+1] = i + 1
		}
	}
	after[n] = span.Line(a.N)
	for j := n - 1; j >= 0; j-- {
		after[j] = after[j+1]
		if sure[j] != NoLine {
			after[j] = sure[j]
		}
	}
	for j := range n {
		gap, ok := al.Gap(span.Line(j))
		if want := span.Of(before[j], after[j]); ok != (sure[j] == NoLine) || ok && gap != want {
			t.Fatalf("gap of line %d: %v %v, want %v", j, gap, ok, want)
		}
	}
	for k := range n + 1 {
		kept := (k == 0 || sure[k-1] != NoLine) && (k == n || sure[k] != NoLine) && before[k] == after[k]
		old, ok := al.Joint(span.Line(k))
		if ok != kept || ok && old != after[k] {
			t.Fatalf("joint %d: %d %v, want %d %v", k, old, ok, after[k], kept)
		}
		gap, broken := al.GapAtJoint(span.Line(k))
		if want := span.Of(before[k], after[k]); broken == kept || broken && gap != want {
			t.Fatalf("gap at joint %d: %v %v, want %v", k, gap, broken, want)
		}
	}
	for _, outside := range []span.Line{-2, -1, span.Line(n), span.Line(n + 1)} {
		one, many := al.Partners(outside)
		_, gap := al.Gap(outside)
		if one != NoLine || many != nil || gap || !al.Loose(outside) || al.Moved(outside) {
			t.Fatalf("line %d lies outside, but something is known of it", outside)
		}
		_, joint := al.Joint(outside)
		_, broken := al.GapAtJoint(outside)
		if int(outside) != n && (joint || broken) {
			t.Fatalf("joint %d lies outside, but something is known of it", outside)
		}
	}
}
