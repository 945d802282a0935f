package script

import (
	"reflect"
	"strings"
	"testing"
)

const head = "What the file is about.\n-- one --\n# A case.\n"

func parseOne(t *testing.T, step string) Step {
	t.Helper()
	all, err := Parse("f.txtar", head+step+"\n")
	if err != nil {
		t.Fatal(err)
	}
	return all[0].Steps[0]
}

func TestCallsBecomeArguments(t *testing.T) {
	for _, c := range []struct {
		step, tool string
		args       map[string]any
	}{
		{`read f`, "read", map[string]any{"path": "f"}},
		{`read "a b/f" 4-6`, "read", map[string]any{"path": "a b/f", "first": 4, "last": 6}},
		{`read f 4-`, "read", map[string]any{"path": "f", "first": 4}},
		{`read f 1-2,5-6`, "read", map[string]any{"path": "f", "lines": []any{[]any{1, 2}, []any{5, 6}}}},
		{`read f lines 4-6`, "read", map[string]any{"path": "f", "lines": []any{[]any{4, 6}}}},
		{`read f full`, "read", map[string]any{"path": "f", "intent": "full"}},
		{`read f more`, "read", map[string]any{"path": "f", "cursor": cursorOf{"f"}}},
		{`edit f "a\n" => "\x41"`, "edit", map[string]any{"path": "f", "edits": []any{map[string]any{"old": "a\n", "new": "A"}}}},
		{`edit f @3-2 => "x"; all "b" => "c"; append "d" expect v`, "edit", map[string]any{"path": "f", "expect": refNamed{"v"},
			"edits": []any{map[string]any{"first": 3, "last": 2, "new": "x"},
				map[string]any{"old": "b", "all": true, "new": "c"}, map[string]any{"append": "d"}}}},
		{`edit f from "a" to "b" inclusive => each 1-2 "n{n} " * 1`, "", nil},
		{`edit f from "a" to "b" exclusive => each 9-10 "n{n:3} " + "-" * 3`, "edit", map[string]any{"path": "f",
			"edits": []any{map[string]any{"from": "a", "to": "b", "inclusive": false, "new": "n009 n010 ---"}}}},
		{"edit f \"a\" => \"b\"; # a comment\n  # and another\n  \"c\" => \"d\"", "edit", map[string]any{"path": "f",
			"edits": []any{map[string]any{"old": "a", "new": "b"}, map[string]any{"old": "c", "new": "d"}}}},
		{`create f "x" as-given`, "write", map[string]any{"path": "f", "text": "x", "mode": "create", "eol": "as-given"}},
		{`write f "x"`, "write", map[string]any{"path": "f", "text": "x", "mode": "replace"}},
		{`move a b`, "move", map[string]any{"from": "a", "to": "b"}},
		{`list d depth 2 include "*.go" limit 5`, "list", map[string]any{"path": "d", "depth": 2, "limit": 5, "include": []any{"*.go"}}},
		{`check f lines 2-3 -> yes`, "check", map[string]any{"path": "f", "first": 2, "last": 3}},
		{`check f overwrite -> no needs-full 1-1`, "check", map[string]any{"path": "f", "overwrite": true}},
		{`call edit {"path": "f", "odd": "a # b"} -> refuse invalid`, "edit", map[string]any{"path": "f", "odd": "a # b"}},
	} {
		all, err := Parse("f.txtar", head+c.step+"\n")
		if c.tool == "" {
			if err == nil {
				t.Errorf("%s: parsed", c.step)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.step, err)
			continue
		}
		got, ok := all[0].Steps[0].Act.(*Call)
		if !ok || got.Tool != c.tool || !reflect.DeepEqual(got.Args, c.args) {
			t.Errorf("%s: got %#v", c.step, all[0].Steps[0].Act)
		}
	}
}

