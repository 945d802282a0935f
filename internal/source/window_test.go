package source

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// naive is what a window is, told of a file held in one piece.
func naive(file string, at Place, to span.Line, limit int) Window {
	lines := strings.SplitAfter(file, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	n := span.Line(len(lines))
	w := Window{At: at, Total: -1}
	if at.Column > 0 && at.Line < n {
		if line := lines[at.Line]; int(at.Column) >= len(line) && strings.HasSuffix(line, "\n") {
			w.At = Place{at.Line + 1, 0}
		}
	}
	k := w.At.Line
	for ; k < min(n, to); k++ {
		line := lines[k]
		if k == w.At.Line {
			line = line[min(int(w.At.Column), len(line)):]
		}
		if len(w.Text)+len(line) > limit {
			if len(w.Text) == 0 {
				cut := limit
				for k := 1; k < utf8.UTFMax && k < limit; k++ {
					if _, size := utf8.DecodeRuneInString(line[limit-k:]); size > k {
						cut = limit - k // a character that the bound would divide
					}
				}
				w.Text, w.Cut = []byte(line[:cut]), true
			}
			return w
		}
		w.Text = append(w.Text, line...)
	}
	if k >= n {
		w.End, w.Total = true, int(n)
	}
	return w
}

// Windows of random files, places and bounds are what the naive model says, wherever lines and characters fall into
// the pieces that are read at a time.
func TestWindowsAgainstANaiveModel(t *testing.T) {
	w := newWorld(t)
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 25 {
		var b strings.Builder
		for range r.IntN(12) {
			switch r.IntN(6) {
			case 0: // longer than one piece
				b.WriteString(strings.Repeat("é€", windowChunk/4+r.IntN(3)))
			case 1:
				b.WriteString(strings.Repeat("x", windowChunk-1-r.IntN(2)))
			default:
				b.WriteString(strings.Repeat("y", r.IntN(60)))
			}
			if r.IntN(8) > 0 {
				b.WriteString([]string{"\n", "\r\n"}[r.IntN(2)])
			}
		}
		file := b.String()
		w.Write("f", file, 0o644)
		for range 30 {
			at := Place{Line: span.Line(r.IntN(14))}
			if r.IntN(3) == 0 {
				at.Column = span.Byte(r.IntN(70))
			}
			to := at.Line + 1 + span.Line(r.IntN(6))
			limit := 4 + r.IntN([]int{50, 5000, 2 * windowChunk}[r.IntN(3)])
			got, err := w.files.ReadWindow(context.Background(), name(t, "f"), at, to, limit)
			if err != nil {
				t.Fatal(err)
			}
			want := naive(file, at, to, limit)
			// Reaching the end is told where the reading came to it; a window that ends at a line before may not know.
			if !got.End && want.End && got.At.Line+span.Line(strings.Count(string(got.Text), "\n")) >= to {
				want.End, want.Total = false, -1
			}
			if fmt.Sprint(got.At, got.Cut, got.End, got.Total) != fmt.Sprint(want.At, want.Cut, want.End, want.Total) || string(got.Text) != string(want.Text) {
				t.Fatalf("round %d: window %v to %d of at most %d bytes in %d lines:\n got %v cut %v end %v total %d, %d bytes\nwant %v cut %v end %v total %d, %d bytes",
					round, at, to, limit, strings.Count(file, "\n"), got.At, got.Cut, got.End, got.Total, len(got.Text),
					want.At, want.Cut, want.End, want.Total, len(want.Text))
			}
		}
	}
}

// A window ends between two characters, if there is such a place.
func TestWindowsKeepCharactersWhole(t *testing.T) {
	w := newWorld(t)
	w.Write("f", strings.Repeat("€", 10), 0o644)
	w.Write("g", strings.Repeat("\xa4", 10), 0o644)
	for limit := 4; limit < 12; limit++ {
		got, err := w.files.ReadWindow(context.Background(), name(t, "f"), Place{}, 1, limit)
		if err != nil || !got.Cut || !utf8.Valid(got.Text) || len(got.Text) != limit/3*3 {
			t.Errorf("limit %d: %q, %v", limit, got.Text, err)
		}
		if got, err = w.files.ReadWindow(context.Background(), name(t, "g"), Place{}, 1, limit); err != nil || !got.Cut && limit < 10 || len(got.Text) != min(limit, 10) {
			t.Errorf("limit %d of no text at all: %q, %v", limit, got.Text, err)
		}
	}
}

func TestWindowFaults(t *testing.T) {
	w := newWorld(t)
	w.Write("f", "x\n", 0o644)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.files.ReadWindow(ctx, name(t, "f"), Place{}, 1, 10); fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("a cancelled window: %v", err)
	}
	if _, err := w.files.ReadWindow(context.Background(), name(t, "none"), Place{}, 1, 10); fault.CodeOf(err) != fault.Missing {
		t.Errorf("a window of nothing: %v", err)
	}
}
