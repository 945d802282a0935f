package script

import (
	"fmt"
	"strconv"
	"strings"
)

func parseAct(w *words, line string) (Act, error) {
	switch head := w.peek(); head {
	case "together":
		w.pos++
		return &openTogether{Together{Retry: w.take("retry")}}, nil
	case "file", "dir", "link", "hardlink", "fifo", "x":
		return parseOutside(w)
	case "bytes", "mode", "absent", "symlink", "same-inode", "tree":
		return parseDisk(w)
	case "session", "round", "restart", "ref", "arrive", "overlay":
		return parseControl(w)
	case "next", "same", "approve":
		w.pos++
		r := &Replay{What: head}
		var err error
		r.Want, err = optionalWant(w, "")
		return r, err
	default:
		return parseCall(w, line)
	}
}

func optionalWant(w *words, tool string) (*Want, error) {
	if !w.take("->") {
		return nil, nil
	}
	return parseWant(w, tool)
}

func parseOutside(w *words) (Act, error) {
	w.take("x")
	t, err := w.next("what somebody does")
	if err != nil {
		return nil, err
	}
	o := &Outside{Op: t.word}
	if o.Path, err = w.name("the path"); err != nil {
		return nil, err
	}
	switch o.Op {
	case "dir":
		o.Op = "mkdir"
	case "rm", "mkdir", "fifo", "rewrite":
	case "file":
		if o.Text, err = w.textExpr("the text"); err == nil && w.take("mode") {
			o.Mode, err = parseMode(w)
		}
	case "write", "replace", "append":
		o.Text, err = w.textExpr("the text")
	case "line", "insert":
		if o.Span.From, err = w.number("the line"); err == nil {
			o.Text, err = w.textExpr("the text")
		}
	case "cut":
		o.Span, err = w.lines("the lines")
	case "link", "hardlink", "rename", "copy":
		o.To, err = w.name("the second path")
	case "chmod":
		o.Mode, err = parseMode(w)
	case "touch":
		o.Age, err = w.name("the shift of time")
	default:
		return nil, fmt.Errorf("nobody can %q", o.Op)
	}
	return o, err
}

func parseMode(w *words) (uint32, error) {
	s, err := w.name("the mode")
	if err != nil {
		return 0, err
	}
	m, err := strconv.ParseUint(s, 8, 12)
	if err != nil {
		return 0, fmt.Errorf("a mode is octal such as 0644, not %q", s)
	}
	return uint32(m), nil
}

func parseDisk(w *words) (Act, error) {
	d := &Disk{Op: w.toks[0].word}
	w.pos++
	var err error
	if d.Op == "tree" {
		for !w.done() {
			p, err := w.name("a path")
			if err != nil {
				return nil, err
			}
			d.Paths = append(d.Paths, p)
		}
		return d, nil
	}
	if d.Path, err = w.name("the path"); err != nil {
		return nil, err
	}
	switch d.Op {
	case "bytes":
		for {
			s, err := w.textExpr("the bytes")
			if err != nil {
				return nil, err
			}
			d.Texts = append(d.Texts, s)
			if !w.take("or") {
				return d, nil
			}
		}
	case "mode":
		d.Mode, err = parseMode(w)
	case "symlink", "same-inode":
		d.To, err = w.name("the second path")
	}
	return d, err
}

func parseControl(w *words) (Act, error) {
	c := &Control{Op: w.toks[0].word}
	w.pos++
	var err error
	switch c.Op {
	case "session", "arrive":
		c.Name, err = w.name("the name")
	case "round":
		var n int
		n, err = w.number("the round")
		c.N = int64(n)
	case "ref":
		if c.Name, err = w.name("the name"); err == nil {
			c.Path, err = w.name("the path")
		}
	case "overlay":
		if c.Path, err = w.name("the path"); err != nil || w.take("discard") {
			return c, err
		}
		var s string
		s, err = w.textExpr("the text")
		c.Text = &s
	}
	return c, err
}

