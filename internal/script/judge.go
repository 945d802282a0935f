package script

import (
	"fmt"
	"os"
	"strings"
)

// outcome is an answer with the disk before and after it.
type outcome struct {
	p      *played
	res    Result
	before *moment
	after  tree
	asked  *Result // what check said beforehand
	repeat bool    // a request id seen before: the answer was recorded, it does not speak of this moment
	plan   bool
}

// judge compares an outcome with the rules that hold for every call and then with what the step says.
func (r *run) judge(o *outcome, want *Want) ([]string, error) {
	var bad []string
	refused := o.res.Structured["refused"] == true
	if o.res.Structured == nil {
		return []string{"the answer has no structure: " + o.res.Text}, nil
	}
	if o.res.IsError && !refused {
		return []string{"failed: " + show(o.res)}, nil
	}
	if refused != o.res.IsError {
		bad = append(bad, fmt.Sprintf("refused is %v and IsError %v", refused, o.res.IsError))
	}
	bad = append(bad, r.compareCheck(o)...)
	if refused {
		return r.refusal(o, want, bad)
	}
	if want != nil && want.Verdict == "any" {
		r.last, r.refused = nil, nil // the call that was open is admitted
	}
	r.size = 0
	bad = append(bad, r.admitted(o)...)
	if want != nil {
		bad = append(bad, want.admitted(o)...)
	}
	return bad, nil
}

// refusal judges a refusal and, in the run that is for it, follows its next call.
func (r *run) refusal(o *outcome, want *Want, bad []string) ([]string, error) {
	if diff := changes(o.before.tree, o.after); len(diff) > 0 {
		bad = append(bad, "a refusal changed the disk: "+sortedChanges(diff))
	}
	ref, shape := parseRefusal(o.res.Structured)
	bad = append(bad, shape...)
	spelling := o.p.spelling
	if o.p.tool == "move" {
		spelling = ""
	}
	bad = append(bad, ref.checkMessage(spelling)...)
	if !r.overlaid[o.p.spelling] && !o.repeat {
		bad = append(bad, ref.checkCure(factsOf(o.before.raw), r.round != nil)...)
	}
	if o.res.Text != "" && !strings.Contains(o.res.Text, ref.Code) {
		bad = append(bad, "the text for the model lacks the code: "+o.res.Text)
	}
	if want == nil {
		bad = append(bad, "refused: "+show(o.res))
	} else {
		bad = append(bad, want.refusal(ref, o.res)...)
	}
	r.size = len(show(o.res)) + len(o.res.Text)
	r.refusals++
	r.last, r.refused = o.p, ref
	if len(bad) == 0 && r.v.cureOf == r.refusals {
		r.v.cureOf = 0
		return r.cure(), errStop
	}
	return bad, nil
}

// compareCheck holds check's answer against the call's.
func (r *run) compareCheck(o *outcome) []string {
	if o.asked == nil {
		return nil
	}
	said := o.asked.Structured
	if inner, ok := said["refusal"].(map[string]any); ok {
		if o.asked.IsError || said["allowed"] != false {
			return []string{"check answers no as a success with allowed false, not " + show(*o.asked)}
		}
		said = inner
	}
	mine := o.res.Structured
	if o.p.tool == "write" && mine["refused"] != true && said["refused"] == true &&
		string(o.before.raw) == o.p.args["text"] {
		return nil // writing what is there is no change, and check was not told the text
	}
	if o.p.tool == "write" && mine["refused"] == true && !ofEvidence(fmt.Sprint(mine["code"])) {
		return nil // what the text itself makes impossible
	}
	for _, key := range []string{"refused", "code", "missing", "drifted"} {
		if fmt.Sprint(said[key]) != fmt.Sprint(mine[key]) {
			return []string{fmt.Sprintf("check said %s %v, the call says %v; check: %s; call: %s", key, said[key], mine[key],
				show(*o.asked), show(o.res))}
		}
	}
	return nil
}

// admitted checks what every admitted call owes.
func (r *run) admitted(o *outcome) (bad []string) {
	if v, ok := asInt(o.res.Structured["v"]); !ok || v != 1 {
		bad = append(bad, fmt.Sprintf("the answer carries v 1, not %v", o.res.Structured["v"]))
	}
	diff := changes(o.before.tree, o.after)
	writes := !o.plan && (o.p.tool == "edit" || o.p.tool == "write" || o.p.tool == "move" || o.p.tool == "delete")
	for name := range diff {
		if writes && o.before.targets[name] {
			delete(diff, name)
		}
	}
	if len(diff) > 0 {
		bad = append(bad, "something else on disk changed: "+sortedChanges(diff))
	}
	switch {
	case o.repeat || o.plan || r.overlaid[o.p.spelling]:
	case o.p.tool == "edit" || o.p.tool == "write":
		bad = append(bad, r.admittedWrite(o)...)
	case o.p.tool == "read":
		bad = append(bad, r.admittedRead(o)...)
	}
	if o.p.tool == "read" {
		r.keepCursor(o)
	}
	return bad
}

