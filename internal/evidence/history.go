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

// last returns the moment of the latest commit.
func (h *History) last() Seq {
	if len(h.edges) == 0 {
		return 0
	}
	return h.edges[len(h.edges)-1].Seq
}

// left reports whether a commit began at v after the moment since.
func (h *History) left(v *Version, since Seq) bool {
	for i := len(h.edges) - 1; i >= 0 && h.edges[i].Seq > since; i-- {
		if same(h.edges[i].From, v) {
			return true
		}
	}
	return false
}

// path returns the commits after the moment since that lead from a version to cur, in their order: the fewest of them.
// Where none lead there it returns the latest chain of commits from that version on. A commit made before the version
// was last met tells nothing of what became of it.
func (h *History) path(from, cur *Version, since Seq) []*Edge {
	if same(from, cur) {
		return nil
	}
	edges := h.edges
	for len(edges) > 0 && edges[0].Seq <= since {
		edges = edges[1:]
	}
	if p := shortest(edges, from, cur); p != nil {
		return p
	}
	var chain []*Edge
	for at := from; ; {
		i := len(edges) - 1
		for i >= 0 && !same(edges[i].From, at) {
			i--
		}
		if i < 0 {
			return chain
		}
		at = edges[i].To
		chain = unlooped(from, append(chain, edges[i]))
		edges = edges[i+1:]
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

// shortest searches breadth first, and never back in time; nil when cur cannot be reached.
func shortest(edges []*Edge, from, cur *Version) []*Edge {
	via := make([]int, len(edges)) // the edge before each edge that was reached: index+1, or -1 for the start
	var queue []int
	reach := func(v *Version, by, first int) {
		for i := len(edges) - 1; i >= first; i-- {
			if via[i] == 0 && same(edges[i].From, v) {
				via[i] = by
				queue = append(queue, i)
			}
		}
	}
	reach(from, -1, 0)
	for ; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		if !same(edges[i].To, cur) {
			reach(edges[i].To, i+1, i+1)
			continue
		}
		var back []*Edge
		for ; ; i = via[i] - 1 {
			back = append([]*Edge{edges[i]}, back...)
			if via[i] == -1 {
				return back
			}
		}
	}
	return nil
}
