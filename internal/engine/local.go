package engine

import (
	"context"
	"encoding/json"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/wire"
)

// Local is the engine over a workspace of this process. The caller closes the workspace.
func Local(ws *sightline.Workspace) Engine { return local{ws} }

type local struct{ ws *sightline.Workspace }

func (l local) Root() string       { return l.ws.Root() }
func (l local) Arrive() Arrival    { return l.ws.Arrive() }
func (l local) Delivery() Delivery { return &sightline.Delivery{} }

func (l local) Open(_ context.Context, id string) (Session, error) {
	if id == "" {
		var err error
		if id, err = l.ws.NewID("s-"); err != nil {
			return nil, err
		}
	}
	s, err := l.ws.Session(id)
	if err != nil {
		return nil, err
	}
	return &localSession{s}, nil
}

func (l local) Claim(_ context.Context, id string) (Session, error) {
	s, taken, err := l.ws.Claim(id)
	if taken {
		return nil, &sightline.Error{Code: sightline.Denied, Field: "session",
			Message: "This session belongs to another connection; leave session out, or choose a new name."}
	}
	if err != nil {
		return nil, err
	}
	return &localSession{s}, nil
}

type localSession struct{ s *sightline.Session }

func (s *localSession) ID() string { return s.s.ID() }

func (s *localSession) Call(ctx context.Context, tool string, args json.RawMessage, m Meta) *wire.Answer {
	return wire.Call(ctx, s.s, tool, args, m.local())
}

func (s *localSession) Plan(ctx context.Context, args json.RawMessage, m Meta) (*Plan, *wire.Answer) {
	r, err := wire.DecodeEdit(args, m.local())
	if err != nil {
		return nil, wire.Refuse("edit", args, err)
	}
	p, err := s.s.Plan(ctx, r)
	if err != nil {
		return nil, wire.Refuse("edit", args, err)
	}
	out := &Plan{Path: p.Path(), After: string(p.After())}
	if before := p.Before(); !creates(r) {
		text := string(before)
		out.Before = &text
	}
	return out, nil
}

// creates reports whether an edit that was admitted makes its file: an empty old text is admitted nowhere else.
func creates(r sightline.EditRequest) bool {
	e, ok := r.Edits[0].(sightline.ReplaceText)
	return ok && e.Old == ""
}

func (m *Meta) local() sightline.Meta {
	out := sightline.Meta{Round: m.Round, Dir: m.Dir, PageBytes: m.PageBytes, NoCure: m.NoCure}
	if m.Arrival != nil {
		out.Arrival = m.Arrival.(sightline.Arrival)
	}
	if m.Delivery != nil {
		out.Delivery = m.Delivery.(*sightline.Delivery)
	}
	return out
}
