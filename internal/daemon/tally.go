package daemon

import (
	"sync"

	"github.com/sightline-io/sightline"
)

// Tally counts the decisions of a workspace for people who ask how well the guard serves them. It is made before the
// workspace is opened, whose option Receipts is its Tell. It is safe for concurrent use; the zero Tally is ready.
type Tally struct {
	mu    sync.Mutex
	stats Stats
	codes map[sightline.Code]int
	owed  map[attempt]bool // refused changes that were not admitted yet; true: refused more than once
}

// attempt is what a refused change is known by when it comes again.
type attempt struct{ session, verb, path string }

// owedMax bounds how many refused changes are remembered. Over it all are forgotten: those count as not cured.
const owedMax = 10_000

// Stats are the figures of a tally. A change is an edit, a write, a move or a delete.
type Stats struct {
	V        int            `json:"v"`
	Since    int64          `json:"since"`    // milliseconds since 1970
	Admitted int            `json:"admitted"` // changes that were made, those that changed nothing included
	NoOps    int            `json:"no_ops"`   // admitted changes that changed nothing
	Refused  int            `json:"refused"`  // changes that were refused
	Codes    map[string]int `json:"codes"`    // of those refusals
	Cured    int            `json:"cured"`    // changes that were refused once and admitted at the next try on that file
	Repeated int            `json:"repeated"` // refusals that said what the one before had said
	Failed   int            `json:"failed"`   // calls that the operating system failed
	Reads    int            `json:"reads"`
}

// changes are the verbs whose admission is guarded.
var changes = map[string]bool{"edit": true, "write": true, "move": true, "delete": true}

// Tell counts one receipt. A refusal that is repeated comes with a higher count and is counted again.
func (t *Tally) Tell(r sightline.Receipt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := attempt{r.Session, r.Verb, r.Name.String()}
	switch {
	case r.Code != "" && !r.Code.Refusal():
		t.stats.Failed++
	case r.Verb == "read" && r.Code == "":
		t.stats.Reads++
	case !changes[r.Verb]:
	case r.Code != "":
		t.stats.Refused++
		if r.Count > 1 {
			t.stats.Repeated++
		}
		if t.codes == nil || len(t.owed) >= owedMax {
			t.owed = map[attempt]bool{}
		}
		if t.codes == nil {
			t.codes = map[sightline.Code]int{}
		}
		t.codes[r.Code]++
		_, before := t.owed[at]
		t.owed[at] = before
	default:
		t.stats.Admitted++
		if r.Before == r.After && r.To.IsZero() && !r.After.IsZero() {
			t.stats.NoOps++
		}
		if again, was := t.owed[at]; was && !again {
			t.stats.Cured++
		}
		delete(t.owed, at)
	}
}

// Stats returns the figures; since is when the counting began.
func (t *Tally) Stats(since int64) Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.V, s.Since, s.Codes = 1, since, map[string]int{}
	for c, n := range t.codes {
		s.Codes[string(c)] = n
	}
	return s
}
