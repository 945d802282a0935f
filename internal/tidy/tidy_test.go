package tidy

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite docs/errors.md and the state column of the table of rooms")

// repository is the folder of the module, seen from this package.
const repository = "../.."

// rules are all rules of the repository by the name of their fixtures.
var rules = []struct {
	name  string
	check func(*tree) []finding
}{
	{"imports", imports},
	{"worlds", outsideWorlds},
	{"package-docs", packageDocs},
	{"package-names", packageNames},
	{"no-init", noInit},
	{"exported-docs", exportedDocs},
	{"doc-links", docLinks},
	{"fault-codes", faultCodes},
	{"glossary", glossary},
	{"dependencies", dependencies},
	{"document-links", documentLinks},
	{"readme", readme},
	{"machine-paths", machinePaths},
	{"unfinished", unfinishedWork},
	{"test-manners", testManners},
}

func TestRepository(t *testing.T) {
	repo := mustLoad(t, os.DirFS(repository))
	if len(repo.gofs) < 10 || repo.texts[archDoc] == "" {
		t.Fatalf("the tree holds %d Go files: this is not the repository", len(repo.gofs))
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			found := r.check(repo)
			sortFindings(found)
			for _, f := range found {
				t.Error(f)
			}
		})
	}
}

// TestPlanted runs each rule on small repositories. A fixture is named after its rule and what it plants; its section
// "want" lists what must be found, in order, one finding a line, and nothing else may be. An empty want is the twin that
// must pass: each rule needs at least one of either kind.
func TestPlanted(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{} // rule -> 1: has a planted fixture, 2: has a clean one
	for _, file := range files {
		rule, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "_")
		check := ruleNamed(rule)
		if check == nil {
			t.Errorf("%s is named after no rule", file)
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			fsys, want := fixture(t, file)
			found := check(mustLoad(t, fsys))
			sortFindings(found)
			var got strings.Builder
			for _, f := range found {
				fmt.Fprintln(&got, f)
			}
			if got.String() != want {
				t.Errorf("found\n%swanted\n%s", got.String(), want)
			}
			if want == "" {
				kinds[rule] |= 2
			} else {
				kinds[rule] |= 1
			}
		})
	}
	for _, r := range rules {
		if kinds[r.name] != 3 {
			t.Errorf("rule %s lacks a fixture that breaks it, or one that keeps it", r.name)
		}
	}
}

// fixture reads a txtar archive as a file system. What a fixture leaves out comes from base.txt.
func fixture(t *testing.T, file string) (fs.FS, string) {
	t.Helper()
	fsys := fstest.MapFS{}
	want := ""
	for _, name := range []string{"testdata/base.txt", file} {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name == "want" {
				want = string(f.Data)
				continue
			}
			fsys[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
		}
	}
	return fsys, want
}

func ruleNamed(name string) func(*tree) []finding {
	for _, r := range rules {
		if r.name == name {
			return r.check
		}
	}
	return nil
}

func mustLoad(t *testing.T, fsys fs.FS) *tree {
	t.Helper()
	tr, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestDocuments compares what is generated with what is in the tree, or rewrites it with -update.
func TestDocuments(t *testing.T) {
	repo := mustLoad(t, os.DirFS(repository))
	generated := map[string]string{errorsDoc: renderErrors()}
	if *update {
		generated[archDoc] = withStates(t, repo)
	}
	for name, want := range generated {
		if repo.texts[name] == want {
			continue
		}
		if !*update {
			t.Errorf("%s is not what the code says; run: go test ./internal/tidy -update", name)
			continue
		}
		if err := os.WriteFile(filepath.Join(repository, name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var stateCell = regexp.MustCompile(`^(\|[^|]*\|[^|]*\|)\s*(here|coming|later)\s*\|`)

// withStates returns the architecture with the state column as the tree is: a room that is built is here, and one that
// is gone is coming.
func withStates(t *testing.T, repo *tree) string {
	t.Helper()
	h, err := repo.house()
	if err != nil {
		t.Fatal(err)
	}
	_, byDir := repo.dirs()
	lines := strings.Split(repo.texts[archDoc], "\n")
	for _, r := range h.rooms {
		state := r.state
		if len(byDir[r.dir]) > 0 {
			state = "here"
		} else if state == "here" {
			state = "coming"
		}
		lines[r.line-1] = stateCell.ReplaceAllString(lines[r.line-1], "${1} "+state+" |")
	}
	return strings.Join(lines, "\n")
}
