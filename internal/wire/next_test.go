package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
)

// Every advice of the engine becomes one call that is valid against the schema of its tool, in the session of the
// refused call, without its request id; what cannot be made valid is not advised.
func TestNextCallsAreValid(t *testing.T) {
	text := "new\ntext"
	const edit = `{ "path":"a.go", "edits":[ {"old":"x\u00e9","new":"\n"} ], "request_id":"7", "session":"s1" }`
	const write = `{"path":"a.go","text":"t","mode":"create","eol":"as-given","expect":"` + refA + `"}`
	for _, c := range []struct {
		tool, args string
		next       sightline.Next
		want       string // the arguments; empty when nothing is advised
	}{
		{"edit", edit, sightline.Next{Tool: "edit", Same: true}, `{"path":"a.go","edits":[{"old":"x\u00e9","new":"\n"}],"session":"s1"}`},
		{"delete", `{"path":"a.go"}`, sightline.Next{Tool: "delete", Same: true}, `{"path":"a.go"}`},
		{"list", `null`, sightline.Next{Tool: "list", Same: true}, `{}`},
		{"edit", edit, sightline.Next{Tool: "read", Path: "a.go"}, `{"path":"a.go","session":"s1"}`},
		{"edit", edit, sightline.Next{Tool: "read", Path: "a.go", Full: true}, `{"path":"a.go","intent":"full","session":"s1"}`},
		{"delete", `{"path":"a.go"}`, sightline.Next{Tool: "read", Path: "a.go", Lines: []sightline.Lines{lines(39, 52), lines(60, 61)}},
			`{"path":"a.go","lines":[[40,52],[61,61]]}`},
		{"read", `{"path":"a.go"}`, sightline.Next{Tool: "read", Path: "a.go", Lines: []sightline.Lines{{From: 9, To: sightline.OpenEnd}}},
			`{"path":"a.go","first":10}`},
		{"read", `{"path":"a.go"}`, sightline.Next{Tool: "read", Path: "a.go", Lines: []sightline.Lines{lines(0, 1), {From: 9, To: sightline.OpenEnd}}},
			`{"path":"a.go","lines":[[1,1],[10,9007199254740991]]}`},
		{"edit", edit, sightline.Next{Tool: "edit", Path: "a.go", Edits: []sightline.LineEdit{{Lines: lines(4, 5), New: "C\"\n"}, {Lines: lines(0, 0), New: ""}}},
			`{"path":"a.go","edits":[{"first":5,"last":5,"new":"C\"\n"},{"first":1,"last":0,"new":""}],"session":"s1"}`},
		{"write", write, sightline.Next{Tool: "write", Path: "a.go", Mode: "replace"}, `{"path":"a.go","text":"t","mode":"replace","eol":"as-given"}`},
		{"write", write, sightline.Next{Tool: "write", Path: "b.go"}, `{"path":"b.go","text":"t","mode":"create","eol":"as-given"}`},
		{"edit", edit, sightline.Next{Tool: "write", Path: "a.go", Mode: "create", Text: &text}, `{"path":"a.go","text":"new\ntext","mode":"create","session":"s1"}`},
		{"edit", edit, sightline.Next{Tool: "list"}, `{"session":"s1"}`},
		{"edit", edit, sightline.Next{Tool: "list", Path: "src"}, `{"path":"src","session":"s1"}`},
		{"edit", edit, sightline.Next{Tool: "check", Path: "a.go"}, `{"path":"a.go","session":"s1"}`},
		{"delete", `{"path":"a.go"}`, sightline.Next{Tool: "delete", Path: "b.go"}, `{"path":"b.go"}`},
		{"move", `{"from":"a","to":"b"}`, sightline.Next{Tool: "move"}, `{"from":"a","to":"b"}`},

		{"edit", edit, sightline.Next{Tool: "write", Path: "a.go", Mode: "create"}, ``},                              // no text
		{"edit", edit, sightline.Next{Tool: "edit", Path: "a.go"}, ``},                                               // no edits
		{"edit", edit, sightline.Next{Tool: "read"}, ``},                                                             // no path
		{"edit", edit, sightline.Next{Tool: "move"}, ``},                                                             // no names
		{"edit", edit, sightline.Next{Tool: "search", Path: "a"}, ``},                                                // no such tool
		{"edit", `{"path":"a.go","edits":[]}`, sightline.Next{Same: true}, ``},                                       // never was valid
		{"read", `{"path":"a"}`, sightline.Next{Tool: "read", Path: "a", Lines: []sightline.Lines{lines(3, 3)}}, ``}, // an empty range
	} {
		e := &sightline.Error{Code: sightline.NotSeen, Path: "a.go", Cure: &sightline.Cure{Next: &c.next}}
		a := Refuse(c.tool, json.RawMessage(c.args), e)
		var v struct {
			Cure struct {
				Next *struct {
					Tool      string
					Arguments json.RawMessage
				}
			}
		}
		if err := json.Unmarshal(a.Structured(), &v); err != nil {
			t.Fatalf("%s", a.Structured())
		}
		n := v.Cure.Next
		if c.want == "" {
			if n != nil || strings.Contains(string(a.Text), "next call") {
				t.Errorf("%s %+v: advised %s", c.tool, c.next, a.Text)
			}
			continue
		}
		if n == nil {
			t.Errorf("%s %+v: nothing is advised", c.tool, c.next)
			continue
		}
		if tool := c.next.Tool; n.Tool != tool || string(n.Arguments) != c.want {
			t.Errorf("%s %+v: %s %s, not %s", c.tool, c.next, n.Tool, n.Arguments, c.want)
		}
		if err := againstSchema(t, n.Tool, n.Arguments); err != nil {
			t.Errorf("%s %s is not valid: %v", n.Tool, n.Arguments, err)
		}
		if line := lastLine(a.Text); !strings.HasPrefix(line, `[sightline] next call: {"tool":"`+n.Tool+`","arguments":`+c.want) {
			t.Errorf("the text ends in %q", line)
		}
	}
}

