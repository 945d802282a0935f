package wire

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
)

// A million edits are answered with limit, and only as many as are allowed are read.
func TestAMillionEditsAreRefused(t *testing.T) {
	item := `{"old":"x","new":"y"}`
	args := `{"path":"a","edits":[` + strings.Repeat(item+",", 999_999) + item + `]}`
	f := &fake{}
	a := f.call(t, "edit", args)
	if !a.Refused || a.Code != sightline.Limit || f.got != nil {
		t.Fatalf("code %q: %s", a.Code, a.Text)
	}
	if s := string(a.Text); !strings.Contains(s, "edits") || !strings.Contains(s, strconv.Itoa(MaxItems)) {
		t.Fatalf("the text names no limit: %s", s)
	}
	most := `{"path":"a","edits":[` + strings.Repeat(item+",", MaxItems-1) + item + `]}`
	if a := f.call(t, "edit", most); a.Code != "" || len(f.got.(sightline.EditRequest).Edits) != MaxItems {
		t.Fatalf("%d edits: %s", MaxItems, a.Text)
	}
	ranges := `{"path":"a","lines":[` + strings.Repeat("[1,2],", MaxItems) + `[1,2]]}`
	if a := f.call(t, "read", ranges); a.Code != sightline.Limit {
		t.Fatalf("%d ranges: %s", MaxItems+1, a.Text)
	}
}

// Names, values and messages of a megabyte leave the answer small, whoever refuses.
func TestAnswersToHugeNamesAreSmall(t *testing.T) {
	huge := strings.Repeat("n", 1<<20)
	echo := func(path string) error {
		return &sightline.Error{Op: "read", Code: sightline.Invalid, Path: path, Message: "The path " + path + " is too long."}
	}
	for what, c := range map[string]struct {
		tool, args string
		err        error
	}{
		"unknown member":  {"read", `{"` + huge + `":1}`, nil},
		"unknown in edit": {"edit", `{"path":"a","edits":[{"` + huge + `":1}]}`, nil},
		"path, refused":   {"read", `{"path":"` + huge + `"}`, echo(huge)},
		"path, wide":      {"read", `{"path":"` + strings.Repeat("é", 1<<19) + `"}`, echo(strings.Repeat("é", 1<<19))},
		"path and first":  {"read", `{"path":"` + huge + `","first":0}`, nil},
		"intent":          {"read", `{"path":"a","intent":"` + huge + `"}`, nil},
		"number":          {"read", `{"path":"a","first":-1` + strings.Repeat("0", 1<<20) + `}`, nil},
		"session":         {"read", `{"path":"a","session":"` + huge + `"}`, nil},
		"expect":          {"edit", `{"path":"a","edits":[{"append":""}],"expect":"` + huge + `"}`, nil},
		"tool":            {huge, `{}`, nil},
	} {
		f := &fake{err: c.err}
		a := f.call(t, c.tool, c.args)
		if !a.Refused || a.Code != sightline.Invalid {
			t.Errorf("%s: code %q", what, a.Code)
		}
		if n := len(a.Text); n > frameBytes {
			t.Errorf("%s: the text has %d bytes", what, n)
		}
		if n := len(a.Structured()); n > frameBytes+maxPath+256 {
			t.Errorf("%s: the structured answer has %d bytes", what, n)
		}
	}
	if _, err := OpenEnvelope([]byte(`{"` + huge + `":x`)); len(err.(*sightline.Error).Field) > 100 {
		t.Error("an envelope's fault keeps the huge name")
	}
}

