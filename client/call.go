package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/wire"
)

// Call calls a tool and returns its answer for every door, as the engine in one's own process would. Arguments that are
// no JSON are refused here, since they could not be sent. A request that ctx cancels is answered when the daemon has
// given it up, or done it.
func (s *Session) Call(ctx context.Context, tool string, args json.RawMessage, m Meta) *Answer {
	return s.call(ctx, tool, tool, args, m)
}

// Continue is a read that a cursor in args continues.
func (s *Session) Continue(ctx context.Context, args json.RawMessage, m Meta) *Answer {
	return s.call(ctx, rpc.Continue, "read", args, m)
}

func (s *Session) call(ctx context.Context, method, tool string, args json.RawMessage, m Meta) *Answer {
	if !wire.Known(tool) {
		return wire.Call(ctx, nil, tool, args, sightline.Meta{}) // refused before anybody is asked
	}
	args, ok := oneLine(args)
	if !ok {
		return wire.Call(ctx, nil, tool, args, sightline.Meta{}) // its reader refuses them, and says where
	}
	r, err := s.c.exchange(ctx, method, m.Arrival, func(dst []byte, l *link) []byte { return s.params(dst, l, args, m) })
	if err != nil {
		return wire.Refuse(tool, args, err)
	}
	return r.answer(tool, m.Delivery)
}

// oneLine puts arguments on one line. ok is false for what is no JSON, and for what is no object.
func oneLine(args json.RawMessage) (json.RawMessage, bool) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}"), true
	}
	if args[0] != '{' || !json.Valid(args) {
		return args, false
	}
	if bytes.IndexByte(args, '\n') < 0 {
		return args, true
	}
	var b bytes.Buffer
	if err := json.Compact(&b, args); err != nil {
		return args, false // unreachable: they are valid
	}
	return b.Bytes(), true
}

// params writes the params of a tool's call. It always writes meta, so that a meta among the arguments, which a model
// may have given, stands there twice and is refused.
func (s *Session) params(dst []byte, l *link, args json.RawMessage, m Meta) []byte {
	dst = rpc.AppendText(append(dst, `{"meta":{"as":`...), s.id)
	if m.Structured {
		dst = append(dst, `,"answer":"both"`...)
	} else {
		dst = append(dst, `,"answer":"text"`...)
	}
	if m.Delivery != nil {
		dst = append(dst, `,"ack":true`...)
	}
	if m.Arrival.link != nil {
		left := m.Arrival.left
		if m.Arrival.link != l {
			left = 0
		}
		dst = strconv.AppendInt(append(dst, `,"arrived":`...), left, 10)
	}
	if m.Round != nil {
		dst = strconv.AppendUint(append(dst, `,"round":`...), *m.Round, 10)
	}
	if m.PageBytes > 0 {
		dst = strconv.AppendInt(append(dst, `,"page_bytes":`...), int64(m.PageBytes), 10)
	}
	if m.Dir != "" {
		dst = rpc.AppendText(append(dst, `,"dir":`...), m.Dir)
	}
	if m.NoCure {
		dst = append(dst, `,"no_cure":true`...)
	}
	dst = append(dst, '}')
	if inner := bytes.TrimSpace(args[1 : len(args)-1]); len(inner) > 0 {
		dst = append(append(dst, ','), inner...)
	}
	return append(dst, '}')
}

// Plan is an edit that was admitted and not made yet.
type Plan struct {
	Path   string
	Before *string // the file's text; nil where the edit creates it
	After  string

	id   string
	sess *Session
	link *link
}

