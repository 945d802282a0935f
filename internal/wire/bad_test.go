package wire

import (
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
)

// bad is an input that must be refused.
type bad struct {
	tool, args string
	names      string // what the message must name: the member at fault, or what else is wrong
	semantic   bool   // well-formed by the schema: what is wrong is a combination or an order, or how JSON was written
}

var badInputs = []bad{
	// The arguments as a whole.
	{"read", ``, "path", false},
	{"read", `null`, "path", false},
	{"read", `{}`, "path", false},
	{"read", `[]`, "an array", false},
	{"read", `"a"`, "a string", false},
	{"read", `7`, "a number", false},
	{"read", `true`, "a boolean", false},
	{"read", `nul`, "byte 0", true},
	{"read", `null null`, "more than one", true},
	{"read", `{`, "too early", true},
	{"read", `{"path"`, "too early", true},
	{"read", `{"path":`, "too early", true},
	{"read", `{"path":"a"`, "too early", true},
	{"read", `{"path":"a",`, "too early", true},
	{"read", `{"path":"a",}`, "byte 12", true},
	{"read", `{"path":"a"} x`, "byte 13", true},
	{"read", `{"path":"a"}{"path":"b"}`, "byte 12", true},
	{"read", `{path:"a"}`, "byte 1", true},
	{"read", `{'path':'a'}`, "byte 1", true},
	{"read", `{"path" "a"}`, "byte 8", true},
	{"read", `{"path":"a" "first":1}`, "byte 12", true},
	{"read", "{\"path\":\"a\x01b\"}", "byte 10", true},
	{"read", "{\"path\":\"a\nb\"}", "byte 10", true},
	{"read", `{"path":"a\qb"}`, "byte 10", true},
	{"read", `{"path":"a\u12"}`, "byte 10", true},
	{"read", `{"path":"a\u12g4"}`, "byte 10", true},
	{"read", "{\"path\":\"a\xff\"}", "path", true},
	{"read", `{"path":"\ud800"}`, "path", true},
	{"read", `{"path":"\ud800\u0041"}`, "path", true},
	{"read", `{"path":"\udc00"}`, "path", true},
	{"read", "{\"pa\xffth\":\"a\"}", "UTF-8", true},

	// Unknown and doubled members.
	{"read", `{"path":"a","frist":1}`, "frist", false},
	{"read", `{"file_path":"a"}`, "file_path", false},
	{"read", `{"Path":"a"}`, "Path", false},
	{"read", `{"path":"a","path":"a"}`, "path", true},
	{"read", `{"path":"a","first":1,"first":1}`, "first", true},
	{"read", `{"path":"a","p\u0061th":"b"}`, "path", true},
	{"read", `{"path":"a","v":1}`, "\"v\"", false},
	{"read", `{"path":"a","":1}`, `""`, false},
	{"edit", `{"path":"a","edits":[{"old":"x","new":"y"}],"dry_run":true}`, "dry_run", false},
	{"edit", `{"path":"a","edits":[{"old":"x","new":"y","regex":true}]}`, "edits[0].regex", false},
	{"edit", `{"path":"a","edits":[{"append":"x"},{"old_string":"x","new":"y"}]}`, "edits[1].old_string", false},
	{"edit", `{"path":"a","edits":[{"old":"x","old":"x","new":"y"}]}`, "edits[0].old", true},
	{"edit", `{"path":"a","old":"x","new":"y"}`, "old", false},
	{"write", `{"path":"a","content":"x","mode":"create"}`, "content", false},
	{"move", `{"path":"a","to":"b"}`, "path", false},
	{"move", `{"from":"a","to":"b","overwrite":true}`, "overwrite", false},
	{"delete", `{"path":"a","recursive":true}`, "recursive", false},
	{"list", `{"path":".","glob":"*"}`, "glob", false},
	{"check", `{"path":"a","lines":[[1,2]]}`, "lines", false},
	{"seen", `{"path":"a","all":true}`, "all", false},

	// Types.
	{"read", `{"path":7}`, "path", false},
	{"read", `{"path":null}`, "path", false},
	{"read", `{"path":["a"]}`, "path", false},
	{"read", `{"path":{"a":1}}`, "path", false},
	{"read", `{"path":"a","intent":1}`, "intent", false},
	{"read", `{"path":"a","intent":"everything"}`, "intent", false},
	{"read", `{"path":"a","intent":""}`, "intent", false},
	{"read", `{"path":"a","first":"1"}`, "first", false},
	{"read", `{"path":"a","first":null}`, "first", false},
	{"read", `{"path":"a","first":true}`, "first", false},
	{"read", `{"path":"a","first":[1]}`, "first", false},
	{"read", `{"path":"a","first":1.5}`, "first", false},
	{"read", `{"path":"a","first":1e-3}`, "first", false},
	{"read", `{"path":"a","first":01}`, "first", true},
	{"read", `{"path":"a","first":-}`, "first", true},
	{"read", `{"path":"a","first":1.}`, "first", true},
	{"read", `{"path":"a","first":1e}`, "first", true},
	{"read", `{"path":"a","first":+1}`, "first", true},
	{"read", `{"path":"a","first":NaN}`, "first", true},
	{"read", `{"path":"a","first":1e400}`, "first", true},
	{"read", `{"path":"a","first":9007199254740993}`, "first", true},
	{"read", `{"path":"a","first":123456789012345678901234567890}`, "first", true},
	{"read", `{"path":"a","lines":"1-2"}`, "lines", false},
	{"read", `{"path":"a","lines":[1,2]}`, "lines[0]", false},
	{"read", `{"path":"a","lines":[["1",2]]}`, "lines[0][0]", false},
	{"read", `{"path":"a","lines":[[1,null]]}`, "lines[0][1]", false},
	{"read", `{"path":"a","lines":[{"first":1,"last":2}]}`, "lines[0]", false},
	{"read", `{"path":"a","cursor":7}`, "cursor", false},
	{"read", `{"path":"a","cursor":""}`, "cursor", false},
	{"read", `{"path":"a","session":7}`, "session", false},
	{"read", `{"path":"a","session":""}`, "session", false},
	{"read", `{"path":"a","request_id":7}`, "request_id", false},
	{"read", `{"path":"a","request_id":"` + strings.Repeat("x", 201) + `"}`, "request_id", false},
	{"read", `{"path":"a","session":"` + strings.Repeat("x", 201) + `"}`, "session", false},
	{"read", `{"path":""}`, "path", false},
	{"edit", `{"path":"a","edits":"[{\"old\":\"x\",\"new\":\"y\"}]"}`, "edits", false},
	{"edit", `{"path":"a","edits":{"old":"x","new":"y"}}`, "edits", false},
	{"edit", `{"path":"a","edits":["x"]}`, "edits[0]", false},
	{"edit", `{"path":"a","edits":[null]}`, "edits[0]", false},
	{"edit", `{"path":"a","edits":[{"old":7,"new":"y"}]}`, "edits[0].old", false},
	{"edit", `{"path":"a","edits":[{"old":"x","new":null}]}`, "edits[0].new", false},
	{"edit", `{"path":"a","edits":[{"old":"x","new":"y","all":"true"}]}`, "edits[0].all", false},
	{"edit", `{"path":"a","edits":[{"old":"x","new":"y","all":1}]}`, "edits[0].all", false},
	{"edit", `{"path":"a","edits":[{"old":"x","new":"y","all":tru}]}`, "edits[0].all", true},
	{"edit", `{"path":"a","edits":[{"first":"1","last":2,"new":""}]}`, "edits[0].first", false},
	{"edit", `{"path":"a","edits":[{"from":1,"to":"b","new":""}]}`, "edits[0].from", false},
	{"edit", `{"path":"a","edits":[{"from":"a","to":"b","inclusive":0,"new":""}]}`, "edits[0].inclusive", false},
	{"edit", `{"path":"a","edits":[{"append":["x"]}]}`, "edits[0].append", false},
	{"edit", `{"path":"a","edits":[{"old":"x","new":"\udc00"}]}`, "edits[0].new", true},
	{"edit", "{\"path\":\"a\",\"edits\":[{\"old\":\"x\",\"new\":\"\\n\xc3\"}]}", "edits[0].new", true},
	{"edit", `{"path":"a","edits":[{"append":"x"}],"expect":"latest"}`, "expect", false},
	{"edit", `{"path":"a","edits":[{"append":"x"}],"expect":null}`, "expect", false},
	{"edit", `{"path":"a","edits":[{"append":"x"}],"expect":"sha256:AA` + refA[9:] + `"}`, "expect", false},
	{"write", `{"path":"a","text":1,"mode":"create"}`, "text", false},
	{"write", `{"path":"a","text":"x","mode":"append"}`, "mode", false},
	{"write", `{"path":"a","text":"x","mode":true}`, "mode", false},
	{"write", `{"path":"a","text":"x","mode":"create","eol":"lf"}`, "eol", false},
	{"move", `{"from":1,"to":"b"}`, "from", false},
	{"move", `{"from":"a","to":""}`, "to", false},
	{"list", `{"path":1}`, "path", false},
	{"list", `{"depth":"1"}`, "depth", false},
	{"list", `{"include":"*.go"}`, "include", false},
	{"list", `{"exclude":[1]}`, "exclude[0]", false},
	{"list", `{"limit":0.5}`, "limit", false},
	{"check", `{"path":"a","overwrite":"yes"}`, "overwrite", false},
	{"check", `{"path":"a","delete":1}`, "delete", false},

	// Ranges.
	{"read", `{"path":"a","first":0}`, "first", false},
	{"read", `{"path":"a","first":-3}`, "first", false},
	{"read", `{"path":"a","last":0}`, "last", false},
	{"read", `{"path":"a","first":5,"last":4}`, "last", true},
	{"read", `{"path":"a","first":5,"last":1}`, "last", true},
	{"read", `{"path":"a","lines":[]}`, "lines", false},
	{"read", `{"path":"a","lines":[[]]}`, "lines[0]", false},
	{"read", `{"path":"a","lines":[[1]]}`, "lines[0]", false},
	{"read", `{"path":"a","lines":[[1,2,3]]}`, "lines[0]", false},
	{"read", `{"path":"a","lines":[[1,2],[0,2]]}`, "lines[1][0]", false},
	{"read", `{"path":"a","lines":[[1,2],[5,4]]}`, "lines[1]", true},
	{"edit", `{"path":"a","edits":[{"first":0,"last":2,"new":""}]}`, "edits[0].first", false},
	{"edit", `{"path":"a","edits":[{"first":5,"last":3,"new":""}]}`, "edits[0].last", true},
	{"edit", `{"path":"a","edits":[{"first":5,"last":-1,"new":""}]}`, "edits[0].last", false},
	{"list", `{"depth":0}`, "depth", false},
	{"list", `{"limit":0}`, "limit", false},
	{"list", `{"limit":-1}`, "limit", false},
	{"check", `{"path":"a","first":0,"last":1}`, "first", false},
	{"check", `{"path":"a","first":5,"last":4}`, "last", true},

	// Members missing, and members that do not go together.
	{"read", `{"first":1}`, "path", false},
	{"edit", `{"edits":[{"append":"x"}]}`, "path", false},
	{"edit", `{"path":"a"}`, "edits", false},
	{"edit", `{"path":"a","edits":[]}`, "edits", false},
	{"edit", `{"path":"a","edits":[{}]}`, `"old"`, true},
	{"edit", `{"path":"a","edits":[{"new":"x"}]}`, `"old"`, true},
	{"edit", `{"path":"a","edits":[{"old":"x"}]}`, "edits[0].new", true},
	{"edit", `{"path":"a","edits":[{"all":true,"new":"x"}]}`, "edits[0].old", true},
	{"edit", `{"path":"a","edits":[{"first":1,"new":"x"}]}`, "edits[0].last", true},
	{"edit", `{"path":"a","edits":[{"last":1,"new":"x"}]}`, "edits[0].first", true},
	{"edit", `{"path":"a","edits":[{"first":1,"last":1}]}`, "edits[0].new", true},
	{"edit", `{"path":"a","edits":[{"from":"a","new":"x"}]}`, "edits[0].to", true},
	{"edit", `{"path":"a","edits":[{"to":"a","new":"x"}]}`, "edits[0].from", true},
	{"edit", `{"path":"a","edits":[{"from":"a","to":"b"}]}`, "edits[0].new", true},
	{"edit", `{"path":"a","edits":[{"inclusive":true,"new":"x"}]}`, "edits[0].from", true},
	{"edit", `{"path":"a","edits":[{"old":"x","new":"y"},{"old":"x","first":1,"last":1,"new":"y"}]}`, "edits[1]", true},
	{"edit", `{"path":"a","edits":[{"old":"x","append":"y"}]}`, "edits[0]", true},
	{"edit", `{"path":"a","edits":[{"first":1,"last":1,"from":"a","to":"b","new":""}]}`, "edits[0]", true},
	{"edit", `{"path":"a","edits":[{"first":1,"last":1,"all":true,"new":""}]}`, "edits[0]", true},
	{"edit", `{"path":"a","edits":[{"append":"x","new":"y"}]}`, "edits[0].new", true},
	{"write", `{"path":"a","mode":"create"}`, "text", false},
	{"write", `{"path":"a","text":"x"}`, `"mode" is missing: "create"`, false},
	{"write", `{"text":"x","mode":"create"}`, "path", false},
	{"move", `{"from":"a"}`, "to", false},
	{"move", `{"to":"a"}`, "from", false},
	{"delete", `{}`, "path", false},
	{"seen", `null`, "path", false},
	{"check", `{"overwrite":true}`, "path", false},
	{"read", `{"path":"a","intent":"full","first":1}`, "intent", true},
	{"read", `{"path":"a","intent":"full","last":9}`, "intent", true},
	{"read", `{"path":"a","intent":"full","lines":[[1,2]]}`, "intent", true},
	{"read", `{"path":"a","intent":"range"}`, "intent", true},
	{"read", `{"path":"a","first":1,"lines":[[1,2]]}`, "lines", true},
	{"read", `{"path":"a","cursor":"c","intent":"inspect"}`, "intent", true},
	{"read", `{"path":"a","cursor":"c","first":1}`, "first", true},
	{"read", `{"path":"a","cursor":"c","last":1}`, "last", true},
	{"read", `{"path":"a","cursor":"c","lines":[[1,2]]}`, "lines", true},
	{"check", `{"path":"a","first":1}`, "last", true},
	{"check", `{"path":"a","last":1}`, "first", true},
	{"check", `{"path":"a","overwrite":true,"delete":true}`, "delete", true},
	{"check", `{"path":"a","edits":[{"append":"x"}],"first":1,"last":2}`, "first", true},
	{"check", `{"path":"a","first":1,"last":2,"overwrite":true}`, "overwrite", true},
	{"check", `{"path":"a","edits":[]}`, "edits", false},
	{"check", `{"path":"a","edits":[{"old":"x"}]}`, "edits[0].new", true},

	// A tool that does not exist.
	{"rename", `{"path":"a"}`, "rename", false},
	{"", `{"path":"a"}`, `""`, false},
}

// Every bad input is refused as invalid with a message that names the member, and never reaches the session.
func TestBadInputsAreRefusedByName(t *testing.T) {
	for _, b := range badInputs {
		f := &fake{}
		a := f.call(t, b.tool, b.args)
		if !a.Refused || a.Failed || a.Code != sightline.Invalid {
			t.Errorf("%s %s: refused %v, code %q", b.tool, b.args, a.Refused, a.Code)
			continue
		}
		if f.got != nil {
			t.Errorf("%s %s reached the session", b.tool, b.args)
		}
		if !strings.Contains(string(a.Text), b.names) {
			t.Errorf("%s %s: the text does not name %s: %s", b.tool, b.args, b.names, a.Text)
		}
		if m := decoded(t, a)["message"].(string); !strings.HasPrefix(string(a.Text), m) {
			t.Errorf("%s %s: text %q and message %q differ", b.tool, b.args, a.Text, m)
		}
	}
	if len(badInputs) < 100 {
		t.Errorf("only %d bad inputs", len(badInputs))
	}
}
