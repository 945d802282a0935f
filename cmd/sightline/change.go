package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/sightline-io/sightline"
)

type writeCmd struct {
	Path    string `arg:"" help:"File to write."`
	Create  bool   `help:"The file must not exist; parent folders are made."`
	From    string `help:"Take the text from a file instead of standard input." placeholder:"FILE"`
	AsGiven bool   `help:"Keep the line endings of the text instead of the file's own."`
	Expect  string `help:"Write only if the file is exactly this version (sha256:...)." placeholder:"REF"`
}

func (*writeCmd) Help() string {
	return `Without --create the file must exist, and every line of it must have been shown to the session.

Examples:

  printf 'hello\n' | sightline write notes/new.txt --create
  sightline write config.yaml --from draft.yaml
`
}

func (x *writeCmd) Run(ctx context.Context, c *commands, w *world) error {
	text, err := w.text(ctx, "write", x.From)
	if err != nil {
		return err
	}
	a := args{"path": x.Path, "text": text, "mode": "replace"}
	if x.Create {
		a["mode"] = "create"
	}
	if x.AsGiven {
		a["eol"] = "as-given"
	}
	if x.Expect != "" {
		a["expect"] = x.Expect
	}
	return c.call(ctx, w, "write", a, nil)
}

// textMax bounds a text that a command takes in, in bytes.
const textMax = 64 << 20

// text reads a file named on the command line, or standard input for none or "-". Waiting for somebody to type is said.
func (w *world) text(ctx context.Context, verb, from string) (string, error) {
	in, name := w.in, "standard input"
	if from == "" || from == "-" {
		if isTerminal(in) {
			fmt.Fprintln(w.err, "sightline: type the text, then end it with Ctrl-D on a line of its own")
		}
	} else {
		f, err := os.Open(from)
		if err != nil {
			return "", unreadable(verb, from, err)
		}
		defer f.Close()
		in, name = f, from
	}
	if !isTerminal(in) {
		defer w.progress(verb + ", reading " + name)()
	}
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(in, textMax+1))
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return "", unreadable(verb, name, r.err)
		}
		if len(r.text) > textMax {
			return "", badUsage("%s holds more than %d bytes, the most that a text may have", name, textMax)
		}
		return string(r.text), nil
	case <-ctx.Done():
		return "", &sightline.Error{Op: verb, Code: sightline.Cancelled, Message: "Interrupted while reading " + name + "."}
	}
}

// unreadable is the failure of a file that the command line names and that lies outside what the engine serves.
func unreadable(verb, name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &sightline.Error{Op: verb, Code: sightline.IO, Path: name, Message: fmt.Sprintf("The text cannot be read: %v.", err)}
}

type moveCmd struct {
	From string `arg:"" help:"File to move."`
	To   string `arg:"" help:"Its new name, which must be free."`
}

func (*moveCmd) Help() string {
	return `What the session has seen of the file moves along.

Examples:

  sightline move old.go new.go
  sightline move draft.md docs/guide.md
`
}

func (x *moveCmd) Run(ctx context.Context, c *commands, w *world) error {
	return c.call(ctx, w, "move", args{"from": x.From, "to": x.To}, nil)
}

type deleteCmd struct {
	Path string `arg:"" help:"File to delete."`
}

func (*deleteCmd) Help() string {
	return `A file that changed since the session saw it is not deleted, so that no change is lost unseen.

Examples:

  sightline delete old.go
`
}

func (x *deleteCmd) Run(ctx context.Context, c *commands, w *world) error {
	return c.call(ctx, w, "delete", args{"path": x.Path}, nil)
}
