package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
)

// decoded returns the structured answer as plain values.
func decoded(t testing.TB, a *Answer) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.Structured(), &v); err != nil {
		t.Fatalf("%s: %v in %s", a.Tool, err, a.Structured())
	}
	return v
}

type good struct {
	tool, args string
	want       func(t *testing.T) any
}

var goodInputs = []good{
	{"read", `{"path":"a"}`, func(*testing.T) any { return sightline.ReadRequest{Path: "a"} }},
	{"read", " {\t\"path\" :\r\n \"a b/\\u00e9\\n\\\"\\\\\\/\\ud83d\\ude00\" } ", func(*testing.T) any {
		return sightline.ReadRequest{Path: "a b/é\n\"\\/😀"}
	}},
	{"read", `{"path":"a","intent":"full"}`, func(*testing.T) any { return sightline.ReadRequest{Path: "a", Intent: "full"} }},
	{"read", `{"path":"a","intent":"inspect"}`, func(*testing.T) any { return sightline.ReadRequest{Path: "a", Intent: "inspect"} }},
	{"read", `{"path":"a","first":40,"last":52}`, func(*testing.T) any {
		return sightline.ReadRequest{Path: "a", Lines: []sightline.Lines{lines(39, 52)}}
	}},
	{"read", `{"path":"a","first":40,"last":40,"intent":"range"}`, func(*testing.T) any {
		return sightline.ReadRequest{Path: "a", Intent: "range", Lines: []sightline.Lines{lines(39, 40)}}
	}},
	{"read", `{"path":"a","first":3.0,"last":1.2e1}`, func(*testing.T) any {
		return sightline.ReadRequest{Path: "a", Lines: []sightline.Lines{lines(2, 12)}}
	}},
	{"read", `{"path":"a","first":40}`, func(*testing.T) any {
		return sightline.ReadRequest{Path: "a", Lines: []sightline.Lines{{From: 39, To: sightline.OpenEnd}}}
	}},
	{"read", `{"path":"a","last":40}`, func(*testing.T) any {
		return sightline.ReadRequest{Path: "a", Lines: []sightline.Lines{lines(0, 40)}}
	}},
	{"read", `{"path":"a","lines":[[1,3],[9,9]]}`, func(*testing.T) any {
		return sightline.ReadRequest{Path: "a", Lines: []sightline.Lines{lines(0, 3), lines(8, 9)}}
	}},
	{"read", `{"path":"a","lines":[[1,9007199254740991]]}`, func(*testing.T) any {
		return sightline.ReadRequest{Path: "a", Lines: []sightline.Lines{lines(0, 9007199254740991)}}
	}},
	{"read", `{"path":"a","cursor":"c1","session":"s","request_id":"r"}`, func(*testing.T) any {
		return sightline.ReadRequest{Path: "a", Cursor: "c1", Meta: sightline.Meta{RequestID: "r"}}
	}},
	{"edit", `{"path":"a","edits":[{"old":"x","new":"y"},{"old":"","new":"","all":true},{"old":"p","new":"q","all":false}]}`, func(*testing.T) any {
		return sightline.EditRequest{Path: "a", Edits: []sightline.Op{
			sightline.ReplaceText{Old: "x", New: "y"}, sightline.ReplaceText{All: true}, sightline.ReplaceText{Old: "p", New: "q"}}}
	}},
	{"edit", `{"edits":[{"new":"n","last":5,"first":3},{"first":1,"last":0,"new":"top\n"},{"first":8,"last":7,"new":""}],"path":"a"}`, func(*testing.T) any {
		return sightline.EditRequest{Path: "a", Edits: []sightline.Op{
			sightline.LineRange{Lines: lines(2, 5), New: "n"}, sightline.LineRange{Lines: lines(0, 0), New: "top\n"}, sightline.LineRange{Lines: lines(7, 7)}}}
	}},
	{"edit", `{"path":"a","edits":[{"from":"f","to":"t","new":"n"},{"from":"","to":"","inclusive":true,"new":""},{"append":"z"},{"append":""}]}`, func(*testing.T) any {
		return sightline.EditRequest{Path: "a", Edits: []sightline.Op{
			sightline.Anchors{From: "f", To: "t", New: "n"}, sightline.Anchors{Inclusive: true}, sightline.Append{Text: "z"}, sightline.Append{}}}
	}},
	{"edit", `{"path":"a","edits":[{"append":"z"}],"expect":"` + refA + `","request_id":"7"}`, func(t *testing.T) any {
		return sightline.EditRequest{Path: "a", Edits: []sightline.Op{sightline.Append{Text: "z"}}, Expect: ref(t, refA), Meta: sightline.Meta{RequestID: "7"}}
	}},
	{"write", `{"path":"a","text":"","mode":"create"}`, func(*testing.T) any {
		return sightline.WriteRequest{Path: "a", Mode: "create"}
	}},
	{"write", `{"path":"a","text":"x\r\n","mode":"replace","eol":"as-given","expect":"` + refB + `"}`, func(t *testing.T) any {
		return sightline.WriteRequest{Path: "a", Text: "x\r\n", Mode: "replace", AsGiven: true, Expect: ref(t, refB)}
	}},
	{"write", `{"path":"a","text":"x","mode":"replace","eol":"keep"}`, func(*testing.T) any {
		return sightline.WriteRequest{Path: "a", Text: "x", Mode: "replace"}
	}},
	{"move", `{"from":"a","to":"b"}`, func(*testing.T) any { return sightline.MoveRequest{From: "a", To: "b"} }},
	{"delete", `{"path":"a"}`, func(*testing.T) any { return sightline.DeleteRequest{Path: "a"} }},
	{"list", ``, func(*testing.T) any { return sightline.ListRequest{} }},
	{"list", `null`, func(*testing.T) any { return sightline.ListRequest{} }},
	{"list", `{}`, func(*testing.T) any { return sightline.ListRequest{} }},
	{"list", `{"path":".","depth":3,"include":["*.go","**/x"],"exclude":[],"limit":9}`, func(*testing.T) any {
		return sightline.ListRequest{Path: ".", Depth: 3, Include: []string{"*.go", "**/x"}, Limit: 9}
	}},
	{"check", `{"path":"a"}`, func(*testing.T) any { return sightline.CheckRequest{Path: "a"} }},
	{"check", `{"path":"a","overwrite":false,"delete":true}`, func(*testing.T) any {
		return sightline.CheckRequest{Path: "a", Delete: true}
	}},
	{"check", `{"path":"a","overwrite":true}`, func(*testing.T) any { return sightline.CheckRequest{Path: "a", Overwrite: true} }},
	{"check", `{"path":"a","first":2,"last":2}`, func(*testing.T) any {
		l := lines(1, 2)
		return sightline.CheckRequest{Path: "a", Lines: &l}
	}},
	{"check", `{"path":"a","edits":[{"append":"x"}],"delete":false}`, func(*testing.T) any {
		return sightline.CheckRequest{Path: "a", Edits: []sightline.Op{sightline.Append{Text: "x"}}}
	}},
	{"seen", `{"path":"a"}`, func(*testing.T) any { return sightline.SeenRequest{Path: "a", All: true} }},
	{"seen", `{"path":"a","session":"s"}`, func(*testing.T) any { return sightline.SeenRequest{Path: "a"} }},
}

