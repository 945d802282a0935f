package session

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// Rules for a refusal. It names the file, the code and every range that is missing or drifted. It delivers the current
// text of exactly those lines when all of it fits the bound, and nothing at all otherwise: half a cure invites paging
// through refusals. It ends in one next call that was tried against the judge before it is printed. It changes no
// evidence but by what it delivers, and leaves no debt.

// lastRefusal is what a refusal of a file is remembered by, so that a repeat can say so. It shapes text only.
type lastRefusal struct {
	call [sha256.Size]byte
	code fault.Code
	ref  content.Ref
}

// refused is a verdict on its way to being a refusal.
type refused struct {
	path    string // the caller's spelling
	key     scope.Key
	capture *content.Capture
	verdict evidence.Verdict
	digest  [sha256.Size]byte
	// again judges the refused call as if everything shown by then had been delivered; nil when it cannot be tried.
	again func(*evidence.Track) bool
	// moved returns the same call with the numbers that its lines have now; nil where it has none.
	moved func() []fault.LineEdit
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
	b.WriteString(sentence(r.path, v))
	b.WriteString(remedy(f, v))
	f.Message = b.String()
	return f
}

// repeats reports whether the last refusal of this file was of the same call for the same reason, and remembers this one.
func (c *call) repeats(r refused) bool {
	now := lastRefusal{r.digest, r.verdict.Code, r.capture.Ref()}
	c.s.ws.mu.Lock()
	defer c.s.ws.mu.Unlock()
	last, ok := c.s.refusals[r.key]
	if len(c.s.refusals) >= tracksKept {
		clear(c.s.refusals)
	}
	c.s.refusals[r.key] = now
	return ok && last == now
}

func sentence(path string, v evidence.Verdict) string {
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
	read := &fault.Next{Tool: "read", Path: r.path, Lines: nonEmpty(r.verdict.Cure, t)}
	cure := &fault.Cure{Next: read}
	if c.meta.NoCure {
		return cure
	}
	lines := nonEmpty(r.verdict.Cure, t)
	if !c.fits(t, lines) {
		return cure
	}
	for _, l := range lines {
		cure.Text = append(cure.Text, fault.Shown{Lines: l, Text: string(t.Slice(int(l.From), int(l.To)))})
		cure.Delivered = append(cure.Delivered, l)
	}
	c.delivery.add(&show{s: c.s, key: r.key, capture: r.capture, lines: lines, moved: movedTo(r.verdict.Moved),
		origin: evidence.Delivered, epoch: c.epoch, call: c.id})
	switch {
	case len(r.verdict.Moved) > 0 && r.moved != nil:
		if edits := r.moved(); edits != nil {
			cure.Next = &fault.Next{Tool: c.op, Path: r.path, Edits: edits}
		}
	case r.again != nil && r.again(c.afterCure(r, lines)):
		cure.Next = &fault.Next{Tool: c.op, Same: true}
	}
	return cure
}

// afterCure returns what the session would know once the cure was delivered.
func (c *call) afterCure(r refused, lines []span.Lines) *evidence.Track {
	v := c.s.ws.version(r.capture)
	c.s.settle(^evidence.Seq(0))
	c.s.ws.mu.Lock()
	defer c.s.ws.mu.Unlock()
	t := c.s.peek(r.key).Clone()
	var entries []evidence.Entry
	for _, l := range lines {
		entries = append(entries, evidence.Entry{Slots: span.SlotsOf(l), Seq: c.s.ws.upcoming(), Epoch: c.s.epoch, Call: c.id})
	}
	if v.N == 0 {
		entries = append(entries, evidence.Entry{Slots: span.WholeFile(0), Seq: c.s.ws.upcoming(), Epoch: c.s.epoch, Call: c.id})
	}
	if len(entries) > 0 {
		t.Observe(c.s.ws.history(r.key), v, entries)
	}
	t.Renumber(v, movedTo(r.verdict.Moved))
	return t
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
