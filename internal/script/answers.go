package script

import (
	"fmt"
	"strings"
)

// refusal compares a refusal with what the step expects.
func (w *Want) refusal(r *refusal, res Result) (bad []string) {
	switch w.Verdict {
	case "any":
		return nil
	case "refuse", "no":
	default:
		return []string{"expected " + w.Verdict + ", refused: " + show(res)}
	}
	match := false
	for _, c := range w.Codes {
		match = match || c == r.Code
	}
	if !match {
		bad = append(bad, fmt.Sprintf("expected %s, got %s: %s", strings.Join(w.Codes, " or "), r.Code, r.Message))
	}
	if !w.AnyLines {
		bad = append(bad, sameRanges("missing", w.Missing, r.Missing)...)
		bad = append(bad, sameRanges("drifted", w.Drifted, r.Drifted)...)
	}
	if w.Delivered != nil {
		bad = append(bad, sameRanges("delivered", *w.Delivered, r.Delivered)...)
	}
	if w.Next != nil {
		bad = append(bad, w.Next.compare(r.Next)...)
	}
	return append(bad, w.words(r.Message+"\n"+res.Text)...)
}

func (w *Want) words(text string) (bad []string) {
	for _, s := range w.Says {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(s)) {
			bad = append(bad, fmt.Sprintf("expected the words %q in: %s", s, text))
		}
	}
	for _, s := range w.Silent {
		if strings.Contains(strings.ToLower(text), strings.ToLower(s)) {
			bad = append(bad, fmt.Sprintf("the words %q must not stand in: %s", s, text))
		}
	}
	return bad
}

func sameRanges(what string, want, have []Range) []string {
	if len(want)+len(have) > 0 && fmt.Sprint(want) != fmt.Sprint(have) {
		return []string{fmt.Sprintf("expected %s %v, got %v", what, spell(want), spell(have))}
	}
	return nil
}

func spell(list []Range) string {
	if len(list) == 0 {
		return "none"
	}
	var s []string
	for _, r := range list {
		s = append(s, fmt.Sprintf("%d-%d", r.From, r.To))
	}
	return strings.Join(s, " ")
}

func (n *WantNext) compare(next *nextCall) []string {
	if n.Kind == "none" {
		if next != nil {
			return []string{fmt.Sprintf("expected no next call, got %s %v", next.Tool, next.Args)}
		}
		return nil
	}
	if next == nil {
		return []string{"expected a next call, there is none"}
	}
	if n.Kind != "same" && n.Kind != next.Tool {
		return []string{fmt.Sprintf("expected the next call to be %s, got %s %v", n.Kind, next.Tool, next.Args)}
	}
	if len(n.Ranges) == 0 {
		return nil
	}
	var have []Range
	if n.Kind == "edit" {
		edits, _ := next.Args["edits"].([]any)
		for _, e := range edits {
			m, _ := e.(map[string]any)
			first, _ := asInt(m["first"])
			last, _ := asInt(m["last"])
			have = append(have, Range{first, last})
		}
	} else if list, ok := asRanges(next.Args["lines"]); ok {
		have = list
	} else {
		first, _ := asInt(next.Args["first"])
		last, _ := asInt(next.Args["last"])
		have = []Range{{first, last}}
	}
	return sameRanges("the next call's lines", n.Ranges, have)
}

// admitted compares an answer that is no refusal with what the step expects.
func (w *Want) admitted(o *outcome) (bad []string) {
	s := o.res.Structured
	switch w.Verdict {
	case "refuse":
		return []string{"expected refuse " + strings.Join(w.Codes, " or ") + ", it was admitted: " + show(o.res)}
	case "yes":
		if s["allowed"] != true {
			bad = append(bad, "expected yes: "+show(o.res))
		}
	case "no":
		inner, ok := s["refusal"].(map[string]any)
		if s["allowed"] != false || !ok {
			return []string{"expected no: " + show(o.res)}
		}
		ref, shape := parseRefusal(inner)
		if len(ref.Delivered)+len(ref.Text) > 0 {
			shape = append(shape, "check delivers nothing, and yet: "+show(o.res))
		}
		return append(shape, w.refusal(ref, o.res)...)
	}
	if w.Delivered != nil || w.Next != nil {
		bad = append(bad, "an admitted call has no cure to speak of")
	}
	rows := []Fact{}
	for _, f := range w.Facts {
		if f.Name == "row" {
			rows = append(rows, f)
			continue
		}
		if wrong := f.compare(o); wrong != "" {
			bad = append(bad, wrong)
		}
	}
	if len(rows) > 0 {
		bad = append(bad, compareRows(rows, o)...)
	}
	if len(w.Says)+len(w.Silent) > 0 {
		bad = append(bad, w.words(show(o.res)+"\n"+o.res.Text)...)
	}
	return bad
}

