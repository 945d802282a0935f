package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/sightline-io/sightline/internal/engine"
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
	p, refused := c.planned(ctx, w, o, raw)
	o.quiet()
	if p == nil {
		return c.print(w, o, refused, raw, o.Delivery(), nil)
	}
	from, before := "/dev/null", ""
	if p.Before != nil {
		from, before = "a/"+p.Path, *p.Before
	}
	diff := udiff.Unified(from, "b/"+p.Path, before, p.After)
	if !c.JSON {
		return c.say(w, verdict(w.terminal(w.out), p.Path, diff))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(struct {
		V       int    `json:"v"`
		Path    string `json:"path"`
		Allowed bool   `json:"allowed"`
		Diff    string `json:"diff"`
	}{1, p.Path, true, diff})
	if err != nil {
		return err
	}
	return c.say(w, b.Bytes())
}

func (c *commands) planned(ctx context.Context, w *world, o *opened, raw json.RawMessage) (*engine.Plan, *wire.Answer) {
	sess, err := o.Open(ctx, c.sessionID(w))
	if err != nil {
		return nil, wire.Refuse("edit", raw, err)
	}
	d := o.Delivery()
	defer d.Lost()
	m := o.meta(d)
	m.NoCure = true
	return sess.Plan(ctx, raw, m)
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
