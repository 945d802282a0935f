package engine

import (
	"context"
	"encoding/json"

	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/wire"
)

// Dialled is the engine that a client calls. The caller closes the client.
func Dialled(c *client.Client) Engine { return dialled{c} }

type dialled struct{ c *client.Client }

// pageBytesMax is the largest page that the daemon's protocol knows.
const pageBytesMax = 16 << 20

func (d dialled) Root() string       { return d.c.Info().Root }
func (d dialled) Arrive() Arrival    { return d.c.Arrive() }
func (d dialled) Delivery() Delivery { return &client.Delivery{} }

func (d dialled) Open(ctx context.Context, id string) (Session, error) {
	return dialledSessionOf(d.c.Open(ctx, id))
}

func (d dialled) Claim(ctx context.Context, id string) (Session, error) {
	return dialledSessionOf(d.c.Named(ctx, id))
}

func dialledSessionOf(s *client.Session, err error) (Session, error) {
	if err != nil {
		return nil, err
	}
	return &dialledSession{s}, nil
}

type dialledSession struct{ s *client.Session }

func (s *dialledSession) ID() string { return s.s.ID() }

func (s *dialledSession) Call(ctx context.Context, tool string, args json.RawMessage, m Meta) *wire.Answer {
	return s.s.Call(ctx, tool, args, m.dialled())
}

func (s *dialledSession) Plan(ctx context.Context, args json.RawMessage, m Meta) (*Plan, *wire.Answer) {
	p, refused := s.s.Plan(ctx, args, m.dialled())
	if p == nil {
		return nil, refused
	}
	return &Plan{Path: p.Path, Before: p.Before, After: p.After}, nil
}

func (m *Meta) dialled() client.Meta {
	out := client.Meta{Round: m.Round, Dir: m.Dir, PageBytes: min(m.PageBytes, pageBytesMax), NoCure: m.NoCure, Structured: m.Structured}
	if m.Arrival != nil {
		out.Arrival = m.Arrival.(client.Arrival)
	}
	if m.Delivery != nil {
		out.Delivery = m.Delivery.(*client.Delivery)
	}
	return out
}
