package evidence

import (
	"cmp"
	"slices"

	"github.com/sightline-io/sightline/internal/span"
)

// Lines returns what the session knows of every line of the current version now: a line is seen, authored or recorded
// exactly when an edit that quotes it would be admitted. The caller owns the slice.
func Lines(t *Track, h *History, cur *Version) []LineFact {
	a := newAsker(t, h, cur, Now, false, false)
	facts := make([]LineFact, cur.N)
	done := make([]bool, cur.N)
	f := a.filter(Quoted)
	for i := len(t.views) - 1; i >= 0; i-- {
		a.tell(i, f, facts, done)
	}
	for k := range facts {
		if done[k] {
			continue
		}
		if e := a.coverage(span.InnerSlots(span.Of(span.Line(k), span.Line(k)+1))); e != nil {
			facts[k] = LineFact{State: LineRecorded, Origin: e.Origin, Seq: e.Seq}
			continue
		}
		if f := a.ask(asked{slot: span.LineSlot(span.Line(k))}); f.status == stale {
			facts[k] = LineFact{State: LineStale}
		} else if f.status == held { // by a mutant
			facts[k] = LineFact{State: LineSeen}
		}
	}
	return facts
}

// tell fills in the lines that one view holds. Of the entries that hold a line the best origin is told, then the
// earliest.
func (a *asker) tell(view int, f filter, facts []LineFact, done []bool) {
	v, m := &a.t.views[view], a.mapOf(view)
	entries := make([]Entry, 0, len(v.Entries))
	for _, e := range v.Entries {
		if f.admits(&e) {
			entries = append(entries, e)
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.worth(), b.worth()), cmp.Compare(a.Seq, b.Seq))
	})
	for _, e := range entries {
		for _, sp := range m.image(span.SetOf(e.Slots)).Spans() {
			for k := (sp.From) / 2; span.LineSlot(span.Line(k)) < sp.To; k++ {
				if k := span.Line(k); sp.Has(span.LineSlot(k)) && !done[k] {
					done[k], facts[k] = true, e.fact()
				}
			}
		}
	}
	// A line that is one of several old ones is held by all of them together.
	for _, d := range m.doubts {
		if k := d.cur.Line(); !done[k] && a.image(view, f).Has(d.cur) {
			done[k], facts[k] = true, a.t.together(entries, d)[0].fact()
		}
	}
}

// worth orders entries for telling: what tells less about where a line is known from comes later.
func (e *Entry) worth() int {
	if e.Origin == Recorded {
		return 1
	}
	return 0
}

func (e Entry) fact() LineFact {
	f := LineFact{State: LineSeen, Origin: e.Origin, Seq: e.Seq}
	switch e.Origin {
	case Authored:
		f.State = LineAuthored
	case Recorded:
		f.State = LineRecorded
	}
	return f
}

// Changed returns the lines of the current version whose place was shown and differs now: what [Lines] calls stale.
func Changed(t *Track, h *History, cur *Version) []span.Lines {
	var out []span.Lines
	for k, f := range Lines(t, h, cur) {
		if f.State == LineStale {
			out = append(out, span.Of(span.Line(k), span.Line(k)+1))
		}
	}
	return span.SetOf(out...).Spans()
}
