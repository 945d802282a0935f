package script_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/script"
)

// commands drives one process a call, all of them through the daemon that the first one starts.
type commands struct {
	tb    testing.TB
	world script.World
	path  string
	env   []string

	mu   sync.Mutex
	rest map[string]string // by cursor, the lines that are left of the read that gave it
}

func openCommands(tb testing.TB, w script.World, path string) (script.Driver, error) {
	d := &commands{tb: tb, world: w, path: path, env: environment(w), rest: map[string]string{}}
	tb.Cleanup(func() { endDaemon(tb, w) })
	return d, nil
}

func (d *commands) Root() string { return d.world.Root }

// Restart ends the daemon that the commands work through.
func (d *commands) Restart() { endDaemon(d.tb, d.world) }

// Cannot lists what the command line has no words for.
func (d *commands) Cannot(s *script.Script) string {
	if s.PageBytes > 0 {
		return "between commands a page is continued by line numbers, not by its cursor"
	}
	for _, step := range s.Steps {
		switch a := step.Act.(type) {
		case *script.Control:
			if a.Op == "round" {
				return "a command belongs to no round"
			}
		case *script.Call:
			if why := unspeakable(a); why != "" {
				return why
			}
		}
	}
	return ""
}

func unspeakable(c *script.Call) string {
	_, edits := c.Args["edits"]
	switch {
	case strings.HasPrefix(c.Tool, "check") && edits:
		return "check takes no edits on the command line"
	case c.Times > 1:
		return "what a refusal says of the one before it ends with its process"
	case c.Raw:
		return "raw arguments have no spelling on the command line"
	case c.ID != "":
		return "a command has no request id"
	case c.Args["cursor"] != nil:
		return "a cursor ends with its process"
	case c.Args["intent"] == "range", c.Args["intent"] == "full" && c.Args["first"] != nil:
		return "intents are spelled by --lines and --full"
	}
	return ""
}

func (d *commands) Call(session, tool string, args map[string]any, _ script.CallMeta) script.Result {
	args = d.onward(args)
	argv, stdin, ok := spelled(tool, args)
	if !ok {
		return script.Result{}
	}
	argv = append([]string{"--json", "--root", d.world.Root, "--session", session, "--profile", d.world.Profile,
		"--durability", "atomic"}, argv...)
	cmd := exec.Command(d.path, argv...)
	cmd.Dir, cmd.Env, cmd.Stdin = d.world.Root, d.env, strings.NewReader(stdin)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	status := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		d.tb.Fatal(err)
	}
	r := script.Result{IsError: status != 0}
	if err := json.Unmarshal(out.Bytes(), &r.Structured); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
		d.tb.Fatalf("%q printed no single line of JSON, %v: %s%s", argv, err, out.String(), stderr.String())
	}
	if refused := r.Structured["refused"] == true; refused != (status == 1) {
		d.tb.Errorf("%q: exit status %d for %s", argv, status, out.String())
	}
	d.keep(args, r.Structured)
	return r
}

