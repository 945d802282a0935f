package edit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

func all(span.Slot) bool { return true }

func TestBounds(t *testing.T) {
	text := content.Decode([]byte("a\nb\n"))
	line := LineRange{Lines: span.Of[span.Line](0, 1), New: "x"}
	many := make([]Op, OpsMax+1)
	for i := range many {
		many[i] = line
	}
	places := content.Decode(bytes.Repeat([]byte("x\n"), PlacesMax+1))
	large := content.Decode(append(make([]byte, 32<<20), "zz\n"...))
	searches := make([]Op, SearchBytesMax/(32<<20)+1)
	for i := range searches {
		searches[i] = Replace{Old: fmt.Sprint(i), New: "y"}
	}
	for name, c := range map[string]struct {
		text *content.Text
		ops  []Op
		code fault.Code
	}{
		"no operation":        {text, nil, fault.Invalid},
		"nothing said":        {text, []Op{nil}, fault.Invalid},
		"too many operations": {text, many, fault.Limit},
		"too many places":     {places, []Op{Replace{Old: "x", New: "y", All: true}}, fault.Limit},
		"too many searches":   {large, searches, fault.Limit},
		"below no line":       {text, []Op{LineRange{Lines: span.Of[span.Line](-1, 1), New: "x"}}, fault.Invalid},
	} {
		if p, err := Locate(c.text, c.ops); p != nil || fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

// TestMostPlaces changes as many places as one call may, and as many operations.
func TestMostPlaces(t *testing.T) {
	text := content.Decode(bytes.Repeat([]byte("x\n"), PlacesMax))
	p, err := Locate(text, []Op{Replace{Old: "x", New: "y", All: true}})
	if err != nil || !bytes.Equal(p.After, bytes.Repeat([]byte("y\n"), PlacesMax)) || len(p.Changes) != PlacesMax {
		t.Fatal(err)
	}
	ops := make([]Op, OpsMax)
	for i := range ops {
		ops[i] = LineRange{Lines: span.Of(span.Line(OpsMax-i-1), span.Line(OpsMax-i)), New: "z"}
	}
	if p, err = Locate(text, ops); err != nil || !bytes.HasPrefix(p.After, bytes.Repeat([]byte("z\n"), OpsMax)) {
		t.Fatal(err)
	}
}

func TestFieldNamesTheMember(t *testing.T) {
	text := content.Decode([]byte("a\nb\n"))
	_, err := Locate(text, []Op{Append{Text: "x"}, Replace{Old: "a", New: "\x00"}})
	var f *fault.Error
	if !errors.As(err, &f) || f.Field != "edits[1].new" || !strings.HasPrefix(f.Message, "Edit 2 of 2: ") {
		t.Errorf("%v, field %q", err, f.Field)
	}
	if _, err = Whole(text, "\x00", false); !errors.As(err, &f) || f.Field != "text" {
		t.Errorf("%v, field %q", err, f.Field)
	}
}

func TestManyOccurrencesAreBounded(t *testing.T) {
	text := content.Decode(bytes.Repeat([]byte("x\n"), 1000))
	_, err := Locate(text, []Op{Replace{Old: "x", New: "y"}})
	var d *LocateDetail
	if !errors.As(err, &d) || len(d.Occurrences) != 256 || !d.More {
		t.Fatalf("%v", err)
	}
	var f *fault.Error
	if errors.As(err, &f); len(f.Message) > 400 {
		t.Errorf("the message has %d bytes", len(f.Message))
	}
}

// TestLargeBlocks quotes more lines than are compared one by one.
func TestLargeBlocks(t *testing.T) {
	const n = 600
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d\n", i)
	}
	copyOf := func(change func(s []string) []string) string {
		return strings.Join(change(append([]string(nil), lines...)), "")
	}
	old := strings.Join(lines, "")
	text := content.Decode([]byte(old))
	for name, c := range map[string]struct {
		fresh   string
		splices string
		need    int
	}{
		"one line":      {copyOf(func(s []string) []string { s[300] = "x\n"; return s }), "[{[300,301) 1}]", 1},
		"an insertion":  {copyOf(func(s []string) []string { s[300] += "x\n"; return s }), "[{[301,301) 1}]", 2},
		"two near":      {copyOf(func(s []string) []string { s[300], s[302] = "x\n", "y\n"; return s }), "[{[300,301) 1} {[302,303) 1}]", 2},
		"two far apart": {copyOf(func(s []string) []string { s[100], s[500] = "x\n", "y\n"; return s }), "[{[100,501) 401}]", 401},
		"a removal":     {copyOf(func(s []string) []string { return append(s[:10], s[300:]...) }), "[{[10,300) 0}]", 290},
	} {
		p, err := Locate(text, []Op{Replace{Old: old, New: c.fresh}})
		if err != nil {
			t.Fatal(name, err)
		}
		r := p.Changes[0].Choose(all)
		lines := 0
		for _, s := range r.Need.Spans() {
			lines += span.LinesOf(s).Len()
		}
		if fmt.Sprint(r.Splices) != c.splices || lines != c.need {
			t.Errorf("%s: %v owes %d lines, want %s and %d", name, r.Splices, lines, c.splices, c.need)
		}
		checkPlan(t, text, p)
	}
}

// TestSlidesOverManyLines inserts one of a thousand equal lines: seeing any two neighbours of them is enough, and so it
// is where the insertion is larger than the run that can be compared.
func TestSlidesOverManyLines(t *testing.T) {
	text := content.Decode([]byte("a\n" + strings.Repeat("}\n", 1000) + "b\n"))
	p, err := Locate(text, []Op{Replace{Old: "}\nb", New: "}\n}\nb"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []span.Line{0, 1, 500, 999, 1000} {
		held := func(s span.Slot) bool { return s == span.LineSlot(k) || s == span.LineSlot(k+1) }
		r := p.Changes[0].Choose(held)
		for _, s := range r.Need.Spans() {
			if !held(s.From) || s.Len() != 1 {
				t.Errorf("held %d and %d: owes %v", k+1, k+2, r.Need)
			}
		}
		checkSplices(t, text, content.Decode(p.After), r.Splices)
	}
	huge := strings.Repeat("z\n", 2*slideWorkMax)
	p, err = Locate(text, []Op{Replace{Old: "}\nb", New: "}\n" + huge + "b"}})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Changes[0].Choose(all); fmt.Sprint(r.Splices) != fmt.Sprintf("[{[1001,1001) %d}]", 2*slideWorkMax) {
		t.Errorf("%v", r.Splices)
	}
}
