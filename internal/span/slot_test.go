package span

import "testing"

func TestSlots(t *testing.T) {
	for k := range Line(10) {
		if s := LineSlot(k); !s.IsLine() || s.Line() != k || s != 2*Slot(k)+1 {
			t.Errorf("slot %d of line %d", s, k)
		}
		if s := JointSlot(k); s.IsLine() || s.Line() != k || s != LineSlot(k)-1 {
			t.Errorf("slot %d of joint %d", s, k)
		}
	}
	for n := range 7 {
		whole := WholeFile(n)
		if whole.Len() != 2*n+1 || LinesOf(whole) != Of[Line](0, Line(n)) {
			t.Errorf("a file of %d lines has the slots %s", n, whole)
		}
		for a := Line(0); int(a) <= n; a++ {
			for b := a; int(b) <= n; b++ {
				checkSlots(t, n, Of(a, b))
			}
		}
	}
}

// checkSlots compares both slot spans of l with their definition, slot by slot.
func checkSlots(t *testing.T, n int, l Lines) {
	t.Helper()
	all, inner := SlotsOf(l), InnerSlots(l)
	for s := range Slot(2*n + 1) {
		// A line is covered when it is in l; a joint when a line beside it is, or, for inner slots, when both are.
		before, after := l.Has(s.Line()-1), l.Has(s.Line())
		wantAll, wantInner := before || after, before && after
		if s.IsLine() {
			wantAll, wantInner = after, after
		}
		if all.Has(s) != wantAll || inner.Has(s) != wantInner {
			t.Fatalf("lines %s of %d: slot %d in %s %t, in %s %t", l, n, s, all, all.Has(s), inner, inner.Has(s))
		}
	}
	if l.Empty() {
		if !all.Empty() || !inner.Empty() {
			t.Fatalf("the empty span %s covers %s, owes %s", l, all, inner)
		}
		return
	}
	if LinesOf(all) != l || LinesOf(inner) != l || !all.Contains(inner) || !WholeFile(n).Contains(all) {
		t.Fatalf("lines %s of %d: %s and %s", l, n, all, inner)
	}
}
