package edit

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// TestCorpus runs the cases of testdata. Each section of an archive is one case, in these words; texts are quoted with '
// and escaped as for printf, lines are counted from one and A-B is closed, so 3-2 is the place above line 3.
//
//	file 'bytes'                        the original
//	replace 'old' 'new' [all]           operations, in the order of the call
//	lines A-B 'new'
//	anchors 'from' 'to' 'new' [inclusive]
//	append 'text'
//	whole 'text' [as-given]             or: the file as a whole
//	create 'text'
//	held 1-2,4 | held none              what is held of the original; everything, if not said
//	after 'bytes'                       what has to come out
//	noop                                it is what the file holds
//	need 2,4-5 | whole | start | none   what all changes together owe: 4-5 with the seam between, 4,5 without
//	splices 2-2=>1,5-4=>2               what their readings do
//	columns 1:3-9                       what is owed of long lines, in bytes from zero, half-open
//	changes 2-2=>2-3                    lines of each change before and after
//	newer 'bytes'                       carried over to this text, where lines keep their content
//	then 'bytes' | then refused         what comes out of that
//	refuse code 'words' ...             instead of after: the code, and words of the message
//	op N, near A-B, at A-B,C-D          what the refusal's detail says
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	count := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Files {
			count++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+s.Name, func(t *testing.T) { runCase(t, string(s.Data)) })
		}
	}
	if count < 80 {
		t.Errorf("the corpus has %d cases", count)
	}
}

type corpusCase struct {
	file  string
	ops   []Op
	whole func(*content.Text) (*Plan, error)
	held  map[span.Line]bool
	want  map[string][]string // the other words, with their arguments
}

func runCase(t *testing.T, script string) {
	c := parseCase(t, script)
	text := content.Decode([]byte(c.file))
	var p *Plan
	var err error
	if c.whole != nil {
		p, err = c.whole(text)
	} else {
		p, err = Locate(text, c.ops)
	}
	if string(text.Raw()) != c.file {
		t.Fatal("the original was changed")
	}
	if want, ok := c.want["refuse"]; ok {
		c.checkRefusal(t, err, want)
		return
	}
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	if want, ok := c.want["after"]; !ok || string(p.After) != want[0] {
		t.Errorf("after %q, want %q", p.After, want)
	}
	if _, ok := c.want["noop"]; ok != p.Noop {
		t.Errorf("noop is %v", p.Noop)
	}
	checkPlan(t, text, p)
	got := c.describe(text, p)
	for _, k := range []string{"need", "splices", "columns", "changes"} {
		if want, ok := c.want[k]; ok && strings.Join(want, " ") != got[k] {
			t.Errorf("%s %s, want %s", k, got[k], strings.Join(want, " "))
		}
	}
	if newer, ok := c.want["newer"]; ok {
		c.checkCarried(t, text, p, newer[0])
	}
}

func (c *corpusCase) checkRefusal(t *testing.T, err error, want []string) {
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("not refused, or not by a fault: %v", err)
	}
	if string(f.Code) != want[0] {
		t.Fatalf("refused %v, want %s", f, want[0])
	}
	for _, w := range want[1:] {
		if !strings.Contains(f.Message, w) {
			t.Errorf("the message says %q, want %q in it", f.Message, w)
		}
	}
	var d *LocateDetail
	found := errors.As(err, &d)
	if (f.Code == fault.NotFound || f.Code == fault.Ambiguous) != found {
		t.Fatalf("detail is there: %v", found)
	}
	if !found {
		return
	}
	got := map[string]string{"op": strconv.Itoa(d.Op + 1), "near": closed(d.Near), "at": closedAll(d.Occurrences)}
	for k, g := range got {
		if want, ok := c.want[k]; ok && want[0] != g {
			t.Errorf("%s is %s, want %s", k, g, want[0])
		}
	}
}

func (c *corpusCase) holds(s span.Slot) bool { return c.held == nil || s.IsLine() && c.held[s.Line()] }

// describe says what the readings owe and do.
func (c *corpusCase) describe(text *content.Text, p *Plan) map[string]string {
	var need span.Set[span.Slot]
	var splices, columns, changes []string
	for _, ch := range p.Changes {
		r := ch.Choose(c.holds)
		need = need.Union(r.Need)
		for _, s := range r.Splices {
			splices = append(splices, fmt.Sprintf("%s=>%d", closed(s.Old), s.New))
		}
		for k, cols := range r.Columns {
			for _, col := range cols {
				columns = append(columns, fmt.Sprintf("%d:%d-%d", k+1, col.From, col.To))
			}
		}
		changes = append(changes, closed(ch.Lines)+"=>"+closed(ch.Result))
	}
	sort.Strings(columns)
	return map[string]string{"need": needWords(need, text.Lines()), "splices": orNone(splices), "columns": orNone(columns), "changes": orNone(changes)}
}

