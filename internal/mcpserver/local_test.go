package mcpserver_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/mcpserver"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/session"
)

// local is a server in this process.
type local struct {
	*client
	end    context.CancelFunc
	ended  chan struct{}
	err    error // of Serve; read after ended
	closer io.Closer
}

// over are two ways to connect: the system's pipes, which can be asked how much they hold, and io.Pipe, which cannot.
var over = map[string]func(testing.TB) (sr io.ReadCloser, cw io.WriteCloser, cr io.ReadCloser, sw io.WriteCloser){
	"pipes": func(tb testing.TB) (io.ReadCloser, io.WriteCloser, io.ReadCloser, io.WriteCloser) {
		sr, cw, err := os.Pipe()
		if err != nil {
			tb.Fatal(err)
		}
		cr, sw, err := os.Pipe()
		if err != nil {
			tb.Fatal(err)
		}
		return sr, cw, cr, sw
	},
	"io.Pipe": func(testing.TB) (io.ReadCloser, io.WriteCloser, io.ReadCloser, io.WriteCloser) {
		sr, cw := io.Pipe()
		cr, sw := io.Pipe()
		return sr, cw, cr, sw
	},
}

// serve starts a server on ws and greets it.
func serve(tb testing.TB, way, version string, opt mcpserver.Options) *local {
	tb.Helper()
	sr, cw, cr, sw := over[way](tb)
	ctx, end := context.WithCancel(context.Background())
	opt.In, opt.Out, opt.Version = sr, sw, "test"
	l := &local{client: &client{tb: tb, w: cw, r: bufio.NewReaderSize(cr, 1<<20), version: version, name: "test"}, end: end, ended: make(chan struct{}), closer: cr}
	go func() {
		defer close(l.ended)
		l.err = mcpserver.Serve(ctx, opt)
	}()
	tb.Cleanup(func() {
		cw.Close()
		cr.Close()
		l.over(tb)
		end()
	})
	l.greet()
	return l
}

// over waits until Serve has returned.
func (l *local) over(tb testing.TB) {
	tb.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	select {
	case <-l.ended:
	case <-limit.C:
		tb.Fatal("Serve does not return")
	}
}

// gatedFS holds every reading of a file until its gate opens or the call is cancelled.
type gatedFS struct {
	disk.FS
	entered chan struct{} // gets a value for each reading that is held
	gate    chan struct{}
	once    sync.Once
}

func (g *gatedFS) open() { g.once.Do(func() { close(g.gate) }) }

func (g *gatedFS) Open(name scope.Name) (disk.File, error) {
	f, err := g.FS.Open(name)
	if err != nil || name.String() != "f.txt" {
		return f, err
	}
	return &gatedFile{f, g}, nil
}

type gatedFile struct {
	disk.File
	g *gatedFS
}

func (f *gatedFile) ReadAll(ctx context.Context, limit int64, buf []byte) ([]byte, bool, error) {
	f.g.entered <- struct{}{}
	select {
	case <-f.g.gate:
	case <-ctx.Done():
	}
	return f.File.ReadAll(ctx, limit, buf)
}

// gated is a workspace on root whose readings of f.txt wait for the gate.
func gated(tb testing.TB, root string) (*sightline.Workspace, *gatedFS) {
	tb.Helper()
	fs, err := disk.OpenOS(root, disk.Options{Entropy: disktest.Entropy, Clock: disktest.Clock})
	if err != nil {
		tb.Fatal(err)
	}
	g := &gatedFS{FS: fs, entered: make(chan struct{}, 10_000), gate: make(chan struct{})}
	ws, err := session.Open(context.Background(), session.Options{FS: g, Durability: disk.Atomic, Clock: func() int64 { return 0 }, Entropy: rand.Reader})
	if err != nil {
		tb.Fatal(err)
	}
	closing(tb, ws)
	tb.Cleanup(g.open) // before the workspace is closed
	return ws, g
}

func workspace(tb testing.TB, root string) *sightline.Workspace {
	tb.Helper()
	ws, err := sightline.Open(context.Background(), sightline.Options{Root: root, Durability: sightline.Atomic})
	if err != nil {
		tb.Fatal(err)
	}
	closing(tb, ws)
	return ws
}

func closing(tb testing.TB, ws *sightline.Workspace) {
	tb.Cleanup(func() {
		if err := ws.Close(); err != nil {
			tb.Error(err)
		}
	})
}