// Plan locates and judges an edit; nothing is changed, and the texts in it deliver nothing. A refusal or a failure comes
// as an answer, and the plan is then nil. It ends with the connection.
func (s *Session) Plan(ctx context.Context, args json.RawMessage, m Meta) (*Plan, *Answer) {
	args, ok := oneLine(args)
	if !ok {
		return nil, wire.Call(ctx, nil, "edit", args, sightline.Meta{})
	}
	r, err := s.c.exchange(ctx, rpc.Plan, m.Arrival, func(dst []byte, l *link) []byte { return s.params(dst, l, args, m) })
	if err != nil {
		return nil, wire.Refuse("edit", args, err)
	}
	var got struct {
		Path, Plan, After string
		Before            *string
	}
	if r.failure == nil && json.Unmarshal(r.result, &got) == nil && got.Plan != "" {
		return &Plan{Path: got.Path, Before: got.Before, After: got.After, id: got.Plan, sess: s, link: r.link}, nil
	}
	return nil, r.answer("edit", m.Delivery)
}

// Commit makes a planned edit.
func (s *Session) Commit(ctx context.Context, p *Plan, m Meta) *Answer {
	r, err := s.c.exchange(ctx, rpc.Commit, m.Arrival, func(dst []byte, l *link) []byte {
		return s.params(dst, l, append(rpc.AppendText([]byte(`{"plan":`), p.id), '}'), m)
	})
	if err != nil {
		return wire.Refuse("edit", nil, err)
	}
	return r.answer("edit", m.Delivery)
}

// reply is what came back of a request.
type reply struct {
	link    *link
	result  json.RawMessage
	failure json.RawMessage // of the error object, when it is one
}

// answer turns a reply to a tool's call into an answer, and hands its delivery over.
func (r *reply) answer(tool string, d *Delivery) *Answer {
	if r.failure != nil {
		return failed(tool, r.failure)
	}
	var text, code string
	var structured json.RawMessage
	var delivery int64
	good := true
	rpc.Members(r.result, func(name, raw []byte) bool {
		ok := true
		switch string(name) {
		case "text":
			text, ok = rpc.Text(raw)
		case "structured":
			structured = raw
		case "code":
			code, ok = rpc.Text(raw)
		case "delivery":
			delivery, ok = rpc.Whole(raw)
		}
		good = good && ok
		return good
	})
	if !good {
		return wire.Refuse(tool, nil, &sightline.Error{Op: tool, Code: sightline.Internal, Err: errors.New("an answer that is not understood")})
	}
	if delivery != 0 && d != nil {
		d.bind(r.link, delivery)
	}
	return wire.Received(tool, []byte(text), structured, sightline.Code(code))
}

// failed turns a JSON-RPC error into the answer that the engine gave, or into an internal failure.
func failed(tool string, raw json.RawMessage) *Answer {
	var e struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	var data struct{ Code sightline.Code }
	if json.Unmarshal(raw, &e) == nil && json.Unmarshal(e.Data, &data) == nil && data.Code.Known() {
		return wire.Received(tool, append([]byte(e.Message), '\n'), e.Data, data.Code)
	}
	return wire.Refuse(tool, nil, &sightline.Error{Op: tool, Code: sightline.Internal,
		Err: errors.New("JSON-RPC error " + strconv.Itoa(e.Code) + ": " + e.Message)})
}

// fault is the error in a reply to a method that is no tool's, or nil.
func (r *reply) fault(method string) error {
	raw := r.result
	if r.failure != nil {
		var e struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
		if json.Unmarshal(r.failure, &e) != nil || e.Data == nil {
			return &sightline.Error{Op: method, Code: sightline.Internal, Message: "The daemon answered an error.",
				Err: errors.New(string(r.failure))}
		}
		raw = e.Data
	}
	var f struct {
		Refused, Failed bool
		Code            sightline.Code
		Path, Message   string
	}
	if err := json.Unmarshal(raw, &f); err != nil || !f.Refused && !f.Failed {
		return nil // its result is not the shape of a fault
	}
	message := strings.TrimPrefix(f.Message, string(f.Code)+": ")
	return &sightline.Error{Op: method, Code: f.Code, Path: f.Path, Message: message}
}
