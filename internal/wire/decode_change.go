package wire

import "github.com/sightline-io/sightline"

var itemMembers = []string{"old", "new", "all", "first", "last", "from", "to", "inclusive", "append"}

func (r *request) edit() (q sightline.EditRequest, err error) {
	g, ok := r.members(editMembers, func(name string) {
		switch name {
		case "edits":
			q.Edits = r.edits()
		case "expect":
			q.Expect = r.ref()
		}
	})
	if ok {
		r.need(g, "path", "edits")
	}
	q.Path, q.Meta = r.path, r.meta
	return q, r.fault()
}

func (r *request) edits() []sightline.Op {
	var out []sightline.Op
	r.array(MaxItems, func() {
		if op := r.item(); r.err == nil {
			out = append(out, op)
		}
	})
	if r.err == nil && len(out) == 0 {
		r.fail("must hold at least one edit")
	}
	return out
}

// item reads one edit: exactly one of the four forms.
func (r *request) item() sightline.Op {
	var (
		old, text, from, to, tail string
		all, inclusive            bool
		first, last               int
	)
	g := r.object(itemMembers, func(name string) {
		switch name {
		case "old":
			old = r.text()
		case "new":
			text = r.text()
		case "all":
			all = r.boolean()
		case "first":
			first = r.whole(1)
		case "last":
			last = r.whole(0)
		case "from":
			from = r.text()
		case "to":
			to = r.text()
		case "inclusive":
			inclusive = r.boolean()
		case "append":
			tail = r.text()
		}
	})
	if r.err != nil {
		return nil
	}
	switch r.form(g) {
	case formText:
		return sightline.ReplaceText{Old: old, New: text, All: all}
	case formLines:
		if last < first-1 {
			r.push("last")
			r.fail("must not be inverted: line %d comes before line %d; to insert before line %d, last is %d", last, first, first, first-1)
			return nil
		}
		return sightline.LineRange{Lines: Inside(first, last), New: text}
	case formAnchors:
		return sightline.Anchors{From: from, To: to, Inclusive: inclusive, New: text}
	case formAppend:
		return sightline.Append{Text: tail}
	}
	return nil
}

// The forms of an edit.
const (
	formNone = iota
	formText
	formLines
	formAnchors
	formAppend
)

// forms says which members tell each form, and which of them it needs.
var forms = [...]struct {
	tells, needs []string
}{
	formText:    {[]string{"old", "all"}, []string{"old", "new"}},
	formLines:   {[]string{"first", "last"}, []string{"first", "last", "new"}},
	formAnchors: {[]string{"from", "to", "inclusive"}, []string{"from", "to", "new"}},
	formAppend:  {[]string{"append"}, []string{"append"}},
}

// form says which form an item has, and refuses an item of none, of two, or with a member missing.
func (r *request) form(g given) int {
	found, by := formNone, ""
	for f := formText; f < len(forms); f++ {
		for _, name := range forms[f].tells {
			if !g.has(name) {
				continue
			}
			if found != formNone && found != f {
				r.fail("mixes two forms: %q and %q; an edit is {old, new}, {first, last, new}, {from, to, new} or {append}", by, name)
				return formNone
			}
			found, by = f, name
		}
	}
	if found == formNone {
		r.fail(`says not what to change: "old", or "first" and "last", or "from" and "to", or "append" is missing`)
		return formNone
	}
	for _, name := range forms[found].needs {
		if !g.has(name) {
			r.push(name)
			r.fail("is missing: the edit has %q, so it needs %s", by, list(forms[found].needs))
			return formNone
		}
	}
	if found == formAppend && g.has("new") {
		r.push("new")
		r.fail("cannot be given together with append, which holds the text itself")
		return formNone
	}
	return found
}

func (r *request) write() (q sightline.WriteRequest, err error) {
	g, ok := r.members(writeMembers, func(name string) {
		switch name {
		case "text":
			q.Text = r.text()
		case "mode":
			q.Mode = sightline.WriteMode(r.oneOf("create", "replace"))
		case "eol":
			q.AsGiven = r.oneOf("keep", "as-given") == "as-given"
		case "expect":
			q.Expect = r.ref()
		}
	})
	if ok && r.need(g, "path", "text") && !g.has("mode") { // clients do not all hold a model to the schema
		r.bad("mode", `"mode" is missing: "create" for a file that is not there yet, "replace" for one that is.`)
	}
	q.Path, q.Meta = r.path, r.meta
	return q, r.fault()
}

func (r *request) move() (q sightline.MoveRequest, err error) {
	g, ok := r.members(moveMembers, func(name string) {
		switch name {
		case "from":
			q.From = r.name()
			r.path = q.From
		case "to":
			q.To = r.name()
		}
	})
	if ok {
		r.need(g, "from", "to")
	}
	q.Meta = r.meta
	return q, r.fault()
}

func (r *request) remove() (q sightline.DeleteRequest, err error) {
	g, ok := r.members(deleteMembers, func(string) {})
	if ok {
		r.need(g, "path")
	}
	q.Path, q.Meta = r.path, r.meta
	return q, r.fault()
}

func (r *request) check() (q sightline.CheckRequest, err error) {
	var first, last int
	g, ok := r.members(checkMembers, func(name string) {
		switch name {
		case "edits":
			q.Edits = r.edits()
		case "first":
			first = r.whole(1)
		case "last":
			last = r.whole(1)
		case "overwrite":
			q.Overwrite = r.boolean()
		case "delete":
			q.Delete = r.boolean()
		}
	})
	if ok && r.need(g, "path") {
		r.question(&q, g, first, last)
	}
	q.Path, q.Meta = r.path, r.meta
	return q, r.fault()
}

// question sees to it that a check asks one thing.
func (r *request) question(q *sightline.CheckRequest, g given, first, last int) {
	asked := ""
	for _, a := range []struct {
		name string
		on   bool
	}{{"edits", g.has("edits")}, {"first", g.has("first") || g.has("last")}, {"overwrite", q.Overwrite}, {"delete", q.Delete}} {
		switch {
		case a.on && asked != "":
			r.bad(a.name, "%q cannot be given together with %q: a check asks one thing.", a.name, asked)
			return
		case a.on:
			asked = a.name
		}
	}
	if asked != "first" {
		return
	}
	if r.need(g, "first", "last") {
		l := r.span("last", first, last)
		q.Lines = &l
	}
}
