package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/daemon"
	"github.com/sightline-io/sightline/internal/rpc"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// sockets returns those of the daemons of a work folder.
func sockets(work string) []string {
	found, err := filepath.Glob(filepath.Join(work, "run", "sightline", "*.sock"))
	if err != nil {
		panic(err) // the pattern is wrong
	}
	return found
}

// endDaemons ends every daemon of a work folder and waits for it.
func endDaemons(t interface{ Log(...any) }, work string) {
	for _, s := range sockets(work) {
		if err := endDaemon(s); err != nil {
			t.Log("a daemon is not ended:", err)
		}
	}
}

func endDaemon(socket string) error {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	c, err := client.Dial(ctx, client.Options{Socket: socket, Name: "test"})
	if err != nil {
		return nil // a dead process left it
	}
	defer c.Close()
	var st daemon.Status
	if err := c.Do(ctx, rpc.Status, nil, &st); err != nil {
		return err
	}
	gone := c.Broken()
	if err := c.Do(ctx, rpc.Shutdown, nil, nil); err != nil {
		return err
	}
	select {
	case <-gone:
		return awaitEnd(ctx, st.PID)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// awaitEnd waits until a process that is not this one's child has ended.
func awaitEnd(ctx context.Context, pid int) error {
	beat := time.NewTicker(2 * time.Millisecond)
	defer beat.Stop()
	for alive(pid) {
		select {
		case <-beat.C:
		case <-ctx.Done():
			return fmt.Errorf("process %d does not end", pid)
		}
	}
	return nil
}

// daemonScript looks at the one daemon of a script: daemon kill ends it without warning, daemon end politely, daemon
// gone waits until it has ended by itself, daemon none expects that there is none.
func daemonScript(ts *testscript.TestScript, neg bool, args []string) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	var pids []int
	for _, s := range sockets(ts.Getenv("WORK")) {
		c, err := client.Dial(ctx, client.Options{Socket: s, Name: "test"})
		if err != nil {
			continue
		}
		var st daemon.Status
		ts.Check(c.Do(ctx, rpc.Status, nil, &st))
		ts.Check(c.Close())
		pids = append(pids, st.PID)
	}
	switch strings.Join(args, " ") {
	case "none":
		if len(pids) > 0 {
			ts.Fatalf("there are daemons: %v", pids)
		}
	case "one":
		if len(pids) != 1 {
			ts.Fatalf("there are %d daemons", len(pids))
		}
	case "gone":
		for _, pid := range pids {
			ts.Check(awaitEnd(ctx, pid))
		}
	case "kill":
		if len(pids) != 1 {
			ts.Fatalf("there are %d daemons", len(pids))
		}
		p, err := os.FindProcess(pids[0])
		ts.Check(err)
		ts.Check(p.Kill())
		ts.Check(awaitEnd(ctx, pids[0]))
	case "end":
		for _, s := range sockets(ts.Getenv("WORK")) {
			ts.Check(endDaemon(s))
		}
	default:
		ts.Fatalf("usage: daemon none|one|gone|kill|end")
	}
}