func TestExpectationsBecomeWants(t *testing.T) {
	step := parseOne(t, `edit f "a" => "b" -> refuse stale 1-1 3-2 missing 5-6 delivered none next read 1-1 5-6 says "w" silent "x"`)
	want := &Want{Verdict: "refuse", Codes: []string{"stale"}, Drifted: []Range{{1, 1}, {3, 2}}, Missing: []Range{{5, 6}},
		Delivered: &[]Range{}, Next: &WantNext{Kind: "read", Ranges: []Range{{1, 1}, {5, 6}}}, Says: []string{"w"}, Silent: []string{"x"}}
	if got := step.Act.(*Call).Want; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	step = parseOne(t, `seen f -> ok 1-2 seen, 4-4 stale`)
	if got := step.Act.(*Call).Want.Facts; len(got) != 2 || got[0].Text != "seen" || got[1].Ranges[0] != (Range{4, 4}) {
		t.Errorf("got %+v", got)
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", "f.txtar:1: the file has no header"},
		{"About.\n", "f.txtar:1: the file holds no script"},
		{"About.\n-- a --\nread f\n", `f.txtar:2: script "a" has no comment`},
		{"About.\n-- a --\n# c\n", `f.txtar:2: script "a" has no steps`},
		{head + "read f\n-- one --\n# c\nread f\n", `f.txtar:5: a second script "one"`},
		{head + "read f\n\n  x\n", "f.txtar:6: a continuation without a step"},
		{head + "reed f\n", "f.txtar:4: reed is no step"},
		{head + "read f\nfile a \"x\n", "f.txtar:5: text has no closing quote"},
		{head + `file a "\q"`, `f.txtar:4: unknown escape \q`},
		{head + `file a "\x4"`, `f.txtar:4: \x needs two`},
		{head + `edit f "a" "b"`, "f.txtar:4: => is missing"},
		{head + `edit f "a" => "\xff"`, "is not UTF-8"},
		{head + `edit f "a" => "b" -> refuse stail`, `"stail" is no code`},
		{head + `edit f "a" => "b" -> refuse stale`, "needs its ranges"},
		{head + `edit f "a" => "b" -> refuse not-seen 1-1 bogus`, `"bogus" is no clause`},
		{head + `edit f "a" => "b" -> yes`, "yes is for check"},
		{head + `check f delete -> allow`, "check answers yes or no"},
		{head + `check f delete`, "check needs an expected answer"},
		{head + "read f\nprofile strict\n", "f.txtar:5: profile must stand before the first step"},
		{head + "profile lax\n", "f.txtar:4: the profile is balanced or strict"},
		{head + "together\nread f\n", "f.txtar:4: together without end"},
		{head + "together\nx rm f\nend\n", "f.txtar:5: a together block holds calls only"},
		{head + `bytes f "a" "b"`, "left over"},
		{head + `call edit {"path": }`, "f.txtar:4: the arguments are no JSON object"},
		{head + `plan read f`, "only an edit can be planned"},
	} {
		_, err := Parse("f.txtar", c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f.txtar:") {
			t.Errorf("%q:\n\tgot  %v\n\twant %s", c.data, err, c.want)
		}
	}
}

func TestQuoteIsReadBack(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	got, n, err := unquote(quote(string(all)))
	if err != nil || got != string(all) || n != len(quote(string(all))) {
		t.Errorf("got %q, %d, %v", got, n, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(head + `edit f "a" => "b"; @1-2 => each 1-3 "{n}" -> refuse stale 1-1 missing 2-2` + "\n")
	f.Add(head + "together retry\nas p edit f \"a\" => \"b\"\nend\nbytes f \"x\" or \"y\"\n")
	f.Fuzz(func(t *testing.T, data string) {
		if len(data) > 2000 || strings.Contains(data, "each") || strings.Contains(data, "*") {
			return // repetition makes texts as long as it says
		}
		if _, err := Parse("f.txtar", data); err != nil && !strings.HasPrefix(err.Error(), "f.txtar:") {
			t.Errorf("no place in: %v", err)
		}
	})
}

// The corpus itself parses, and every kind of it is there.
func TestTheCorpusParses(t *testing.T) {
	all, err := Load("../../testdata/scripts")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 300 {
		t.Errorf("only %d scripts", len(all))
	}
}
