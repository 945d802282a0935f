package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/daemon"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/web"
)

type upCmd struct {
	Open bool `help:"Open the page in the browser."`
}

func (*upCmd) Help() string {
	return `Prints the address of the socket and that of the page, and serves until it is interrupted. A daemon that another
verb started is replaced; its sessions go on. Without up, every verb starts a daemon when it needs one, which has no page
and ends by itself.

Examples:

  sightline up
  sightline up --open
  sightline up --root ~/src/project --json
`
}

// addresses is what up prints.
type addresses struct {
	V      int    `json:"v"`
	Socket string `json:"socket"`
	Page   string `json:"page"`
	PID    int    `json:"pid"`
	Root   string `json:"root"`
}

func (x *upCmd) Run(ctx context.Context, c *commands, w *world) error {
	cwd, err := w.getwd()
	if err != nil {
		return err
	}
	set, err := c.settings(w, cwd)
	if err != nil {
		return err
	}
	state := sightline.StateDir(set.root, w.env)
	if err := makeWay(ctx, w, set, state); err != nil {
		return err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return &sightline.Error{Op: "up", Code: sightline.IO, Message: "The page has no address.", Err: err}
	}
	page := "http://" + l.Addr().String() + "/"
	sockets := make(chan string, 1)
	srv := &http.Server{Handler: web.Handler(l.Addr().String(), set.root, func(ctx context.Context) (*client.Client, error) {
		return client.Dial(ctx, client.Options{Root: set.root, State: state, Env: w.env, Name: "page"})
	}), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	var said error
	err = daemon.Run(ctx, daemon.RunOptions{Open: sightline.Options{Root: set.root, State: state, Purpose: "up", Profile: set.profile,
		PageBytes: set.pageBytes, Durability: set.durability}, Env: w.env, Version: build(), Page: page, Log: w.log(slog.LevelInfo),
		Ready: func(socket string) {
			sockets <- socket
			said = c.announce(ctx, w, x.Open, addresses{1, socket, page, w.pid(), set.root})
		}})
	err = errors.Join(said, err, srv.Close())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	if errors.Is(err, daemon.ErrServed) {
		return &sightline.Error{Op: "up", Code: sightline.IO, Path: set.root, Message: "Another process began to serve the root; see sightline status."}
	}
	if err == nil && ctx.Err() != nil {
		err = exitStatus(exitInterrupted)
	}
	return err
}

// makeWay ends a daemon that a verb started; one with a page is somebody's.
func makeWay(ctx context.Context, w *world, set settings, state string) error {
	cl, err := client.Dial(ctx, client.Options{Root: set.root, State: state, Env: w.env, Name: "up"})
	if err != nil {
		return nil // nobody answers: nothing is in the way
	}
	defer cl.Close()
	var st daemon.Status
	if err := cl.Do(ctx, rpc.Status, nil, &st); err != nil {
		return err
	}
	if st.Page != "" {
		return &sightline.Error{Op: "up", Code: sightline.IO, Path: set.root,
			Message: fmt.Sprintf("The root is served by process %d already: %s and %s", st.PID, st.Socket, st.Page)}
	}
	gone := cl.Broken()
	if err := cl.Do(ctx, rpc.Shutdown, nil, nil); err != nil {
		return err
	}
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return exitStatus(exitInterrupted)
	}
}

// announce prints the addresses of what is up.
func (c *commands) announce(ctx context.Context, w *world, open bool, a addresses) error {
	if err := c.show(w, a, func(t terminal) string {
		return fmt.Sprintf("%s\n  socket  %s\n  page    %s\n", t.safe([]byte(a.Root)), a.Socket, a.Page)
	}); err != nil {
		return err
	}
	if !open {
		return nil
	}
	name, args := "xdg-open", []string{a.Page}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", a.Page}
	}
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		fmt.Fprintf(w.err, "sightline: the page cannot be opened by %s: %v %s\n", name, err, out)
	}
	return nil
}

// daemonCmd is what other verbs start: a daemon apart from any terminal, which ends itself when idle.
type daemonCmd struct {
	Idle time.Duration `default:"10m"`
}

func (x *daemonCmd) Run(ctx context.Context, c *commands, w *world) error {
	set, err := c.given()
	if err != nil {
		return errors.Join(err, w.tell(err))
	}
	told := false
	err = daemon.Run(ctx, daemon.RunOptions{Open: sightline.Options{Root: set.root, State: sightline.StateDir(set.root, w.env),
		Profile: set.profile, Durability: set.durability}, Env: w.env, Version: build(), IdleAfter: x.Idle, Log: w.log(slog.LevelInfo),
		Ready: func(string) {
			told = true
			_ = w.tell(nil) // who started it has gone; others may come
		}})
	if errors.Is(err, daemon.ErrServed) {
		return w.tell(nil)
	}
	if !told && err != nil {
		return errors.Join(err, w.tell(err))
	}
	return err
}
