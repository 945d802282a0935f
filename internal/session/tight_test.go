package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// Splices lose the lines at their ends that say the same before and after, where that is one line for certain.
func TestTight(t *testing.T) {
	one := func(from, to span.Line, n int) span.Splices { return span.Splices{{Old: span.Of(from, to), New: n}} }
	for name, c := range map[string]struct {
		before, after string
		given         span.Splices
		want          string
	}{
		"a changed line":                   {"a b c", "a B c", one(1, 2, 1), "[{[1,2) 1}]"},
		"an ending alone":                  {"a b|", "a b", one(1, 2, 1), "[]"},
		"lines behind a line without one":  {"a b|", "a b x", one(1, 2, 2), "[{[2,2) 1}]"},
		"given back as it was":             {"a b c d", "a b X d", one(1, 4, 3), "[{[2,3) 1}]"},
		"one of several equal lines":       {"a } } d", "a } d", one(1, 3, 1), "[{[1,3) 1}]"},
		"a line that became two equal":     {"a b", "b b", one(0, 2, 2), "[{[0,2) 2}]"},
		"a removal":                        {"a b c", "a c", one(1, 2, 0), "[{[1,2) 0}]"},
		"an insertion":                     {"a c", "a b c", one(1, 1, 1), "[{[1,1) 1}]"},
		"two splices, the second shortens": {"a b c d e", "A b c X e", span.Splices{{Old: span.Of[span.Line](0, 2), New: 2}, {Old: span.Of[span.Line](3, 5), New: 2}}, "[{[0,1) 1} {[3,4) 1}]"},
	} {
		if got := fmt.Sprint(tight(words(c.before), words(c.after), c.given)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// words returns a text of one line per word; a bar behind the last one takes its newline away.
func words(s string) *content.Text {
	text := strings.ReplaceAll(s, " ", "\n") + "\n"
	return content.Decode([]byte(strings.TrimSuffix(strings.Replace(text, "|\n", "|", 1), "|")))
}
