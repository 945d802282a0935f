package evidence

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/sightline-io/sightline/internal/span"
)

// benchStage is a file of n lines, all shown to P in windows of a hundred.
func benchStage(b testing.TB, n int) (*stage, *player) {
	s := newStage(b, "")
	s.vs = NewVersions(64 << 20)
	s.text = numberedText(n)
	p := s.session("P")
	v := s.version()
	for k := 1; k <= n; k += 100 {
		p.seq++
		p.t.Observe(s.h, v, []Entry{{Slots: v.Shown(lines(k, k+99)), Seq: p.seq}})
	}
	p.tick()
	return s, p
}

func BenchmarkObserveAgain(b *testing.B) {
	s, p := benchStage(b, 10_000)
	v := s.version()
	e := []Entry{{Slots: v.Shown(lines(501, 600)), Seq: p.seq}}
	for b.Loop() {
		p.t.Observe(s.h, v, e)
	}
}

func BenchmarkJudgeEditOnTheVersionShown(b *testing.B) {
	s, p := benchStage(b, 10_000)
	v, call := s.version(), p.callOf(s.text, quoting(5000, 5003, "x"))
	for b.Loop() {
		if !Judge(p.t, s.h, v, call).Allow {
			b.Fatal("refused")
		}
	}
}

func BenchmarkJudgeReplaceOnTheVersionShown(b *testing.B) {
	s, p := benchStage(b, 10_000)
	v := s.version()
	for b.Loop() {
		if !Judge(p.t, s.h, v, Call{Kind: KindReplace, Boundary: p.boundary}).Allow {
			b.Fatal("refused")
		}
	}
}

func BenchmarkJudgeEditAfterAStranger(b *testing.B) {
	s, p := benchStage(b, 100_000)
	s.text[50] = "changed"
	v, call := s.version(), p.callOf(s.text, quoting(5000, 5003, "x"))
	for b.Loop() {
		if !Judge(p.t, s.h, v, call).Allow {
			b.Fatal("refused")
		}
	}
}

func BenchmarkJudgeReplaceOfAnotherFile(b *testing.B) {
	s, p := benchStage(b, 100_000)
	for i := range s.text {
		s.text[i] = fmt.Sprint("other", i)
	}
	v := s.version()
	for b.Loop() {
		if Judge(p.t, s.h, v, Call{Kind: KindReplace, Boundary: p.boundary}).Allow {
			b.Fatal("admitted")
		}
	}
}

func BenchmarkJudgeReplaceWithEveryOtherLineChanged(b *testing.B) {
	s, p := benchStage(b, 100_000)
	for i := 0; i < len(s.text); i += 2 {
		s.text[i] = fmt.Sprint("other", i)
	}
	v := s.version()
	for b.Loop() {
		if got := Judge(p.t, s.h, v, Call{Kind: KindReplace, Boundary: p.boundary}); len(got.Drifted) != 50_000 {
			b.Fatal(len(got.Drifted))
		}
	}
}

func BenchmarkRebaseOwnEdit(b *testing.B) {
	s, p := benchStage(b, 10_000)
	from := s.version()
	s.text = append([]string(nil), s.text...)
	s.text[5000] = "changed"
	e := Edge{From: from, To: s.version(), Splices: span.Splices{{Old: lines(5001, 5001), New: 1}}, Seq: p.seq + 1}
	s.h.Add(e)
	for b.Loop() {
		c := p.t.Clone()
		c.Rebase(s.h, e, true, nil, e.Seq, 0, 9)
		c.Clear()
	}
}

// A file that was read once, in one window or in a hundred, takes at most 24 bytes a line.
func TestEvidenceTakesFewBytesALine(t *testing.T) {
	const n = 100_000
	text := numberedText(n)
	for _, window := range []int{n, n / 100} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := newStage(t, "")
		s.vs = NewVersions(64 << 20)
		s.text = text
		p := s.session("P")
		v := s.version()
		for k := 1; k <= n; k += window {
			p.seq++
			p.t.Observe(s.h, v, []Entry{{Slots: v.Shown(lines(k, k+window-1)), Seq: p.seq}})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		perLine := float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / n
		t.Logf("windows of %d lines: %.1f bytes a line", window, perLine)
		if perLine > 24 {
			t.Errorf("windows of %d lines: %.1f bytes a line", window, perLine)
		}
		if n := p.t.Entries(); n > 100 {
			t.Errorf("%d entries", n)
		}
		runtime.KeepAlive(s)
	}
}
