package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
)

// A refusal names its file also where the arguments were not read as far as the path, or were not read at all.
func TestRefusalsNameTheFileThatWasAskedFor(t *testing.T) {
	for _, one := range []struct{ tool, args, path string }{
		{"edit", `{"edits":[{"first":0,"last":0,"new":""}],"path":"src/a.go"}`, "src/a.go"},
		{"read", `{"first":0,"path":"a"}`, "a"},
		{"read", `{"session":"","path":"a\tb"}`, "a\tb"},
		{"move", `{"over":true,"from":"a","to":"b"}`, "a"},
		{"read", `{"first":0,"path":7}`, ""},
		{"read", `{"first":0}`, ""},
		{"read", `[]`, ""},
	} {
		raw := json.RawMessage(one.args)
		a := Refuse(one.tool, raw, invalid("x", "It cannot be meant."))
		if _, err := OpenEnvelope(raw); err != nil {
			a = Refuse(one.tool, raw, err)
		}
		var shape struct{ Path, Message string }
		if err := json.Unmarshal(a.Structured(), &shape); err != nil {
			t.Fatal(err)
		}
		if shape.Path != one.path || !strings.Contains(shape.Message, one.path) {
			t.Errorf("%s %s: path %q, message %q, want the path %q in both", one.tool, one.args, shape.Path, shape.Message, one.path)
		}
	}
	known := &sightline.Error{Code: sightline.Missing, Path: "kept"}
	if a := Refuse("read", json.RawMessage(`{"path":"other"}`), known); !strings.Contains(string(a.Structured()), `"path":"kept"`) {
		t.Errorf("%s", a.Structured())
	}
}
