package evidence

import (
	"cmp"
	"slices"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// writer gathers the facts of one call and writes the verdict: what is missing, what drifted, what cures it.
type writer struct {
	refused []fact      // not held as of the boundary
	lacking []span.Slot // not held once the cure was delivered, unless the cure shows it
	renewed bool        // something owed has to be shown again, whatever the boundary
}

// add takes one fact, and whether the slot is held after the cure without being shown by it.
func (w *writer) add(f fact, after bool) {
	w.renewed = w.renewed || !after
	if f.status != held {
		w.refused = append(w.refused, f)
	}
	if f.status != held || !after {
		w.lacking = append(w.lacking, f.slot)
	}
}

func (w *writer) clean() bool { return len(w.refused) == 0 }

// verdict writes the refusal. The cure shows what is missing or drifted as of the boundary, and what the newest view of
// any moment lacks, because the refusal's own delivery becomes the newest view, built upon that one.
func (w *writer) verdict(a *asker, replace bool) Verdict {
	v := Verdict{SameRound: !w.renewed}
	var unseen, differs []span.Lines
	anyPartial, anyUnseen := false, false
	for _, f := range w.refused {
		v.SameRound = v.SameRound && f.status == sameRound
		v.Forgotten = v.Forgotten || f.status == forgotten
		if !f.slot.IsLine() {
			continue
		}
		one := span.Of(f.slot.Line(), f.slot.Line()+1)
		if f.status == stale {
			differs = append(differs, one)
			continue
		}
		unseen = append(unseen, one)
		anyPartial = anyPartial || f.status == inPartShown
		anyUnseen = anyUnseen || f.status != inPartShown
	}
	missing, drifted := span.SetOf(unseen...), span.SetOf(differs...)
	places := w.broken(a, missing.Union(drifted))
	missing = missing.Minus(drifted)
	v.Missing = missing.Spans()
	v.Drifted = withPlaces(drifted.Spans(), places)
	v.Cure = w.cure(a, missing.Union(drifted), places)
	v.By, v.Moved = w.sources()
	switch {
	case len(v.Drifted) > 0:
		v.Code, v.SameRound = fault.Stale, false
	case anyPartial && !anyUnseen:
		v.Code = fault.PartialLine
	case replace:
		v.Code = fault.NeedsFull
	default:
		v.Code = fault.NotSeen
	}
	return v
}

// broken returns the places of refused joints that lie beside no listed line: lines that were shown are gone there. The
// place of an empty file is drifted only where it was shown with text in it.
func (w *writer) broken(a *asker, listed span.Set[span.Line]) []span.Lines {
	var out []span.Lines
	for _, f := range w.refused {
		k := f.slot.Line()
		switch {
		case f.slot.IsLine(), listed.Has(k), listed.Has(k - 1):
		case a.cur.N > 0, f.status == stale:
			out = append(out, span.Of(k, k))
		}
	}
	return slices.Compact(out)
}

// withPlaces puts empty places among spans of lines.
func withPlaces(lines, places []span.Lines) []span.Lines {
	out := append(slices.Clone(lines), places...)
	slices.SortFunc(out, func(a, b span.Lines) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return out
}

// cure returns the lines to be shown: those listed, the two lines around every place, and what will be lacking. Of an
// empty file it is the one empty span: it must be said that the file is empty.
func (w *writer) cure(a *asker, listed span.Set[span.Line], places []span.Lines) []span.Lines {
	if a.cur.N == 0 {
		return []span.Lines{{}}
	}
	whole := span.Of(0, span.Line(a.cur.N))
	all := slices.Clone(listed.Spans())
	for _, p := range places {
		all = append(all, span.Of(p.From-1, p.From+1).Intersect(whole))
	}
	for _, s := range w.lacking {
		if s.IsLine() {
			all = append(all, span.Of(s.Line(), s.Line()+1))
		}
	}
	show := span.SetOf(all...)
	all = slices.Clone(show.Spans())
	slices.Sort(w.lacking)
	last := span.Line(-2) // shown because of a joint before
	for _, s := range w.lacking {
		if k := s.Line(); !s.IsLine() && !show.Has(k) && !show.Has(k-1) && k-1 > last {
			all = append(all, span.Of(k-1, k+1).Intersect(whole))
			last = k
		}
	}
	return span.SetOf(all...).Spans()
}

// sources returns whose commits changed what drifted, and which lines only moved.
func (w *writer) sources() (by []string, moved []Moved) {
	for _, f := range w.refused {
		if f.by != "" {
			by = append(by, f.by)
		}
		if f.moved != nil {
			moved = append(moved, *f.moved)
		}
	}
	slices.Sort(by)
	slices.SortFunc(moved, func(a, b Moved) int { return cmp.Or(cmp.Compare(a.Seen, b.Seen), cmp.Compare(a.Now, b.Now)) })
	return slices.Compact(by), slices.Compact(moved)
}
