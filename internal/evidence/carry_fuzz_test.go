package evidence

import (
	"reflect"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// unpacked makes a text of fuzz bytes: the low half of each byte is a letter, the high half says how often it is
// repeated, so that few bytes make long pages of equal lines.
func unpacked(data []byte) (lines []content.Hash) {
	for _, c := range data {
		for range 1 + int(c>>4)*int(c>>4)/4 {
			lines = append(lines, content.Hash{c & 15, 1})
		}
	}
	return lines
}

// FuzzAlign aligns any two texts, also with a smaller rectangle and fewer cuts so that every step has its turn, and
// checks every promise; both ways round, and with itself.
func FuzzAlign(f *testing.F) {
	f.Add([]byte{}, []byte{}, uint8(0), uint8(0))
	f.Add([]byte{1, 2, 3}, []byte{1, 3}, uint8(9), uint8(32))
	f.Add([]byte{1, 2}, []byte{2, 1}, uint8(255), uint8(32))
	f.Add([]byte{1, 0xF0, 2, 0xF0, 3}, []byte{1, 0xE0, 4, 2, 0xF0, 3}, uint8(0), uint8(1))
	f.Add([]byte{1, 0x30, 2, 0x30, 3}, []byte{3, 0x30, 2, 0x30, 1}, uint8(4), uint8(2))
	f.Add([]byte{5, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 6}, []byte{7, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 8}, uint8(255), uint8(32))
	f.Fuzz(func(t *testing.T, old, new []byte, cells, depth uint8) {
		if len(old) > 64 || len(new) > 64 {
			return
		}
		a, b := versionsOf(unpacked(old), unpacked(new))
		al := Align(a, b)
		checkAlignment(t, a, b, al)
		if !reflect.DeepEqual(al, Align(a, b)) {
			t.Fatal("two answers to one question")
		}
		small := align(a, b, func(m *matcher) {
			m.cells, m.depth = int(cells), int(depth)%(carryDepth+1)
			m.carry()
		})
		checkAlignment(t, a, b, small)
		if a.N*b.N <= carryCells {
			checkSymmetry(t, al, Align(b, a))
		}
		same, again := versionsOf(a.Skeleton, a.Skeleton)
		if id := Align(same, again); a.N > 0 && !reflect.DeepEqual(id.Runs(), []Run{{0, 0, a.N}}) {
			t.Fatalf("a text is not itself: %v", id.Runs())
		}
	})
}

// checkSymmetry fails unless two alignments of the same versions, each way round, say the same. They do where the
// whole fits into one exact rectangle.
func checkSymmetry(t testing.TB, there, back *Alignment) {
	t.Helper()
	type edge struct{ old, new span.Line }
	edges := func(al *Alignment, turn bool) map[edge]string {
		out := map[edge]string{}
		for j := span.Line(0); int(j) < al.New(); j++ {
			one, many := al.Partners(j)
			if one != NoLine {
				many = []span.Line{one}
			}
			kind := "doubtful"
			if al.Moved(j) {
				kind = "moved"
			} else if _, ok := al.Gap(j); !ok {
				kind = "sure"
			}
			for _, i := range many {
				if turn {
					out[edge{j, i}] = kind
				} else {
					out[edge{i, j}] = kind
				}
			}
		}
		return out
	}
	if there, back := edges(there, false), edges(back, true); !reflect.DeepEqual(there, back) {
		t.Fatalf("there %v, back %v", there, back)
	}
	for k := span.Line(0); int(k) <= there.New(); k++ {
		if i, ok := there.Joint(k); ok {
			if got, ok := back.Joint(i); !ok || got != k {
				t.Fatalf("joint %d is carried one way only", k)
			}
		}
	}
}
