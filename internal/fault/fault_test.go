package fault_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
)

// The codes as they were published, in their order. A code is never renamed, removed or moved; a new one is appended
// to its class here and in the table.
const published = `
not-seen needs-full stale not-found ambiguous exists missing outside-root denied ignored read-only not-regular
lossy-encoding partial-line conflict dirty-buffer cursor changed-since-page needs-scope limit invalid
| io cancelled internal`

func TestTheListOfCodesIsClosed(t *testing.T) {
	refusals, failures, _ := strings.Cut(published, "|")
	var want []string
	for _, c := range strings.Fields(refusals) {
		want = append(want, c+" refusal")
	}
	for _, c := range strings.Fields(failures) {
		want = append(want, c+" failure")
	}
	var got []string
	for _, r := range fault.Rows() {
		class := " refusal"
		if r.Class == fault.Failure {
			class = " failure"
		}
		got = append(got, string(r.Code)+class)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("codes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every constant of the source stands in the table, and the table holds nothing else.
func TestEveryConstantHasARow(t *testing.T) {
	src, err := os.ReadFile("fault.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t\w+\s+Code = "([a-z-]+)"$`).FindAllStringSubmatch(string(src), -1)
	if len(declared) != len(fault.Rows()) {
		t.Errorf("%d constants, %d rows", len(declared), len(fault.Rows()))
	}
	for _, d := range declared {
		if !fault.Code(d[1]).Known() {
			t.Errorf("%s has no row", d[1])
		}
	}
}

func TestEveryRowIsComplete(t *testing.T) {
	seen := map[fault.Code]bool{}
	meanings := map[string]fault.Code{}
	for _, r := range fault.Rows() {
		if seen[r.Code] {
			t.Errorf("%s stands twice", r.Code)
		}
		seen[r.Code] = true
		if other, ok := meanings[r.Meaning]; ok {
			t.Errorf("%s and %s mean the same", r.Code, other)
		}
		meanings[r.Meaning] = r.Code
		for what, text := range map[string]string{"meaning": r.Meaning, "agent": r.Agent, "person": r.Person} {
			if !strings.HasSuffix(text, ".") || strings.ToUpper(text[:1]) != text[:1] || strings.Contains(text, "|") || len(text) > 120 {
				t.Errorf("%s: %s is no short sentence: %q", r.Code, what, text)
			}
		}
		if r.Retry == "" || strings.HasSuffix(r.Retry, ".") {
			t.Errorf("%s: retry rule %q", r.Code, r.Retry)
		}
		if r.Cured && r.Class == fault.Failure {
			t.Errorf("%s: a failure delivers nothing", r.Code)
		}
		if !r.Code.Known() || r.Code.Refusal() != (r.Class == fault.Refusal) || r.Code.Meaning() != r.Meaning {
			t.Errorf("%s is not found in its own table", r.Code)
		}
	}
	rows := fault.Rows()
	rows[0].Meaning = "changed"
	if fault.Rows()[0].Meaning == "changed" {
		t.Error("the table can be changed from outside")
	}
}

func TestCodesOutsideTheList(t *testing.T) {
	for _, c := range []fault.Code{"", "nope", "Stale"} {
		if c.Known() || c.Refusal() {
			t.Errorf("%q is known", c)
		}
		if !strings.Contains(c.Meaning(), "unknown") {
			t.Errorf("%q means %q", c, c.Meaning())
		}
	}
}

func TestErrorChains(t *testing.T) {
	cause := io.ErrUnexpectedEOF
	err := error(&fault.Error{Op: "read", Code: fault.IO, Path: "a.txt", Message: "The file cannot be read.", Err: cause})
	wrapped := fmt.Errorf("door: %w", err)

	var f *fault.Error
	if !errors.As(wrapped, &f) || f.Path != "a.txt" {
		t.Error("the fault is not found in the chain")
	}
	if !errors.Is(wrapped, cause) {
		t.Error("the cause is not found in the chain")
	}
	if !errors.Is(wrapped, &fault.Error{Code: fault.IO}) || errors.Is(wrapped, &fault.Error{Code: fault.Stale}) {
		t.Error("a fault is found by its code, and by no other")
	}
	if errors.Is(wrapped, &fault.Error{Code: fault.IO, Path: "a.txt"}) || errors.Is(wrapped, &fault.Error{Code: fault.IO, Op: "read"}) {
		t.Error("only a bare code is a pattern")
	}
	for _, c := range []struct {
		err  error
		want fault.Code
	}{
		{nil, ""},
		{err, fault.IO},
		{wrapped, fault.IO},
		{cause, fault.Internal},
		{errors.Join(cause, err), fault.IO},
		{&fault.Error{Code: fault.IO, Err: &fault.Error{Code: fault.Stale}}, fault.IO},
	} {
		if got := fault.CodeOf(c.err); got != c.want {
			t.Errorf("code of %v is %q, want %q", c.err, got, c.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  *fault.Error
		want string
	}{
		{&fault.Error{Op: "edit", Code: fault.Stale, Path: "a.go", Message: "Line 3 changed."}, "edit a.go: stale: Line 3 changed."},
		{&fault.Error{Code: fault.Stale}, "stale: Lines that were shown have changed since."},
		{&fault.Error{Code: fault.IO, Err: io.EOF}, "io: The operating system answered an error. (EOF)"},
		{fault.Newf(fault.Limit, "f", "%d bytes", 7), "f: limit: 7 bytes"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if strings.Contains(c.err.Text(), "EOF") {
			t.Error("a model is shown the cause")
		}
	}
}
