package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const specPath = "../../docs/spec/wire.md"

// block finds the examples of the document: a comment with the golden file's name, then a fenced block.
var block = regexp.MustCompile("(?s)<!-- golden: (\\S+) -->\n```[a-z]*\n(.*?)```\n")

// The examples of docs/spec/wire.md are the golden files, laid out; with -update they are written.
func TestSpecificationShowsTheGoldenAnswers(t *testing.T) {
	spec, err := os.ReadFile(specPath)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	fresh := block.ReplaceAllFunc(spec, func(b []byte) []byte {
		name := string(block.FindSubmatch(b)[1])
		shown[name] = true
		return []byte("<!-- golden: " + name + " -->\n" + laidOut(t, name))
	})
	if *update {
		if err := os.WriteFile(specPath, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(fresh, spec) {
		t.Error("the examples of docs/spec/wire.md are not those of the golden files; run this test with -update")
	}
	for _, e := range examples {
		if !shown[e.name+".json"] && !shown[e.name+".txt"] {
			t.Errorf("docs/spec/wire.md does not show %s", e.name)
		}
	}
}

// laidOut is a golden file as the document shows it: JSON indented, text as it is.
func laidOut(t *testing.T, name string) string {
	raw, err := os.ReadFile(filepath.Join("testdata", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".txt") {
		return "```text\n" + string(raw) + "```\n"
	}
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(raw), "", "  "); err != nil {
		t.Fatal(err)
	}
	return "```json\n" + ranges.ReplaceAllString(b.String(), "[$1, $2]") + "\n```\n"
}

// ranges are what json.Indent spreads over four lines.
var ranges = regexp.MustCompile(`\[\s+(\d+),\s+(\d+)\s+\]`)

// The document names every member of every tool's input and answer, and every bound by its value.
func TestSpecificationNamesEveryMember(t *testing.T) {
	spec, err := os.ReadFile(specPath)
	if err != nil {
		t.Fatal(err)
	}
	says := func(word string) {
		if !bytes.Contains(spec, []byte("`"+word+"`")) {
			t.Errorf("docs/spec/wire.md does not name `%s`", word)
		}
	}
	for _, names := range [][]string{readMembers, editMembers, itemMembers, writeMembers, moveMembers, deleteMembers, listMembers, checkMembers, seenMembers} {
		for _, n := range names {
			says(n)
		}
	}
	for _, shape := range members {
		for _, n := range strings.Fields(shape) {
			says(strings.TrimSuffix(n, "?"))
		}
	}
	for _, tool := range Tools() {
		says(tool.Name)
	}
	for _, bound := range []string{"10,000", "200 bytes", "2,048 bytes"} {
		if !bytes.Contains(spec, []byte(bound)) {
			t.Errorf("docs/spec/wire.md does not state the bound of %s", bound)
		}
	}
}
