package mcpserver_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/engine"
	"github.com/sightline-io/sightline/internal/mcpserver"
)

// The test binary is the server too: with serveEnv set it serves its standard streams and tests nothing.
const (
	serveEnv   = "SIGHTLINE_TEST_SERVE" // ours or bare: this process is a server
	rootEnv    = "SIGHTLINE_TEST_ROOT"
	durEnv     = "SIGHTLINE_TEST_DURABILITY"
	sessionEnv = "SIGHTLINE_TEST_SESSION"
	factsEnv   = "SIGHTLINE_TEST_STRUCTURED"
	pageEnv    = "SIGHTLINE_TEST_PAGEBYTES"  // 0: by the client's name
	endEnv     = "SIGHTLINE_TEST_END"        // a named pipe: the server is told to end when it is closed by a writer
	cpuEnv     = "SIGHTLINE_TEST_CPUPROFILE" // file for a processor profile of the server
)

func TestMain(m *testing.M) {
	switch os.Getenv(serveEnv) {
	case "ours":
		exitOn(profiled(serveOurs))
	case "bare":
		exitOn(serveBare(os.Getenv(rootEnv), os.Getenv(durEnv)))
	}
	code := m.Run()
	if left := leftGoroutines(); left != "" && code == 0 {
		fmt.Fprintf(os.Stderr, "goroutines are left after all tests:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leftGoroutines returns the stacks of goroutines of ours that do not end.
func leftGoroutines() string {
	beats := time.NewTicker(5 * time.Millisecond)
	defer beats.Stop()
	var left []string
	for range 1000 {
		buf := make([]byte, 4<<20)
		left = left[:0]
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(g, "sightline/internal/") && !strings.Contains(g, "leftGoroutines") {
				left = append(left, g)
			}
		}
		if len(left) == 0 {
			return ""
		}
		<-beats.C
	}
	return strings.Join(left, "\n\n")
}

func profiled(run func() error) error {
	name := os.Getenv(cpuEnv)
	if name == "" {
		return run()
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return run()
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serveOurs() error {
	opt := sightline.Options{Root: os.Getenv(rootEnv)}
	if os.Getenv(durEnv) == "atomic" {
		opt.Durability = sightline.Atomic
	}
	ws, err := sightline.Open(context.Background(), opt)
	if err != nil {
		return err
	}
	defer ws.Close()
	page, err := strconv.Atoi(os.Getenv(pageEnv))
	if err != nil {
		page = 16 << 20
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	if name := os.Getenv(endEnv); name != "" {
		go endWith(end, name)
	}
	return mcpserver.Serve(ctx, mcpserver.Options{Engine: engine.Local(ws), In: os.Stdin, Out: os.Stdout, Version: "test", PageBytes: page,
		Session: os.Getenv(sessionEnv), Structured: os.Getenv(factsEnv) != ""})
}

// endWith calls end when somebody opens and closes the pipe of that name.
func endWith(end func(), name string) {
	if _, err := os.ReadFile(name); err == nil {
		end()
	}
}
