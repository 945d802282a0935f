package session

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// Rules for a refusal. It names the file, the code and every range that is missing or drifted. It delivers the current
// text of exactly those lines when all of it fits the bound, and nothing at all otherwise: half a cure invites paging
// through refusals. It ends in one next call that was tried against the judge before it is printed. It changes no
// evidence but by what it delivers, and leaves no debt.

// refused is a verdict on its way to being a refusal.
type refused struct {
	path    string // the caller's spelling
	key     scope.Key
	capture *content.Capture
	verdict evidence.Verdict
	digest  [sha256.Size]byte
	// again judges the refused call anew by what a track knows; nil when it cannot be tried.
	again func(*evidence.Track) bool
	// moved returns the same call with the numbers that its lines have now, if the judge would admit it by what a track
	// knows; nil where there is none.
	moved func(*evidence.Track) []fault.LineEdit
}

// refuse builds the fault of r.
func (c *call) refuse(r refused) *fault.Error {
	v := r.verdict
	f := &fault.Error{Op: c.op, Code: v.Code, Path: r.path, Missing: v.Missing, Drifted: v.Drifted}
	f.Cure = c.cure(r)
	var b strings.Builder
	if c.op != "check" && c.repeats(r) {
		b.WriteString("Same call as before, nothing changed. ")
	}
	b.WriteString(sentence(r, v))
	b.WriteString(remedy(f, v))
	f.Message = b.String()
	return f
}

// repeats reports whether the last refusal of this file was of the same call for the same reason, and remembers this one.
func (c *call) repeats(r refused) bool {
	how := "shown"
	if c.meta.NoCure { // a plan that was refused is not yet the call that would have shown something
		how = "told"
	}
	now := c.s.ws.keyedHash(refusalMark, string(r.digest[:]), string(r.verdict.Code), r.capture.Ref().String(), how)
	c.s.ws.mu.Lock()
	defer c.s.ws.mu.Unlock()
	last, ok := c.s.refusals[r.key]
	if len(c.s.refusals) >= tracksKept {
		clear(c.s.refusals)
	}
	c.s.refusals[r.key] = now
	if ok && last == now {
		return true
	}
	c.s.ws.stage(&journal.Refused{Session: c.s.id, Key: r.key.String(), Mark: now})
	return false
}

func sentence(r refused, v evidence.Verdict) string {
	path := r.path
	if t := r.capture.Text(); t.Lines() == 0 && len(v.Missing) == 0 && v.Code != fault.Stale {
		return fmt.Sprintf("%s exists and is empty, which you were not told before.", path)
	} else if t.Lines() == 0 {
		return fmt.Sprintf("%s changed since it was shown to you%s: it exists and is empty now.", path, changedBy(v.By))
	}
	switch v.Code {
	case fault.Stale:
		s := fmt.Sprintf("%s changed since it was shown to you: %s%s.", path, fault.Ranges(v.Drifted), changedBy(v.By))
		for _, m := range v.Moved {
			s += fmt.Sprintf(" The line you saw as %d is now line %d.", m.Seen+1, m.Now+1)
			if len(s) > 600 {
				break
			}
		}
		if len(v.Missing) > 0 {
			s += fmt.Sprintf(" Never shown: %s.", fault.Ranges(v.Missing))
		}
		return s
	case fault.PartialLine:
		return fmt.Sprintf("Only a part of %s of %s was shown to you.", fault.Ranges(v.Missing), path)
	case fault.NeedsFull:
		return fmt.Sprintf("Replacing %s whole needs every line of it to have been shown to you; %s %s not.", path, fault.Ranges(v.Missing), were(v.Missing))
	}
	if v.SameRound {
		return fmt.Sprintf("%s of %s %s delivered in this very round, after you wrote this call.", upper(fault.Ranges(v.Missing)), path, were(v.Missing))
	}
	s := fmt.Sprintf("%s of %s %s never shown to you.", upper(fault.Ranges(v.Missing)), path, were(v.Missing))
	if v.Forgotten {
		s += " What was shown of it long ago was forgotten to bound memory."
	}
	return s
}

