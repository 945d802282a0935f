package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the command prints into the scripts and the guide")

// The test binary is the command too: scripts and tests start it as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sightline": func() {
		if os.Getenv(embeddedEnv) != "" && len(os.Args) > 1 && !slices.Contains(asksForHelp, os.Args[1]) {
			os.Args = slices.Insert(os.Args, 1, "--embedded")
		}
		main()
	}})
}

// embeddedEnv, where it is set, gives every command the flag --embedded.
const embeddedEnv = "SIGHTLINE_TEST_EMBEDDED"

// asksForHelp are words that are understood as the first one alone.
var asksForHelp = []string{"help", "--version", "-v"}

// TestScripts runs the scripts of testdata, those directly in it both over daemons and embedded. Each has a repository,
// a home, a state folder and a runtime folder of its own, and begins in the repository.
func TestScripts(t *testing.T) {
	for _, mode := range []string{"daemon", "embedded"} {
		t.Run(mode, func(t *testing.T) {
			run := func(dir string) func(*testing.T) {
				return func(t *testing.T) { runScripts(t, dir, mode == "embedded") }
			}
			t.Run("both", run("testdata"))
			t.Run("only", run(filepath.Join("testdata", mode)))
		})
	}
}

func runScripts(t *testing.T, dir string, embedded bool) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			if embedded {
				e.Setenv(embeddedEnv, "1")
			}
			return setUp(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":      status,
			"json":        oneJSON,
			"serve":       serve,
			"ask":         ask,
			"hangup":      hangUp,
			"kill9":       kill9,
			"interrupt":   interrupt,
			"interrupted": interrupted,
			"gone":        readerGone,
			"behind":      behind,
			"daemon":      daemonScript,
		},
	})
}

func setUp(e *testscript.Env) error {
	repo := filepath.Join(e.WorkDir, "repo")
	for _, dir := range []string{filepath.Join(repo, ".git"), filepath.Join(e.WorkDir, "home")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for _, kv := range environment(e.WorkDir) {
		name, value, _ := strings.Cut(kv, "=")
		e.Setenv(name, value)
	}
	e.Values[serverKey{}] = map[string]*server{}
	e.Cd = repo
	e.Defer(func() { endDaemons(e.T(), e.WorkDir) })
	return nil
}

// environment is what a command finds around it: nothing of the machine that runs the test. Under the race detector a
// process sleeps a second before it ends; hundreds of them are not to.
func environment(work string) []string {
	return []string{
		"HOME=" + filepath.Join(work, "home"),
		"XDG_STATE_HOME=" + filepath.Join(work, "state"),
		"XDG_RUNTIME_DIR=" + filepath.Join(work, "run"),
		"LOCALAPPDATA=" + filepath.Join(work, "state"),
		"SIGHTLINE_SESSION=", "NO_COLOR=", "TERM=xterm", "COLUMNS=80",
		"GORACE=atexit_sleep_ms=10",
	}
}

// status runs a command and expects an exit status: status 1 sightline edit ...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitOf(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func exitOf(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return 0
}

// oneJSON expects standard output to be one JSON value on one line, with v 1 and the members named: json code="stale"
// missing=[[4,5]] cure.next.tool="read". A member with nothing behind it must not be there: cursor=
func oneJSON(ts *testscript.TestScript, neg bool, args []string) {
	out := ts.ReadFile("stdout")
	if neg || strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") {
		ts.Fatalf("standard output is not one line: %q", out)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		ts.Fatalf("%v: %s", err, out)
	}
	for _, want := range append([]string{"v=1"}, args...) {
		at, value, _ := strings.Cut(want, "=")
		got := member(v, strings.Split(at, "."))
		if got != value {
			ts.Fatalf("%s is %s, want %s", at, got, value)
		}
	}
}

