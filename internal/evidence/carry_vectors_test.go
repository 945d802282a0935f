package evidence

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/span"
)

var updateAlignment = flag.Bool("update-alignment", false, "write testdata/vectors/alignment.json anew")

// vector is one pair of texts and what carry answers. Texts are lists of parts, so that large ones stay readable.
type vector struct {
	Name     string        `json:"name"`
	Old      []vectorPart  `json:"old"`
	New      []vectorPart  `json:"new"`
	Sure     [][3]int      `json:"sure"`     // runs: new line, old line, number of lines
	Moved    [][3]int      `json:"moved"`    // the same
	Doubtful []doubtVector `json:"doubtful"` // lines with several partners, or perhaps with none
	Joints   [][3]int      `json:"joints"`   // runs: new joint, old joint, number of joints
}

type doubtVector struct {
	Line     int   `json:"line"`
	Partners []int `json:"partners"`
	Loose    bool  `json:"loose"`
}

// vectorPart is some lines: Lines taken Times times, or the lines Prefix+From up to Prefix+(To-1).
type vectorPart struct {
	Lines  []string `json:"lines,omitempty"`
	Times  int      `json:"times,omitempty"` // 0 is 1
	Prefix string   `json:"prefix,omitempty"`
	From   int      `json:"from,omitempty"`
	To     int      `json:"to,omitempty"`
}

func expand(parts []vectorPart) (lines []string) {
	for _, p := range parts {
		for range max(p.Times, 1) {
			lines = append(lines, p.Lines...)
		}
		for n := p.From; n < p.To; n++ {
			lines = append(lines, fmt.Sprint(p.Prefix, n))
		}
	}
	return lines
}

// answered fills in what carry answers, by nothing but the public questions.
func (v *vector) answered() {
	al := Align(versionOf(expand(v.Old)), versionOf(expand(v.New)))
	v.Sure, v.Moved, v.Joints, v.Doubtful = [][3]int{}, [][3]int{}, [][3]int{}, []doubtVector{}
	longer := func(runs [][3]int, at, was int) [][3]int {
		if n := len(runs) - 1; n >= 0 && runs[n][0]+runs[n][2] == at && runs[n][1]+runs[n][2] == was {
			runs[n][2]++
			return runs
		}
		return append(runs, [3]int{at, was, 1})
	}
	for j := range al.New() {
		one, many := al.Partners(span.Line(j))
		if one != NoLine {
			many = []span.Line{one}
		}
		switch loose := al.Loose(span.Line(j)); {
		case len(many) == 0:
		case al.Moved(span.Line(j)):
			v.Moved = longer(v.Moved, j, int(one))
		case len(many) == 1 && !loose:
			v.Sure = longer(v.Sure, j, int(one))
		default:
			d := doubtVector{Line: j, Loose: loose}
			for _, i := range many {
				d.Partners = append(d.Partners, int(i))
			}
			v.Doubtful = append(v.Doubtful, d)
		}
	}
	for k := range al.New() + 1 {
		if i, ok := al.Joint(span.Line(k)); ok {
			v.Joints = longer(v.Joints, k, int(i))
		}
	}
}

const vectorPath = "../../testdata/vectors/alignment.json"

// The vectors pin what the bounds leave open: of two defensible answers, carry gives the same one for ever, so that a
// verdict does not change with a release. They are read from the file and answered anew.
func TestAlignmentVectors(t *testing.T) {
	if *updateAlignment {
		writeVectors(t)
	}
	raw, err := os.ReadFile(filepath.FromSlash(vectorPath))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []vector }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	var sure, moved, doubtful, loose int
	for _, want := range file.Cases {
		got := vector{Name: want.Name, Old: want.Old, New: want.New}
		got.answered()
		if g, w := encoded(t, got), encoded(t, want); !bytes.Equal(g, w) {
			t.Errorf("%s: answered\n%s\nwant\n%s", want.Name, g, w)
		}
		if names[want.Name] {
			t.Errorf("two vectors are named %s", want.Name)
		}
		names[want.Name] = true
		sure, moved, doubtful = sure+len(want.Sure), moved+len(want.Moved), doubtful+len(want.Doubtful)
		for _, d := range want.Doubtful {
			if d.Loose {
				loose++
			}
		}
	}
	t.Logf("%d vectors with %d sure runs, %d moved runs, %d doubtful lines, %d of them loose", len(names), sure, moved, doubtful, loose)
	if len(names) < 300 || moved < 50 || loose < 100 || doubtful-loose < 50 {
		t.Error("the vectors do not say enough any more")
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// writeVectors writes the file, one vector a line.
func writeVectors(t *testing.T) {
	t.Helper()
	var rows [][]byte
	for _, v := range slices.Concat(smallVectors(), grownVectors(), largeVectors()) {
		v.answered()
		rows = append(rows, encoded(t, v))
	}
	raw := slices.Concat([]byte("{\"cases\": [\n"), bytes.Join(rows, []byte(",\n")), []byte("\n]}\n"))
	if err := os.WriteFile(filepath.FromSlash(vectorPath), raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

// smallVectors picks, of all pairs of texts of at most five lines, some in which the readings do not agree.
func smallVectors() (out []vector) {
	k := 0
	smallWorld("ab}", 5, func(old, new []string, a, b *Version, all []reading) {
		al := Align(a, b)
		if len(all) == 1 || len(al.doubts) == 0 && len(al.moved) == 0 {
			return
		}
		if k++; k%311 == 0 {
			name := fmt.Sprintf("small: %s to %s", strings.Join(old, ""), strings.Join(new, ""))
			out = append(out, vector{Name: name, Old: []vectorPart{{Lines: old}}, New: []vectorPart{{Lines: new}}})
		}
	})
	return out
}

// grownVectors are pieces of program text, changed by seeded authors.
func grownVectors() (out []vector) {
	for seed := range uint64(40) {
		w := &author{Rand: rand.New(rand.NewPCG(seed, 1)), kinds: copiesAndMoves}
		old := w.write(12 + int(seed))
		new := slices.Clone(old)
		for range 1 + w.IntN(5) {
			new = w.change(new)
		}
		out = append(out, vector{Name: fmt.Sprint("grown: ", seed), Old: []vectorPart{{Lines: linesOf(old)}}, New: []vectorPart{{Lines: linesOf(new)}}})
	}
	return out
}
