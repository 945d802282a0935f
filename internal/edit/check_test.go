package edit

import (
	"bytes"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// checkPlan checks what holds of every plan that was not refused, whatever is held of the original: applying the
// splices to the lines of the original gives the result, line by line; lines outside of them are untouched; and what
// the changes say of themselves fits.
func checkPlan(t testing.TB, before *content.Text, p *Plan) {
	t.Helper()
	after := content.Decode(p.After)
	if p.Noop != bytes.Equal(before.Raw(), p.After) {
		t.Errorf("noop is %v", p.Noop)
	}
	for _, held := range []func(span.Slot) bool{
		func(span.Slot) bool { return true },
		func(span.Slot) bool { return false },
		func(s span.Slot) bool { return s%4 == 1 },
		func(s span.Slot) bool { return s%6 == 3 },
	} {
		var all span.Splices
		for _, c := range p.Changes {
			r := c.Choose(held)
			checkReading(t, before, r)
			all = append(all, r.Splices...)
		}
		checkSplices(t, before, after, all)
	}
	for _, c := range p.Changes {
		if c.Lines.From < 0 || c.Lines.To < c.Lines.From || int(c.Lines.To) > before.Lines() ||
			c.Result.From < 0 || c.Result.To < c.Result.From || int(c.Result.To) > after.Lines() {
			t.Errorf("change of %v to %v, in texts of %d and %d lines", c.Lines, c.Result, before.Lines(), after.Lines())
		}
	}
}

func checkReading(t testing.TB, before *content.Text, r Reading) {
	t.Helper()
	if len(r.Need.Minus(span.SetOf(span.WholeFile(before.Lines()))).Spans()) > 0 {
		t.Errorf("owes %v of %d lines", r.Need, before.Lines())
	}
	for k, cols := range r.Columns {
		line := before.Line(int(k))
		if len(line) <= LineUnitMax || r.Need.Has(span.LineSlot(k)) {
			t.Errorf("owes columns of line %d, which has %d bytes; owes %v", k, len(line), r.Need)
		}
		for _, c := range cols {
			if c.Empty() || c.From < 0 || int(c.To) > len(line) {
				t.Errorf("owes columns %v of %d", c, len(line))
			}
		}
	}
}

// checkSplices checks that the lines of after are those of before, moved, and those that the splices write.
func checkSplices(t testing.TB, before, after *content.Text, ss span.Splices) {
	t.Helper()
	if !ss.Valid(before.Lines()) {
		t.Errorf("splices %v of %d lines", ss, before.Lines())
		return
	}
	if before.Lines()+ss.Delta() != after.Lines() {
		t.Errorf("splices %v make %d lines of %d", ss, after.Lines(), before.Lines())
		return
	}
	var built []byte
	at := 0
	for i, s := range ss {
		built = append(built, before.Slice(at, int(s.Old.From))...)
		r := ss.Result(i)
		built = append(built, after.Slice(int(r.From), int(r.To))...)
		at = int(s.Old.To)
	}
	built = append(built, before.Slice(at, before.Lines())...)
	if !bytes.Equal(built, after.Body()) {
		t.Errorf("splices %v of %q do not give %q", ss, before.Body(), after.Body())
	}
}
