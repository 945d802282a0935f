package wire

import "github.com/sightline-io/sightline"

func (r *request) read() (q sightline.ReadRequest, err error) {
	var first, last int
	g, ok := r.members(readMembers, func(name string) {
		switch name {
		case "intent":
			q.Intent = sightline.Intent(r.oneOf("inspect", "range", "full"))
		case "first":
			first = r.whole(1)
		case "last":
			last = r.whole(1)
		case "lines":
			q.Lines = r.pairs()
		case "cursor":
			if q.Cursor = r.text(); r.err == nil && q.Cursor == "" {
				r.fail("is empty; leave it out to start at the beginning")
			}
		}
	})
	if ok && r.need(g, "path") {
		r.readLines(&q, g, first, last)
	}
	q.Path, q.Meta = r.path, r.meta
	return q, r.fault()
}

// readLines settles which lines a read names, and whether that fits its intent.
func (r *request) readLines(q *sightline.ReadRequest, g given, first, last int) {
	single := g.has("first") || g.has("last")
	if g.has("cursor") {
		for _, n := range []string{"intent", "first", "last", "lines"} {
			if g.has(n) {
				r.bad(n, "%q cannot be given together with cursor: a cursor already says what comes next.", n)
				return
			}
		}
		return
	}
	if single && g.has("lines") {
		r.bad("lines", "\"lines\" cannot be given together with first and last: use one of the two.")
		return
	}
	if single {
		if first == 0 {
			first = 1
		}
		if last == 0 {
			q.Lines = []sightline.Lines{{From: sightline.Line(first - 1), To: sightline.OpenEnd}}
		} else {
			q.Lines = []sightline.Lines{r.span("last", first, last)}
		}
	}
	switch {
	case r.err != nil:
	case q.Intent == sightline.Full && len(q.Lines) > 0:
		r.bad("intent", "\"intent\" full reads every line, so it cannot be given together with lines.")
	case q.Intent == sightline.Range && len(q.Lines) == 0:
		r.bad("intent", "\"intent\" range needs first and last, or lines.")
	}
}

func (r *request) list() (q sightline.ListRequest, err error) {
	r.members(listMembers, func(name string) {
		switch name {
		case "depth":
			q.Depth = r.whole(1)
		case "include":
			q.Include = r.texts()
		case "exclude":
			q.Exclude = r.texts()
		case "limit":
			q.Limit = r.whole(1)
		}
	})
	q.Path, q.Meta = r.path, r.meta
	return q, r.fault()
}

func (r *request) seen() (q sightline.SeenRequest, err error) {
	g, ok := r.members(seenMembers, func(string) {})
	if ok && r.need(g, "path") {
		q.All = !g.has("session")
	}
	q.Path, q.Meta = r.path, r.meta
	return q, r.fault()
}
