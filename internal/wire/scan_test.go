package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sightline-io/sightline"
)

// What the scanner takes, encoding/json takes too and understands alike; what only encoding/json takes is one of the
// things it repairs or overlooks. The shape is that of an edit, which has objects, arrays, strings, numbers, booleans.
func FuzzScannerAgainstJSON(f *testing.F) {
	for _, g := range goodInputs {
		f.Add([]byte(g.args))
	}
	for _, b := range badInputs {
		f.Add([]byte(b.args))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		q, err := newRequest("edit", args, sightline.Meta{}).edit()
		if err != nil {
			return
		}
		var v struct {
			Path  string
			Edits []struct {
				Old, New, From, To, Append *string
				All, Inclusive             bool
				First, Last                json.Number
			}
		}
		if err := json.Unmarshal(args, &v); err != nil {
			t.Fatalf("%q is taken, and encoding/json says %v", args, err)
		}
		if !utf8.Valid(args) {
			t.Fatalf("%q is taken, and is not valid UTF-8", args)
		}
		if v.Path != q.Path || len(v.Edits) != len(q.Edits) {
			t.Fatalf("%q: path %q, %d edits; encoding/json says %q, %d", args, q.Path, len(q.Edits), v.Path, len(v.Edits))
		}
		for i, e := range v.Edits {
			var want sightline.Op
			switch {
			case e.Old != nil:
				want = sightline.ReplaceText{Old: *e.Old, New: *e.New, All: e.All}
			case e.From != nil:
				want = sightline.Anchors{From: *e.From, To: *e.To, Inclusive: e.Inclusive, New: *e.New}
			case e.Append != nil:
				want = sightline.Append{Text: *e.Append}
			default:
				first, _ := e.First.Float64()
				last, _ := e.Last.Float64()
				want = sightline.LineRange{Lines: lines(int(first)-1, int(last)), New: *e.New}
			}
			if !reflect.DeepEqual(q.Edits[i], want) {
				t.Fatalf("%q: edit %d is %#v, and by encoding/json %#v", args, i, q.Edits[i], want)
			}
		}
	})
}

// The envelope and the decoder agree on which session and request are meant, whatever stands beside them.
func FuzzEnvelope(f *testing.F) {
	for _, g := range goodInputs {
		f.Add([]byte(g.args))
	}
	f.Add([]byte(`{"session":"s","path":"}","request_id":"r"}`))
	f.Add([]byte(`{"path":"a\\","session":"s"}`))
	f.Fuzz(func(t *testing.T, args []byte) {
		e, err := OpenEnvelope(args)
		r := newRequest("seen", args, sightline.Meta{})
		q, bad := r.seen()
		if bad != nil {
			return
		}
		if err != nil {
			t.Fatalf("%q is taken, and its envelope is not: %v", args, err)
		}
		var v struct {
			Session   string `json:"session"`
			RequestID string `json:"request_id"`
		}
		if err := json.Unmarshal(args, &v); err != nil {
			t.Fatalf("%q is taken, and encoding/json says %v", args, err)
		}
		if e.RequestID != q.RequestID || (e.Session == "") != q.All || e.Session != v.Session || e.RequestID != v.RequestID {
			t.Fatalf("%q: envelope %+v, request %+v, encoding/json %+v", args, e, q, v)
		}
	})
}

// Deep nesting costs no stack: nothing recurses into what is passed over.
func TestDeepNestingIsPassedOver(t *testing.T) {
	const depth = 1 << 20
	args := `{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `,"session":"s"}`
	e, err := OpenEnvelope([]byte(args))
	if err != nil || e.Session != "s" {
		t.Fatalf("%+v, %v", e, err)
	}
	a := (&fake{}).call(t, "read", args)
	if a.Code != sightline.Invalid || !strings.Contains(string(a.Text), `"a"`) {
		t.Fatalf("%s", a.Text)
	}
}
