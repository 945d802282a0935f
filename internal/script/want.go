package script

import (
	"fmt"
	"strings"
)

// Want is what a step's answer must be.
type Want struct {
	Verdict string   // allow, refuse, ok, yes, no or any
	Codes   []string // for refuse and no: one of them

	// Missing and Drifted are compared exactly unless AnyLines is set.
	Missing, Drifted []Range
	AnyLines         bool

	Delivered *[]Range // nil means unsaid; the general rules hold
	Next      *WantNext

	Says, Silent []string // words that the message or the text must and must not hold
	Facts        []Fact
}

// WantNext is what cure.next must be.
type WantNext struct {
	Kind   string // same, none, or a tool
	Ranges []Range
}

// Fact is one further statement about an answer.
type Fact struct {
	Name   string
	Text   string
	N      int
	Ranges []Range
	Names  []string
	Edits  [][2]Range
}

var refusals = strings.Fields(`not-seen needs-full stale not-found ambiguous exists missing outside-root denied ignored
	read-only not-regular lossy-encoding partial-line conflict dirty-buffer cursor changed-since-page needs-scope limit
	invalid`)

// ofEvidence tells the codes that the judge gives: they name lines and carry text.
func ofEvidence(code string) bool {
	switch code {
	case "not-seen", "needs-full", "stale", "partial-line":
		return true
	}
	return false
}

func known(code string) bool {
	for _, c := range refusals {
		if c == code {
			return true
		}
	}
	return false
}

// parseWant reads what stands after an arrow. tool is the tool whose answer it speaks of.
func parseWant(w *words, tool string) (*Want, error) {
	t, err := w.next("what is expected after ->")
	if err != nil {
		return nil, err
	}
	want := &Want{Verdict: t.word}
	switch t.word {
	case "refuse", "no":
		if err := wantCodes(w, want); err != nil {
			return nil, err
		}
	case "allow", "ok", "yes", "any":
		want.AnyLines = true
	default:
		return nil, fmt.Errorf("after -> stands allow, refuse, ok, yes, no or any, not %v", t)
	}
	if wrong := misplaced(want.Verdict, tool); wrong != "" {
		return nil, fmt.Errorf("%s", wrong)
	}
	for !w.done() {
		if err := wantClause(w, want, tool); err != nil {
			return nil, err
		}
	}
	if len(want.Codes) > 0 && !want.AnyLines && want.Missing == nil && want.Drifted == nil && ofEvidence(want.Codes[0]) {
		return nil, fmt.Errorf("refuse %s needs its ranges, or the word anywhere or none", want.Codes[0])
	}
	return want, nil
}

func misplaced(verdict, tool string) string {
	check := tool == "check"
	switch verdict {
	case "yes", "no":
		if !check {
			return verdict + " is for check; a call is allowed or refused"
		}
	case "allow":
		if check {
			return "check answers yes or no"
		}
	}
	return ""
}

func wantCodes(w *words, want *Want) error {
	t, err := w.next("a code")
	if err != nil {
		return err
	}
	want.Codes = strings.Split(t.word, "|")
	for _, c := range want.Codes {
		if !known(c) {
			return fmt.Errorf("%q is no code of a refusal", c)
		}
	}
	if w.take("anywhere") {
		want.AnyLines = true
		return nil
	}
	if w.take("none") {
		want.Missing = []Range{}
	} else if r := w.ranges(); len(r) > 0 {
		if want.Codes[0] == "stale" || want.Codes[0] == "conflict" {
			want.Drifted = r
		} else {
			want.Missing = r
		}
	}
	return nil
}

func wantClause(w *words, want *Want, tool string) error {
	t, err := w.next("a clause")
	if err != nil {
		return err
	}
	if t.quoted {
		return fmt.Errorf("a text without a word before it: %v", t)
	}
	refused := len(want.Codes) > 0
	switch t.word {
	case "says", "silent", "warns":
		s, err := w.textExpr("the words")
		if err != nil {
			return err
		}
		switch t.word {
		case "says":
			want.Says = append(want.Says, s)
		case "silent":
			want.Silent = append(want.Silent, s)
		default:
			want.Facts = append(want.Facts, Fact{Name: "warns", Text: s})
		}
		return nil
	case "missing", "drifted":
		if refused {
			return wantLines(w, want, t.word)
		}
	case "delivered":
		r, err := noneOrRanges(w)
		want.Delivered = &r
		return err
	case "next":
		return wantNext(w, want)
	}
	return wantFact(w, want, t.word, tool)
}

func wantLines(w *words, want *Want, which string) error {
	r := w.ranges()
	if len(r) == 0 {
		return fmt.Errorf("%s needs ranges", which)
	}
	if which == "missing" {
		want.Missing = r
	} else {
		want.Drifted = r
	}
	return nil
}

func noneOrRanges(w *words) ([]Range, error) {
	if w.take("none") {
		return []Range{}, nil
	}
	r := w.ranges()
	if len(r) == 0 {
		return nil, fmt.Errorf("ranges or none must follow")
	}
	return r, nil
}

func wantNext(w *words, want *Want) error {
	t, err := w.next("what the next call is")
	if err != nil {
		return err
	}
	n := &WantNext{Kind: t.word}
	switch t.word {
	case "same", "none":
	case "read", "write", "move", "delete", "list":
		n.Ranges = w.ranges()
	case "edit":
		for strings.HasPrefix(w.peek(), "@") {
			r, ok := parseRange(w.peek()[1:])
			if !ok {
				return fmt.Errorf("next edit needs a range such as @3-3")
			}
			n.Ranges = append(n.Ranges, r)
			w.pos++
		}
	default:
		return fmt.Errorf("the next call is same, none or a tool, not %v", t)
	}
	want.Next = n
	return nil
}

func wantFact(w *words, want *Want, name, tool string) (err error) {
	f := Fact{Name: name}
	switch name {
	case "noop", "more", "done", "bom", "no-bom", "final-newline", "no-final-newline", "complete", "incomplete", "created":
	case "total", "count":
		f.N, err = w.number(name)
	case "text":
		f.Text, err = w.textExpr("the text")
	case "eol", "encoding", "source", "state", "durability":
		f.Text, err = w.name(name)
	case "lines", "covered", "missing", "cut":
		f.Ranges, err = noneOrRanges(w)
	case "edits":
		f.Edits, err = editRanges(w)
	case "has", "lacks":
		for !w.done() && !listWord(w.peek()) {
			n, err := w.name("a name")
			if err != nil {
				return err
			}
			f.Names = append(f.Names, n)
		}
	default:
		r, ok := parseRange(name)
		if !ok || tool != "seen" {
			return fmt.Errorf("%q is no clause here", name)
		}
		f.Name, f.Ranges = "row", []Range{r}
		f.Text, err = w.name("a state")
		f.Text = strings.TrimSuffix(f.Text, ",")
	}
	want.Facts = append(want.Facts, f)
	return err
}

func listWord(s string) bool {
	switch s {
	case "has", "lacks", "complete", "incomplete", "says", "silent":
		return true
	}
	return false
}

func editRanges(w *words) ([][2]Range, error) {
	var out [][2]Range
	for !w.done() {
		b, a, ok := strings.Cut(w.peek(), ":")
		if !ok {
			break
		}
		before, ok1 := parseRange(b)
		after, ok2 := parseRange(a)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("edits needs pairs such as 2-2:2-3, not %q", w.peek())
		}
		out = append(out, [2]Range{before, after})
		w.pos++
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("edits needs pairs such as 2-2:2-3")
	}
	return out, nil
}
