package span

import "sort"

// Splice replaces the lines Old of an original by New lines. An empty Old is an insertion before Old.From.
type Splice struct {
	Old Lines
	New int
}

// Delta returns by how many lines the splice makes the file longer; it is negative when it gets shorter.
func (s Splice) Delta() int { return s.New - s.Old.Len() }

// Splices is a sorted list of splices of one original that do not overlap. Two may start at the same line only where the
// first is an insertion and the second replaces lines: insertions at one place are one splice.
type Splices []Splice

// Valid reports whether ss is sorted, free of overlaps and inside a file of n lines.
func (ss Splices) Valid(n int) bool {
	at := Line(0)
	for i, s := range ss {
		if s.Old.From < at || s.Old.To < s.Old.From || int(s.Old.To) > n || s.New < 0 {
			return false
		}
		if i > 0 && s.Old.From == ss[i-1].Old.From && s.Old.Empty() {
			return false
		}
		at = s.Old.To
	}
	return true
}

// Delta returns by how many lines all of ss together make the file longer.
func (ss Splices) Delta() int {
	d := 0
	for _, s := range ss {
		d += s.Delta()
	}
	return d
}

// Line returns where line k of the original stands after ss; ok is false when a splice replaced it.
func (ss Splices) Line(k Line) (to Line, ok bool) {
	// The splices that end at or before k have moved it; an insertion at k moves it too.
	i := sort.Search(len(ss), func(i int) bool { return ss[i].Old.To > k })
	if i < len(ss) && ss[i].Old.Has(k) {
		return 0, false
	}
	d := 0
	for _, s := range ss[:i] {
		d += s.Delta()
	}
	return k + Line(d), true
}

// Back returns which line of the original stands at line k of the result; ok is false when a splice wrote it.
func (ss Splices) Back(k Line) (from Line, ok bool) {
	d := Line(0)
	for _, s := range ss {
		start := s.Old.From + d
		if k < start {
			break
		}
		if k < start+Line(s.New) {
			return 0, false
		}
		d += Line(s.Delta())
	}
	return k - d, true
}

// Result returns the lines of the result that the i-th splice wrote.
func (ss Splices) Result(i int) Lines {
	d := 0
	for _, s := range ss[:i] {
		d += s.Delta()
	}
	from := ss[i].Old.From + Line(d)
	return Lines{from, from + Line(ss[i].New)}
}
