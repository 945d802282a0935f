package wire

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sightline-io/sightline"
)

// Session is what a call is made on: the verbs of one agent's session, in this process or dialled.
// *sightline.Session is one.
type Session interface {
	Read(context.Context, sightline.ReadRequest) (*sightline.Page, error)
	Edit(context.Context, sightline.EditRequest) (*sightline.EditAnswer, error)
	Write(context.Context, sightline.WriteRequest) (*sightline.WriteAnswer, error)
	Move(context.Context, sightline.MoveRequest) (*sightline.MoveAnswer, error)
	Delete(context.Context, sightline.DeleteRequest) (*sightline.DeleteAnswer, error)
	Check(context.Context, sightline.CheckRequest) (*sightline.CheckAnswer, error)
	Seen(context.Context, sightline.SeenRequest) (*sightline.SeenAnswer, error)
	List(context.Context, sightline.ListRequest) (*sightline.ListAnswer, error)
}

// Answer is what came of a call: done, refused, or failed. It is owned by the caller.
type Answer struct {
	Tool    string
	Text    []byte         // what a model must see, UTF-8 as far as the file was; it suffices alone
	Refused bool           // we decided no
	Failed  bool           // we could not decide
	Code    sightline.Code // empty when the call was done

	structured func() json.RawMessage
}

// Structured returns all facts of the answer as one JSON value on one line: the tool's structured answer, the shape of
// a refusal, or that of a failure. It is computed on every call, and for a read it may cost a pass over the file's
// bytes, so ask once, where it is wanted.
func (a *Answer) Structured() json.RawMessage { return a.structured() }

// Call reads the arguments of a tool, asks the session, and returns the answer for every door. Absent arguments and
// null are an empty object. A request_id in the arguments takes the place of meta's; the session they name is not
// looked at here: the door has chosen s by [OpenEnvelope].
//
// A tool that is not in [Tools] is refused as invalid.
func Call(ctx context.Context, s Session, tool string, args json.RawMessage, meta sightline.Meta) *Answer {
	v := find(tool)
	if v == nil {
		return Refuse(tool, args, invalid("", "There is no tool %s.", quoteName(tool)))
	}
	a, err := v.run(ctx, s, newRequest(v.Name, args, meta))
	if err != nil {
		return Refuse(tool, args, err)
	}
	return a
}

// Refuse makes an answer of an error: a refusal or a failure. args are the arguments of the refused call, which its
// next call repeats or builds upon. An error that is no *sightline.Error is an internal failure; its text is not shown.
func Refuse(tool string, args json.RawMessage, err error) *Answer {
	var e *sightline.Error
	if !errors.As(err, &e) || !e.Code.Known() {
		e = &sightline.Error{Op: tool, Code: sightline.Internal, Err: err}
	}
	if path := spelled(args); e.Path == "" && path != "" {
		named := *e // a refusal names its file, also where the call was not read so far
		named.Path = path
		e = &named
	}
	a := &Answer{Tool: tool, Code: e.Code}
	if !e.Code.Refusal() {
		a.Failed = true
		a.Text = append([]byte(message(e)), '\n')
		a.structured = func() json.RawMessage { return failureJSON(e) }
		return a
	}
	n := cureCall(e, tool, args)
	a.Refused = true
	a.Text = refusalText(e, n, true)
	a.structured = func() json.RawMessage { return refusalJSON(e, n, true) }
	return a
}

// spelled returns the path that raw arguments name, as the caller spelled it; of two paths the first. It is empty where
// they name none that can be shown.
func spelled(args json.RawMessage) (path string) {
	for _, name := range []string{"path", "from"} {
		if raw, ok := member(args, name); ok && json.Unmarshal(raw, &path) == nil && path != "" {
			return path
		}
	}
	return ""
}

func cureCall(e *sightline.Error, tool string, args json.RawMessage) *nextCall {
	if e.Cure == nil {
		return nil
	}
	return next(e.Cure.Next, tool, args)
}

func newRequest(tool string, args json.RawMessage, meta sightline.Meta) *request {
	return &request{scanner: newScanner(args), tool: tool, args: args, meta: meta}
}

// room is how many bytes the answer's text may have.
func (r *request) room() int {
	if r.meta.PageBytes > 0 {
		return r.meta.PageBytes
	}
	return maxText
}

func done(tool string, text []byte, structured func() json.RawMessage) *Answer {
	return &Answer{Tool: tool, Text: text, structured: structured}
}
