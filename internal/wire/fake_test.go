package wire

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/sightline-io/sightline"
)

// fake is a session that keeps the request it was given and returns what it was told to.
type fake struct {
	got any // the request
	err error

	page   *sightline.Page
	edit   *sightline.EditAnswer
	write  *sightline.WriteAnswer
	move   *sightline.MoveAnswer
	delete *sightline.DeleteAnswer
	check  *sightline.CheckAnswer
	seen   *sightline.SeenAnswer
	list   *sightline.ListAnswer
}

// reply returns a for the request q: the error if there is one, and an empty answer where none was set.
func reply[Q, A any](f *fake, q Q, a *A) (*A, error) {
	f.got = q
	if f.err != nil {
		return nil, f.err
	}
	if a == nil {
		a = new(A)
	}
	return a, nil
}

func (f *fake) Read(_ context.Context, q sightline.ReadRequest) (*sightline.Page, error) {
	return reply(f, q, f.page)
}

func (f *fake) Edit(_ context.Context, q sightline.EditRequest) (*sightline.EditAnswer, error) {
	return reply(f, q, f.edit)
}

func (f *fake) Write(_ context.Context, q sightline.WriteRequest) (*sightline.WriteAnswer, error) {
	return reply(f, q, f.write)
}

func (f *fake) Move(_ context.Context, q sightline.MoveRequest) (*sightline.MoveAnswer, error) {
	return reply(f, q, f.move)
}

func (f *fake) Delete(_ context.Context, q sightline.DeleteRequest) (*sightline.DeleteAnswer, error) {
	return reply(f, q, f.delete)
}

func (f *fake) Check(_ context.Context, q sightline.CheckRequest) (*sightline.CheckAnswer, error) {
	return reply(f, q, f.check)
}

func (f *fake) Seen(_ context.Context, q sightline.SeenRequest) (*sightline.SeenAnswer, error) {
	return reply(f, q, f.seen)
}

func (f *fake) List(_ context.Context, q sightline.ListRequest) (*sightline.ListAnswer, error) {
	return reply(f, q, f.list)
}

// call makes a call on f with arguments as a model writes them.
func (f *fake) call(t testing.TB, tool, args string) *Answer {
	t.Helper()
	return Call(t.Context(), f, tool, json.RawMessage(args), sightline.Meta{})
}

// lines is a zero-based half-open span, as the engine has it.
func lines(from, to int) sightline.Lines {
	return sightline.Lines{From: sightline.Line(from), To: sightline.Line(to)}
}

const refA = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
const refB = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

func ref(t testing.TB, s string) sightline.Ref {
	t.Helper()
	r, err := sightline.ParseRef(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
