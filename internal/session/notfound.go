package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// notFound answers an edit whose text is not in the file: stale, with the place where it was, when it was shown and is
// gone; else not-found, with what comes nearest.
func (p *Plan) notFound(f *fault.Error, d *edit.LocateDetail, cur *evidence.Version) error {
	hashes := p.wholeLines(d.Op)
	if places, by, _ := p.gonePlaces(cur, hashes); len(places) > 0 {
		return p.stale(places, by, cur)
	}
	out := *f
	out.Path = p.req.Path
	near := &fault.Next{Tool: "read", Path: p.req.Path}
	if d.Near.Len() > 0 {
		near.Lines = []span.Lines{d.Near}
	}
	out.Cure = &fault.Cure{Next: near}
	return &out
}

// stale refuses an edit of text that was shown and is gone from these places.
func (p *Plan) stale(places []span.Lines, by []string, cur *evidence.Version) error {
	return p.refuse(refused{path: p.req.Path, key: p.key, capture: p.found.Capture, digest: p.req.digest(),
		verdict: evidence.Verdict{Code: fault.Stale, Drifted: places, Cure: around(places, cur.N), By: by}})
}

// gonePlaces returns where lines of these hashes, or whatever else changed since it was shown, stood, and the sessions
// that changed them; quoted tells that one of the lines was shown and is gone. What the session itself wrote there is no change to it, unless nothing else is there.
func (p *Plan) gonePlaces(cur *evidence.Version, hashes []content.Hash) (places []span.Lines, by []string, quoted bool) {
	w := p.s.ws
	w.mu.Lock()
	defer w.mu.Unlock()
	t, h := p.s.peek(p.key), w.history(p.key)
	places, quoted = evidence.StaleSearch(t, h, cur, hashes, p.boundary)
	if len(places) == 0 {
		return nil, nil, false
	}
	facts := evidence.Lines(t, h, cur)
	var others span.Set[span.Line]
	for _, l := range places {
		for i := l.From; i < l.To; i++ {
			if s := facts[i].State; s != evidence.LineSeen && s != evidence.LineAuthored {
				others = others.With(span.Of(i, i+1))
			}
		}
	}
	if !others.Empty() {
		empty := slices.DeleteFunc(slices.Clone(places), func(l span.Lines) bool { return !l.Empty() })
		places = append(others.Spans(), empty...)
		slices.SortFunc(places, func(a, b span.Lines) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	}
	return places, evidence.Judge(t, h, cur, evidence.Call{Kind: evidence.KindEdit, Boundary: p.boundary, Needs: quoting(places)}).By, quoted
}

// quoting returns what an edit that quotes these lines owes.
func quoting(lines []span.Lines) []evidence.Need {
	var out []evidence.Need
	for _, l := range lines {
		need := span.SetOf(span.InnerSlots(l))
		out = append(out, evidence.Need{Class: evidence.Quoted, Lines: l,
			Choose: func(func(span.Slot) bool) evidence.Reading { return evidence.Reading{Need: need} }})
	}
	return out
}

// around returns the lines that show the places: the lines themselves, and for the place of lines that are gone the two
// beside it. Of an empty file it is the one empty span, which tells that it is empty.
func around(places []span.Lines, n int) []span.Lines {
	if n == 0 {
		return []span.Lines{{}}
	}
	whole := span.Of(0, span.Line(n))
	var show span.Set[span.Line]
	for _, p := range places {
		if p.Empty() {
			p = span.Of(p.From-1, p.From+1)
		}
		show = show.With(p.Intersect(whole))
	}
	return show.Spans()
}

// wholeLines returns the hashes of the lines that an edit quotes.
func (p *Plan) wholeLines(op int) []content.Hash {
	var quoted string
	switch o := p.req.Edits[op].(type) {
	case edit.Replace:
		quoted = o.Old
	case edit.Anchors:
		quoted = strings.TrimSuffix(o.From, "\n") + "\n" + o.To
	}
	w := p.s.ws
	h := w.hashers.Get().(*content.Hasher)
	defer w.hashers.Put(h)
	var out []content.Hash
	for line := range strings.Lines(quoted) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		out = append(out, h.Line([]byte(line)))
		if len(out) == 4096 {
			break
		}
	}
	return out
}

// ambiguous answers an edit whose text occurs more than once. When exactly one of the places was shown, that one is
// offered by its line numbers; else the places are offered for reading.
func (p *Plan) ambiguous(f *fault.Error, d *edit.LocateDetail, cur *evidence.Version) error {
	w := p.s.ws
	w.mu.Lock()
	facts := evidence.Lines(p.s.peek(p.key), w.history(p.key), cur)
	w.mu.Unlock()
	var held []span.Lines
	for _, o := range d.Occurrences {
		if allKnown(facts, o) {
			held = append(held, o)
		}
	}
	out := *f
	out.Path = p.req.Path
	out.Cure = &fault.Cure{Next: &fault.Next{Tool: "read", Path: p.req.Path, Lines: joined(d.Occurrences)}}
	if len(held) == 1 && len(p.req.Edits) == 1 {
		if e, ok := p.asLines(held[0]); ok {
			out.Message = fmt.Sprintf("%s Only %s was shown to you; the next call edits it there.", strings.TrimSpace(out.Message), fault.Ranges(held))
			out.Cure.Next = &fault.Next{Tool: "edit", Path: p.req.Path, Edits: []fault.LineEdit{e}}
		}
	}
	return &out
}

func allKnown(facts []evidence.LineFact, l span.Lines) bool {
	for i := l.From; i < l.To; i++ {
		if s := facts[i].State; s == evidence.LineUnseen || s == evidence.LineStale {
			return false
		}
	}
	return true
}

// joined returns sorted spans as a set's, at most 64 of them.
func joined(ls []span.Lines) []span.Lines {
	out := span.SetOf(ls...).Spans()
	return out[:min(len(out), 64)]
}

// asLines returns the call's edit by the numbers of one place where its text occurs, if it does the same there and the
// judge would admit it.
func (p *Plan) asLines(at span.Lines) (fault.LineEdit, bool) {
	r, ok := p.req.Edits[0].(edit.Replace)
	if !ok {
		return fault.LineEdit{}, false
	}
	given := string(p.found.Capture.Text().Slice(int(at.From), int(at.To)))
	block := strings.ReplaceAll(given, "\r\n", "\n")
	old := strings.ReplaceAll(r.Old, "\r\n", "\n")
	if crlf := strings.Count(given, "\r\n"); strings.Count(block, old) != 1 || crlf != 0 && crlf != strings.Count(given, "\n") {
		return fault.LineEdit{}, false // lines of mixed endings would come out with one of them
	}
	e := fault.LineEdit{Lines: at, New: strings.Replace(block, old, r.New, 1)}
	p.s.ws.mu.Lock()
	t := p.s.peek(p.key)
	p.s.ws.mu.Unlock()
	return e, p.wouldAdmit(t, []edit.Op{edit.LineRange{Lines: at, New: e.New}})
}
