package evidence

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// words splits "a b c" into lines; "." is the empty line.
func words(s string) []string {
	lines := strings.Fields(s)
	for i, l := range lines {
		if l == "." {
			lines[i] = ""
		}
	}
	return lines
}

// word says what al knows of line j: the sure old line, "m" before a moved one, the candidates of a doubtful one with a
// question mark where it is loose, "-" where it is alone.
func word(al *Alignment, j span.Line) string {
	one, many := al.Partners(j)
	w := strings.Trim(strings.ReplaceAll(fmt.Sprint(many), " ", ","), "[]")
	if one != NoLine {
		w = fmt.Sprint(one)
	}
	switch {
	case w == "":
		return "-"
	case al.Moved(j):
		return "m" + w
	case al.Loose(j):
		return w + "?"
	}
	return w
}

// showLines lists the words of all lines.
func showLines(al *Alignment) string {
	var words []string
	for j := span.Line(0); int(j) < al.New(); j++ {
		words = append(words, word(al, j))
	}
	return strings.Join(words, " ")
}

// showJoints lists the old joint of every joint, "|" where it is broken.
func showJoints(al *Alignment) string {
	var words []string
	for k := span.Line(0); int(k) <= al.New(); k++ {
		w := "|"
		if i, ok := al.Joint(k); ok {
			w = fmt.Sprint(i)
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

func TestAlign(t *testing.T) {
	for _, c := range []struct{ name, old, new, lines, joints string }{
		{"nothing changed", "a b c", "a b c", "0 1 2", "0 1 2 3"},
		{"from empty", "", "a", "-", "| |"},
		{"to empty", "a", "", "", "|"},
		{"prepended", "a b", "x a b", "- 0 1", "| | 1 2"},
		{"appended", "a b", "a b x", "0 1 -", "0 1 | |"},
		{"inserted", "a b", "a x b", "0 - 1", "0 | | 2"},
		{"deleted", "a b c", "a c", "0 2", "0 | 3"},
		{"first deleted", "a b", "b", "1", "| 2"},
		{"last deleted", "a b", "a", "0", "0 |"},
		{"replaced", "a b c", "a x c", "0 - 2", "0 | | 3"},
		{"one of equal lines deleted: the seam at the end breaks", "a a a", "a a", "0 1", "0 1 |"},
		{"two lines swapped are moved, not kept", "b a", "a b", "m1 m0", "| | |"},
		{"moved over a kept block", "x a b c", "a b c x", "1 2 3 m0", "| 2 3 | |"},
		{"a block swapped with its like is in doubt", "a } b }", "b } a }", "m2 1? m0 3", "| | | | 4"},
		{"two candidates, perhaps neither", "a x b x c", "c x a", "m4 1,3? m0", "| | | |"},
		{"two candidates, surely one of them", "p x q x r", "s x t", "- 1,3 -", "| | | |"},
		{"wrapped lone brace", "}", "a } b", "- 0 -", "| | | |"},
		{"once in the new text is no identity", "k m n k", "m n k", "1 2 3", "| 2 3 4"},
		{"once in the old text is no identity", "k m", "m k k", "m1 0? 0?", "| | | |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := versionOf(words(c.old)), versionOf(words(c.new))
			al := Align(a, b)
			checkAlignment(t, a, b, al)
			if got := showLines(al); got != c.lines {
				t.Errorf("lines %q, want %q", got, c.lines)
			}
			if got := showJoints(al); got != c.joints {
				t.Errorf("joints %q, want %q", got, c.joints)
			}
		})
	}
}

// heldOf returns the lines of new that are held when the given old lines are covered.
func heldOf(old, new []string, covered span.Lines) (held []int) {
	al := Align(versionOf(old), versionOf(new))
	for j := range new {
		if al.Held(span.Line(j), covered.Has) {
			held = append(held, j)
		}
	}
	return held
}

// The attacks on carry that are numbered in the kernel's list: what was covered, what must be held afterwards.
func TestCarryAttacks(t *testing.T) {
	zeros := strings.Split(strings.Repeat("0 ", 1000), " ")[:1000]
	changed := slices.Clone(zeros)
	changed[300], changed[700] = "x", "y"
	var a6 []int
	for j := 200; j < 800; j++ {
		if j != 300 && j != 700 {
			a6 = append(a6, j)
		}
	}
	for _, c := range []struct {
		name     string
		old, new []string
		covered  span.Lines
		held     []int
	}{
		{"A1 the seen one of two equal lines is deleted, the unseen one becomes unique", words("k=1 m n k=1"), words("m n k=1"), span.Of[span.Line](0, 2), []int{0}},
		{"A5 another line with the bytes of a seen one", words("} } }"), words("} } }"), span.Of[span.Line](0, 1), []int{0}},
		{"A5 the same after a change", words("} } }"), words("} x } }"), span.Of[span.Line](0, 1), []int{0}},
		{"A6 a page of equal lines, two of them replaced", zeros, changed, span.Of[span.Line](200, 800), a6},
		{"A7 a lone brace wrapped by others", words("}"), words("a } b"), span.Of[span.Line](0, 1), []int{1}},
		{"A45 sorted imports", words("b a"), words("a b"), span.Of[span.Line](0, 2), []int{0, 1}},
		{"A45 only one of them seen", words("b a"), words("a b"), span.Of[span.Line](0, 1), []int{1}},
		{"A45 sorting a list where one line occurs twice", words("c b a b"), words("a b b c"), span.Of[span.Line](0, 4), []int{0, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := heldOf(c.old, c.new, c.covered); !slices.Equal(got, c.held) {
				t.Errorf("held %v, want %v", got, c.held)
			}
		})
	}
}

func TestAlignVersions(t *testing.T) {
	lines := versionOf(words("a b c"))
	absent, empty := &Version{Absent: true}, versionOf(nil)
	dropped := &Version{Ref: lines.Ref, N: 3}
	other := versionOf(words("a b"))
	crlf := *lines
	crlf.Ref = content.RefOf([]byte("a\r\nb\r\nc\r\n"))
	unnamed := *lines
	unnamed.Ref = content.Ref{}
	for _, c := range []struct {
		name   string
		a, b   *Version
		known  bool
		lines  string
		joints string
	}{
		{"same version", lines, lines, true, "0 1 2", "0 1 2 3"},
		{"same ref, skeleton dropped", dropped, dropped, true, "0 1 2", "0 1 2 3"},
		{"same lines, other endings", lines, &crlf, true, "0 1 2", "0 1 2 3"},
		{"dropped before", dropped, other, false, "- -", "| | |"},
		{"dropped after", other, dropped, false, "- - -", "| | | |"},
		{"absent stays absent", absent, &Version{Absent: true}, true, "", "0"},
		{"empty stays empty", empty, empty, true, "", "0"},
		{"absent is not empty", absent, empty, true, "", "|"},
		{"empty is not absent", empty, absent, true, "", "|"},
		{"created", absent, lines, true, "- - -", "| | | |"},
		{"deleted", lines, absent, true, "", "|"},
		{"two versions without a name are compared", &unnamed, &Version{N: 2, Skeleton: versionOf(words("x b")).Skeleton}, true, "- 1", "| | |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			al := Align(c.a, c.b)
			if al.Known() != c.known || showLines(al) != c.lines || showJoints(al) != c.joints {
				t.Errorf("known %v, lines %q, joints %q", al.Known(), showLines(al), showJoints(al))
			}
			_, gap := al.GapAtJoint(0)
			if _, joint := al.Joint(0); gap != (c.known && !joint) {
				t.Errorf("gap at joint 0: %v", gap)
			}
			if _, gap := al.Gap(0); gap && !c.known {
				t.Error("a gap, but nothing is known")
			}
		})
	}
}

func TestUnsureStopsWhenTold(t *testing.T) {
	// Moved, doubtful, moved; all between two sure lines.
	al := Align(versionOf(words("s b x c } d } e t")), versionOf(words("s e d } b c y t")))
	all := slices.Collect(al.Unsure)
	if len(all) < 4 {
		t.Fatalf("only %v are unsure", all)
	}
	for n := range len(all) {
		var got []span.Line
		for j := range al.Unsure {
			if got = append(got, j); len(got) > n {
				break
			}
		}
		if !slices.Equal(got, all[:n+1]) {
			t.Errorf("%v, want %v", got, all[:n+1])
		}
	}
}

// The single partner, the common case, costs no memory; neither do the questions that walk over several.
func TestAlignmentQuestionsDoNotAllocate(t *testing.T) {
	al := Align(versionOf(words("p x q x r y")), versionOf(words("s x t y")))
	all := func(span.Line) bool { return true }
	if n := testing.AllocsPerRun(100, func() {
		for j := span.Line(0); j < 4; j++ {
			if j != 1 {
				al.Partners(j)
			}
			al.Held(j, all)
			al.Loose(j)
			al.Moved(j)
			al.Joint(j)
			al.Gap(j)
			al.GapAtJoint(j)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAlignmentCache(t *testing.T) {
	versions := make([]*Version, 5)
	for i := range versions {
		versions[i] = versionOf(words(strings.Repeat("a ", i) + "z"))
	}
	c := NewAlignmentCache(2)
	first := c.Align(versions[0], versions[1])
	if !reflect.DeepEqual(first, Align(versions[0], versions[1])) {
		t.Error("the cache answers otherwise than Align")
	}
	c.Align(versions[1], versions[0])
	if c.Align(versions[0], versions[1]) != first || c.Len() != 2 {
		t.Error("not kept, or the order of the refs does not count")
	}
	c.Align(versions[2], versions[3]) // pushes out 1 -> 0, which was asked for longest ago
	if c.Align(versions[0], versions[1]) != first || c.Len() != 2 {
		t.Error("what was asked for last was dropped")
	}
	c.Align(versions[3], versions[4])
	c.Align(versions[4], versions[3])
	if c.Align(versions[0], versions[1]) == first {
		t.Error("kept beyond the bound")
	}
	want := 0
	for _, e := range c.byRefs {
		want += e.Value.(*cached).alignment.Bytes()
	}
	if c.Bytes() != want || c.order.Len() != c.Len() {
		t.Errorf("%d bytes booked, %d kept", c.Bytes(), want)
	}

	c = NewAlignmentCache(8)
	c.Align(versions[0], versions[0])
	c.Align(&Version{Ref: versions[0].Ref, N: 1}, versions[1])
	c.Align(&Version{N: 1, Skeleton: versions[0].Skeleton}, versions[1])
	if c.Len() != 0 {
		t.Errorf("%d kept of what is equal, unknown or without a name", c.Len())
	}
	if al := c.Align(versions[0], versions[1]); !al.Known() {
		t.Error("what was unknown stays so when the skeleton is back")
	}
	size := Align(versions[1], versions[2]).Bytes()
	c.bytesMax = c.Bytes() + size - 1 // each of the two fits, but not both
	if al := c.Align(versions[1], versions[2]); c.Align(versions[1], versions[2]) != al || c.Len() != 1 || c.Bytes() != size {
		t.Errorf("%d alignments of %d bytes kept within %d", c.Len(), c.Bytes(), c.bytesMax)
	}
	c.bytesMax = size - 1
	c.Align(versions[3], versions[2])
	if c.Len() != 1 || c.Bytes() != size {
		t.Errorf("%d alignments of %d bytes kept, the last of them too large for %d", c.Len(), c.Bytes(), c.bytesMax)
	}
	if c = NewAlignmentCache(0); c.Align(versions[0], versions[1]).New() != 2 || c.Len() != 0 {
		t.Error("a cache of none keeps something")
	}
}
