package main

import (
	"context"
	"encoding/json"
)

type editCmd struct {
	Path   string  `arg:"" help:"File to edit."`
	Old    *string `help:"Text to replace; it must occur exactly once." placeholder:"TEXT"`
	New    *string `help:"What to put in its place; '' removes." placeholder:"TEXT"`
	All    bool    `help:"Replace every occurrence."`
	Lines  string  `help:"Lines to replace, as A-B; with B = A-1 the text is inserted before line A." placeholder:"A-B"`
	Append *string `help:"Text to add at the end." placeholder:"TEXT"`
	Edits  string  `help:"Take the edits from a file, or from standard input for -: the JSON array that the MCP tool takes." placeholder:"FILE"`
	Expect string  `help:"Edit only if the file is exactly this version (sha256:...)." placeholder:"REF"`
	Plan   bool    `help:"Print the diff and the verdict, and change nothing."`
}

func (*editCmd) Help() string {
	return `Lines that change must have been shown to the session, or written by it, and be unchanged since. A refusal shows
them; the same command again then goes through.

Examples:

  sightline edit main.go --old 'teh' --new 'the'
  sightline edit main.go --old foo --new bar --all
  sightline edit main.go --lines 3-4 --new 'x := 1'
  sightline edit main.go --lines 3-2 --new '// above line 3'
  sightline edit main.go --append 'the end'
  sightline edit main.go --edits edits.json --plan

A file of edits holds any of the forms, all meaning the text before the call:

  [{"old": "teh", "new": "the"}, {"first": 3, "last": 4, "new": "x := 1"}, {"append": "the end\n"}]
`
}

func (x *editCmd) Run(ctx context.Context, c *commands, w *world) error {
	a, err := x.args(ctx, w)
	if err != nil {
		return err
	}
	if !x.Plan {
		return c.call(ctx, w, "edit", a, nil)
	}
	if err := spelt(a); err != nil {
		return err
	}
	o, err := c.open(ctx, w, "plan")
	if err != nil {
		return err
	}
	return o.close(c.plan(ctx, w, o, a))
}

// args turns the flags into the tool's arguments.
func (x *editCmd) args(ctx context.Context, w *world) (args, error) {
	a := args{"path": x.Path}
	if x.Expect != "" {
		a["expect"] = x.Expect
	}
	forms := 0
	for _, given := range []bool{x.Old != nil, x.Lines != "", x.Append != nil, x.Edits != ""} {
		if given {
			forms++
		}
	}
	replaces := x.Old != nil || x.Lines != ""
	switch {
	case forms != 1:
		return nil, badUsage("edit takes one of --old with --new, --lines with --new, --append, and --edits")
	case replaces && x.New == nil:
		return nil, badUsage("--new is missing; --new '' removes")
	case !replaces && x.New != nil:
		return nil, badUsage("--new goes with --old or --lines")
	case x.All && x.Old == nil:
		return nil, badUsage("--all goes with --old")
	}
	e := args{}
	switch {
	case x.Edits != "":
		text, err := w.text(ctx, "edit", x.Edits)
		if err != nil {
			return nil, err
		}
		if !json.Valid([]byte(text)) {
			return nil, badUsage("%s holds no JSON", x.Edits)
		}
		a["edits"] = json.RawMessage(text)
		return a, nil
	case x.Append != nil:
		e["append"] = *x.Append
	case x.Lines != "":
		e["new"] = *x.New
		if err := oneRange(e, x.Lines); err != nil {
			return nil, err
		}
	default:
		e["old"], e["new"] = *x.Old, *x.New
		if x.All {
			e["all"] = true
		}
	}
	a["edits"] = []args{e}
	return a, nil
}
