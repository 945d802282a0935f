package wire

import (
	"context"
	"encoding/json"
)

// verb is one tool and what runs it.
type verb struct {
	Tool
	run func(context.Context, Session, *request) (*Answer, error)
}

func find(tool string) *verb {
	for i := range verbs {
		if verbs[i].Name == tool {
			return &verbs[i]
		}
	}
	return nil
}

func runRead(ctx context.Context, s Session, r *request) (*Answer, error) {
	q, err := r.read()
	if err != nil {
		return nil, err
	}
	p, err := s.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return done(r.tool, p.Shown, func() json.RawMessage {
		f := pageFacts{ref: p.Ref()}
		f.covered, f.missing = p.Coverage()
		return pageJSON(p, f)
	}), nil
}

func runEdit(ctx context.Context, s Session, r *request) (*Answer, error) {
	q, err := r.edit()
	if err != nil {
		return nil, err
	}
	a, err := s.Edit(ctx, q)
	if err != nil {
		return nil, err
	}
	return done(r.tool, editText(a), func() json.RawMessage { return editJSON(a) }), nil
}

func runWrite(ctx context.Context, s Session, r *request) (*Answer, error) {
	q, err := r.write()
	if err != nil {
		return nil, err
	}
	a, err := s.Write(ctx, q)
	if err != nil {
		return nil, err
	}
	return done(r.tool, writeText(a), func() json.RawMessage { return writeJSON(a) }), nil
}

func runMove(ctx context.Context, s Session, r *request) (*Answer, error) {
	q, err := r.move()
	if err != nil {
		return nil, err
	}
	a, err := s.Move(ctx, q)
	if err != nil {
		return nil, err
	}
	return done(r.tool, moveText(a), func() json.RawMessage { return moveJSON(a) }), nil
}

func runDelete(ctx context.Context, s Session, r *request) (*Answer, error) {
	q, err := r.remove()
	if err != nil {
		return nil, err
	}
	a, err := s.Delete(ctx, q)
	if err != nil {
		return nil, err
	}
	return done(r.tool, deleteText(a), func() json.RawMessage { return deleteJSON(a) }), nil
}

func runList(ctx context.Context, s Session, r *request) (*Answer, error) {
	q, err := r.list()
	if err != nil {
		return nil, err
	}
	a, err := s.List(ctx, q)
	if err != nil {
		return nil, err
	}
	return done(r.tool, listText(a, r.room()), func() json.RawMessage { return listJSON(a) }), nil
}

func runCheck(ctx context.Context, s Session, r *request) (*Answer, error) {
	q, err := r.check()
	if err != nil {
		return nil, err
	}
	a, err := s.Check(ctx, q)
	if err != nil {
		return nil, err
	}
	if a.Allowed || a.Refusal == nil {
		return done(r.tool, checkText(a, nil), func() json.RawMessage { return checkJSON(a, nil) }), nil
	}
	n := cureCall(a.Refusal, r.tool, r.args)
	return done(r.tool, checkText(a, n), func() json.RawMessage {
		return checkJSON(a, refusalJSON(a.Refusal, n, false))
	}), nil
}

func runSeen(ctx context.Context, s Session, r *request) (*Answer, error) {
	q, err := r.seen()
	if err != nil {
		return nil, err
	}
	a, err := s.Seen(ctx, q)
	if err != nil {
		return nil, err
	}
	return done(r.tool, seenText(a, r.room()), func() json.RawMessage { return seenJSON(a) }), nil
}
