package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

func editArgs(c *Call, w *words) error {
	if err := namedArgs(c, w, "path"); err != nil {
		return err
	}
	edits, err := parseEdits(w)
	if err != nil {
		return err
	}
	c.Args["edits"] = edits
	return expectArg(c, w)
}

func parseEdits(w *words) ([]any, error) {
	var out []any
	for {
		e, err := parseEdit(w)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if !w.take(";") {
			return out, nil
		}
	}
}

func parseEdit(w *words) (map[string]any, error) {
	e := map[string]any{}
	switch word := w.peek(); {
	case word == "append":
		w.pos++
		text, err := w.textExpr("the text to append")
		e["append"] = text
		return e, err
	case strings.HasPrefix(word, "@"):
		w.pos++
		r, ok := parseRange(word[1:])
		if !ok {
			return nil, fmt.Errorf("%q is no range such as @3-4", word)
		}
		e["first"], e["last"] = r.From, r.To
	case word == "from":
		w.pos++
		if err := parseAnchors(w, e); err != nil {
			return nil, err
		}
	default:
		if w.take("all") {
			e["all"] = true
		}
		old, err := w.textExpr("the old text")
		if err != nil {
			return nil, err
		}
		e["old"] = old
	}
	if !w.take("=>") {
		return nil, fmt.Errorf("=> is missing")
	}
	text, err := w.textExpr("the new text")
	e["new"] = text
	return e, err
}

func parseAnchors(w *words, e map[string]any) (err error) {
	if e["from"], err = w.textExpr("the first anchor"); err != nil {
		return err
	}
	if !w.take("to") {
		return fmt.Errorf("from needs to")
	}
	if e["to"], err = w.textExpr("the last anchor"); err != nil {
		return err
	}
	switch {
	case w.take("inclusive"):
		e["inclusive"] = true
	case w.take("exclusive"):
		e["inclusive"] = false
	}
	return nil
}

func listArgs(c *Call, w *words) (err error) {
	c.Args = map[string]any{}
	for !w.done() && w.peek() != "->" {
		switch {
		case w.take("depth"):
			c.Args["depth"], err = w.number("the depth")
		case w.take("limit"):
			c.Args["limit"], err = w.number("the limit")
		case w.peek() == "include" || w.peek() == "exclude":
			key := w.peek()
			w.pos++
			var s string
			s, err = w.textExpr("the pattern")
			old, _ := c.Args[key].([]any)
			c.Args[key] = append(old, s)
		default:
			c.Args["path"], err = w.name("the path")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkArgs(c *Call, w *words) error {
	if err := namedArgs(c, w, "path"); err != nil {
		return err
	}
	switch {
	case w.done() || w.peek() == "->":
		return nil
	case w.take("overwrite"):
		c.Args["overwrite"] = true
	case w.take("delete"):
		c.Args["delete"] = true
	case w.take("lines"):
		r, err := w.lines("the lines")
		c.Args["first"], c.Args["last"] = r.From, r.To
		return err
	default:
		edits, err := parseEdits(w)
		c.Args["edits"] = edits
		return err
	}
	return nil
}

// rawArgs reads call TOOL JSON. The JSON is taken from the line itself, since its quotes are not ours; it ends at the
// arrow.
func rawArgs(c *Call, w *words, line string) error {
	c.Raw = true
	_, rest, _ := strings.Cut(line, "call ")
	c.Tool, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
	body, _, _ := strings.Cut(rest, " -> ")
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&c.Args); err != nil {
		return fmt.Errorf("the arguments are no JSON object: %w", err)
	}
	for !w.done() && w.peek() != "->" {
		w.pos++
	}
	return nil
}

// validText refuses arguments that no JSON door could carry.
func validText(v any) error {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return fmt.Errorf("%s is not UTF-8, so no call can carry it", Quote(v))
		}
	case map[string]any:
		for _, m := range v {
			if err := validText(m); err != nil {
				return err
			}
		}
	case []any:
		for _, m := range v {
			if err := validText(m); err != nil {
				return err
			}
		}
	}
	return nil
}
