package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/sightline-io/sightline/internal/wire"
)

// refused is the part of a refusal's shape that a command reads.
type refused struct {
	Code    string   `json:"code"`
	Refusal *refused `json:"refusal"` // of the answer to a check
	Cure    struct {
		Next *nextCall `json:"next"`
	} `json:"cure"`
}

type nextCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// refusal is a refusal, or the no of a check, for people: the text a model gets, with the next call as a command.
func (c *commands) refusal(t terminal, o *opened, a *wire.Answer, raw json.RawMessage) ([]byte, error) {
	var r refused
	if err := json.Unmarshal(a.Structured(), &r); err != nil {
		return nil, err
	}
	if r.Refusal != nil {
		r = *r.Refusal
	}
	text := t.safe(a.Text)
	if at := bytes.LastIndex(text, []byte("\n"+mark+"next call")); at >= 0 {
		text = text[:at:at]
		if r.Cure.Next != nil {
			text = append(text, "\n"+mark+"next: "+c.command(o, r.Cure.Next, raw)+"\n"...)
		}
	}
	if rest, ok := bytes.CutPrefix(text, []byte(r.Code)); ok && t.colour {
		text = append([]byte(t.paint(red, r.Code)), rest...)
	}
	return t.notices(text), nil
}

// command spells a call as a command line, from the arguments of the call that was refused.
func (c *commands) command(o *opened, n *nextCall, refused json.RawMessage) string {
	var a struct {
		Path, From, To, Intent, Mode string
		First                        int
		Lines                        [][2]int
		Edits                        []struct {
			First, Last int
			New         string
		}
	}
	if bytes.Equal(n.Arguments, refused) {
		return "the same command again"
	}
	if err := json.Unmarshal(n.Arguments, &a); err != nil {
		return "the same command again"
	}
	line := "sightline " + n.Tool
	switch n.Tool {
	case "read":
		line += " " + quote(a.Path)
		switch {
		case a.Intent == "full":
			line += " --full"
		case len(a.Lines) > 0:
			line += " --lines " + ranges(a.Lines)
		case a.First > 0:
			line += fmt.Sprintf(" --lines %d-", a.First)
		}
	case "list":
		line += " " + quote(o.spelling(a.Path))
	case "move":
		line += " " + quote(a.From) + " " + quote(a.To)
	case "edit":
		at := make([][2]int, len(a.Edits))
		for i, e := range a.Edits {
			at[i] = [2]int{e.First, e.Last}
		}
		if len(at) != 1 || len(a.Edits[0].New) > 200 || strings.Contains(strings.TrimSuffix(a.Edits[0].New, "\n"), "\n") {
			return "the same edit with the same new texts, at lines " + ranges(at)
		}
		line += fmt.Sprintf(" %s --lines %s --new %s", quote(a.Path), ranges(at), quote(strings.TrimSuffix(a.Edits[0].New, "\n")))
	case "write":
		if a.Mode == "create" {
			return "the same command with --create"
		}
		return "the same command without --create"
	default:
		line += " " + quote(a.Path)
	}
	return line + c.standing()
}

// standing repeats the flags that say whose call it is and where.
func (c *commands) standing() string {
	s := ""
	if c.Root != "" {
		s += " --root " + quote(c.Root)
	}
	if c.Config != "" {
		s += " --config " + quote(c.Config)
	}
	if c.Session != "" {
		s += " --session " + quote(c.Session)
	}
	return s
}

// spelling is a root-relative path as it is spelled from the working directory.
func (o *opened) spelling(rel string) string {
	if o.outside != "" {
		return filepath.Join(o.Root(), filepath.FromSlash(rel))
	}
	up := ""
	if o.dir != "" {
		up = strings.Repeat("../", strings.Count(o.dir, "/")+1)
	}
	if rest, ok := strings.CutPrefix(rel, o.dir+"/"); ok && o.dir != "" {
		return rest
	}
	return path.Join(up, rel, ".")
}

func ranges(ls [][2]int) string {
	var b strings.Builder
	for i, l := range ls {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d-%d", l[0], l[1])
	}
	return b.String()
}

// quote spells one argument for a POSIX shell.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_-./:@%+=,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