// The frame of a refusal stays within what the engine keeps free for it, however long the call, its path and its lists
// are, and its last line still says what to do.
func TestRefusalFramesAreBounded(t *testing.T) {
	huge := strings.Repeat("long text ", 20_000)
	many := make([]sightline.Lines, 5000)
	edits := make([]sightline.LineEdit, 5000)
	for i := range many {
		many[i] = lines(10*i, 10*i+3)
		edits[i] = sightline.LineEdit{Lines: many[i], New: "n"}
	}
	cureText := []sightline.Shown{{Lines: lines(9, 11), Text: "one\ntwo\n"}}
	editArgs := `{"path":"a.go","edits":[{"old":"x","new":"` + huge + `"}],"request_id":"7"}`
	writeArgs := `{"path":"a.go","mode":"replace","text":"` + huge + `"}`
	text := huge
	for what, c := range map[string]struct {
		tool, args string
		next       sightline.Next
		want       string
	}{
		"same":       {"edit", editArgs, sightline.Next{Tool: "edit", Same: true}, "next call: the same edit again, unchanged"},
		"read":       {"edit", editArgs, sightline.Next{Tool: "read", Path: "a.go", Lines: many}, " of 5000 ranges: {\"tool\":\"read\""},
		"edits":      {"edit", editArgs, sightline.Next{Tool: "edit", Path: "a.go", Edits: edits}, "edit with the same new texts, at lines 1-3, 11-13"},
		"write":      {"write", writeArgs, sightline.Next{Tool: "write", Path: "a.go", Mode: "create"}, `write with mode "create" and the same text`},
		"write text": {"write", writeArgs, sightline.Next{Tool: "write", Path: "a.go", Text: &text}, `write with mode "replace" and the same text`},
	} {
		e := &sightline.Error{Code: "not-seen", Path: strings.Repeat("p", 300), Message: huge, Missing: many, Drifted: many,
			Cure: &sightline.Cure{Text: cureText, Delivered: []sightline.Lines{lines(9, 11)}, Next: &c.next}}
		a := (&fake{err: e}).call(t, c.tool, c.args)
		shown := "    10\tone\n    11\ttwo\n"
		if !strings.Contains(string(a.Text), shown) {
			t.Errorf("%s: the cure is not shown: %.200s", what, a.Text)
		}
		if n := len(a.Text) - len(shown); n > frameBytes {
			t.Errorf("%s: the frame has %d bytes", what, n)
		}
		if !strings.Contains(string(a.Text), c.want) {
			t.Errorf("%s: the text ends in %s", what, a.Text[len(a.Text)-min(400, len(a.Text)):])
		}
	}
}

// Confirmations stay small however many edits a call had, and lists stay within the room that a door names.
func TestTextsAreBounded(t *testing.T) {
	f := &fake{edit: &sightline.EditAnswer{Path: "a", Edits: make([]sightline.Changed, MaxItems)},
		list: &sightline.ListAnswer{Complete: true}, seen: &sightline.SeenAnswer{Path: "a"}}
	for i := range 20_000 {
		f.list.Entries = append(f.list.Entries, sightline.Listed{Path: "some/folder/name" + strconv.Itoa(i)})
		f.seen.Rows = append(f.seen.Rows, sightline.SeenLines{Lines: lines(i, i+1), Session: "s" + strconv.Itoa(i)})
	}
	args := `{"path":"a","edits":[{"append":""}]}`
	if a := f.call(t, "edit", args); len(a.Text) > 4096 || !strings.Contains(string(a.Text), "9960 more edits") {
		t.Errorf("an edit's text has %d bytes: %s", len(a.Text), a.Text[len(a.Text)-40:])
	}
	for tool, says := range map[string]string{"list": "left out", "seen": "left out"} {
		for _, room := range []int{0, 1024, 7500} {
			a := Call(t.Context(), f, tool, json.RawMessage(`{"path":"a"}`), sightline.Meta{PageBytes: room})
			if room == 0 {
				room = maxText
			}
			if len(a.Text) > room || len(a.Text) < room-2*noteRoom {
				t.Errorf("%s: %d bytes in a room of %d", tool, len(a.Text), room)
			}
			if !strings.Contains(string(a.Text), says) {
				t.Errorf("%s does not say what it left out: %s", tool, a.Text[len(a.Text)-100:])
			}
		}
	}
}
