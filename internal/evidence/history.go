package evidence

import "github.com/sightline-io/sightline/internal/span"

// edgesKept is how many commits of one file are remembered.
const edgesKept = 64

// Edge is one commit made through us: which lines of one version were replaced to give the next.
type Edge struct {
	From, To *Version
	Splices  span.Splices
	By       string // the session that committed
	Seq      Seq
}

// History is the last 64 commits of one file made through us, whichever session made them, and how its versions align
// where nothing else is known. Whole-file writes are no edges: they are carried by content. A History belongs to one
// file and is not safe for concurrent use.
type History struct {
	edges []*Edge // oldest first
	cache *AlignmentCache
}

// NewHistory returns an empty history that keeps its alignments in cache, which several histories may share; with nil
// it keeps none.
func NewHistory(cache *AlignmentCache) *History { return &History{cache: cache} }

// Add records one commit. A commit that changes nothing is no edge.
func (h *History) Add(e Edge) {
	if same(e.From, e.To) {
		return
	}
	e.From.hold()
	e.To.hold()
	h.edges = append(h.edges, &e)
	if len(h.edges) > edgesKept {
		h.edges[0].From.release()
		h.edges[0].To.release()
		h.edges = append(h.edges[:0:0], h.edges[1:]...)
	}
}

// Edges returns the commits kept, oldest first. The caller owns the slice.
func (h *History) Edges() []Edge {
	out := make([]Edge, len(h.edges))
	for i, e := range h.edges {
		out[i] = *e
	}
	return out
}

// Clone returns a history of its own with the same commits, for a file that was moved.
func (h *History) Clone() *History {
	c := NewHistory(h.cache)
	for _, e := range h.edges {
		c.Add(*e)
	}
	return c
}

// Clear forgets all commits, for a file that is gone.
func (h *History) Clear() {
	for _, e := range h.edges {
		e.From.release()
		e.To.release()
	}
	h.edges = nil
}

func (h *History) align(a, b *Version) *Alignment {
	a.touch()
	b.touch()
	if h.cache == nil {
		return Align(a, b)
	}
	return h.cache.Align(a, b)
}

// path returns the commits that lead from a version to cur: the fewest of them, the latest of equally many. Where none
// lead there it returns the latest chain of commits from that version on.
func (h *History) path(from, cur *Version) []*Edge {
	if same(from, cur) || len(h.edges) == 0 {
		return nil
	}
	if p := h.shortest(from, cur); p != nil {
		return p
	}
	var chain []*Edge
	at := from
	used := make([]bool, len(h.edges))
	for {
		i := len(h.edges) - 1
		for i >= 0 && (used[i] || !same(h.edges[i].From, at)) {
			i--
		}
		if i < 0 {
			return chain
		}
		used[i] = true
		chain = unlooped(from, append(chain, h.edges[i]))
		at = h.edges[i].To
	}
}

// unlooped cuts out of a chain the loop that its last commit closed: back at a version, nothing happened to it.
func unlooped(from *Version, chain []*Edge) []*Edge {
	to := chain[len(chain)-1].To
	if same(to, from) {
		return nil
	}
	for i, e := range chain {
		if same(e.To, to) {
			return chain[:i+1]
		}
	}
	return chain
}

// shortest searches breadth first; nil when cur cannot be reached.
func (h *History) shortest(from, cur *Version) []*Edge {
	via := make([]int, len(h.edges)) // the edge before each edge that was reached: index+1, or -1 for the start
	var queue []int
	reach := func(v *Version, by int) {
		for i := len(h.edges) - 1; i >= 0; i-- {
			if via[i] == 0 && same(h.edges[i].From, v) {
				via[i] = by
				queue = append(queue, i)
			}
		}
	}
	reach(from, -1)
	for ; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		if !same(h.edges[i].To, cur) {
			reach(h.edges[i].To, i+1)
			continue
		}
		var back []*Edge
		for ; ; i = via[i] - 1 {
			back = append([]*Edge{h.edges[i]}, back...)
			if via[i] == -1 {
				return back
			}
		}
	}
	return nil
}