// parseCall reads a call with what stands before it.
func parseCall(w *words, line string) (Act, error) {
	c := &Call{Times: 1}
	var err error
	for err == nil {
		switch {
		case w.take("as"):
			c.Session, err = w.name("the session")
		case w.take("id"):
			c.ID, err = w.name("the request id")
		case w.take("at"):
			c.Arrival, err = w.name("the arrival")
		case w.take("times"):
			c.Times, err = w.number("how often")
		case w.take("plan"):
			c.Plan = true
		default:
			return finishCall(c, w, line)
		}
	}
	return nil, err
}

func finishCall(c *Call, w *words, line string) (Act, error) {
	t, err := w.next("a step")
	if err != nil {
		return nil, err
	}
	switch t.word {
	case "read":
		c.Tool, err = "read", readArgs(c, w)
	case "edit":
		c.Tool, err = "edit", editArgs(c, w)
	case "write", "create":
		c.Tool, err = "write", writeArgs(c, w, t.word)
	case "move":
		c.Tool, err = "move", namedArgs(c, w, "from", "to")
	case "delete", "seen":
		c.Tool, err = t.word, namedArgs(c, w, "path")
	case "list":
		c.Tool, err = "list", listArgs(c, w)
	case "check":
		c.Tool, err = "check", checkArgs(c, w)
	case "call":
		err = rawArgs(c, w, line)
	default:
		return nil, fmt.Errorf("%v is no step", t)
	}
	if err != nil {
		return nil, err
	}
	if c.Plan && c.Tool != "edit" {
		return nil, fmt.Errorf("only an edit can be planned")
	}
	if err := validText(c.Args); err != nil {
		return nil, err
	}
	c.Want, err = optionalWant(w, c.Tool)
	if err == nil && c.Want == nil && c.Tool == "check" {
		err = fmt.Errorf("check needs an expected answer")
	}
	return c, err
}

func namedArgs(c *Call, w *words, names ...string) error {
	c.Args = map[string]any{}
	for _, n := range names {
		v, err := w.name(n)
		if err != nil {
			return err
		}
		c.Args[n] = v
	}
	return nil
}

func expectArg(c *Call, w *words) error {
	if !w.take("expect") {
		return nil
	}
	n, err := w.name("the ref's name")
	c.Args["expect"] = refNamed{n}
	return err
}

func writeArgs(c *Call, w *words, verb string) error {
	if err := namedArgs(c, w, "path"); err != nil {
		return err
	}
	text, err := w.textExpr("the text")
	if err != nil {
		return err
	}
	c.Args["text"], c.Args["mode"] = text, "replace"
	if verb == "create" {
		c.Args["mode"] = "create"
	}
	if w.take("as-given") {
		c.Args["eol"] = "as-given"
	}
	return expectArg(c, w)
}

func readArgs(c *Call, w *words) error {
	if err := namedArgs(c, w, "path"); err != nil {
		return err
	}
	aslines := false
	for !w.done() && w.peek() != "->" {
		word := w.peek()
		w.pos++
		switch word {
		case "full", "inspect", "range":
			c.Args["intent"] = word
		case "lines":
			aslines = true
		case "more":
			c.Args["cursor"] = cursorOf{c.Args["path"].(string)}
		case "cursor":
			s, err := w.textExpr("the cursor")
			if err != nil {
				return err
			}
			c.Args["cursor"] = s
		default:
			if err := windowArgs(c, word, aslines || strings.Contains(word, ",")); err != nil {
				return err
			}
		}
	}
	return nil
}

func windowArgs(c *Call, word string, aslines bool) error {
	if from, open := strings.CutSuffix(word, "-"); open {
		n, err := strconv.Atoi(from)
		if err != nil {
			return fmt.Errorf("%q is no range", word)
		}
		c.Args["first"] = n
		return nil
	}
	var list []any
	for _, part := range strings.Split(word, ",") {
		r, ok := parseRange(part)
		if !ok {
			return fmt.Errorf("%q is no range", part)
		}
		list = append(list, []any{r.From, r.To})
		if !aslines {
			c.Args["first"], c.Args["last"] = r.From, r.To
			return nil
		}
	}
	c.Args["lines"] = list
	return nil
}
