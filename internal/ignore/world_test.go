package ignore

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// The rule files that lie in no folder of the work tree, by the names they have in a world.
const (
	excludesFile = "core.excludesFile"
	infoExclude  = ".git/info/exclude"
)

// world is a repository as far as ignoring goes: its rule files, its folders, and the names that are asked about.
type world struct {
	fold  bool
	rules map[string]string // by path: the two above, and "DIR/.gitignore"
	dirs  map[string]bool
	asks  []string
}

// answer is a verdict as git prints it: where from, which line, which rule.
type answer struct {
	source  string
	line    int
	pattern string
}

func (a answer) String() string {
	if a.line == 0 {
		return "none"
	}
	return fmt.Sprintf("%q line %d %q", a.source, a.line, a.pattern)
}

// judge answers for every ask of a world.
type judge func(t testing.TB, w *world) []answer

// ours is the judge under test. It walks to every name from the root, as a listing does.
func ours(t testing.TB, w *world) []answer { return w.walk(t, parse) }

func (w *world) walk(_ testing.TB, parse func(string, []byte, bool) *Rules) []answer {
	source := map[*Rules]string{}
	read := func(name, dir string) *Rules {
		text, ok := w.rules[name]
		if !ok {
			return nil
		}
		r := parse(dir, []byte(text), w.fold)
		source[r] = name
		return r
	}
	places := map[string]Stack{}
	var place func(dir string) Stack
	place = func(dir string) Stack {
		if s, ok := places[dir]; ok {
			return s
		}
		var s Stack
		if dir == "." {
			s = NewStack(read(excludesFile, ""), read(infoExclude, "")).With(read(".gitignore", ""))
		} else {
			s = place(path.Dir(dir)).enter(dir)
			if _, shut := s.Shut(); !shut {
				s = s.With(read(dir+"/.gitignore", dir+"/"))
			}
		}
		places[dir] = s
		return s
	}
	var out []answer
	for _, name := range w.asks {
		v := place(path.Dir(name)).match(name, w.dirs[name])
		a := answer{line: v.Line, pattern: v.Pattern}
		if v.By != nil {
			a.source = source[v.By]
			if v.Ignored == strings.HasPrefix(v.Pattern, "!") {
				a.pattern = "(the verdict contradicts its rule) " + a.pattern
			}
		}
		out = append(out, a)
	}
	return out
}

// gitJudge is git itself, in one repository on disk that is laid out anew for every world.
type gitJudge struct {
	dir  string
	runs int
}

// newGit returns the judge, or says why there is none.
func newGit(t testing.TB) *gitJudge {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here to compare with: the verdicts pinned in testdata/vectors.txt are checked by TestVectors all the same")
	}
	if os.PathSeparator != '/' {
		t.Skip("this system cannot hold the names that git is asked about: the verdicts in testdata/vectors.txt are checked all the same")
	}
	g := &gitJudge{dir: filepath.Join(t.TempDir(), "w")}
	return g
}

// layOut makes the world on disk.
func (g *gitJudge) layOut(t testing.TB, w *world) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	must(os.RemoveAll(g.dir))
	for _, d := range []string{".git/objects", ".git/refs", ".git/info"} {
		must(os.MkdirAll(filepath.Join(g.dir, d), 0o755))
	}
	must(os.WriteFile(filepath.Join(g.dir, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tignoreCase = " + strconv.FormatBool(w.fold) +
		"\n\texcludesFile = " + filepath.Join(g.dir, ".git", "outer") + "\n"
	must(os.WriteFile(filepath.Join(g.dir, ".git/config"), []byte(config), 0o644))
	for d := range w.dirs {
		must(os.MkdirAll(filepath.Join(g.dir, d), 0o755))
	}
	for name, text := range w.rules {
		if name == excludesFile {
			name = ".git/outer"
		}
		must(os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644))
	}
}

func (g *gitJudge) judge(t testing.TB, w *world) []answer {
	t.Helper()
	g.layOut(t, w)
	g.runs++
	c := exec.Command("git", "check-ignore", "-v", "-n", "-z", "--stdin", "--no-index")
	c.Dir = g.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "HOME="+g.dir,
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(g.dir), "LC_ALL=C")
	c.Env = without(c.Env, "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
	var in strings.Builder
	for _, name := range w.asks {
		in.WriteString("./" + name + "\x00") // a name that begins with a colon is then no pathspec
	}
	c.Stdin = strings.NewReader(in.String())
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 1 { // 1: no name is ignored
		t.Fatalf("git check-ignore: %v\n%s\n%s", err, errs.String(), w)
	}
	fields := strings.Split(out.String(), "\x00")
	if len(fields) != 4*len(w.asks)+1 {
		t.Fatalf("git answered %d fields for %d names\n%s\n%s", len(fields), len(w.asks), errs.String(), w)
	}
	answers := make([]answer, len(w.asks))
	for i := range w.asks {
		f := fields[4*i:]
		if f[3] != "./"+w.asks[i] {
			t.Fatalf("git answered for %q when asked for %q", f[3], w.asks[i])
		}
		if f[1] != "" {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			if f[0] == filepath.Join(g.dir, ".git", "outer") {
				f[0] = excludesFile
			}
			answers[i] = answer{f[0], n, f[2]}
		}
	}
	return answers
}

func without(env []string, names ...string) []string {
	var out []string
	for _, e := range env {
		key, _, _ := strings.Cut(e, "=")
		keep := true
		for _, n := range names {
			keep = keep && key != n
		}
		if keep {
			out = append(out, e)
		}
	}
	return out
}

// sources returns the names of the rule files, sorted.
func (w *world) sources() []string {
	var out []string
	for name := range w.rules {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// String is the form of testdata/vectors.txt.
func (w *world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "fold %t\n", w.fold)
	for _, name := range w.sources() {
		fmt.Fprintf(&b, "rules %q %q\n", name, w.rules[name])
	}
	for _, name := range w.asks {
		fmt.Fprintf(&b, "ask %q %s\n", name, map[bool]string{false: "file", true: "folder"}[w.dirs[name]])
	}
	return b.String()
}
