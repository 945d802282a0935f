package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/script"
	"github.com/sightline-io/sightline/internal/wire"
)

// library drives the product in this process.
type library struct {
	tb    testing.TB
	world script.World
	ws    *sightline.Workspace
}

func openLibrary(tb testing.TB, w script.World) (script.Driver, error) {
	d := &library{tb: tb, world: w}
	d.open()
	tb.Cleanup(func() {
		if err := d.ws.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return d, nil
}

func (d *library) open() {
	opt := sightline.Options{Root: d.world.Root, State: d.world.State, PageBytes: d.world.PageBytes, Durability: sightline.Atomic}
	if d.world.Profile == "strict" {
		opt.Profile = sightline.Strict
	}
	ws, err := sightline.Open(context.Background(), opt)
	if err != nil {
		d.tb.Fatal(err)
	}
	d.ws = ws
}

func (d *library) Root() string { return d.world.Root }

func (d *library) Restart() {
	if err := d.ws.Close(); err != nil {
		d.tb.Fatal(err)
	}
	d.open()
}

func (d *library) Arrive() any { return d.ws.Arrive() }

func (d *library) Overlay(path string, text *string) {
	name, err := d.ws.Admit(path)
	if err != nil {
		d.tb.Fatal(err)
	}
	if text == nil {
		d.ws.Overlays().Drop("editor", name)
		return
	}
	if err := d.ws.Overlays().Set("editor", name, *text); err != nil {
		d.tb.Fatal(err)
	}
}

func (d *library) Call(session, tool string, args map[string]any, meta script.CallMeta) script.Result {
	s := d.session(session)
	return d.call(s, tool, d.encode(args), d.meta(meta))
}

func (d *library) session(id string) *sightline.Session {
	s, err := d.ws.Session(id)
	if err != nil {
		d.tb.Fatal(err)
	}
	return s
}

func (d *library) call(s wire.Session, tool string, args json.RawMessage, meta sightline.Meta) script.Result {
	meta.Delivery = &sightline.Delivery{}
	a := wire.Call(context.Background(), s, tool, args, meta)
	r := script.Result{IsError: a.Refused || a.Failed, Text: string(a.Text), Structured: d.decode(a.Structured())}
	meta.Delivery.Left()
	return r
}

func (d *library) meta(m script.CallMeta) sightline.Meta {
	meta := sightline.Meta{RequestID: m.RequestID, PageBytes: d.world.PageBytes}
	if m.Round != nil {
		n := uint64(*m.Round)
		meta.Round = &n
	}
	if a, ok := m.Arrival.(sightline.Arrival); ok {
		meta.Arrival = a
	}
	return meta
}

func (d *library) encode(args map[string]any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(args); err != nil {
		d.tb.Fatal(err)
	}
	return b.Bytes()
}

func (d *library) decode(raw json.RawMessage) map[string]any {
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		d.tb.Fatalf("%v in %s", err, raw)
	}
	return v
}

// Plan decodes the edit as a call would and stops before the commit.
func (d *library) Plan(session string, args map[string]any, meta script.CallMeta) (func() script.Result, script.Result) {
	half := &halves{Session: d.session(session)}
	raw := d.encode(args)
	planned := d.call(half, "edit", raw, d.meta(meta))
	if half.plan == nil {
		return nil, planned
	}
	return func() script.Result { return d.call(half, "edit", raw, d.meta(meta)) }, planned
}

// halves is a session whose first edit is planned and whose second one commits that plan.
type halves struct {
	*sightline.Session
	plan *sightline.Plan
}

func (h *halves) Edit(ctx context.Context, r sightline.EditRequest) (*sightline.EditAnswer, error) {
	if h.plan != nil {
		return h.Session.Commit(ctx, h.plan, r.Meta)
	}
	p, err := h.Session.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	h.plan = p
	return &sightline.EditAnswer{Path: p.Path()}, nil
}

func TestScripts(t *testing.T) {
	script.RunAll(t, script.Mode{Name: "library", Open: openLibrary, Cures: true, Restarts: true}, "../../testdata/scripts")
}