// Every good input reaches the session as the request it means.
func TestGoodInputsMeanTheirRequests(t *testing.T) {
	for _, g := range goodInputs {
		f := &fake{}
		a := f.call(t, g.tool, g.args)
		if a.Refused || a.Failed || a.Code != "" {
			t.Errorf("%s %s: %s", g.tool, g.args, a.Text)
			continue
		}
		if want := g.want(t); !reflect.DeepEqual(f.got, want) {
			t.Errorf("%s %s:\n got %#v\nwant %#v", g.tool, g.args, f.got, want)
		}
	}
}

// A door's own meta reaches the session untouched; only request_id of the arguments takes its place.
func TestMetaPassesThrough(t *testing.T) {
	round := uint64(7)
	meta := sightline.Meta{RequestID: "door", Round: &round, PageBytes: 7500, NoCure: true}
	f := &fake{}
	Call(t.Context(), f, "delete", json.RawMessage(`{"path":"a"}`), meta)
	if got := f.got.(sightline.DeleteRequest).Meta; !reflect.DeepEqual(got, meta) {
		t.Errorf("meta is %+v", got)
	}
	Call(t.Context(), f, "delete", json.RawMessage(`{"path":"a","request_id":"model"}`), meta)
	if got := f.got.(sightline.DeleteRequest).RequestID; got != "model" {
		t.Errorf("request id is %q", got)
	}
}

func TestEnvelope(t *testing.T) {
	long := strings.Repeat("s", maxHandle)
	for _, c := range []struct {
		args string
		want Envelope
		ok   bool
	}{
		{``, Envelope{}, true},
		{` null `, Envelope{}, true},
		{`{}`, Envelope{}, true},
		{`{"path":"a"}`, Envelope{}, true},
		{`{"session":"s","request_id":"r"}`, Envelope{"s", "r"}, true},
		{`{"a":{"session":"no","b":["]}",{}]},"session":"s","n":-1.5e3,"t":true,"z":null}`, Envelope{Session: "s"}, true},
		{`{"a":"\\","session":"s","b":"\"}"}`, Envelope{Session: "s"}, true},
		{`{"sess\u0069on":"` + long + `"}`, Envelope{Session: long}, true},
		{`{"session":"s` + long + `"}`, Envelope{}, false},
		{`{"session":"s","session":"t"}`, Envelope{}, false},
		{`{"session":7}`, Envelope{}, false},
		{`{"session":""}`, Envelope{}, false},
		{`{"session":"s"`, Envelope{}, false},
		{`{"session":"s"} 1`, Envelope{}, false},
		{`{"a":[1,{"session":"s"}`, Envelope{}, false},
		{`{"a":"x`, Envelope{}, false},
		{`{"a":`, Envelope{}, false},
		{`[]`, Envelope{}, false},
		{`"session"`, Envelope{}, false},
	} {
		got, err := OpenEnvelope(json.RawMessage(c.args))
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%s: %+v, %v", c.args, got, err)
		}
		if err != nil {
			if a := Refuse("read", json.RawMessage(c.args), err); a.Code != sightline.Invalid || !a.Refused {
				t.Errorf("%s: answered %q", c.args, a.Code)
			}
		}
	}
}

func TestDetachTakesOneMemberOut(t *testing.T) {
	for _, c := range []struct{ args, value, rest string }{
		{`{"root":"/r","path":"a","x":[1, {"root":"no"}]}`, "/r", `{"path":"a","x":[1, {"root":"no"}]}`},
		{`{"path":"a","root":"/r"}`, "/r", `{"path":"a"}`},
		{`{"root":"/r"}`, "/r", `{}`},
		{`{"path":"a"}`, "", `{"path":"a"}`},
		{`null`, "", `null`},
		{``, "", ``},
	} {
		value, rest, err := Detach(json.RawMessage(c.args), "root")
		if err != nil || value != c.value || string(rest) != c.rest {
			t.Errorf("%s: %q, %s, %v", c.args, value, rest, err)
		}
	}
	for _, args := range []string{`{"root":1}`, `{"root":"a","root":"b"}`, `[]`, `{"root":"a"`} {
		if _, _, err := Detach(json.RawMessage(args), "root"); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}
