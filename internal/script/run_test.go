package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake answers from a list, one answer a call, and may change the disk as it does.
type fake struct {
	root    string
	answers []func(root string, f facts) Result
	at      int
}

func (f *fake) Root() string { return f.root }
func (f *fake) Restart()     {}

func (f *fake) Call(_, tool string, args map[string]any, _ CallMeta) Result {
	if tool == "check" && f.answers != nil {
		// The question beforehand gets the answer of the call that follows, in check's shape.
		if r := f.answers[f.at](f.root+"/elsewhere", f.facts(args)); r.Structured["refused"] == true {
			return r
		}
		return Result{Structured: map[string]any{"v": 1, "allowed": true}}
	}
	answer := f.answers[f.at]
	f.at++
	return answer(f.root, f.facts(args))
}

func (f *fake) facts(args map[string]any) facts {
	path, _ := args["path"].(string)
	raw, err := os.ReadFile(filepath.Join(f.root, path))
	if err != nil {
		return facts{}
	}
	return factsOf(raw)
}

func mode(answers ...func(string, facts) Result) Mode {
	return Mode{Name: "fake", Open: func(_ testing.TB, w World) (Driver, error) {
		return &fake{root: w.Root, answers: answers}, nil
	}}
}

func wrote(path, text, before, after string, list ...any) func(string, facts) Result {
	return func(root string, f facts) Result {
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil && !os.IsNotExist(err) {
			panic(err)
		}
		if before == "" {
			before = f.Ref
		}
		if after == "" {
			after = factsOf([]byte(text)).Ref
		}
		return Result{Structured: map[string]any{"v": 1, "path": path, "before": before, "after": after, "edits": list}}
	}
}

func pair(a, b, c, d int) map[string]any {
	return map[string]any{"before": []any{a, b}, "after": []any{c, d}}
}

// refuses returns a well-formed refusal of line 2 of "a\nb\n", with the changes made to it.
func refuses(change func(v map[string]any)) func(string, facts) Result {
	return func(string, facts) Result {
		v := map[string]any{"v": 1, "refused": true, "code": "not-seen", "path": "f", "drifted": []any{},
			"missing": []any{[]any{2, 2}}, "message": "f: not-seen: line 2-2 was never shown",
			"cure": map[string]any{"text": []any{map[string]any{"lines": []any{2, 2}, "text": "b\n"}},
				"delivered": []any{[]any{2, 2}}, "next": map[string]any{"tool": "edit",
					"arguments": map[string]any{"path": "f", "edits": []any{map[string]any{"old": "b", "new": "c"}}}}}}
		if change != nil {
			change(v)
		}
		return Result{Structured: v, IsError: true}
	}
}

const world = "file f \"a\\nb\\n\"\n"

func TestTheRunnerPassesWhatIsRight(t *testing.T) {
	for _, c := range []struct {
		name, steps string
		mode        Mode
	}{
		{"allow", `edit f "b" => "c" -> allow edits 2-2:2-2`, mode(wrote("f", "a\nc\n", "", "", pair(2, 2, 2, 2)))},
		{"refuse", `edit f "b" => "c" -> refuse not-seen 2-2 delivered 2-2 next same`, mode(refuses(nil))},
		{"choice", `edit f "b" => "c" -> refuse stale|not-seen anywhere`, mode(refuses(nil))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := runText(t, world+c.steps, c.mode); err != nil {
				t.Error(err)
			}
		})
	}
}

func runText(t *testing.T, steps string, m Mode) error {
	t.Helper()
	all, err := Parse("f.txtar", head+steps+"\n")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Run(t, all[0], m)
	return err
}

