package client_test

import (
	"encoding/json"
	"os"
	"syscall"
	"testing"

	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/daemon/daemontest"
	"github.com/sightline-io/sightline/internal/script"
)

// dialled drives a daemon in a process of its own, through a client.
type dialled struct {
	t     testing.TB
	w     *daemontest.World
	how   daemontest.How
	pages int
	p     *daemontest.Process
	c     *client.Client
}

func openDialled(tb testing.TB, w script.World) (script.Driver, error) {
	runtime, err := os.MkdirTemp("", "sld") // short: a socket's path is bounded
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(runtime) })
	d := &dialled{t: tb, w: &daemontest.World{TB: tb, Root: w.Root, State: w.State, Runtime: runtime}, pages: w.PageBytes,
		how: daemontest.How{Strict: w.Profile == "strict"}}
	d.p = d.w.Start(d.how)
	c, err := client.Dial(ctx, client.Options{Root: w.Root, State: w.State, Env: d.w.Env, Name: "script"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	d.c = c
	return d, nil
}

func (d *dialled) Root() string { return d.w.Root }

// Restart ends the daemon in good order, which hears what was said to be delivered, and starts the next one.
func (d *dialled) Restart() {
	d.p.Signal(syscall.SIGTERM)
	d.p.Wait()
	d.p = d.w.Start(d.how)
}

func (d *dialled) Arrive() any { return d.c.Arrive() }

func (d *dialled) Overlay(path string, text *string) {
	method, params := "overlay.drop", map[string]any{"path": path}
	if text != nil {
		method, params["text"] = "overlay.set", *text
	}
	if err := d.c.Do(ctx, method, params, nil); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dialled) session(id string) *client.Session {
	s, err := d.c.Open(ctx, id)
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *dialled) meta(m script.CallMeta) client.Meta {
	meta := client.Meta{PageBytes: d.pages, Structured: true, Delivery: &client.Delivery{}}
	if m.Round != nil {
		n := uint64(*m.Round)
		meta.Round = &n
	}
	if a, ok := m.Arrival.(client.Arrival); ok {
		meta.Arrival = a
	}
	return meta
}

func (d *dialled) args(args map[string]any, m script.CallMeta) json.RawMessage {
	all := map[string]any{}
	for k, v := range args {
		all[k] = v
	}
	if m.RequestID != "" {
		all["request_id"] = m.RequestID
	}
	raw, err := json.Marshal(all)
	if err != nil {
		d.t.Fatal(err)
	}
	return raw
}

func (d *dialled) result(a *client.Answer, meta client.Meta) script.Result {
	r := script.Result{IsError: a.Refused || a.Failed, Text: string(a.Text)}
	if err := json.Unmarshal(a.Structured(), &r.Structured); err != nil {
		d.t.Fatalf("%v in %s", err, a.Structured())
	}
	meta.Delivery.Left()
	return r
}

func (d *dialled) Call(session, tool string, args map[string]any, m script.CallMeta) script.Result {
	meta := d.meta(m)
	return d.result(d.session(session).Call(ctx, tool, d.args(args, m), meta), meta)
}

// Plan plans the edit; what it gives back commits it.
func (d *dialled) Plan(session string, args map[string]any, m script.CallMeta) (func() script.Result, script.Result) {
	meta, s := d.meta(m), d.session(session)
	p, a := s.Plan(ctx, d.args(args, m), meta)
	if p == nil {
		return nil, d.result(a, meta)
	}
	commit := func() script.Result {
		meta := d.meta(script.CallMeta{})
		return d.result(s.Commit(ctx, p, meta), meta)
	}
	return commit, script.Result{Structured: map[string]any{"v": json.Number("1"), "path": p.Path, "edits": []any{}}}
}

// The corpus that every door plays, over a daemon.
func TestScripts(t *testing.T) {
	script.RunAll(t, script.Mode{Name: "daemon", Open: openDialled, Cures: os.Getenv("SIGHTLINE_LONG") == "1"}, "../testdata/scripts")
}
