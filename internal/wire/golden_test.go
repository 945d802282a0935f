package wire

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
)

var update = flag.Bool("update", false, "write the golden files and the examples of docs/spec/wire.md")

// example is one answer of every kind of shape: a call, and what the session says to it.
type example struct {
	name, tool, args string
	says             func(t *testing.T) *fake
	facts            *pageFacts // what a page of a real session would find out
}

var examples = []example{
	{"read", "read", `{"path":"src/app.go","first":40,"last":42}`, func(t *testing.T) *fake {
		l := lines(39, 42)
		return &fake{page: &sightline.Page{Path: "src/app.go", Source: "disk", Lines: &l, TotalLines: 52,
			Text:  []byte("func main() {\n\tfmt.Println(\"<hi> & \\\"bye\\\"\")\n}\n"),
			Shown: []byte("    40\tfunc main() {\n    41\t\tfmt.Println(\"<hi> & \\\"bye\\\"\")\n    42\t}\n\n[sightline] lines 40-42 of 52\n"),
			EOL:   1, FinalNewline: true, State: sightline.Satisfied}}
	}, &pageFacts{covered: []sightline.Lines{lines(0, 10), lines(39, 42)}, missing: nil}},
	{"read-past-end", "read", `{"path":"a.txt","first":90}`, func(*testing.T) *fake {
		return &fake{page: &sightline.Page{Path: "a.txt", Source: "disk", TotalLines: 12, EOL: 2, BOM: true, FinalNewline: true,
			Shown: []byte("[sightline] past the end: the file has 12 lines\n"), State: sightline.Satisfied}}
	}, &pageFacts{}},
	{"read-window", "read", `{"path":"big.log","intent":"full"}`, func(*testing.T) *fake {
		l := lines(0, 2)
		return &fake{page: &sightline.Page{Path: "big.log", Source: "disk", Lines: &l, TotalLines: -1, Text: []byte("first\r\nsecond, which is lo"),
			Shown: []byte("     1\tfirst\n     2\tsecond, which is lo\n\n[sightline] line 1 of ?\n"), Encoding: 0, EOL: 3, FinalNewline: true,
			More: true, Cursor: "c-7Q", Cut: []sightline.Line{1}, State: sightline.NeedScope}}
	}, &pageFacts{}},
	{"read-lossy", "read", `{"path":"l.txt"}`, func(*testing.T) *fake {
		l := lines(0, 1)
		return &fake{page: &sightline.Page{Path: "l.txt", Source: "overlay", Lines: &l, TotalLines: 1, Text: []byte("caf\xe9"),
			Shown: []byte("     1\tcaf\uFFFD\n"), Encoding: 3, State: sightline.Satisfied}}
	}, &pageFacts{covered: []sightline.Lines{lines(0, 1)}}},
	{"edit", "edit", `{"path":"src/app.go","edits":[{"old":"x","new":"y"},{"old":"p","new":"q"},{"first":60,"last":59,"new":"p\nq\n"},{"first":70,"last":71,"new":""}]}`, func(t *testing.T) *fake {
		return &fake{edit: &sightline.EditAnswer{Path: "src/app.go", Before: ref(t, refA), After: ref(t, refB), Edits: []sightline.Changed{
			{Before: lines(11, 12), After: lines(11, 12)}, {Before: lines(39, 42), After: lines(39, 45)}, {Before: lines(59, 59), After: lines(62, 64)}, {Before: lines(69, 71), After: lines(74, 74)}}}}
	}, nil},
	{"edit-noop", "edit", `{"path":"a.txt","edits":[{"old":"x","new":"x"}]}`, func(t *testing.T) *fake {
		return &fake{edit: &sightline.EditAnswer{Path: "a.txt", Before: ref(t, refA), After: ref(t, refA), Noop: true,
			Edits: []sightline.Changed{{Before: lines(0, 1), After: lines(0, 1)}}}}
	}, nil},
	{"edit-in-place", "edit", `{"path":"linked.md","edits":[{"append":"x\n"}]}`, func(t *testing.T) *fake {
		return &fake{edit: &sightline.EditAnswer{Path: "linked.md", Before: ref(t, refA), After: ref(t, refB), Durability: sightline.InPlace,
			Edits:    []sightline.Changed{{Before: lines(3, 3), After: lines(3, 4)}},
			Warnings: []string{"the file has 2 hard links, so it was written in place: a crash in between could have left a mixture"}}}
	}, nil},
	{"write-created", "write", `{"path":"new/a.txt","text":"a\nb\n","mode":"create"}`, func(t *testing.T) *fake {
		return &fake{write: &sightline.WriteAnswer{Path: "new/a.txt", After: ref(t, refB), Lines: 2}}
	}, nil},
	{"write-replaced", "write", `{"path":"a.txt","text":"a\n","mode":"replace"}`, func(t *testing.T) *fake {
		return &fake{write: &sightline.WriteAnswer{Path: "a.txt", Before: ref(t, refA), After: ref(t, refB), Lines: 1, Durability: sightline.Atomic}}
	}, nil},
	{"move", "move", `{"from":"a.txt","to":"b/c.txt"}`, func(t *testing.T) *fake {
		return &fake{move: &sightline.MoveAnswer{From: "a.txt", To: "b/c.txt", Ref: ref(t, refA)}}
	}, nil},
	{"delete", "delete", `{"path":"a.txt"}`, func(t *testing.T) *fake {
		return &fake{delete: &sightline.DeleteAnswer{Path: "a.txt", Before: ref(t, refA)}}
	}, nil},
	{"list", "list", `{"path":"src","depth":2}`, func(*testing.T) *fake {
		return &fake{list: &sightline.ListAnswer{Path: "src", Complete: true, Entries: []sightline.Listed{
			{Path: "src/app.go", Size: 1834}, {Path: "src/link", Kind: sightline.Link}, {Path: "src/sub", Kind: sightline.Folder}}}}
	}, nil},
	{"list-cut", "list", `{"limit":1}`, func(*testing.T) *fake {
		return &fake{list: &sightline.ListAnswer{Path: ".", Entries: []sightline.Listed{{Path: "a.txt", Size: 0}}, Skipped: 2,
			Limit: &sightline.ListLimit{Name: "limit", Value: 1, Unit: "entries"}}}
	}, nil},
	{"check-allowed", "check", `{"path":"a.txt","first":1,"last":3}`, func(*testing.T) *fake {
		return &fake{check: &sightline.CheckAnswer{Path: "a.txt", Allowed: true}}
	}, nil},
	{"check-refused", "check", `{"path":"a.txt","overwrite":true}`, func(*testing.T) *fake {
		return &fake{check: &sightline.CheckAnswer{Path: "a.txt", Refusal: &sightline.Error{Op: "check", Code: sightline.NeedsFull, Path: "a.txt",
			Message: "Replacing a.txt whole needs every line of it to have been shown to you; lines 4-10 were not.",
			Missing: []sightline.Lines{lines(3, 10)},
			Cure:    &sightline.Cure{Next: &sightline.Next{Tool: "read", Path: "a.txt", Lines: []sightline.Lines{lines(3, 10)}}}}}}
	}, nil},
	{"seen", "seen", `{"path":"a.txt"}`, func(*testing.T) *fake {
		return &fake{seen: &sightline.SeenAnswer{Path: "a.txt", Rows: []sightline.SeenLines{
			{Lines: lines(0, 40), State: sightline.LineSeen, Session: "cli", At: 1767323045000},
			{Lines: lines(40, 41), State: sightline.LineStale, Origin: 4, Session: "cli", At: 1767323046000},
			{Lines: lines(41, 50), State: sightline.LineAuthored, Origin: 1, Session: "cli", At: 1767323047123},
			{Lines: lines(50, 52), State: sightline.LineUnseen}}}}
	}, nil},
	{"refusal", "edit", `{"path":"src/app.go","edits":[{"first":40,"last":41,"new":"x\n"}],"session":"s1","request_id":"7"}`, func(*testing.T) *fake {
		return &fake{err: &sightline.Error{Op: "edit", Code: sightline.NotSeen, Path: "src/app.go", Missing: []sightline.Lines{lines(39, 41)},
			Message: "Lines 40-41 of src/app.go were never shown to you. The current text is below; if the call is still right, send it again as it is.",
			Cure: &sightline.Cure{Text: []sightline.Shown{{Lines: lines(39, 41), Text: "func main() {\r\n\t\"\u00e9\"\r\n"}},
				Delivered: []sightline.Lines{lines(39, 41)}, Next: &sightline.Next{Tool: "edit", Same: true}}}}
	}, nil},
	{"refusal-beyond-bound", "write", `{"path":"a.txt","text":"x","mode":"replace"}`, func(*testing.T) *fake {
		return &fake{err: &sightline.Error{Op: "write", Code: sightline.NeedsFull, Path: "a.txt", Missing: []sightline.Lines{lines(0, 300), lines(400, 401)},
			Message: "Replacing a.txt whole needs every line of it to have been shown to you; lines 1-300, 401 were not. Read them first with the next call, then send this one again.",
			Cure:    &sightline.Cure{Next: &sightline.Next{Tool: "read", Path: "a.txt", Lines: []sightline.Lines{lines(0, 300), lines(400, 401)}}}}}
	}, nil},
	{"refusal-moved", "edit", `{"path":"f.txt","edits":[{"first":3,"last":3,"new":"C"}]}`, func(*testing.T) *fake {
		return &fake{err: &sightline.Error{Op: "edit", Code: sightline.Stale, Path: "f.txt", Drifted: []sightline.Lines{lines(2, 3), lines(7, 7)},
			Message: "f.txt changed since it was shown to you: lines 3, before 8. The line you saw as 3 is now line 5.",
			Cure: &sightline.Cure{Text: []sightline.Shown{{Lines: lines(2, 3), Text: "a\n"}, {Lines: lines(6, 8), Text: "p\nq"}},
				Delivered: []sightline.Lines{lines(2, 3), lines(6, 8)},
				Next:      &sightline.Next{Tool: "edit", Path: "f.txt", Edits: []sightline.LineEdit{{Lines: lines(4, 5), New: "C"}}}}}}
	}, nil},
	{"refusal-without-cure", "read", `{"path":"../secret"}`, func(*testing.T) *fake {
		return &fake{err: &sightline.Error{Op: "read", Code: sightline.OutsideRoot, Path: "../secret"}}
	}, nil},
	{"refusal-invalid", "edit", `{"path":"a.txt","edits":[{"old":"x","new":"y","regex":true}]}`, func(*testing.T) *fake { return &fake{} }, nil},
	{"failure", "delete", `{"path":"a.txt"}`, func(*testing.T) *fake {
		return &fake{err: &sightline.Error{Op: "delete", Code: sightline.IO, Path: "a.txt", Message: "The disk answered an error while a.txt was deleted.", Err: os.ErrClosed}}
	}, nil},
}