// Every rule of the runner is shown to fail when it is broken.
func TestTheRunnerFailsOnWhatIsWrong(t *testing.T) {
	ok := wrote("f", "a\nc\n", "", "", pair(2, 2, 2, 2))
	edit := `edit f "b" => "c" -> allow`
	refused := `edit f "b" => "c" -> refuse not-seen 2-2`
	set := func(key string, v any) Mode { return mode(refuses(func(m map[string]any) { m[key] = v })) }
	cure := func(key string, v any) Mode {
		return mode(refuses(func(m map[string]any) { m["cure"].(map[string]any)[key] = v }))
	}
	for _, c := range []struct {
		name, steps string
		mode        Mode
		want        string
	}{
		{"wrong code", `edit f "b" => "c" -> refuse stale 2-2`, mode(refuses(nil)), "expected stale, got not-seen"},
		{"wrong lines", `edit f "b" => "c" -> refuse not-seen 1-2`, mode(refuses(nil)), "expected missing 1-2, got 2-2"},
		{"refused, not allowed", edit, mode(refuses(nil)), "expected allow, refused"},
		{"allowed, not refused", refused, mode(ok), "it was admitted"},
		{"wrong bytes", edit + "\n" + `bytes f "a\nd\n"`, mode(ok), `f.txtar:6: bytes f "a\nd\n"`},
		{"wrong mode", edit + "\nmode f 0600", mode(ok), "want mode 0600, have 0644"},
		{"not absent", edit + "\nabsent f", mode(ok), "f is there"},
		{"refusal changed the disk", refused, mode(func(root string, f facts) Result {
			wrote("f", "a\nc\n", "", "")(root, f)
			return refuses(nil)(root, f)
		}), "a refusal changed the disk: proj/f"},
		{"temp file left", edit, mode(func(root string, f facts) Result {
			wrote(".f.tmp", "", "", "")(root, f)
			return ok(root, f)
		}), "something else on disk changed: proj/.f.tmp"},
		{"mode changed", edit, mode(func(root string, f facts) Result {
			if err := os.Chmod(filepath.Join(root, "f"), 0o600); err != nil && !os.IsNotExist(err) {
				panic(err)
			}
			return ok(root, f)
		}), "proj/f was file 0644"},
		{"line outside changed", edit, mode(wrote("f", "A\nc\n", "", "", pair(2, 2, 2, 2))), "outside the edited places"},
		{"wrong after", edit, mode(wrote("f", "a\nc\n", "", "sha256:00", pair(2, 2, 2, 2))), "after is sha256:00"},
		{"wrong before", edit, mode(wrote("f", "a\nc\n", "sha256:00", "", pair(2, 2, 2, 2))), "before is sha256:00"},
		{"wrong places", `edit f "b" => "c" -> allow edits 1-1:1-1`, mode(ok), "expected the edits at"},
		{"unknown member", refused, set("debts", 1), `a refusal has no member "debts"`},
		{"unknown code", refused, set("code", "no-way"), `"no-way" is no code`},
		{"message without range", refused, set("message", "f: not-seen"), "does not name lines 2-2"},
		{"message without file", refused, set("message", "not-seen line 2-2"), "does not name the file"},
		{"message without code", refused, set("message", "f: line 2-2"), "does not name the code"},
		{"unmerged", refused, set("missing", []any{[]any{1, 1}, []any{2, 2}}), "not sorted and merged"},
		{"overlap", refused, set("drifted", []any{[]any{2, 2}}), "overlap"},
		{"cure text wrong", refused, cure("text", []any{map[string]any{"lines": []any{2, 2}, "text": "x\n"}}), "on disk they are"},
		{"half a cure", refused, cure("delivered", []any{[]any{1, 1}}), "half a cure"},
		{"no text", refused, mode(refuses(func(m map[string]any) {
			c := m["cure"].(map[string]any)
			c["text"], c["delivered"] = []any{}, []any{}
		})), "must be a read"},
		{"no next", refused, cure("next", nil), "names no next call"},
		{"invalid next", refused, cure("next", map[string]any{"tool": "edit", "arguments": map[string]any{"path": "f"}}),
			`lacks "edits"`},
		{"words", refused + ` says "please"`, mode(refuses(nil)), `expected the words "please"`},
		{"next is other", refused + ` next read 2-2`, mode(refuses(nil)), "expected the next call to be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := runText(t, world+c.steps, c.mode)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestACureThatDoesNotMendIsFound(t *testing.T) {
	m := mode(refuses(nil), refuses(nil), refuses(nil))
	m.Cures = true
	err := runText(t, world+`edit f "b" => "c" -> refuse not-seen 2-2`, m)
	if err == nil || !strings.Contains(err.Error(), "did not mend it") || !strings.Contains(err.Error(), "f.txtar:5") {
		t.Errorf("got %v", err)
	}
	mended := mode(refuses(nil), wrote("f", "a\nc\n", "", "", pair(2, 2, 2, 2)))
	mended.Cures = true
	if err := runText(t, world+`edit f "b" => "c" -> refuse not-seen 2-2`, mended); err != nil {
		t.Error(err)
	}
}

func TestCheckThatDisagreesIsFound(t *testing.T) {
	m := Mode{Name: "split", Open: func(_ testing.TB, w World) (Driver, error) { return &twoMinds{w.Root}, nil }}
	err := runText(t, world+`edit f "b" => "c" -> refuse not-seen 2-2`, m)
	if err == nil || !strings.Contains(err.Error(), "check said") {
		t.Errorf("got %v", err)
	}
}

// twoMinds allows in check what it refuses in the call.
type twoMinds struct{ root string }

func (d *twoMinds) Root() string { return d.root }
func (d *twoMinds) Restart()     {}
func (d *twoMinds) Call(_, tool string, _ map[string]any, _ CallMeta) Result {
	if tool == "check" {
		return Result{Structured: map[string]any{"v": 1, "path": "f", "allowed": true}}
	}
	return refuses(nil)("", facts{})
}

func TestWhatADoorCannotDoIsSaid(t *testing.T) {
	err := runText(t, world+"plan edit f \"b\" => \"c\"\napprove", mode())
	if _, ok := err.(*NotApplicable); !ok {
		t.Errorf("got %v", err)
	}
}

func TestReadsAreComparedWithTheDisk(t *testing.T) {
	page := func(text string, a, b int) Mode {
		return mode(func(_ string, f facts) Result {
			return Result{Structured: map[string]any{"v": 1, "path": "f", "ref": f.Ref, "lines": []any{a, b}, "text": text,
				"total_lines": 2, "encoding": "utf-8", "eol": "lf", "bom": false, "final_newline": true, "more": false}}
		})
	}
	if err := runText(t, world+`read f -> ok lines 1-2 total 2`, page("a\nb\n", 1, 2)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		step, want string
		mode       Mode
	}{
		{`read f -> ok`, "on disk they are", page("a\nB\n", 1, 2)},
		{`read f -> ok lines 1-1`, "expected lines 1-1", page("a\nb\n", 1, 2)},
		{`read f -> ok total 3`, "expected total 3", page("a\nb\n", 1, 2)},
		{`read f -> ok bom`, "expected bom true", page("a\nb\n", 1, 2)},
		{`read f -> ok`, "on disk they are", page("b\n", 1, 1)},
	} {
		if err := runText(t, world+c.step, c.mode); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.step, err, c.want)
		}
	}
}

