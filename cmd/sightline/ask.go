package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/wire"
)

type checkCmd struct {
	Path      string `arg:"" help:"File to ask about."`
	Lines     string `help:"Would an edit of these lines be admitted?" placeholder:"A-B"`
	Overwrite bool   `help:"Would replacing the whole file be admitted?"`
	Delete    bool   `help:"Would deleting it be admitted?"`
}

func (*checkCmd) Help() string {
	return `With the path alone it asks about an edit of every line. The answer no ends with status 0: it is an answer. Nothing
is changed, and nothing is shown that would count.

Examples:

  sightline check main.go
  sightline check main.go --lines 10-12
  sightline check main.go --overwrite --json
`
}

func (x *checkCmd) Run(ctx context.Context, c *commands, w *world) error {
	a := args{"path": x.Path}
	if x.Lines != "" {
		if err := oneRange(a, x.Lines); err != nil {
			return err
		}
	}
	if x.Overwrite {
		a["overwrite"] = true
	}
	if x.Delete {
		a["delete"] = true
	}
	if err := spelt(a); err != nil {
		return err
	}
	o, err := c.open(ctx, w, "check")
	if err != nil {
		return err
	}
	return o.close(c.ask(ctx, w, o, "check", a, func(t terminal, answer *wire.Answer) ([]byte, error) {
		raw, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		return c.refusal(t, o, answer, raw)
	}))
}

type listCmd struct {
	Path    string   `arg:"" optional:"" help:"Folder to list. Default: the working directory."`
	Depth   int      `help:"How many levels to descend. Default: 1." placeholder:"N"`
	Include []string `sep:"none" help:"Only names that match this pattern, as **/*.go. May be given several times." placeholder:"PATTERN"`
	Exclude []string `sep:"none" help:"No names that match this pattern. May be given several times." placeholder:"PATTERN"`
	Limit   int      `help:"Entries at most. Default: 1000." placeholder:"N"`
}

func (*listCmd) Help() string {
	return `Files that git ignores are left out and counted.

Examples:

  sightline list
  sightline list src --depth 3
  sightline list --depth 9 --include '**/*.go' --exclude '**/*_test.go'
`
}

func (x *listCmd) Run(ctx context.Context, c *commands, w *world) error {
	a := args{}
	if x.Path != "" {
		a["path"] = x.Path
	}
	if x.Depth != 0 {
		a["depth"] = x.Depth
	}
	if len(x.Include) > 0 {
		a["include"] = x.Include
	}
	if len(x.Exclude) > 0 {
		a["exclude"] = x.Exclude
	}
	if x.Limit != 0 {
		a["limit"] = x.Limit
	}
	if err := spelt(a); err != nil {
		return err
	}
	o, err := c.open(ctx, w, "list")
	if err != nil {
		return err
	}
	if x.Path == "" && o.dir != "" {
		a["path"] = "."
	}
	o.pageBytes = fullPage // people see the names that --json has
	return o.close(c.ask(ctx, w, o, "list", a, listing))
}

// listing shows names beside their sizes, which stand in one column.
func listing(t terminal, a *wire.Answer) ([]byte, error) {
	var l struct {
		Entries []struct {
			Path, Kind string
			Size       int64
		}
	}
	if err := json.Unmarshal(a.Structured(), &l); err != nil {
		return nil, err
	}
	width := len("folder")
	for _, e := range l.Entries {
		width = max(width, len(fmt.Sprint(e.Size)))
	}
	var b bytes.Buffer
	for _, e := range l.Entries {
		name := string(t.safe([]byte(e.Path)))
		switch e.Kind {
		case "file":
			fmt.Fprintf(&b, "%*d  %s\n", width, e.Size, name)
		case "folder":
			fmt.Fprintf(&b, "%s%*s  %s\n", strings.Repeat(" ", width-len(e.Kind)), len(e.Kind), e.Kind, t.paint(cyan, name+"/"))
		default:
			fmt.Fprintf(&b, "%*s  %s\n", width, e.Kind, name)
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	if at := bytes.LastIndex(a.Text, []byte(mark)); at >= 0 {
		b.WriteString(t.paint(faint, strings.TrimSuffix(string(a.Text[at:]), "\n")) + "\n")
	}
	return b.Bytes(), nil
}
