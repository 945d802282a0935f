package session_test

import (
	"slices"
	"strings"
)

// The model keeps texts and no hashes, and nothing of how evidence is computed: which lines of which text reached whom,
// and when. A moment is a number that grows whenever an answer leaves or a commit is made.

// mark is one time at which a session was told a line, or wrote it.
type mark struct {
	at    int // when the answer left, or the commit was made
	since int // when the bytes were captured
	call  uint64
	own   bool
}

// pieces are the parts of one long line that were shown.
type piece struct {
	from, to int // bytes, without the ending
	mark
}

// knowledge is what one session was told of one path.
type knowledge struct {
	lines  map[string][]mark
	pieces map[string][]piece
}

func newKnowledge() *knowledge { return &knowledge{map[string][]mark{}, map[string][]piece{}} }

// told notes a line shown whole.
func (k *knowledge) told(text string, m mark) { k.lines[text] = append(k.lines[text], m) }

func (k *knowledge) clone() *knowledge {
	c := newKnowledge()
	c.learn(k)
	return c
}

// learn takes over what was told under another name.
func (k *knowledge) learn(o *knowledge) {
	for t, ms := range o.lines {
		k.lines[t] = append(k.lines[t], ms...)
	}
	for t, ps := range o.pieces {
		k.pieces[t] = append(k.pieces[t], ps...)
	}
}

// marks returns when the whole line was known: the times it was shown whole, and the one at which its parts made it whole.
func (k *knowledge) marks(text string) []mark {
	out := k.lines[text]
	ps := slices.Clone(k.pieces[text])
	slices.SortFunc(ps, func(a, b piece) int { return a.at - b.at })
	covered := make([]bool, len(text))
	left := len(text)
	since := 0
	for _, p := range ps {
		for i := p.from; i < p.to; i++ {
			if !covered[i] {
				covered[i] = true
				left--
			}
		}
		since = max(since, p.since)
		if left == 0 {
			return append(slices.Clone(out), mark{at: p.at, since: since, call: p.call})
		}
	}
	return out
}

// knows reports whether the line was known by the boundary; own text is known at once where ownAtOnce says so.
func (k *knowledge) knows(text string, boundary int, ownAtOnce bool) bool {
	return slices.ContainsFunc(k.marks(text), func(m mark) bool { return m.at <= boundary || ownAtOnce && m.own })
}

// rewind forgets what calls behind upTo told.
func (k *knowledge) rewind(upTo uint64) {
	for t, ms := range k.lines {
		k.lines[t] = slices.DeleteFunc(ms, func(m mark) bool { return m.call > upTo })
	}
	for t, ps := range k.pieces {
		k.pieces[t] = slices.DeleteFunc(ps, func(p piece) bool { return p.call > upTo })
	}
}

// presence says since when a file holds each of the lines that it holds exactly once.
type presence map[string]int

// changed returns the presence after the file came to hold text at a moment.
func (p presence) changed(text string, now int) presence {
	out := presence{}
	count := map[string]int{}
	lines := textLines(text)
	for _, l := range lines {
		count[l]++
	}
	for l, n := range count {
		if n != 1 {
			continue
		}
		out[l] = now
		if since, was := p[l]; was {
			out[l] = since
		}
	}
	return out
}

// fullLines returns the lines of a text with their endings.
func fullLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// textLines returns the lines of a text without their endings.
func textLines(text string) []string {
	lines := fullLines(text)
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
	}
	return lines
}

// surplus returns what a holds more often than b, in a's order.
func surplus(a, b []string) []string {
	count := map[string]int{}
	for _, l := range b {
		count[l]++
	}
	var out []string
	for _, l := range a {
		if count[l]--; count[l] < 0 {
			out = append(out, l)
		}
	}
	return out
}