func TestAPendingScriptHasToFail(t *testing.T) {
	steps := "pending \"not built\"\n" + world + `edit f "b" => "c" -> allow`
	all, err := Parse("f.txtar", head+steps+"\n")
	if err != nil {
		t.Fatal(err)
	}
	s := all[0]
	_, _, err = Run(t, s, mode(refuses(nil)))
	if got := s.judged(err); got == nil || !strings.Contains(got.Error(), "pending: not built") {
		t.Errorf("a pending script that fails: %v", got)
	}
	_, _, err = Run(t, s, mode(wrote("f", "a\nc\n", "", "", pair(2, 2, 2, 2))))
	if got := s.judged(err); got == nil || !strings.Contains(got.Error(), "take the word away") {
		t.Errorf("a pending script that passes: %v", got)
	}
}

func TestAForgetfulDoorRunsNoRestarts(t *testing.T) {
	m := Mode{Name: "forgetful", Open: func(_ testing.TB, w World) (Driver, error) { return &forgetful{fake{root: w.Root}}, nil }}
	err := runText(t, world+"restart\nabsent g", m)
	if _, ok := err.(*NotApplicable); !ok || !strings.Contains(err.Error(), "in memory") {
		t.Errorf("got %v", err)
	}
}

type forgetful struct{ fake }

func (*forgetful) Forgets() string { return "kept in memory" }
