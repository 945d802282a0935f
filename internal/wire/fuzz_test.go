package wire

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/sightline-io/sightline"
)

// Any bytes for any tool are answered: done, or refused with a code of the closed list, in valid JSON on one line. What
// is refused and advises a next call advises a valid one.
func FuzzCall(f *testing.F) {
	for i, g := range goodInputs {
		f.Add(g.tool, []byte(g.args), byte(i))
	}
	for i, b := range badInputs {
		f.Add(b.tool, []byte(b.args), byte(i))
	}
	f.Fuzz(func(t *testing.T, tool string, args []byte, how byte) {
		s := &fake{}
		if how&1 == 1 {
			s.err = &sightline.Error{Code: "not-seen", Path: "a", Missing: []sightline.Lines{lines(0, 2)}, Cure: &sightline.Cure{
				Next: &sightline.Next{Tool: tool, Path: "a", Same: how&2 != 0, Lines: []sightline.Lines{lines(0, int(how))},
					Edits: []sightline.LineEdit{{Lines: lines(0, 0), New: tool}}}}}
		}
		a := Call(t.Context(), s, tool, args, sightline.Meta{})
		out := a.Structured()
		if !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("the structured answer is no JSON: %q", out)
		}
		for _, c := range out {
			if c == '\n' {
				t.Fatalf("the structured answer is not on one line: %q", out)
			}
		}
		switch {
		case a.Refused:
			if !a.Code.Refusal() || a.Failed || len(a.Text) == 0 {
				t.Fatalf("refused with %q: %s", a.Code, a.Text)
			}
		case a.Failed || a.Code != "" || s.got == nil:
			t.Fatalf("failed %v, code %q, request %v", a.Failed, a.Code, s.got)
		}
		var v struct {
			Cure struct {
				Next *struct {
					Tool      string
					Arguments json.RawMessage
				}
			}
		}
		if err := json.Unmarshal(out, &v); err != nil {
			t.Fatal(err)
		}
		if n := v.Cure.Next; n != nil {
			if err := againstSchema(t, n.Tool, n.Arguments); err != nil {
				t.Fatalf("the next call %s %s is not valid: %v", n.Tool, n.Arguments, err)
			}
		}
	})
}