func lastLine(text []byte) string {
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return all[len(all)-1]
}

// The numbered text of a cure looks as a read's does: endings are not shown, a missing last newline is added, and every
// other character stands as it is.
func TestCureTextIsNumberedAsARead(t *testing.T) {
	for _, c := range []struct {
		from int
		text string
		want string
	}{
		{0, "a\n", "     1\ta\n"},
		{0, "", ""},
		{8, "a\r\n\r\n\n", "     9\ta\n    10\t\n    11\t\n"},
		{99_998, "a\nb\nc", " 99999\ta\n100000\tb\n100001\tc\n"},
		{999_999, "x\r", "1000000\tx\r\n"},
		{0, "a\rb\x0c\u2028é\r\n", "     1\ta\rb\x0c\u2028é\n"},
	} {
		if got := string(appendNumbered(nil, sightline.Shown{Lines: lines(c.from, c.from+1), Text: c.text})); got != c.want {
			t.Errorf("%q from %d: %q, not %q", c.text, c.from, got, c.want)
		}
	}
}

// A message names code, file and exact ranges, whether the engine's sentence has them or not, and never twice.
func TestMessagesNameWhatIsExact(t *testing.T) {
	for _, c := range []struct {
		e    sightline.Error
		want string
	}{
		{sightline.Error{Code: sightline.NotSeen, Path: "a.go", Message: "Lines 40-52 of a.go were never shown.", Missing: []sightline.Lines{lines(39, 52)}},
			"not-seen: Lines 40-52 of a.go were never shown."},
		{sightline.Error{Code: sightline.NotSeen, Path: "a.go", Message: "Unseen.", Missing: []sightline.Lines{lines(39, 52), lines(60, 61)}},
			"not-seen: a.go: Unseen. Never shown: 40-52, 61-61."},
		{sightline.Error{Code: sightline.Stale, Path: "a.go", Message: "a.go changed: lines 140-52 and 40-521.", Drifted: []sightline.Lines{lines(39, 52)}},
			"stale: a.go changed: lines 140-52 and 40-521. Changed since they were shown: 40-52."},
		{sightline.Error{Code: sightline.Stale, Path: "a.go", Message: "a.go changed at 8.", Drifted: []sightline.Lines{lines(7, 7)}}, "stale: a.go changed at 8."},
		{sightline.Error{Code: sightline.Stale, Path: "a.go", Message: "a.go changed.", Drifted: []sightline.Lines{lines(7, 7)}},
			"stale: a.go changed. Changed since they were shown: 8-7 (lines are gone here)."},
		{sightline.Error{Code: sightline.Denied, Path: ".env"}, "denied: .env: The path is closed to agents by the workspace's rule."},
		{sightline.Error{Code: sightline.IO}, "io: The operating system answered an error."},
	} {
		if got := message(&c.e); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// An error that is no fault, or whose code is not of the list, is an internal failure that shows nothing of its text.
func TestForeignErrorsAreInternalFailures(t *testing.T) {
	for _, err := range []error{errors.New("secret text"), &sightline.Error{Code: "made-up", Message: "secret text"}} {
		a := Refuse("read", nil, err)
		if !a.Failed || a.Refused || a.Code != sightline.Internal {
			t.Errorf("%v: failed %v, code %q", err, a.Failed, a.Code)
		}
		if s := string(a.Text) + string(a.Structured()); strings.Contains(s, "secret") {
			t.Errorf("%v is shown: %s", err, s)
		}
	}
	wrapped := Refuse("read", nil, errors.Join(errors.New("outer"), &sightline.Error{Code: sightline.Missing, Path: "a"}))
	if !wrapped.Refused || wrapped.Code != sightline.Missing {
		t.Errorf("a wrapped fault is %q", wrapped.Code)
	}
}