func member(v any, at []string) string {
	for _, name := range at {
		o, _ := v.(map[string]any)
		var ok bool
		if v, ok = o[name]; !ok {
			return ""
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// A server is an MCP server that a script started; its input stays open until the script ends it.
type server struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	errors *strings.Builder
	calls  int
}

type serverKey struct{}

// serve starts sightline mcp with the flags given, and shakes hands. A word before the flags names the server, for
// scripts with several: serve @a --session one
func serve(ts *testscript.TestScript, neg bool, args []string) {
	name, args := named(args)
	s := &server{cmd: command(ts, append([]string{"sightline", "mcp"}, args...)), errors: &strings.Builder{}}
	s.cmd.Stderr = s.errors
	var err error
	s.in, err = s.cmd.StdinPipe()
	ts.Check(err)
	out, err := s.cmd.StdoutPipe()
	ts.Check(err)
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, 1<<20)
	ts.Check(s.cmd.Start())
	ts.Defer(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() }) // both fail where the script ended it
	ts.Value(serverKey{}).(map[string]*server)[name] = s
	s.say(ts, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}`)
	if hello := s.hear(ts); !strings.Contains(hello, `"name":"sightline"`) {
		ts.Fatalf("no greeting: %s", hello)
	}
	s.say(ts, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// named takes the name of a server off the words of a command.
func named(args []string) (name string, rest []string) {
	if len(args) > 0 && strings.HasPrefix(args[0], "@") {
		return args[0], args[1:]
	}
	return "", args
}

// theServer returns the one that the words begin with, or the one without a name.
func theServer(ts *testscript.TestScript, args []string) (*server, []string) {
	name, args := named(args)
	s := ts.Value(serverKey{}).(map[string]*server)[name]
	if s == nil {
		ts.Fatalf("no server %q was started", name)
	}
	return s, args
}

func (s *server) say(ts *testscript.TestScript, frame string) {
	_, err := io.WriteString(s.in, frame+"\n")
	ts.Check(err)
}

func (s *server) hear(ts *testscript.TestScript) string {
	if !s.out.Scan() {
		ts.Fatalf("the server says nothing more; on standard error it said %q", s.errors.String())
	}
	return s.out.Text()
}

// ask calls a tool of the server and prints the text of its answer: ask read {"path":"a.txt"}
func ask(ts *testscript.TestScript, neg bool, args []string) {
	s, args := theServer(ts, args)
	s.calls++
	s.say(ts, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, s.calls, args[0], args[1]))
	var answer struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	frame := s.hear(ts)
	if err := json.Unmarshal([]byte(frame), &answer); err != nil || len(answer.Result.Content) != 1 {
		ts.Fatalf("%v: %s", err, frame)
	}
	_, err := io.WriteString(ts.Stdout(), answer.Result.Content[0].Text)
	ts.Check(err)
	if answer.Result.IsError != neg {
		ts.Fatalf("isError is %v", answer.Result.IsError)
	}
}

// hangup closes the server's input; it must then end by itself, with status 0 and nothing on standard error.
func hangUp(ts *testscript.TestScript, neg bool, args []string) {
	s, _ := theServer(ts, args)
	ts.Check(s.in.Close())
	if err := s.cmd.Wait(); err != nil || s.errors.Len() > 0 {
		ts.Fatalf("%v; on standard error it said %q", err, s.errors)
	}
}

// interrupt asks the server to end as Ctrl-C does, and expects an exit status: interrupt 130
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	s, args := theServer(ts, args)
	ts.Check(s.cmd.Process.Signal(os.Interrupt))
	if got := exitOf(ts, s.cmd.Wait()); fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// kill9 ends the server without warning.
func kill9(ts *testscript.TestScript, neg bool, args []string) {
	s, _ := theServer(ts, args)
	ts.Check(s.cmd.Process.Kill())
	if s.cmd.Wait() == nil {
		ts.Fatalf("it ended by itself")
	}
}

// behind starts a command while the server holds the root. Once the command says that it is waiting the server is hung
// up, and then the command must be done.
func behind(ts *testscript.TestScript, neg bool, args []string) {
	waitingStatus(ts, args, exitDone, func(*exec.Cmd) { hangUp(ts, false, nil) })
}

// interrupted starts a command that has to wait, with an input that does not end. Once it says that it is waiting it is
// interrupted, and must end with status 130.
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	waitingStatus(ts, args, exitInterrupted, func(cmd *exec.Cmd) { ts.Check(cmd.Process.Signal(os.Interrupt)) })
}

// waitingStatus starts a command, calls then once it has said something on standard error, and expects an exit status.
func waitingStatus(ts *testscript.TestScript, args []string, want int, then func(*exec.Cmd)) {
	cmd, out, said := command(ts, args), &strings.Builder{}, &strings.Builder{}
	cmd.Stdout = out
	in, err := cmd.StdinPipe()
	ts.Check(err)
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewScanner(io.TeeReader(pipe, said))
	if !lines.Scan() {
		ts.Fatalf("it did not wait: %v", cmd.Wait())
	}
	then(cmd)
	for lines.Scan() { // to the end, so that said holds everything
	}
	got := exitOf(ts, cmd.Wait())
	_ = in.Close() // closed by Wait where the command ended first
	if got != want {
		ts.Fatalf("exit status %d, want %d: %s", got, want, said)
	}
	_, err = io.WriteString(ts.Stdout(), out.String())
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), said.String())
	ts.Check(err)
}

// command prepares a process as exec does.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), environment(ts.Getenv("WORK"))...)
	cmd.Env = append(cmd.Env, embeddedEnv+"="+ts.Getenv(embeddedEnv))
	return cmd
}

// readerGone runs a command whose standard output nobody reads any more, and expects status 2.
func readerGone(ts *testscript.TestScript, neg bool, args []string) {
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	cmd := command(ts, args)
	cmd.Stdout = w
	said := &strings.Builder{}
	cmd.Stderr = said
	if got := exitOf(ts, cmd.Run()); got != exitFailed {
		ts.Fatalf("exit status %d, want %d", got, exitFailed)
	}
	ts.Check(w.Close())
	_, err = io.WriteString(ts.Stderr(), said.String())
	ts.Check(err)
}
