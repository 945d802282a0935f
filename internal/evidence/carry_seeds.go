package evidence

import (
	"slices"
	"sort"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// linePair is a line of a and the line of b that it is matched to.
type linePair struct{ a, b int32 }

// count counts the lines of a rectangle; uncount makes the counts zero again.
func (m *matcher) count(r rect) {
	for i := r.a0; i < r.a1; i++ {
		v := m.a[i]
		m.countA[v]++
		m.where[v] = int32(i)
	}
	for _, v := range m.b[r.b0:r.b1] {
		if v != alone {
			m.countB[v]++
		}
	}
}

func (m *matcher) uncount(r rect) {
	for _, v := range m.a[r.a0:r.a1] {
		m.countA[v] = 0
	}
	for _, v := range m.b[r.b0:r.b1] {
		if v != alone {
			m.countB[v] = 0
		}
	}
}

// once reports whether the value v was counted once on each side.
func (m *matcher) once(v int32) bool { return v != alone && m.countA[v] == 1 && m.countB[v] == 1 }

// seeds returns the longest increasing run of the lines that occur once on each side of r.
func (m *matcher) seeds(r rect) []linePair {
	m.count(r)
	var all []linePair
	for j := r.b0; j < r.b1; j++ {
		if v := m.b[j]; m.once(v) {
			all = append(all, linePair{m.where[v], int32(j)})
		}
	}
	m.uncount(r)
	return increasing(all)
}

// increasing returns a longest part of ps, which ascends in b, that ascends in a too. Of several it is always the same
// one. It is the textbook way of piles: ends holds, for each length, the pair with the smallest a that a run of that
// length can end with.
func increasing(ps []linePair) []linePair {
	if len(ps) == 0 {
		return nil
	}
	ends := make([]int32, 0, len(ps))
	before := make([]int32, len(ps))
	for k, p := range ps {
		n := sort.Search(len(ends), func(n int) bool { return ps[ends[n]].a >= p.a })
		before[k] = alone
		if n > 0 {
			before[k] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, int32(k))
		} else {
			ends[n] = int32(k)
		}
	}
	run := make([]linePair, len(ends))
	for n, k := len(ends)-1, ends[len(ends)-1]; n >= 0; n, k = n-1, before[k] {
		run[n] = ps[k]
	}
	return run
}

// inPlace matches a page of equal lines of which some were replaced: equally long sides whose lines in equal places
// are as many as any matching could have. Nothing is matched otherwise.
func (m *matcher) inPlace(r rect) {
	if r.a1-r.a0 != r.b1-r.b0 {
		return
	}
	m.count(r)
	same, most := 0, 0
	for i, v := range m.a[r.a0:r.a1] {
		if m.b[r.b0+i] == v {
			same++
		}
		// Each value is added once, at its last place.
		if int(m.where[v]) == r.a0+i {
			most += int(min(m.countA[v], m.countB[v]))
		}
	}
	m.uncount(r)
	if same != most {
		return
	}
	for i, v := range m.a[r.a0:r.a1] {
		if m.b[r.b0+i] == v {
			m.sure(r.b0+i, r.a0+i, 1)
		}
	}
}

// unique matches the lines that are not sure and occur once in each whole version: they were moved. A line that is in
// doubt between being kept and being written anew is decided so as well.
func (m *matcher) unique() {
	m.count(m.whole())
	var left []linePair
	k := 0
	for j, v := range m.b {
		for k < len(m.al.runs) && int(m.al.runs[k].New)+m.al.runs[k].Len <= m.top+j {
			k++
		}
		sure := k < len(m.al.runs) && int(m.al.runs[k].New) <= m.top+j
		if !sure && m.once(v) {
			left = append(left, linePair{m.where[v], int32(j)})
		}
	}
	m.uncount(m.whole())
	left = m.nowhereElse(left)
	if len(left) == 0 {
		return
	}
	for _, p := range left {
		m.al.moved = joined(m.al.moved, m.top+int(p.b), m.top+int(p.a), 1)
	}
	m.al.doubts = slices.DeleteFunc(m.al.doubts, func(d doubt) bool { return m.al.Moved(span.Line(d.line)) })
}

// nowhereElse leaves out the pairs whose line occurs in the equal start or end of the versions as well.
func (m *matcher) nowhereElse(ps []linePair) []linePair {
	if len(ps) == 0 || m.top+m.bottom == 0 {
		return ps
	}
	wanted := make(map[content.Hash]bool, len(ps))
	for _, p := range ps {
		wanted[m.news[m.top+int(p.b)]] = true
	}
	for _, part := range [][]content.Hash{m.news[:m.top], m.news[len(m.news)-m.bottom:]} {
		for _, h := range part {
			if wanted[h] {
				wanted[h] = false
			}
		}
	}
	return slices.DeleteFunc(ps, func(p linePair) bool { return !wanted[m.news[m.top+int(p.b)]] })
}
