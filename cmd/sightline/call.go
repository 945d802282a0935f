package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/engine"
	"github.com/sightline-io/sightline/internal/wire"
)

// Rules for what a command prints. With --json it is exactly one JSON value on one line of standard output: the tool's
// structured answer, the refusal, or the failure. Without, people get the text a model would get, with the call that
// comes next spelled as a command. A refusal stands where the answer would stand, since it brings the text that was
// missing; a failure goes to standard error. What an answer shows counts once it is written, and not before.

// args are the arguments of a tool, as the wire takes them.
type args map[string]any

// view turns an answer into what people see where the text for models would not do.
type view func(t terminal, a *wire.Answer) ([]byte, error)

// call puts one call to the engine and prints what came of it.
func (c *commands) call(ctx context.Context, w *world, tool string, a args, v view) error {
	if err := spelt(a); err != nil {
		return err
	}
	o, err := c.open(ctx, w, tool)
	if err != nil {
		return err
	}
	return o.close(c.ask(ctx, w, o, tool, a, v))
}

func (c *commands) ask(ctx context.Context, w *world, o *opened, tool string, a args, v view) error {
	o.resolve(a)
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	d := o.Delivery()
	answer := c.answer(ctx, w, o, tool, raw, d)
	o.quiet()
	return c.print(w, o, answer, raw, d, v)
}

func (c *commands) answer(ctx context.Context, w *world, o *opened, tool string, raw json.RawMessage, d engine.Delivery) *wire.Answer {
	sess, err := o.Open(ctx, c.sessionID(w))
	if err != nil {
		return wire.Refuse(tool, raw, err)
	}
	return sess.Call(ctx, tool, raw, o.meta(d))
}

// meta is what accompanies a call from the command line.
func (o *opened) meta(d engine.Delivery) engine.Meta {
	m := engine.Meta{Delivery: d, PageBytes: o.pageBytes, Dir: o.dir, Structured: true}
	if m.PageBytes == 0 {
		m.PageBytes = terminalPage
	}
	return m
}

// resolve makes relative paths absolute where the working directory lies outside the root: they then lie outside too,
// and are refused as that. Absolute paths below the spelling of the root that was asked for are spelled below the
// daemon's, which may have been started under another one.
func (o *opened) resolve(a args) {
	for _, k := range []string{"path", "from", "to"} {
		p, ok := a[k].(string)
		if !ok || p == "" {
			continue
		}
		if o.outside != "" && !filepath.IsAbs(p) {
			p = filepath.Join(o.outside, p)
		}
		if o.client != nil && filepath.IsAbs(p) && o.asked != o.Root() {
			if rel, err := filepath.Rel(o.asked, p); err == nil && filepath.IsLocal(rel) {
				p = filepath.Join(o.Root(), rel)
			}
		}
		a[k] = p
	}
}

// spelt checks that arguments are text: JSON has no other bytes, and would take replacements for them in silence.
func spelt(v any) error {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return badUsage("the argument %q is not UTF-8; texts are given in UTF-8 and stored in the file's own encoding", clip(v))
		}
	case json.RawMessage:
		return spelt(string(v))
	case args:
		for _, one := range v {
			if err := spelt(one); err != nil {
				return err
			}
		}
	case []args:
		for _, one := range v {
			if err := spelt(one); err != nil {
				return err
			}
		}
	case []string:
		for _, one := range v {
			if err := spelt(one); err != nil {
				return err
			}
		}
	}
	return nil
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}

// print writes an answer; what it shows counts once it is written.
func (c *commands) print(w *world, o *opened, a *wire.Answer, raw json.RawMessage, d engine.Delivery, v view) error {
	if a.Failed && !c.JSON {
		d.Lost()
		fmt.Fprintf(w.err, "sightline: %s", a.Text)
		return exitStatus(exitFailed)
	}
	out, err := c.shown(w, o, a, raw, v)
	if err != nil {
		d.Lost()
		return err
	}
	if err := c.say(w, out); err != nil {
		d.Lost()
		return err
	}
	d.Left()
	switch {
	case a.Failed:
		return exitStatus(exitFailed)
	case a.Refused:
		return exitStatus(exitRefused)
	}
	return nil
}

// shown is what is printed of an answer.
func (c *commands) shown(w *world, o *opened, a *wire.Answer, raw json.RawMessage, v view) ([]byte, error) {
	if c.JSON {
		return a.Structured(), nil
	}
	t := w.terminal(w.out)
	if a.Refused {
		return c.refusal(t, o, a, raw)
	}
	if v == nil {
		return t.notices(t.safe(a.Text)), nil
	}
	return v(t, a)
}

// say writes the one answer of a command to standard output, and a newline where it has none.
func (c *commands) say(w *world, out []byte) error {
	c.spoke = true
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out[:len(out):len(out)], '\n')
	}
	if _, err := w.out.Write(out); err != nil {
		return fmt.Errorf("the answer could not be written, so nothing of it counts as shown: %w", err)
	}
	return nil
}

// failed prints a failure, or bad usage, that no tool answered, and returns the exit status.
func (c *commands) failed(w *world, e *sightline.Error) int {
	if !c.JSON {
		fmt.Fprintln(w.err, "sightline:", e)
		return exitFailed
	}
	if err := c.say(w, wire.Refuse(e.Op, nil, e).Structured()); err != nil {
		fmt.Fprintln(w.err, "sightline:", errors.Join(e, err))
	}
	return exitFailed
}

// notices dims the lines below an answer that are ours.
func (t terminal) notices(text []byte) []byte {
	if !t.colour {
		return text
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		line, ended := bytes.CutSuffix(lines[i], []byte("\n"))
		if len(line) > 0 && !bytes.HasPrefix(line, []byte(mark)) {
			break // what is above is the file's
		}
		if ended && len(line) > 0 {
			lines[i] = []byte(t.paint(faint, string(line)) + "\n")
		}
	}
	return bytes.Join(lines, nil)
}

// mark begins every line that is ours and not the file's.
const mark = "[sightline] "