func (r *run) keepCursor(o *outcome) {
	delete(r.cursors, o.p.spelling)
	if c, ok := o.res.Structured["cursor"].(string); ok && c != "" {
		r.cursors[o.p.spelling] = c
	}
}

// admittedWrite compares refs, places and the properties of the file with the disk.
func (r *run) admittedWrite(o *outcome) (bad []string) {
	now, err := os.ReadFile(r.path(o.p.spelling))
	if err != nil {
		return []string{"after the call: " + err.Error()}
	}
	if after := o.res.Structured["after"]; after != factsOf(now).Ref {
		bad = append(bad, fmt.Sprintf("after is %v, the file is %s", after, factsOf(now).Ref))
	}
	if !o.before.exists {
		return bad
	}
	if before := o.res.Structured["before"]; before != factsOf(o.before.raw).Ref {
		bad = append(bad, fmt.Sprintf("before is %v, the file was %s", before, factsOf(o.before.raw).Ref))
	}
	for name := range o.before.targets {
		was, ok1 := o.before.tree[name]
		is, ok2 := o.after[name]
		if ok1 && ok2 && (was.Kind != is.Kind || was.Mode != is.Mode || was.Links != is.Links) {
			bad = append(bad, fmt.Sprintf("%s was %v, is %v", name, was, is))
		}
	}
	if o.p.tool == "edit" && factsOf(o.before.raw).Known && !strings.HasPrefix(factsOf(o.before.raw).Encoding, "utf-16") {
		bad = append(bad, outsidePlaces(o, now)...)
	}
	return bad
}

func outsidePlaces(o *outcome, now []byte) []string {
	pairs, ok := asPairs(o.res.Structured["edits"])
	if !ok {
		return []string{fmt.Sprintf("edits is no list of places: %v", o.res.Structured["edits"])}
	}
	if string(o.before.raw) == string(now) {
		return nil
	}
	if where, same := outsideSame(o.before.raw, now, pairs); !same {
		return []string{fmt.Sprintf("a line outside the edited places %v changed: %s", pairs, where)}
	}
	return nil
}

func asPairs(v any) ([][2]Range, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	var out [][2]Range
	for _, m := range list {
		row, _ := m.(map[string]any)
		before, ok1 := asRange(row["before"])
		after, ok2 := asRange(row["after"])
		if !ok1 || !ok2 {
			return nil, false
		}
		out = append(out, [2]Range{before, after})
	}
	return out, true
}

// admittedRead compares a page with the bytes on disk.
func (r *run) admittedRead(o *outcome) (bad []string) {
	if !o.before.exists {
		return []string{"a read of what is no file was answered"}
	}
	f, s := factsOf(o.before.raw), o.res.Structured
	differs := func(key string, want any) {
		if got := s[key]; fmt.Sprint(got) != fmt.Sprint(want) {
			bad = append(bad, fmt.Sprintf("%s is %v, on disk it is %v", key, got, want))
		}
	}
	if s["ref"] != nil {
		differs("ref", f.Ref)
	}
	if n, ok := asInt(s["total_lines"]); ok && f.Known && n != len(f.Lines) {
		differs("total_lines", len(f.Lines))
	}
	if !f.Known {
		return bad
	}
	differs("bom", f.BOM)
	differs("encoding", f.Encoding)
	differs("eol", f.EOL)
	differs("final_newline", f.Final)
	lines, ok := asRange(s["lines"])
	text, _ := s["text"].(string)
	cut, _ := s["cut"].([]any)
	asked, _ := o.p.args["lines"].([]any)
	if !ok {
		if text != "" {
			bad = append(bad, "no lines are shown, and yet the text is "+Quote(text))
		}
		return bad
	}
	if want, ok := f.span(lines); len(cut) == 0 && len(asked) < 2 && o.p.args["cursor"] == nil && (!ok || want != text) {
		bad = append(bad, fmt.Sprintf("lines %d-%d are shown as %s, on disk they are %s", lines.From, lines.To, Quote(text), Quote(want)))
	}
	return bad
}
