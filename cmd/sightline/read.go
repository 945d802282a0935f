package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sightline-io/sightline/internal/wire"
)

type readCmd struct {
	Path   string `arg:"" help:"File to show."`
	Lines  string `help:"Lines to show, as A-B, A- or A; several with commas." placeholder:"A-B"`
	Full   bool   `help:"Every line, however many, on one page."`
	Cursor string `help:"Go on where an earlier page ended. A cursor ends with the process that gave it: between commands, go on by --lines." placeholder:"C"`
}

func (*readCmd) Help() string {
	return `Examples:

  sightline read main.go
  sightline read main.go --lines 10-20
  sightline read main.go --lines 1-5,90-95
  sightline read big.log --full
  sightline read main.go --json

What was shown may be edited by the same session from now on. A page holds as many lines as --page-bytes allows; the last
line tells how to see more.
`
}

// fullPage is the page of a read with --full: larger than any file that is read whole.
const fullPage = math.MaxInt32

func (r *readCmd) Run(ctx context.Context, c *commands, w *world) error {
	a := args{"path": r.Path}
	asked := [][2]int{{1, openEnd}}
	if r.Lines != "" {
		var err error
		if asked, err = lineRanges(r.Lines); err != nil {
			return err
		}
		switch {
		case len(asked) > 1:
			a["lines"] = asked
		case asked[0][1] == openEnd:
			a["first"] = asked[0][0]
		default:
			a["first"], a["last"] = asked[0][0], asked[0][1]
		}
	}
	if r.Full {
		a["intent"] = "full"
		if c.PageBytes == 0 {
			c.PageBytes = fullPage
		}
	}
	if r.Cursor != "" {
		a["cursor"] = r.Cursor
	}
	return c.call(ctx, w, "read", a, func(t terminal, p *wire.Answer) ([]byte, error) {
		text, err := c.more(p, r.Path, asked)
		return t.notices(t.safe(text)), err
	})
}

// more spells the way to the next page as a command. The cursor that the text names ends with this process.
func (c *commands) more(a *wire.Answer, path string, asked [][2]int) ([]byte, error) {
	at := bytes.LastIndex(a.Text, []byte("\n"+mark+"more: "))
	if at < 0 {
		return a.Text, nil
	}
	var p struct {
		More  bool    `json:"more"`
		Lines *[2]int `json:"lines"`
		Cut   []int   `json:"cut"`
	}
	if err := json.Unmarshal(a.Structured(), &p); err != nil {
		return nil, err
	}
	if !p.More || p.Lines == nil {
		return a.Text, nil // the line is the file's own
	}
	how := "--full"
	if len(p.Cut) == 0 {
		how = "--lines " + strings.ReplaceAll(ranges(after(asked, p.Lines[1])), strconv.Itoa(openEnd), "")
	}
	return fmt.Appendf(a.Text[:at+1:at+1], "%smore: sightline read %s %s%s\n", mark, quote(path), how, c.standing()), nil
}

// after returns what of the ranges lies behind a line.
func after(ranges [][2]int, line int) [][2]int {
	var out [][2]int
	for _, r := range ranges {
		if r[1] > line {
			out = append(out, [2]int{max(r[0], line+1), r[1]})
		}
	}
	return out
}

// openEnd is the last line of a range without one.
const openEnd = math.MaxInt

// lineRanges reads A-B, A- and A, several with commas. Numbers are passed on as they are given: the wire knows which
// make sense.
func lineRanges(s string) ([][2]int, error) {
	var out [][2]int
	parts := strings.Split(s, ",")
	for _, p := range parts {
		first, last, err := lineRange(p)
		if err != nil || last == openEnd && len(parts) > 1 {
			return nil, badUsage("--lines takes A-B, A- or A, and several A-B with commas; %q is none of these", p)
		}
		out = append(out, [2]int{first, last})
	}
	return out, nil
}

func lineRange(s string) (first, last int, err error) {
	from, to, isRange := strings.Cut(strings.TrimSpace(s), "-")
	if first, err = strconv.Atoi(from); err != nil {
		return 0, 0, err
	}
	switch {
	case !isRange:
		return first, first, nil
	case to == "":
		return first, openEnd, nil
	}
	last, err = strconv.Atoi(to)
	return first, last, err
}

// oneRange puts the one closed range of an edit or a check among its arguments.
func oneRange(a args, s string) error {
	first, last, err := lineRange(s)
	if err != nil || last == openEnd {
		return badUsage("--lines takes A-B, as 10-20; %q is not that", s)
	}
	a["first"], a["last"] = first, last
	return nil
}