// compare returns what departs from the fact, or "".
func (f Fact) compare(o *outcome) string {
	s := o.res.Structured
	differ := func(want, have any) string {
		if fmt.Sprint(want) == fmt.Sprint(have) {
			return ""
		}
		return fmt.Sprintf("expected %s %v, got %v", f.Name, want, have)
	}
	switch f.Name {
	case "noop":
		return differ("no change of bytes", map[bool]string{true: "no change of bytes", false: "a change"}[s["before"] == s["after"]])
	case "created":
		return differ(nil, s["before"])
	case "more":
		return differ(true, s["more"])
	case "done":
		return differ(false, s["more"])
	case "bom", "no-bom":
		return differ(f.Name == "bom", s["bom"])
	case "final-newline", "no-final-newline":
		return differ(f.Name == "final-newline", s["final_newline"])
	case "complete", "incomplete":
		return differ(f.Name == "complete", s["complete"])
	case "total":
		return differ(f.N, s["total_lines"])
	case "count":
		list, _ := s["edits"].([]any)
		return differ(f.N, len(list))
	case "text":
		if s["text"] != f.Text {
			return fmt.Sprintf("expected the text %s, got %s", Quote(f.Text), Quote(fmt.Sprint(s["text"])))
		}
	case "eol", "encoding", "source", "state", "durability":
		return differ(f.Text, s[f.Name])
	case "warns":
		if !strings.Contains(strings.ToLower(fmt.Sprint(s["warnings"])), strings.ToLower(f.Text)) {
			return fmt.Sprintf("expected a warning with %q, got %v", f.Text, s["warnings"])
		}
	default:
		return f.compareLists(o)
	}
	return ""
}

func (f Fact) compareLists(o *outcome) string {
	s := o.res.Structured
	switch f.Name {
	case "lines":
		have := []Range{}
		if r, ok := asRange(s["lines"]); ok {
			have = append(have, r)
		}
		return strings.Join(sameRanges("lines", f.Ranges, have), "")
	case "covered", "missing":
		have, ok := asRanges(s[f.Name])
		if !ok {
			return fmt.Sprintf("%s is no list of ranges: %v", f.Name, s[f.Name])
		}
		return strings.Join(sameRanges(f.Name, f.Ranges, have), "")
	case "cut":
		var have []Range
		list, _ := s["cut"].([]any)
		for _, v := range list {
			if n, ok := asInt(v); ok {
				have = append(have, Range{n, n})
			}
		}
		return strings.Join(sameRanges("cut", f.Ranges, have), "")
	case "edits":
		have, _ := asPairs(s["edits"])
		if fmt.Sprint(f.Edits) != fmt.Sprint(have) {
			return fmt.Sprintf("expected the edits at %v, got %v", f.Edits, have)
		}
	case "has", "lacks":
		return f.compareNames(s)
	}
	return ""
}

func (f Fact) compareNames(s map[string]any) string {
	names := map[string]bool{}
	list, _ := s["entries"].([]any)
	for _, e := range list {
		switch e := e.(type) {
		case string:
			names[strings.TrimSuffix(e, "/")] = true
		case map[string]any:
			p, _ := e["path"].(string)
			names[strings.TrimSuffix(p, "/")] = true
		}
	}
	for _, n := range f.Names {
		if names[n] != (f.Name == "has") {
			return fmt.Sprintf("expected a listing that %s %s, got %v", f.Name, n, list)
		}
	}
	return ""
}

// compareRows sees to it that seen's rows partition the file and give every line the state that the step expects.
// Where the step's rows leave lines out they are unseen.
func compareRows(want []Fact, o *outcome) (bad []string) {
	list, ok := o.res.Structured["lines"].([]any)
	if !ok {
		return []string{"seen gives no lines: " + show(o.res)}
	}
	have := map[int]string{}
	end := 0
	for _, m := range list {
		row, _ := m.(map[string]any)
		r, ok := asRange(row["lines"])
		state, _ := row["state"].(string)
		if s, _ := row["session"].(string); s != "" && s != o.p.session {
			continue
		}
		if !ok || r.From != end+1 || r.To < r.From {
			bad = append(bad, fmt.Sprintf("the rows do not partition the file: %v after line %d", row["lines"], end))
			return bad
		}
		origin, _ := row["origin"].(string)
		if _, dated := asInt(row["at"]); state != "unseen" && (origin == "" || !dated || row["session"] == nil) {
			bad = append(bad, fmt.Sprintf("a row that is %s has an origin, a session and a time: %v", state, row))
		}
		for n := r.From; n <= r.To; n++ {
			have[n] = state
		}
		end = r.To
	}
	if total := len(factsOf(o.before.raw).Lines); end != total {
		bad = append(bad, fmt.Sprintf("the rows end at line %d of %d", end, total))
	}
	for n := 1; n <= end; n++ {
		state := "unseen"
		for _, f := range want {
			if n >= f.Ranges[0].From && n <= f.Ranges[0].To {
				state = f.Text
			}
		}
		if have[n] != state {
			bad = append(bad, fmt.Sprintf("expected line %d to be %s, it is %s", n, state, have[n]))
		}
	}
	return bad
}
