package budget

// Progress counts how far a long piece of work has come. It says what can be said without a clock: how many of how
// many. It is not safe for concurrent use.
type Progress struct {
	Stage string // what is being done, a word of the caller's
	Done  int64
	Total int64 // zero where it is not known
}

// every is the distance of announcements: often enough to look alive, rare enough to cost nothing.
const every = 64

// Step counts one more and reports whether that is worth announcing: the first, every 64th, and the last are.
func (p *Progress) Step() bool {
	p.Done++
	return p.Done == 1 || p.Done%every == 0 || p.Done == p.Total
}

// Finished reports whether all of a known total is done.
func (p Progress) Finished() bool { return p.Total > 0 && p.Done >= p.Total }
