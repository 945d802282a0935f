package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-io/sightline/internal/daemon"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/wire"
)

// status returns what the engine tells of itself.
func (o *opened) status(ctx context.Context) (st daemon.Status, err error) {
	if o.client == nil {
		return daemon.StatusOf(o.ws, build(), o.started), nil
	}
	return st, o.client.Do(ctx, rpc.Status, nil, &st)
}

// show prints one value of our own: as JSON, or as people see it.
func (c *commands) show(w *world, v any, people func(t terminal) string) error {
	if !c.JSON {
		return c.say(w, []byte(people(w.terminal(w.out))))
	}
	out, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.say(w, out)
}

// asking opens the engine for a verb that asks about it.
func (c *commands) asking(ctx context.Context, w *world, verb string, ask func(o *opened) error) error {
	o, err := c.open(ctx, w, verb)
	if err != nil {
		return err
	}
	return o.close(ask(o))
}

type statusCmd struct{}

func (*statusCmd) Help() string {
	return `Examples:

  sightline status
  sightline status --json
`
}

func (*statusCmd) Run(ctx context.Context, c *commands, w *world) error {
	return c.asking(ctx, w, "status", func(o *opened) error {
		st, err := o.status(ctx)
		if err != nil {
			return err
		}
		o.quiet()
		return c.show(w, st, func(t terminal) string { return statusText(t, &st) })
	})
}

