package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// refusal is a refusal in its published shape.
type refusal struct {
	Code             string
	Path             string
	Missing, Drifted []Range
	Message          string
	Text             []shown
	Delivered        []Range
	Next             *nextCall
}

type shown struct {
	Lines Range
	Text  string
}

type nextCall struct {
	Tool string
	Args map[string]any
}

// The bound of a cure.
const (
	cureLines = 200
	cureBytes = 16 << 10
)

// parseRefusal reads a refusal and reports everything in it that departs from the published shape.
func parseRefusal(v map[string]any) (*refusal, []string) {
	r := &refusal{}
	var bad []string
	complain := func(ok bool, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Sprintf(format, args...))
		}
	}
	version, ok := asInt(v["v"])
	complain(ok && version == 1, "a refusal carries v 1, not %v", v["v"])
	r.Code, _ = v["code"].(string)
	complain(known(r.Code), "%q is no code of a refusal", v["code"])
	r.Path, ok = v["path"].(string)
	complain(ok || r.Code == "invalid", "the refusal's path is %v", v["path"])
	r.Message, _ = v["message"].(string)
	complain(r.Message != "", "the refusal has no message")
	r.Missing, ok = asRanges(v["missing"])
	complain(ok, "missing is no list of ranges: %v", v["missing"])
	r.Drifted, ok = asRanges(v["drifted"])
	complain(ok, "drifted is no list of ranges: %v", v["drifted"])
	if wrong := untidy(r.Missing, r.Drifted); wrong != "" {
		bad = append(bad, wrong)
	}
	for name := range v {
		switch name {
		case "v", "refused", "code", "path", "missing", "drifted", "message", "cure", "field":
		default:
			complain(false, "a refusal has no member %q", name)
		}
	}
	if cure, ok := v["cure"].(map[string]any); ok {
		bad = append(bad, r.parseCure(cure)...)
	} else {
		complain(v["cure"] == nil, "cure is no object: %v", v["cure"])
	}
	return r, bad
}

func (r *refusal) parseCure(cure map[string]any) (bad []string) {
	var ok bool
	if r.Delivered, ok = asRanges(cure["delivered"]); !ok {
		bad = append(bad, fmt.Sprintf("cure.delivered is no list of ranges: %v", cure["delivered"]))
	}
	texts, ok := cure["text"].([]any)
	if !ok {
		bad = append(bad, fmt.Sprintf("cure.text is no list: %v", cure["text"]))
	}
	for _, t := range texts {
		m, _ := t.(map[string]any)
		lines, ok1 := asRange(m["lines"])
		text, ok2 := m["text"].(string)
		if !ok1 || !ok2 || len(m) != 2 {
			bad = append(bad, fmt.Sprintf("cure.text holds %v, not lines and text", t))
			continue
		}
		r.Text = append(r.Text, shown{lines, text})
	}
	if cure["next"] == nil {
		return bad
	}
	next, _ := cure["next"].(map[string]any)
	tool, ok1 := next["tool"].(string)
	args, ok2 := next["arguments"].(map[string]any)
	if !ok1 || !ok2 {
		return append(bad, fmt.Sprintf("cure.next has no tool and arguments: %v", cure["next"]))
	}
	r.Next = &nextCall{tool, args}
	if err := validArgs(tool, args); err != nil {
		bad = append(bad, "cure.next is not valid: "+err.Error())
	}
	return bad
}

// untidy reports ranges that are not sorted, merged and disjoint, or that are inverted where they may not be.
func untidy(missing, drifted []Range) string {
	for i, r := range missing {
		if r.From < 1 || r.To < r.From {
			return fmt.Sprintf("missing holds %d-%d, which is no range of lines", r.From, r.To)
		}
		if i > 0 && r.From <= missing[i-1].To+1 {
			return fmt.Sprintf("missing is not sorted and merged: %v", missing)
		}
	}
	for i, r := range drifted {
		if r.From < 1 || r.To < r.From-1 {
			return fmt.Sprintf("drifted holds %d-%d, which is no range", r.From, r.To)
		}
		if i == 0 {
			continue
		}
		before := drifted[i-1]
		if r.From <= before.To || r.To >= r.From && before.To >= before.From && r.From == before.To+1 {
			return fmt.Sprintf("drifted is not sorted and merged: %v", drifted)
		}
	}
	for _, m := range missing {
		for _, d := range drifted {
			if d.To >= d.From && m.From <= d.To && d.From <= m.To {
				return fmt.Sprintf("missing %v and drifted %v overlap", missing, drifted)
			}
		}
	}
	return ""
}

