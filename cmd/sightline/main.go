// Command sightline is the file plane for coding agents: no line edited unseen.
//
// This is the one place where the parts are put together. Everything is built by hand in run and nothing is registered
// anywhere. A verb turns its flags into the arguments of the tool of the same name, asks the engine, and prints what came
// of it; it decides nothing. The exit status is the whole of what a script needs: 0 done, 1 refused, 2 failed or bad
// usage, 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sightline-io/sightline"
)

// Exit statuses.
const (
	exitDone        = 0
	exitRefused     = 1
	exitFailed      = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // whoever interrupts twice wants it to end at once
	// Without this a reader that went away would end the process in the middle of what it does. With it the write
	// answers an error, and what it showed is known not to have left.
	signal.Ignore(syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], &world{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv, getwd: os.Getwd, now: func() int64 { return time.Now().UnixMilli() }, pid: os.Getpid})
	if ctx.Err() != nil && code != exitDone {
		code = exitInterrupted
	}
	os.Exit(code)
}

// world is what a command touches of the process around it.
type world struct {
	in       *os.File
	out, err *os.File
	env      func(string) string
	getwd    func() (string, error)
	now      func() int64 // milliseconds since 1970
	pid      func() int
}

// commands is the whole command line: the flags that every verb takes, and the verbs.
type commands struct {
	Root       string `group:"common" help:"Folder to serve. Default: the repository around the working directory." placeholder:"DIR"`
	Session    string `group:"common" help:"Session that the call belongs to. Default: $$SIGHTLINE_SESSION, else cli." placeholder:"ID"`
	Profile    string `group:"common" help:"How much is asked for: balanced (default) or strict." placeholder:"NAME"`
	PageBytes  int    `group:"common" help:"Bytes of text that one page may have, from 1024. Default: 28000; for mcp by the client's name." placeholder:"N"`
	Durability string `group:"common" help:"What a finished write has behind it: durable (file and folder synced, default) or atomic (renamed, not synced)." placeholder:"HOW"`
	Config     string `group:"common" help:"File of settings. Default: sightline.toml in the root, where there is one." placeholder:"FILE"`
	Embedded   bool   `group:"common" help:"Keep everything in this process, without the root's daemon."`
	JSON       bool   `name:"json" group:"common" help:"Print one JSON value on standard output and nothing else."`

	Up         upCmd         `cmd:"" help:"Run the daemon of the root in the foreground, with its page, and print both addresses."`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"Serve an agent over the Model Context Protocol on standard input and output."`
	Read       readCmd       `cmd:"" help:"Show a page of a file, numbered. What was shown may be edited."`
	Edit       editCmd       `cmd:"" help:"Edit a file: by quoting text, by line numbers, or from a file of edits."`
	Write      writeCmd      `cmd:"" help:"Write a whole file from standard input or from another file."`
	Move       moveCmd       `cmd:"" help:"Give a file another name, never onto an existing file."`
	Delete     deleteCmd     `cmd:"" help:"Delete a file."`
	Check      checkCmd      `cmd:"" help:"Ask whether a change would be admitted, and what is missing if not."`
	Seen       seenCmd       `cmd:"" help:"Show a file and, for each line, who has seen it and how."`
	List       listCmd       `cmd:"" help:"List the names below a folder."`
	Status     statusCmd     `cmd:"" help:"Show the engine: socket, process, version, what it holds."`
	Sessions   sessionsCmd   `cmd:"" help:"List the sessions that are known, and which are open."`
	Log        logCmd        `cmd:"" help:"Show what was decided, one line each."`
	Stats      statsCmd      `cmd:"" help:"Count what was admitted, refused and cured."`
	Doctor     doctorCmd     `cmd:"" help:"Check whether everything works here, and say what to do."`
	Completion completionCmd `cmd:"" help:"Print the completions of a shell: bash, zsh or fish."`
	Version    versionCmd    `cmd:"" help:"Print version, commit and protocol versions."`

	Daemon daemonCmd `cmd:"" hidden:"" help:"Serve a root, apart from any terminal; started by the other verbs."`

	Later laterVerbs `embed:""`

	spoke bool // an answer stands on standard output: nothing else may
}

const description = `Sightline sits between a coding agent and a repository. It knows which lines were shown to which
session, and admits an edit on that evidence and on nothing else.

Exit status: 0 done, 1 refused, 2 failed or bad usage, 130 interrupted.

Examples:

  sightline up                                       run the daemon and its page
  sightline mcp                                      serve this repository to an agent
  sightline read main.go --lines 1-40                show forty lines: they may be edited now
  sightline edit main.go --old 'teh' --new 'the'     edit by quoting
  sightline edit main.go --lines 3-4 --new 'x := 1'  edit by line numbers
  sightline seen main.go                             who has seen which lines`

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, w *world) int {
	c := &commands{}
	helped, status, helpOut := false, exitDone, w.out
	if len(args) == 0 { // nobody asked for help, and a script that forgot the verb should notice
		status, helpOut = exitFailed, w.err
	}
	parser, err := kong.New(c,
		kong.Name("sightline"), kong.Description(description),
		kong.Writers(helpOut, w.err),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, NoExpandSubcommands: true}),
		kong.ExplicitGroups([]kong.Group{{Key: "common", Title: "Common flags:"}}),
		kong.WithHyphenPrefixedParameters(true), // texts to look for may begin with a hyphen
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(w, c),
	)
	if err != nil {
		panic("sightline: the command line's own description is wrong: " + err.Error())
	}
	parsed, err := parser.Parse(asked(args))
	if helped {
		return status
	}
	if err != nil {
		c.JSON = c.JSON || slices.Contains(args, "--json") // what could not be parsed stands before it perhaps
		return c.end(w, &usageError{err})
	}
	return c.end(w, parsed.Run())
}

// end says what is left to say of how a command ended, and returns its exit status.
func (c *commands) end(w *world, err error) int {
	var status exitStatus
	var usage *usageError
	var fault *sightline.Error
	var closing *closeError
	if errors.As(err, &closing) {
		fmt.Fprintln(w.err, "sightline:", closing)
	}
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &usage):
		if c.JSON && !c.spoke {
			c.failed(w, &sightline.Error{Code: sightline.Invalid, Message: err.Error()})
		}
		fmt.Fprintf(w.err, "sightline: %v\nRun 'sightline --help', or 'sightline VERB --help' for examples.\n", err)
	case errors.As(err, &fault) && !fault.Code.Refusal() && !c.spoke:
		return c.failed(w, fault)
	case closing == nil:
		fmt.Fprintln(w.err, "sightline:", err)
	}
	return exitFailed
}

// exitStatus is an error that says nothing more: what there was to say is printed.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError says that the command line, or what it names, cannot be meant.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func badUsage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// asked maps the ways in which people ask for help or the version of any program to ours.
func asked(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(append([]string(nil), args[1:]...), "--help")
	case args[0] == "--version" || args[0] == "-v":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}
