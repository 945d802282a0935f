package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/wire"
)

type seenCmd struct {
	Path string `arg:"" help:"File to show."`
}

func (*seenCmd) Help() string {
	return `Every session that knows the file has a column; --session shows one. A line is seen if it was shown and is unchanged,
stale if it was shown and reads differently now, authored if the session wrote it, and else unseen. Looking at this
table earns nothing.

Examples:

  sightline seen main.go
  sightline seen main.go --session cli
  sightline seen main.go --json
`
}

func (x *seenCmd) Run(ctx context.Context, c *commands, w *world) error {
	a := args{"path": x.Path}
	if c.Session != "" {
		a["session"] = c.Session
	}
	if err := spelt(a); err != nil {
		return err
	}
	o, err := c.open(ctx, w, "seen")
	if err != nil {
		return err
	}
	return o.close(c.ask(ctx, w, o, "seen", a, func(t terminal, answer *wire.Answer) ([]byte, error) {
		return c.table(ctx, w, o, t, answer)
	}))
}

// seenRow is a run of lines of the structured answer.
type seenRow struct {
	Lines   [2]int
	State   string
	Session string
}

// table shows the file itself beside what the answer says of its lines.
func (c *commands) table(ctx context.Context, w *world, o *opened, t terminal, a *wire.Answer) ([]byte, error) {
	var s struct {
		Path  string
		Lines []seenRow
	}
	if err := json.Unmarshal(a.Structured(), &s); err != nil {
		return nil, err
	}
	text, err := c.glance(ctx, w, o, s.Path)
	if err != nil {
		return nil, err
	}
	columns := seenColumns(s.Lines, len(text))
	var b bytes.Buffer
	head := ""
	for _, col := range columns {
		head += pad(col.session, col.width) + "  "
	}
	b.WriteString(head + string(t.safe([]byte(s.Path))) + "\n")
	for i, line := range text {
		for _, col := range columns {
			state := col.states[i]
			b.WriteString(t.paint(stateColour[state], state) + pad("", col.width-len(state)) + "  ")
		}
		fmt.Fprintf(&b, "%6d\t%s\n", i+1, t.safe(line))
	}
	return b.Bytes(), nil
}

var stateColour = map[string]string{"seen": green, "stale": yellow, "authored": cyan, "recorded": cyan, "unseen": faint}

// glance returns the lines of a file, for a person's eyes: what a person is shown beside the states is no delivery to
// the session.
func (c *commands) glance(ctx context.Context, w *world, o *opened, rel string) ([][]byte, error) {
	sess, err := o.Open(ctx, c.sessionID(w))
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(args{"path": rel, "intent": "full"})
	if err != nil {
		return nil, err
	}
	d := o.Delivery()
	defer d.Lost()
	m := o.meta(d)
	m.PageBytes, m.Dir, m.NoCure = fullPage, "", true
	answer := sess.Call(ctx, "read", raw, m)
	if answer.Refused || answer.Failed {
		return nil, errors.New(strings.TrimSpace(string(answer.Text)))
	}
	var p struct{ Text string }
	if err := json.Unmarshal(answer.Structured(), &p); err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter([]byte(p.Text), []byte("\n"))
	if n := len(lines); len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	for i := range lines {
		lines[i] = bytes.TrimSuffix(bytes.TrimSuffix(lines[i], []byte("\n")), []byte("\r"))
	}
	return lines, nil
}

// seenColumn is what one session knows, line by line.
type seenColumn struct {
	session string
	width   int
	states  []string
}

// seenColumns sorts rows into columns. A file that changed between the two looks has lines that no row speaks of.
func seenColumns(rows []seenRow, n int) []*seenColumn {
	var out []*seenColumn
	of := map[string]*seenColumn{}
	column := func(session string) *seenColumn {
		col := of[session]
		if col == nil {
			col = &seenColumn{session: session, width: max(len("authored"), utf8.RuneCountInString(session)), states: make([]string, n)}
			for i := range col.states {
				col.states[i] = "unseen"
			}
			of[session] = col
			out = append(out, col)
		}
		return col
	}
	for _, r := range rows {
		if r.Session == "" {
			continue
		}
		col := column(r.Session)
		for i := r.Lines[0]; i <= r.Lines[1] && i <= n; i++ {
			col.states[i-1] = r.State
		}
	}
	if len(out) == 0 {
		column("(nobody)")
	}
	return out
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