// checkMessage reports what the message fails to name.
func (r *refusal) checkMessage(spelling string) (bad []string) {
	if spelling != "" && r.Code != "invalid" && !strings.Contains(r.Message, spelling) {
		bad = append(bad, fmt.Sprintf("the message does not name the file as %q: %s", spelling, r.Message))
	}
	if !strings.Contains(r.Message, r.Code) {
		bad = append(bad, fmt.Sprintf("the message does not name the code %s: %s", r.Code, r.Message))
	}
	all := append(append([]Range{}, r.Missing...), r.Drifted...)
	if len(all) > 8 {
		return bad // a bounded message may count the rest
	}
	for _, s := range all {
		if s.To >= s.From && !namesRange(r.Message, s) {
			bad = append(bad, fmt.Sprintf("the message does not name lines %d-%d: %s", s.From, s.To, r.Message))
		}
	}
	return bad
}

func namesRange(message string, r Range) bool {
	pattern := `\b` + strconv.Itoa(r.From) + `\b`
	if r.To > r.From {
		pattern += `.{1,6}\b` + strconv.Itoa(r.To) + `\b`
	}
	return regexp.MustCompile(pattern).MatchString(message)
}

// checkCure compares what the refusal delivers with the bytes on disk and with what it names.
func (r *refusal) checkCure(now facts, rounds bool) (bad []string) {
	var text []Range
	bytes, lines := 0, 0
	for _, t := range r.Text {
		text = append(text, t.Lines)
		bytes, lines = bytes+len(t.Text), lines+t.Lines.To-t.Lines.From+1
		if want, ok := now.span(t.Lines); now.Known && (!ok || want != t.Text) {
			bad = append(bad, fmt.Sprintf("the cure shows lines %d-%d as %s, on disk they are %s",
				t.Lines.From, t.Lines.To, Quote(t.Text), Quote(want)))
		}
	}
	if fmt.Sprint(text) != fmt.Sprint(r.Delivered) && len(text)+len(r.Delivered) > 0 {
		bad = append(bad, fmt.Sprintf("the cure delivers %v and shows %v", r.Delivered, text))
	}
	if bytes > cureBytes || lines > cureLines {
		bad = append(bad, fmt.Sprintf("the cure shows %d lines, %d bytes: over the bound", lines, bytes))
	}
	if !ofEvidence(r.Code) {
		return bad
	}
	return append(bad, r.checkCured(rounds)...)
}

// checkCured sees to it that the lines that were owed are delivered, all of them and nothing beside them, or else that
// a read of exactly them is the next call. Where calls belong to rounds a cure may hold more: what the newest delivery
// of any round lacks is owed in the next one.
func (r *refusal) checkCured(rounds bool) (bad []string) {
	if r.Next == nil {
		bad = append(bad, "the refusal names no next call")
	}
	owed := lineSet(r.Missing, r.Drifted)
	around := map[int]bool{} // the lines beside a place where something is gone
	for _, d := range r.Drifted {
		if d.To < d.From {
			around[d.From], around[d.To] = true, true
		}
	}
	if len(r.Delivered) == 0 {
		if len(owed) == 0 || r.Next == nil {
			return bad
		}
		if r.Next.Tool != "read" {
			return append(bad, fmt.Sprintf("nothing is delivered, so the next call must be a read, not %s", r.Next.Tool))
		}
		return append(bad, r.checkNextRead(owed, around, rounds)...)
	}
	given := lineSet(r.Delivered)
	for n := range owed {
		if !given[n] {
			bad = append(bad, fmt.Sprintf("line %d is owed and not delivered: half a cure", n))
		}
	}
	for n := range given {
		if !owed[n] && !around[n] && !rounds {
			bad = append(bad, fmt.Sprintf("line %d is delivered and not owed: a margin would become evidence", n))
		}
	}
	return bad
}

func (r *refusal) checkNextRead(owed, around map[int]bool, rounds bool) []string {
	list, ok := asRanges(r.Next.Args["lines"])
	if !ok {
		first, ok1 := asInt(r.Next.Args["first"])
		last, ok2 := asInt(r.Next.Args["last"])
		if !ok1 || !ok2 {
			return []string{fmt.Sprintf("the next read names no lines: %v", r.Next.Args)}
		}
		list = []Range{{first, last}}
	}
	read := lineSet(list)
	for n := range owed {
		if !read[n] {
			return []string{fmt.Sprintf("the next read %v leaves out line %d", list, n)}
		}
	}
	for n := range read {
		if !owed[n] && !around[n] && !rounds {
			return []string{fmt.Sprintf("the next read %v asks for line %d, which is not owed", list, n)}
		}
	}
	return nil
}

func lineSet(lists ...[]Range) map[int]bool {
	set := map[int]bool{}
	for _, list := range lists {
		for _, r := range list {
			for n := r.From; n <= r.To; n++ {
				set[n] = true
			}
		}
	}
	return set
}
