package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/sightline-io/sightline/internal/mcpserver"
)

type mcpCmd struct {
	Structured bool `help:"Give structured content beside the text of every answer."`
}

func (*mcpCmd) Help() string {
	return `The client starts this command itself. Its configuration mostly looks like this:

  {"mcpServers": {"sightline": {"command": "sightline", "args": ["mcp"]}}}

The root is --root, else the repository around the working directory that the client starts it in. It ends when its input
does.

Examples:

  sightline mcp
  sightline mcp --root ~/src/project --session my-agent
  sightline mcp --profile strict --page-bytes 16000
`
}

func (m *mcpCmd) Run(ctx context.Context, c *commands, w *world) error {
	o, err := c.open(ctx, w, "mcp")
	if err != nil {
		return err
	}
	o.quiet()
	c.spoke = true // standard output belongs to the protocol
	session := c.Session
	if session == "" {
		session = w.env("SIGHTLINE_SESSION")
	}
	err = mcpserver.Serve(ctx, mcpserver.Options{
		Engine: o, In: w.in, Out: staysOpen{w.out}, Version: version(), Session: session,
		PageBytes: o.pageBytes, Structured: m.Structured,
		Log: w.log(slog.LevelError),
	})
	if err == nil && ctx.Err() != nil {
		err = exitStatus(exitInterrupted)
	}
	return o.close(err)
}

// staysOpen keeps a stream open that is not ours to close.
type staysOpen struct{ io.Writer }

func (staysOpen) Close() error { return nil }

// log is where what people may want to know goes.
func (w *world) log(from slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w.err, &slog.HandlerOptions{Level: from}))
}