// structured is the structured answer, with the facts a page of a real session would have.
func (e *example) structured(t *testing.T, f *fake, a *Answer) []byte {
	if e.facts == nil {
		return a.Structured()
	}
	facts := *e.facts
	if e.name != "read-window" {
		facts.ref = ref(t, refA)
	}
	return pageJSON(f.page, facts)
}

// Every shape is byte for byte what its golden file has: the structured answer and the text.
func TestShapesAreGolden(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			f := e.says(t)
			a := f.call(t, e.tool, e.args)
			golden(t, e.name+".json", append(e.structured(t, f, a), '\n'))
			golden(t, e.name+".txt", a.Text)
			if strings.HasPrefix(e.name, "refusal") != a.Refused || (e.name == "failure") != a.Failed {
				t.Errorf("refused %v, failed %v", a.Refused, a.Failed)
			}
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s:\n got %s\nwant %s", name, got, want)
	}
}

// members are what a shape has, in order; a question mark means that it may be absent.
var members = map[string]string{
	"read":    "v path ref source lines total_lines text encoding eol bom final_newline more cursor? covered missing state reference? cut?",
	"edit":    "v path before after edits durability warnings?",
	"write":   "v path before? after lines durability warnings?",
	"move":    "v path ref warnings?",
	"delete":  "v path before",
	"list":    "v path entries complete limitation? skipped?",
	"check":   "v path allowed refusal?",
	"seen":    "v path lines",
	"refusal": "v refused code path missing drifted message cure",
	"failure": "v failed code path message",
}

