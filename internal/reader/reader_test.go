package reader

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

func text(s string) *content.Text { return content.Decode([]byte(s)).Settle() }

func lines(from, to span.Line) []span.Lines { return []span.Lines{span.Of(from, to)} }

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestGutter(t *testing.T) {
	p := Build(text("a\n\tb\r\nc"), lines(0, 3), Position{}, 4096)
	if got, want := string(p.Shown), "     1\ta\n     2\t\tb\n     3\tc\n"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	if got, want := string(p.Text), "a\n\tb\r\nc"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if p.Next != nil || len(p.Cuts) != 0 {
		t.Errorf("next %v, cuts %v, want none", p.Next, p.Cuts)
	}
	for n, want := range map[span.Line]string{8: "     9\t", 9: "    10\t", 999_998: "999999\t", 999_999: "1000000\t", 12_345_677: "12345678\t"} {
		if got := string(appendGutter(nil, n)); got != want || gutterLen(n) != len(want) {
			t.Errorf("gutter of line %d: %q of length %d, want %q", n, got, gutterLen(n), want)
		}
	}
}

// Pages of any text and any budget fit it, join up to the whole without gap or overlap, and end.
func TestPagesJoin(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		var b strings.Builder
		for range r.Intn(60) {
			switch r.Intn(8) {
			case 0:
				b.WriteString(strings.Repeat("é", r.Intn(1500)))
			case 1:
				b.WriteString("\xff\x00")
			default:
				b.WriteString(strings.Repeat("x", r.Intn(80)))
			}
			b.WriteString([]string{"\n", "\r\n"}[r.Intn(2)])
		}
		src := text(b.String())
		want := lines(0, span.Line(src.Lines()))
		budget := PageBytesMin + r.Intn(2000)
		seen, cols := span.Set[span.Line]{}, map[span.Line]int{}
		for pos, pages := (Position{}), 0; ; pages++ {
			p := Build(src, want, pos, budget)
			if len(p.Shown)+NoticeBytes > budget {
				t.Fatalf("a page of %d bytes for a budget of %d less notices", len(p.Shown), budget)
			}
			for _, l := range p.Lines {
				if !seen.Intersect(l).Empty() {
					t.Fatalf("lines %v shown twice", l)
				}
				seen = seen.With(l)
			}
			for _, c := range p.Cuts {
				if int(c.Shown.From) != cols[c.Line] {
					t.Fatalf("line %d goes on at byte %d, want %d", c.Line, c.Shown.From, cols[c.Line])
				}
				if cols[c.Line] = int(c.Shown.To); cols[c.Line] == c.Len {
					seen = seen.With(span.Of(c.Line, c.Line+1))
				}
			}
			if p.Next == nil {
				break
			}
			if *p.Next == pos {
				t.Fatalf("page %d does not move on from %v", pages, pos)
			}
			pos = *p.Next
		}
		if !seen.Covers(want[0]) {
			t.Fatalf("shown %v of %v", seen, want)
		}
	}
}

func TestLongLineIsCutAndContinued(t *testing.T) {
	long := strings.Repeat("x", 2995) + "TAIL!"
	src := text("a\n" + long + "\nb\n")
	first := Build(src, lines(0, 3), Position{}, 2000)
	if fmt.Sprint(first.Lines, first.Cuts) != "[[0,1)] []" || *first.Next != (Position{Line: 1}) {
		t.Fatalf("a line that does not fit beside another ends the page: %v %v %v", first.Lines, first.Cuts, first.Next)
	}
	second := Build(src, lines(0, 3), *first.Next, 2000)
	if len(second.Cuts) != 1 || second.Cuts[0].Line != 1 || second.Cuts[0].Len != 3000 || len(second.Lines) != 0 {
		t.Fatalf("cuts %v, lines %v", second.Cuts, second.Lines)
	}
	last := Build(src, lines(0, 3), *second.Next, 2000)
	if !strings.Contains(string(last.Shown), "TAIL!\n     3\tb\n") || fmt.Sprint(last.Lines) != "[[2,3)]" || last.Next != nil {
		t.Fatalf("last page: %q %v %v", last.Shown, last.Lines, last.Next)
	}
}

// The pages of one read add up to what was wanted, whichever lines the bound cuts in two; and each says which.
func TestPagesAddUpAcrossCutLines(t *testing.T) {
	for _, src := range []string{
		"a\n" + strings.Repeat("x", 2995) + "TAIL!\r\n" + "b\n" + strings.Repeat("\u00e9", 1700),
		strings.Repeat("y", 5000),
		strings.Repeat("y", 5000) + "\n\n",
		strings.Repeat("\xe9\x00", 900) + "\nz",
	} {
		got, t0 := "", text(src)
		for at := (&Position{}); at != nil; {
			p := Build(t0, lines(0, span.Line(t0.Lines())), *at, PageBytesMin)
			if len(p.Text) == 0 || len(p.Shown) > PageBytesMin-NoticeBytes {
				t.Fatalf("a page of %d bytes shows %d", len(p.Text), len(p.Shown))
			}
			got += string(p.Text)
			at = p.Next
		}
		if got != src {
			t.Errorf("the pages of %q... add up to %d bytes, want %d", src[:10], len(got), len(src))
		}
	}
}

func TestSeveralSpans(t *testing.T) {
	src := text(numbered(1, 20))
	p := Build(src, []span.Lines{span.Of[span.Line](2, 4), span.Of[span.Line](9, 10)}, Position{}, 4096)
	if got, want := string(p.Shown), "     3\tline 3\n     4\tline 4\n    10\tline 10\n"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	if got, want := string(p.Text), "line 3\nline 4\nline 10\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestInexactLinesAreNamed(t *testing.T) {
	p := Build(text("caf\xe9\nok\n"), lines(0, 2), Position{}, 4096)
	if got, want := string(p.Shown), "     1\tcaf\ufffd\n     2\tok\n"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	if fmt.Sprint(p.Lossy, p.Lines) != "[0] [[0,2)]" {
		t.Errorf("lossy %v, lines %v", p.Lossy, p.Lines)
	}
	if got, want := string(p.Text), "caf\xe9\nok\n"; got != want {
		t.Errorf("text %q, want the bytes as they are", got)
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{20, 2000, 100_000} {
		src := text(strings.Repeat("\tsome line of source code that is of usual length {\n", n))
		b.Run(fmt.Sprint(n, " lines"), func(b *testing.B) {
			b.SetBytes(int64(len(src.Body())))
			for b.Loop() {
				Build(src, lines(0, span.Line(n)), Position{}, 1<<30)
			}
		})
	}
}
