package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/script"
)

// binary builds the command once for all scripts of the test run and returns its path.
func binary(tb testing.TB, b *built) string {
	tb.Helper()
	b.once.Do(func() {
		b.path = filepath.Join(b.dir, "sightline")
		out, err := exec.Command("go", "build", "-o", b.path, "github.com/sightline-io/sightline/cmd/sightline").CombinedOutput()
		if err != nil {
			b.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if b.err != nil {
		tb.Fatal(b.err)
	}
	return b.path
}

type built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// environment is that of a child process: its own state folder and no session of whoever runs the tests.
func environment(w script.World) []string {
	return append(os.Environ(), "SIGHTLINE_SESSION=", "XDG_STATE_HOME="+w.State, "XDG_RUNTIME_DIR="+w.State, "HOME="+w.State)
}

// endDaemon ends the daemon of a world, if there is one, and waits until it has gone.
func endDaemon(tb testing.TB, w script.World) {
	tb.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	env := func(name string) string {
		if name == "XDG_RUNTIME_DIR" || name == "XDG_STATE_HOME" {
			return w.State
		}
		return ""
	}
	c, err := client.Dial(ctx, client.Options{Root: w.Root, State: sightline.StateDir(w.Root, env), Env: env, Name: "test"})
	if err != nil {
		return // nobody answers
	}
	defer c.Close()
	gone := c.Broken()
	if err := c.Do(ctx, "shutdown", nil, nil); err != nil {
		tb.Error(err)
		return
	}
	select {
	case <-gone:
	case <-ctx.Done():
		tb.Error("the daemon does not end")
	}
}

// scriptSession is the session of calls whose script names none.
const scriptSession = "s1"

// overMCP drives a child process through the official client over its standard input and output.
type overMCP struct {
	tb      testing.TB
	world   script.World
	path    string
	session *mcp.ClientSession
}

func openMCP(tb testing.TB, w script.World, path string) (script.Driver, error) {
	d := &overMCP{tb: tb, world: w, path: path}
	d.open()
	tb.Cleanup(func() {
		if err := d.session.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
		endDaemon(tb, w)
	})
	return d, nil
}

func (d *overMCP) open() {
	// A name that a model gives may not resume what another connection left; the one that the flag gives may.
	args := []string{"--session", scriptSession, "--root", d.world.Root, "--profile", d.world.Profile, "--durability", "atomic", "mcp", "--structured"}
	if d.world.PageBytes > 0 {
		args = append(args, "--page-bytes", fmt.Sprint(d.world.PageBytes))
	}
	cmd := exec.Command(d.path, args...)
	cmd.Dir = d.world.Root
	cmd.Env = environment(d.world)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "scripts", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		d.tb.Fatalf("%v: %s", err, stderr.String())
	}
	d.session = session
}

func (d *overMCP) Root() string { return d.world.Root }

func (d *overMCP) Restart() {
	if err := d.session.Close(); err != nil {
		d.tb.Fatal(err)
	}
	endDaemon(d.tb, d.world)
	d.open()
}

func (d *overMCP) Call(session, tool string, args map[string]any, meta script.CallMeta) script.Result {
	all := map[string]any{}
	if session != scriptSession {
		all["session"] = session
	}
	for k, v := range args {
		all[k] = v
	}
	if meta.RequestID != "" {
		all["request_id"] = meta.RequestID
	}
	params := &mcp.CallToolParams{Name: tool, Arguments: all}
	if meta.Round != nil {
		params.Meta = mcp.Meta{"sightline/round": *meta.Round}
	}
	res, err := d.session.CallTool(context.Background(), params)
	if err != nil {
		d.tb.Fatalf("%s: %v", tool, err)
	}
	r := script.Result{IsError: res.IsError}
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			r.Text += t.Text
		}
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		d.tb.Fatal(err)
	}
	if err := json.Unmarshal(raw, &r.Structured); err != nil {
		d.tb.Fatalf("%v in %s", err, raw)
	}
	return r
}

func TestScriptsOverMCP(t *testing.T) {
	if testing.Short() {
		t.Log("processes are left out of a short run; the library mode ran the same scripts")
		return
	}
	b := &built{dir: t.TempDir()}
	path := binary(t, b)
	script.RunAll(t, script.Mode{Name: "mcp", Open: func(tb testing.TB, w script.World) (script.Driver, error) {
		return openMCP(tb, w, path)
	}}, "../../testdata/scripts")
}