// Every golden answer has exactly the members of its shape, in order, and none twice.
func TestShapesHaveTheirMembersInOrder(t *testing.T) {
	for _, e := range examples {
		f := e.says(t)
		a := f.call(t, e.tool, e.args)
		shape := members[e.tool]
		switch {
		case a.Refused:
			shape = members["refusal"]
		case a.Failed:
			shape = members["failure"]
		}
		inOrder(t, e.name, shape, e.structured(t, f, a))
		if r, ok := decoded(t, a)["refusal"]; ok {
			raw, _ := json.Marshal(r)
			var m map[string]any
			if err := json.Unmarshal(raw, &m); err != nil || len(m) != 8 {
				t.Errorf("%s: the refusal within has %d members", e.name, len(m))
			}
		}
	}
}

func inOrder(t *testing.T, name, shape string, out []byte) {
	t.Helper()
	var got []string
	s := newScanner(out)
	s.each(func(n string) { got = append(got, n); s.skip() })
	if s.err != nil {
		t.Fatalf("%s: %v", name, s.err)
	}
	i := 0
	for _, want := range strings.Fields(shape) {
		may := strings.HasSuffix(want, "?")
		if i < len(got) && got[i] == strings.TrimSuffix(want, "?") {
			i++
		} else if !may {
			t.Errorf("%s: %q is missing or out of order in %v", name, want, got)
			return
		}
	}
	if i != len(got) {
		t.Errorf("%s: %v is not of the shape", name, got[i:])
	}
}
