package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/wire"
)

// plan prints what an edit would do. Neither its diff nor its refusal is a delivery: what they show earns nothing, so
// that planning leaves everything as it was.
func (c *commands) plan(ctx context.Context, w *world, o *opened, a args) error {
	o.resolve(a)
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	p, err := c.planned(ctx, w, o, raw)
	o.quiet()
	if err != nil {
		return c.print(w, o, wire.Refuse("edit", raw, err), raw, &sightline.Delivery{}, nil)
	}
	diff := udiff.Unified(p.from, "b/"+p.path, p.before, p.after)
	if !c.JSON {
		return c.say(w, verdict(w.terminal(w.out), p.path, diff))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(struct {
		V       int    `json:"v"`
		Path    string `json:"path"`
		Allowed bool   `json:"allowed"`
		Diff    string `json:"diff"`
	}{1, p.path, true, diff})
	if err != nil {
		return err
	}
	return c.say(w, b.Bytes())
}

// planned is an edit that would be admitted: the texts before and after, and the name that a diff gives the first.
type planned struct{ path, from, before, after string }

func (c *commands) planned(ctx context.Context, w *world, o *opened, raw json.RawMessage) (planned, error) {
	d := &sightline.Delivery{}
	defer d.Lost()
	m := o.meta(d)
	m.NoCure = true
	r, err := wire.DecodeEdit(raw, m)
	if err != nil {
		return planned{}, err
	}
	sess, err := o.ws.Session(c.sessionID(w))
	if err != nil {
		return planned{}, err
	}
	p, err := sess.Plan(ctx, r)
	if err != nil {
		return planned{}, err
	}
	out := planned{path: p.Path(), from: "a/" + p.Path(), before: string(p.Before()), after: string(p.After())}
	if e, ok := r.Edits[0].(sightline.ReplaceText); ok && e.Old == "" {
		out.from = "/dev/null" // admitted only where there is no file
	}
	return out, nil
}

// verdict is the diff for people, and below it the verdict.
func verdict(t terminal, path, diff string) []byte {
	if diff == "" {
		return []byte("The edit would be admitted, and would change nothing in " + path + ".\n")
	}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text := string(t.safe([]byte(line)))
		colour := ""
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "\\"):
			colour = faint
		case strings.HasPrefix(line, "@@"):
			colour = cyan
		case strings.HasPrefix(line, "+"):
			colour = green
		case strings.HasPrefix(line, "-"):
			colour = red
		}
		if colour != "" {
			text = t.paint(colour, strings.TrimSuffix(text, "\n")) + "\n"
		}
		b.WriteString(text)
	}
	b.WriteString("\nThe edit would be admitted. Nothing was changed.\n")
	return []byte(b.String())
}