func statusText(t terminal, st *daemon.Status) string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s  %s\n", name, t.safe(fmt.Appendf(nil, format, args...)))
	}
	row("root", "%s", st.Root)
	socket := st.Socket
	if socket == "" {
		socket = "none: this process has the engine to itself"
	}
	row("socket", "%s", socket)
	if st.Page != "" {
		row("page", "%s", st.Page)
	}
	row("process", "%d, since %s", st.PID, when(st.Started))
	row("version", "%s, protocol %d", st.Version, st.Protocol)
	row("settings", "%s, %s", st.Profile, st.Durability)
	row("sessions", "%d known, %d open on %s", st.Sessions, st.Live, counted(st.Connections, "connection"))
	row("memory", "%s of files, %s; %d dropped", counted(st.Versions, "version"), size(st.Bytes), st.Dropped)
	row("receipts", "%d kept, %d forgotten", st.Receipts, st.Forgotten)
	row("journal", "%s resumed, %d unrecorded", counted(st.Resumed, "record"), st.Unrecorded)
	if st.Cut > 0 || st.Gap {
		row("", "%d damaged bytes were cut off its end; what they told was lost", st.Cut)
	}
	return b.String()
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func size(n int) string {
	if n < 10<<10 {
		return counted(n, "byte")
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// when is a time for people.
func when(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04:05") }

type sessionsCmd struct{}

func (*sessionsCmd) Help() string {
	return `Every session that the engine knows, and how many connections have it open now.

Examples:

  sightline sessions
  sightline sessions --json
`
}

// sessionRow is one session of the engine.
type sessionRow struct {
	Session     string `json:"session"`
	Connections int    `json:"connections"`
}

type sessionRows struct {
	V        int          `json:"v"`
	Sessions []sessionRow `json:"sessions"`
}

func (*sessionsCmd) Run(ctx context.Context, c *commands, w *world) error {
	return c.asking(ctx, w, "sessions", func(o *opened) error {
		rows := sessionRows{V: 1, Sessions: []sessionRow{}}
		if o.client == nil {
			for _, id := range o.ws.SessionIDs() {
				rows.Sessions = append(rows.Sessions, sessionRow{Session: id})
			}
		} else if err := o.client.Do(ctx, rpc.Sessions, nil, &rows); err != nil {
			return err
		}
		o.quiet()
		return c.show(w, rows, func(t terminal) string {
			if len(rows.Sessions) == 0 {
				return "no session is known\n"
			}
			var b strings.Builder
			for _, r := range rows.Sessions {
				open := ""
				if r.Connections > 0 {
					open = "open on " + counted(r.Connections, "connection")
				}
				b.WriteString(strings.TrimRight(fmt.Sprintf("%-24s  %s", t.safe([]byte(r.Session)), open), " ") + "\n")
			}
			return b.String()
		})
	})
}

type statsCmd struct{}

func (*statsCmd) Help() string {
	return `Counts what the engine decided since it was started: changes that were admitted and refused, refusals that were cured
in one step, refusals that said the same again, and changes that changed nothing.

Examples:

  sightline stats
  sightline stats --json
`
}

func (*statsCmd) Run(ctx context.Context, c *commands, w *world) error {
	return c.asking(ctx, w, "stats", func(o *opened) error {
		var s daemon.Stats
		if o.client == nil {
			s = o.tally.Stats(o.started)
		} else if err := o.client.Do(ctx, rpc.Stats, nil, &s); err != nil {
			return err
		}
		o.quiet()
		return c.show(w, s, func(terminal) string { return statsText(&s) })
	})
}

func statsText(s *daemon.Stats) string {
	var b strings.Builder
	row := func(name string, n int, more string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-10s  %6d  %s", name, n, more), " ") + "\n")
	}
	fmt.Fprintf(&b, "since %s\n", when(s.Since))
	row("reads", s.Reads, "")
	row("admitted", s.Admitted, "changes")
	row("no-ops", s.NoOps, "of them changed nothing")
	row("refused", s.Refused, "changes")
	codes := make([]string, 0, len(s.Codes))
	for code := range s.Codes {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		row("", s.Codes[code], code)
	}
	row("cured", s.Cured, "were admitted at the next try")
	row("repeated", s.Repeated, "refusals said the same again")
	row("failed", s.Failed, "calls")
	return b.String()
}

type logCmd struct {
	Follow bool `help:"Go on with what happens, until interrupted."`
	Limit  int  `help:"Receipts at most, the newest. Default: 100." placeholder:"N" default:"100"`
}

func (*logCmd) Help() string {
	return `One line for each decision that the engine has made since it was started and still keeps, oldest first. A receipt holds
no text of any file.

Examples:

  sightline log
  sightline log --limit 20
  sightline log --follow --json
`
}

// receiptRow is a receipt as it is printed.
type receiptRow struct {
	Seq                         uint64
	At                          int64
	Session, Verb, Path, To     string
	Code                        string
	Missing, Drifted, Delivered [][2]int
	Touched                     [][2]int
	Count                       int
}

func (x *logCmd) Run(ctx context.Context, c *commands, w *world) error {
	if x.Limit < 1 {
		return badUsage("--limit must be at least 1")
	}
	if x.Follow {
		return x.follow(ctx, c, w)
	}
	return c.asking(ctx, w, "log", func(o *opened) error {
		all, err := o.receipts(ctx)
		if err != nil {
			return err
		}
		o.quiet()
		all = all[max(0, len(all)-x.Limit):]
		return c.show(w, struct {
			V        int               `json:"v"`
			Receipts []json.RawMessage `json:"receipts"`
		}{1, all}, func(t terminal) string {
			var b strings.Builder
			for _, raw := range all {
				b.WriteString(receiptText(t, raw))
			}
			return b.String()
		})
	})
}

// receipts returns those that the engine keeps, oldest first.
func (o *opened) receipts(ctx context.Context) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	if o.client == nil {
		for _, r := range o.ws.Receipts() {
			all = append(all, wire.ReceiptJSON(&r))
		}
		return all, nil
	}
	for since := uint64(0); ; {
		var page struct {
			Receipts []json.RawMessage
			Next     uint64
			Complete bool
		}
		if err := o.client.Do(ctx, rpc.Log, map[string]any{"since": since, "limit": 1000}, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Receipts...)
		if page.Complete || page.Next <= since {
			return all, nil
		}
		since = page.Next
	}
}

// receiptText is a receipt in one line for people.
func receiptText(t terminal, raw json.RawMessage) string {
	var r receiptRow
	if err := json.Unmarshal(raw, &r); err != nil {
		return string(raw) + "\n"
	}
	what := r.Path
	if r.To != "" {
		what += " to " + r.To
	}
	done, colour := "done", green
	if r.Code != "" {
		done, colour = r.Code, red
	}
	for _, l := range []struct {
		name  string
		lines [][2]int
	}{{"missing", r.Missing}, {"drifted", r.Drifted}, {"delivered", r.Delivered}, {"touched", r.Touched}} {
		if len(l.lines) > 0 {
			what += " " + l.name + " " + ranges(l.lines)
		}
	}
	if r.Count > 1 {
		what += fmt.Sprintf(" (%d times)", r.Count)
	}
	line := fmt.Sprintf("%s  %-12s  %-6s  %s%s  %s", when(r.At), t.safe([]byte(r.Session)), r.Verb, t.paint(colour, done),
		pad("", len("not-seen")-len(done)), t.safe([]byte(what)))
	return strings.TrimRight(line, " ") + "\n"
}