func were(ls []span.Lines) string {
	if len(ls) == 1 && ls[0].Len() <= 1 {
		return "was"
	}
	return "were"
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func changedBy(by []string) string {
	if len(by) == 0 {
		return ""
	}
	return ", by session " + strings.Join(by, ", ")
}

// remedy says what to do, in words that fit the cure.
func remedy(f *fault.Error, v evidence.Verdict) string {
	n := f.Cure.Next
	switch {
	case v.SameRound && n.Same:
		return " Send the same call again in your next turn."
	case len(f.Cure.Text) > 0 && n.Same:
		return " The current text is below; if the call is still right, send it again as it is."
	case len(f.Cure.Text) > 0 && n.Tool != "read":
		return " The current text is below; the same call for the lines as they are now is the next call."
	case len(f.Cure.Text) > 0:
		return " The current text is below; write the call anew from it."
	case n.Tool == "read" && len(f.Cure.Delivered) == 0:
		return " Read them first with the next call, then send this one again."
	}
	return " Send the next call."
}

// cure decides what the refusal delivers and what comes next.
func (c *call) cure(r refused) *fault.Cure {
	t := r.capture.Text()
	lines := nonEmpty(r.verdict.Cure, t)
	cure := &fault.Cure{Next: &fault.Next{Tool: "read", Path: r.path, Lines: lines}}
	if c.meta.NoCure || !c.fits(t, lines) {
		if r.verdict.SameRound && c.op != "check" && c.would(r, nil, r.again) {
			cure.Next = &fault.Next{Tool: c.op, Same: true} // all of it was shown in this round: nothing is to be read
		}
		return cure
	}
	for _, l := range lines {
		cure.Text = append(cure.Text, fault.Shown{Lines: l, Text: string(t.Slice(int(l.From), int(l.To)))})
		cure.Delivered = append(cure.Delivered, l)
	}
	c.delivery.add(&show{s: c.s, key: r.key, capture: r.capture, lines: lines, moved: movedTo(r.verdict.Moved),
		told: t.Lines() == 0 && len(r.verdict.Cure) > 0, origin: evidence.Delivered, epoch: c.epoch, call: c.id})
	if r.moved != nil {
		c.would(r, lines, func(t *evidence.Track) bool {
			if edits := r.moved(t); edits != nil {
				cure.Next = &fault.Next{Tool: c.op, Path: r.path, Edits: edits}
			}
			return true
		})
	} else if c.would(r, lines, r.again) {
		cure.Next = &fault.Next{Tool: c.op, Same: true}
	}
	return cure
}

// would tries the next call before it is printed: against what the session will know once the cure that shows lines
// was delivered.
func (c *call) would(r refused, lines []span.Lines, try func(*evidence.Track) bool) bool {
	if try == nil {
		return false
	}
	v := c.s.ws.version(r.capture)
	w := c.s.ws
	w.mu.Lock()
	t := c.s.peek(r.key).Clone()
	var entries []evidence.Entry
	add := func(slots span.Slots) {
		entries = append(entries, evidence.Entry{Slots: slots, Seq: w.upcoming(), Epoch: c.s.epoch, Call: c.id})
	}
	for _, l := range lines {
		add(span.SlotsOf(l))
	}
	if v.N == 0 && len(r.verdict.Cure) > 0 {
		add(span.WholeFile(0))
	}
	t.Observe(w.history(r.key), v, entries)
	t.Renumber(v, movedTo(r.verdict.Moved))
	w.mu.Unlock()
	ok := try(t)
	w.mu.Lock()
	t.Clear()
	w.mu.Unlock()
	return ok
}

// fits reports whether the text of lines may be delivered with a refusal: all of it within the bound, and exactly.
func (c *call) fits(t *content.Text, lines []span.Lines) bool {
	n, size := 0, 0
	limit := min(CureBytesMax, c.budget()-cureOverhead)
	for _, l := range lines {
		n += l.Len()
		size += t.Offset(int(l.To)) - t.Offset(int(l.From)) + 8*l.Len()
		if n > CureLinesMax || size > limit {
			return false
		}
		for i := l.From; i < l.To; i++ {
			if !t.Exact(int(i)) || len(t.Line(int(i))) > evidence.LineUnitMax {
				return false // what cannot be shown exactly is read, so that no refusal turns into a loop
			}
		}
	}
	return true
}

func movedTo(ms []evidence.Moved) []span.Lines {
	out := make([]span.Lines, len(ms))
	for i, m := range ms {
		out[i] = span.Of(m.Now, m.Now+1)
	}
	return out
}

// cureOverhead is what a refusal's message and next call may take of a client's budget besides the text.
const cureOverhead = 2048

// nonEmpty returns the spans that hold lines of t; the place of lines that are gone shows nothing itself.
func nonEmpty(ls []span.Lines, t *content.Text) []span.Lines {
	n := span.Line(t.Lines())
	var out []span.Lines
	for _, l := range ls {
		if l = (span.Lines{From: l.From, To: min(l.To, n)}); l.From < l.To {
			out = append(out, l)
		}
	}
	return out
}