func (c *corpusCase) checkCarried(t *testing.T, text *content.Text, p *Plan, newer string) {
	to := content.Decode([]byte(newer))
	at := map[string]span.Line{}
	for i := range to.Lines() {
		if _, twice := at[string(to.Line(i))]; twice {
			t.Fatal("a newer text needs lines that differ")
		}
		at[string(to.Line(i))] = span.Line(i)
	}
	q, err := p.Transport(to, func(k span.Line) (span.Line, bool) {
		now, ok := at[string(text.Line(int(k)))]
		return now, ok
	})
	want := c.want["then"]
	if want[0] == "refused" {
		if fault.CodeOf(err) != fault.Conflict {
			t.Errorf("carried over: %v, want a conflict", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if string(q.After) != want[0] {
		t.Errorf("carried over: %q, want %q", q.After, want[0])
	}
	checkPlan(t, to, q)
}

func closed(l span.Lines) string { return fmt.Sprintf("%d-%d", l.From+1, l.To) }

func closedAll(ls []span.Lines) string {
	var out []string
	for _, l := range ls {
		out = append(out, closed(l))
	}
	return orNone(out)
}

func orNone(s []string) string {
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, ",")
}

func needWords(need span.Set[span.Slot], n int) string {
	var out []string
	for _, s := range need.Spans() {
		switch l := span.LinesOf(s); {
		case n == 0 && s == span.WholeFile(0):
			out = append(out, "start")
		case s == span.WholeFile(n):
			out = append(out, "whole")
		case s != span.InnerSlots(l):
			out = append(out, s.String())
		case l.Len() == 1:
			out = append(out, strconv.Itoa(int(l.To)))
		default:
			out = append(out, closed(l))
		}
	}
	return orNone(out)
}

func parseCase(t *testing.T, script string) *corpusCase {
	c := &corpusCase{want: map[string][]string{}}
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		w, err := words(line)
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if err := c.word(w); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
	}
	return c
}

func (c *corpusCase) word(w []string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("malformed: %v", r)
		}
	}()
	flag := func(name string) bool { return slices.Contains(w[2:], name) }
	switch w[0] {
	case "file":
		c.file = w[1]
	case "replace":
		c.ops = append(c.ops, Replace{Old: w[1], New: w[2], All: len(w) > 3 && w[3] == "all"})
	case "lines":
		c.ops = append(c.ops, LineRange{Lines: lineRange(w[1]), New: w[2]})
	case "anchors":
		c.ops = append(c.ops, Anchors{From: w[1], To: w[2], New: w[3], Inclusive: flag("inclusive")})
	case "append":
		c.ops = append(c.ops, Append{Text: w[1]})
	case "whole":
		c.whole = func(t *content.Text) (*Plan, error) { return Whole(t, w[1], flag("as-given")) }
	case "create":
		c.whole = func(*content.Text) (*Plan, error) { return Create(w[1]) }
	case "held":
		c.held = map[span.Line]bool{}
		for _, r := range strings.Split(w[1], ",") {
			if r == "none" {
				continue
			}
			for l := lineRange(r); !l.Empty(); l.From++ {
				c.held[l.From] = true
			}
		}
	default:
		c.want[w[0]] = w[1:]
	}
	return nil
}

func lineRange(s string) span.Lines {
	a, b, ok := strings.Cut(s, "-")
	if !ok {
		b = a
	}
	from, err := strconv.Atoi(a)
	to, err2 := strconv.Atoi(b)
	if err != nil || err2 != nil {
		panic(s)
	}
	return span.Of(span.Line(from-1), span.Line(to))
}

// words splits a line at blanks outside of quotes, and takes the quotes and the escapes away. 'ab'*3 + 'c' is one word.
func words(line string) ([]string, error) {
	var out []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '\'' {
			w, rest, _ := strings.Cut(line, " ")
			out, line = append(out, w), rest
			continue
		}
		word := ""
		for more := true; more; {
			body, rest, ok := strings.Cut(line[1:], "'")
			s, err := unescape(body)
			if !ok || err != nil {
				return nil, fmt.Errorf("an open quote, or %w", err)
			}
			count := "1"
			if tail, ok := strings.CutPrefix(rest, "*"); ok {
				count, rest, _ = strings.Cut(tail, " ")
				rest = " " + rest
			}
			n, err := strconv.Atoi(count)
			if err != nil {
				return nil, err
			}
			word += strings.Repeat(s, n)
			line, more = strings.CutPrefix(rest, " + ")
		}
		out = append(out, word)
	}
	return out, nil
}

func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", errors.New("an escape at the end")
		}
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case '\\':
			b.WriteByte('\\')
		case 'x':
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return "", err
			}
			b.WriteByte(byte(n))
			i += 2
		default:
			return "", fmt.Errorf("unknown escape \\%c", s[i])
		}
	}
	return b.String(), nil
}
