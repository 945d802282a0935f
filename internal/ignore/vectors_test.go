package ignore

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "ask git for the verdicts of testdata/vectors.txt and write them down")

// vector is one case of testdata/vectors.txt. Its file is read line by line: "case TITLE", then "fold BOOL", "rules FILE
// TEXT" and "ask NAME KIND -> VERDICT", quoted as in Go.
type vector struct {
	title string
	w     *world
	want  []answer
}

const vectorsFile = "testdata/vectors.txt"

func readVectors(t *testing.T) (head string, out []*vector) {
	t.Helper()
	raw, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var v *vector
	for i, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		var name, text, kind, verdict string
		switch word {
		case "#":
			if v == nil {
				head += line + "\n"
			}
		case "":
		case "case":
			v = &vector{title: rest, w: &world{rules: map[string]string{}, dirs: map[string]bool{}}}
			out = append(out, v)
		case "fold":
			_, err = fmt.Sscanf(rest, "%t", &v.w.fold)
		case "rules":
			_, err = fmt.Sscanf(rest, "%q %q", &name, &text)
			v.w.rules[name] = text
			for dir := name; strings.Contains(dir, "/") && name != infoExclude; {
				dir = dir[:strings.LastIndexByte(dir, '/')]
				v.w.dirs[dir] = true
			}
		case "ask":
			rest, verdict, _ = strings.Cut(rest, " -> ")
			_, err = fmt.Sscanf(rest, "%q %s", &name, &kind)
			if kind == "folder" {
				v.w.dirs[name] = true
			}
			v.w.asks = append(v.w.asks, name)
			var a answer
			if verdict != "none" && !*update {
				_, err = fmt.Sscanf(verdict, "%q line %d %q", &a.source, &a.line, &a.pattern)
			}
			v.want = append(v.want, a)
		default:
			t.Fatalf("%s:%d: what is %q?", vectorsFile, i+1, line)
		}
		if err != nil {
			t.Fatalf("%s:%d: %v", vectorsFile, i+1, err)
		}
	}
	return head, out
}

// Verdicts that git gave when the file was written are ours, with or without git.
func TestVectors(t *testing.T) {
	head, vectors := readVectors(t)
	if *update {
		writeVectors(t, head, vectors)
		return
	}
	n := 0
	for _, v := range vectors {
		got := ours(t, v.w)
		for i := range got {
			n++
			if got[i] != v.want[i] {
				t.Errorf("%s: %q: %s, git says %s", v.title, v.w.asks[i], got[i], v.want[i])
			}
		}
	}
	if n < 500 {
		t.Errorf("%d verdicts are too few", n)
	}
}

// writeVectors asks git anew. The cases that were generated are made anew too.
func writeVectors(t *testing.T, head string, vectors []*vector) {
	t.Helper()
	g := newGit(t)
	var b strings.Builder
	b.WriteString(head)
	write := func(v *vector) {
		fmt.Fprintf(&b, "\ncase %s\n", v.title)
		v.want = g.judge(t, v.w)
		lines := strings.Split(strings.TrimSuffix(v.w.String(), "\n"), "\n")
		for i, line := range lines {
			if at := i - (len(lines) - len(v.want)); at >= 0 {
				line += " -> " + v.want[at].String()
			}
			b.WriteString(line + "\n")
		}
	}
	for _, v := range vectors {
		if !strings.HasPrefix(v.title, "generated") {
			write(v)
		}
	}
	for seed := uint64(100_000); seed < 100_030; seed++ {
		w := newWorld(seed)
		w.asks = w.asks[:20]
		write(&vector{title: fmt.Sprintf("generated %d", seed), w: w})
	}
	if err := os.WriteFile(vectorsFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	_, again := readVectors(t)
	t.Logf("%d cases written; run again without -update", len(again))
}
