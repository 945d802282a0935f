package edit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// occursAt returns where the quoted text that begins at from ends, or -1: the rule of matching, byte by byte.
func occursAt(body, old string, from int) int {
	k := from
	for i := 0; i < len(old); i++ {
		crlf := strings.HasPrefix(body[k:], "\r\n")
		switch {
		case strings.HasPrefix(old[i:], "\r\n"):
			if !crlf {
				return -1
			}
			i, k = i+1, k+2
		case old[i] == '\n' && crlf:
			k += 2
		case k == len(body) || body[k] != old[i] || crlf:
			return -1
		case old[i] == '\n' && k > 0 && body[k-1] == '\r':
			return -1 // the second half of an ending
		default:
			k++
		}
	}
	return k
}

func TestFindAgainstTheRule(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	letters := []string{"a", "b", "\n", "\r\n", "\r"}
	word := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	found := 0
	for i := range 200_000 {
		body, old := word(12), word(4)
		if old == "" {
			continue
		}
		var want, disjoint []span.Bytes
		for from, free := 0, 0; from < len(body); from++ {
			to := occursAt(body, old, from)
			if to < 0 {
				continue
			}
			at := span.Of(span.Byte(from), span.Byte(to))
			want = append(want, at)
			if from >= free {
				disjoint, free = append(disjoint, at), to
			}
		}
		f := newFinder(content.Decode([]byte(body)))
		if got := f.find(old, len(body)+1); !slices.Equal(got, want) {
			t.Fatalf("seed %d, trial %d: %q in %q at %v, want %v", seed, i, old, body, got, want)
		}
		if got := f.all(old); !slices.Equal(got, disjoint) {
			t.Fatalf("seed %d, trial %d: all %q in %q at %v, want %v", seed, i, old, body, got, disjoint)
		}
		found += len(want)
	}
	if found < 10_000 {
		t.Errorf("only %d places were found: the trials are poor", found)
	}
}

// TestLocateRandomly makes calls of several operations on small texts of all kinds of endings and encodings, most of
// which are located, and checks what holds of every plan.
func TestLocateRandomly(t *testing.T) {
	const seed = 11
	random := rand.New(rand.NewPCG(seed, seed))
	letters := []string{"a", "}", "b", "\n", "\n", "\r\n", "\t", "\u00e9"}
	word := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	located, several := 0, 0
	for i := range 60_000 {
		file := word(24)
		switch random.IntN(8) {
		case 0:
			file = "\xef\xbb\xbf" + file
		case 1:
			file = strings.ReplaceAll(file, "a", "\xe9\xe9")
		case 2:
			file = strings.ReplaceAll(strings.ReplaceAll(file, "\r\n", "\n"), "\n", "\r\n")
		case 3:
			raw, err := content.Decode([]byte("\xff\xfea\x00")).Encode([]byte(file))
			if err != nil {
				t.Fatal(err)
			}
			file = string(raw)
		}
		before := content.Decode([]byte(file))
		var ops []Op
		for range 1 + random.IntN(3) {
			ops = append(ops, randomOp(random, before, word))
		}
		p, err := Locate(before, ops)
		if err != nil {
			checkFault(t, p, err)
		} else {
			located++
			if len(ops) > 1 {
				several++
			}
			checkPlan(t, before, p)
			checkSame(t, before, p, len(ops))
			checkEnds(t, before, p, ops)
		}
		if t.Failed() {
			t.Fatalf("seed %d, trial %d: %q by %s", seed, i, file, fmt.Sprintf("%#v", ops))
		}
	}
	if located < 15_000 || several < 2_000 {
		t.Errorf("%d calls were located, %d of several operations: the trials are poor", located, several)
	}
}

func randomOp(random *rand.Rand, t *content.Text, word func(int) string) Op {
	body, n := string(t.Body()), t.Lines()
	switch random.IntN(5) {
	case 0, 1:
		if len(body) == 0 {
			break
		}
		from := random.IntN(len(body))
		to := from + 1 + random.IntN(min(8, len(body)-from))
		old := body[from:to]
		if random.IntN(2) == 0 {
			old = strings.ReplaceAll(old, "\r\n", "\n")
		}
		return Replace{Old: old, New: word(5), All: random.IntN(3) == 0}
	case 2:
		from := random.IntN(n + 1)
		to := from + random.IntN(n-from+1)
		return LineRange{Lines: span.Of(span.Line(from), span.Line(to)), New: word(6)}
	case 3:
		if n < 2 {
			break
		}
		from := random.IntN(n - 1)
		to := from + 1 + random.IntN(n-from-1)
		return Anchors{From: string(t.Line(from)), To: string(t.Line(to)), Inclusive: random.IntN(2) == 0, New: word(5)}
	}
	return Append{Text: word(4) + "z"}
}

// checkEnds checks the rule of the final newline: whole lines put at the end leave it as it was found.
func checkEnds(t *testing.T, before *content.Text, p *Plan, ops []Op) {
	if len(ops) > 1 || p.Noop || before.Lines() == 0 {
		return
	}
	after := content.Decode(p.After)
	_, appends := ops[0].(Append)
	r, ranges := ops[0].(LineRange)
	replaces := ranges && r.New != "" && trimEnding(r.New) != ""
	if (appends || replaces) && after.FinalNewline() != before.FinalNewline() && !strings.HasSuffix(trimEnding(r.New), "\n") {
		t.Errorf("final newline: %v, was %v", after.FinalNewline(), before.FinalNewline())
	}
}
