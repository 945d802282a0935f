package evidence

import "slices"

// exact solves a rectangle by all of its longest common subsequences at once. With the length F of the longest one of
// every pair of starts and the length B of every pair of ends, lines i and j are matched in some longest one where
// they are equal and F(i,j) + 1 + B(i+1,j+1) is the length of the whole; and some longest one leaves j out where
// F(i,j) + B(i,j+1) is that length for some place i. A line is sure where it has one partner and is never left out.
func (m *matcher) exact(r rect) {
	a, b := m.a[r.a0:r.a1], m.b[r.b0:r.b1]
	m.spent += r.cells()
	width := len(a) + 1
	m.tables(a, b)
	all := m.forward[len(b)*width+len(a)]
	if all == 0 {
		return
	}
	for j, v := range b {
		if v == alone {
			continue
		}
		f := m.forward[j*width : (j+1)*width]
		k := m.back[(j+1)*width : (j+2)*width]
		m.found = m.found[:0]
		loose := false
		for i, u := range a {
			loose = loose || f[i]+k[i] == all
			if u == v && f[i]+1+k[i+1] == all {
				m.found = append(m.found, int32(r.a0+i))
			}
		}
		loose = loose || f[len(a)]+k[len(a)] == all
		switch {
		case len(m.found) == 1 && !loose:
			m.sure(r.b0+j, int(m.found[0]), 1)
		case len(m.found) > 0:
			m.doubtful(r.b0+j, loose)
		}
	}
}

// tables fills forward and back: entry j*(len(a)+1)+i is the length of the longest common subsequence of a[:i] and
// b[:j], and of a[i:] and b[j:]. No length exceeds the shorter side, which is at most 256.
func (m *matcher) tables(a, b []int32) {
	width := len(a) + 1
	size := width * (len(b) + 1)
	m.forward = slices.Grow(m.forward[:0], size)[:size]
	m.back = slices.Grow(m.back[:0], size)[:size]
	clear(m.forward[:width])
	for j, v := range b {
		prev, row := m.forward[j*width:(j+1)*width], m.forward[(j+1)*width:(j+2)*width]
		row[0] = 0
		for i, u := range a {
			if u == v {
				row[i+1] = prev[i] + 1
			} else {
				row[i+1] = max(prev[i+1], row[i])
			}
		}
	}
	clear(m.back[size-width:])
	for j := len(b) - 1; j >= 0; j-- {
		next, row := m.back[(j+1)*width:(j+2)*width], m.back[j*width:(j+1)*width]
		row[len(a)] = 0
		for i := len(a) - 1; i >= 0; i-- {
			if a[i] == b[j] {
				row[i] = next[i+1] + 1
			} else {
				row[i] = max(next[i], row[i+1])
			}
		}
	}
}

// doubtful records the found partners of line j of the middle.
func (m *matcher) doubtful(j int, loose bool) {
	first, last := m.found[0], m.found[len(m.found)-1]
	d := doubt{
		line: int32(m.top + j), base: int32(m.top) + first,
		at: int32(len(m.al.bits)), words: (last-first)/64 + 1, loose: loose,
	}
	m.al.bits = append(m.al.bits, make([]uint64, d.words)...)
	words := m.al.bits[d.at:]
	for _, i := range m.found {
		words[(i-first)/64] |= 1 << uint((i-first)%64)
	}
	m.al.doubts = append(m.al.doubts, d)
}