// onward goes on by lines where the call goes on by a cursor, as the command's own help says.
func (d *commands) onward(args map[string]any) map[string]any {
	c, ok := args["cursor"].(string)
	if !ok {
		return args
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return map[string]any{"path": args["path"], "spec": d.rest[c]}
}

// keep notes what is left of a read.
func (d *commands) keep(args, answer map[string]any) {
	c, ok := answer["cursor"].(string)
	shown, _ := answer["lines"].([]any)
	if !ok || len(shown) != 2 {
		return
	}
	last := int(shown[1].(float64))
	var left []string
	for _, part := range strings.Split(lineSpec(args), ",") {
		first, end, _ := strings.Cut(part, "-")
		a, _ := strconv.Atoi(first)
		if b, err := strconv.Atoi(end); err == nil && b <= last {
			continue
		}
		left = append(left, fmt.Sprintf("%d-%s", max(a, last+1), end))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rest[c] = strings.Join(left, ",")
}

// spelled turns a tool's arguments into words of the command line and the text of standard input.
func spelled(tool string, args map[string]any) (argv []string, stdin string, ok bool) {
	flag := func(name, member string) {
		if v, is := args[member]; is {
			argv = append(argv, "--"+name+"="+fmt.Sprint(v))
		}
	}
	path := func(members ...string) {
		argv = append(argv, "--")
		for _, m := range members {
			if s, is := args[m].(string); is {
				argv = append(argv, s)
			}
		}
	}
	argv = []string{tool}
	flag("expect", "expect")
	switch tool {
	case "read":
		readFlags(&argv, args)
		path("path")
	case "edit":
		stdin = editFlags(&argv, args)
		path("path")
	case "write":
		stdin, _ = args["text"].(string)
		if args["mode"] == "create" {
			argv = append(argv, "--create")
		}
		if args["eol"] == "as-given" {
			argv = append(argv, "--as-given")
		}
		path("path")
	case "move":
		path("from", "to")
	case "list":
		flag("depth", "depth")
		flag("limit", "limit")
		for _, m := range []string{"include", "exclude"} {
			list, _ := args[m].([]any)
			for _, p := range list {
				argv = append(argv, "--"+m+"="+fmt.Sprint(p))
			}
		}
		path("path")
	case "check":
		if args["edits"] != nil {
			return nil, "", false
		}
		for _, m := range []string{"overwrite", "delete"} {
			if args[m] == true {
				argv = append(argv, "--"+m)
			}
		}
		readFlags(&argv, args)
		path("path")
	default:
		path("path")
	}
	return argv, stdin, true
}

// readFlags spells the lines and the intent.
func readFlags(argv *[]string, args map[string]any) {
	if args["intent"] == "full" {
		*argv = append(*argv, "--full")
	}
	if spec := lineSpec(args); spec != "" {
		*argv = append(*argv, "--lines="+spec)
	}
}

// lineSpec spells the lines that the arguments name, or returns nothing.
func lineSpec(args map[string]any) string {
	spec, _ := args["spec"].(string)
	list, _ := args["lines"].([]any)
	for _, m := range list {
		pair, _ := m.([]any)
		spec += fmt.Sprintf(",%v-%v", pair[0], pair[1])
	}
	if first, ok := args["first"]; ok {
		spec += fmt.Sprintf(",%v-", first)
		if last, ok := args["last"]; ok {
			spec += fmt.Sprint(last)
		}
	}
	return strings.TrimPrefix(spec, ",")
}

// editFlags spells one edit by flags where it can be, and any others as the array on standard input.
func editFlags(argv *[]string, args map[string]any) (stdin string) {
	edits, _ := args["edits"].([]any)
	if len(edits) == 1 {
		e, _ := edits[0].(map[string]any)
		if words, ok := oneEdit(e); ok {
			*argv = append(*argv, words...)
			return ""
		}
	}
	raw, err := json.Marshal(edits)
	if err != nil {
		panic(err) // of strings, numbers and truth values
	}
	*argv = append(*argv, "--edits=-")
	return string(raw)
}

func oneEdit(e map[string]any) ([]string, bool) {
	for _, v := range e {
		if s, ok := v.(string); ok && (strings.ContainsRune(s, 0) || len(s) > 64<<10) {
			return nil, false // no argument of a process can hold it
		}
	}
	switch {
	case e["append"] != nil:
		return []string{fmt.Sprintf("--append=%v", e["append"])}, true
	case e["first"] != nil:
		return []string{fmt.Sprintf("--lines=%v-%v", e["first"], e["last"]), fmt.Sprintf("--new=%v", e["new"])}, true
	case e["old"] != nil:
		words := []string{fmt.Sprintf("--old=%v", e["old"]), fmt.Sprintf("--new=%v", e["new"])}
		if e["all"] == true {
			words = append(words, "--all")
		}
		return words, true
	}
	return nil, false
}

func TestScriptsByCommands(t *testing.T) {
	if testing.Short() {
		t.Log("processes are left out of a short run; the library mode ran the same scripts")
		return
	}
	path := binary(t, &built{dir: t.TempDir()})
	script.RunAll(t, script.Mode{Name: "command", Open: func(tb testing.TB, w script.World) (script.Driver, error) {
		return openCommands(tb, w, path)
	}}, "../../testdata/scripts")
}
