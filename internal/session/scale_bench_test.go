package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// What evidence costs as more files are tracked, and what it weighs.
//
//	go test ./internal/session -run '^$' -bench Scale -benchtime 20000x
//	go test ./internal/session -run '^$' -bench Memory -benchtime 1x

func scaleSession(b *testing.B) *Session {
	b.Helper()
	w, err := Open(context.Background(), Options{Root: b.TempDir(), Entropy: rand.Reader,
		Clock: func() int64 { return time.Now().UnixMilli() }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	s, err := w.Session("s")
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func scaleKey(b *testing.B, s *Session, i int) scope.Key {
	n, err := scope.NameOf(fmt.Sprintf("dir%d/file%d.go", i%1000, i))
	if err != nil {
		b.Fatal(err)
	}
	return n.Key(s.ws.root)
}

func scaleCapture(i, lines int) *content.Capture {
	var t []byte
	for k := range lines {
		t = fmt.Appendf(t, "line %d of file %d, as long as lines are\n", k, i)
	}
	c := content.CaptureOf(t)
	c.Text().Settle()
	return c
}

// see books what a read of the lines [0, n) of c would.
func see(s *Session, key scope.Key, c *content.Capture, n int) {
	s.observe(&show{s: s, key: key, capture: c, lines: []span.Lines{span.Of(0, span.Line(n))}, seq: s.ws.next(), epoch: s.epoch})
}

// BenchmarkScale records and judges one file of 30 lines while 10^2 to 10^6 others are tracked.
func BenchmarkScale(b *testing.B) {
	for _, tracked := range []int{100, 10_000, 1_000_000} {
		s := scaleSession(b)
		small := scaleCapture(0, 1)
		for i := range tracked {
			see(s, scaleKey(b, s, i), small, 1)
		}
		c := scaleCapture(1, 30)
		v := s.ws.version(c)
		b.Run(fmt.Sprintf("record/%d", tracked), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				see(s, scaleKey(b, s, (i*7919)%tracked), c, 30)
			}
		})
		b.Run(fmt.Sprintf("check/%d", tracked), func(b *testing.B) {
			need := evidence.Need{Lines: span.Of[span.Line](3, 4), Choose: func(func(span.Slot) bool) evidence.Reading {
				return evidence.Reading{Need: span.SetOf(span.InnerSlots(span.Of[span.Line](3, 4)))}
			}}
			for i := 0; b.Loop(); i++ {
				key := scaleKey(b, s, (i*7919)%tracked)
				s.ws.mu.Lock()
				evidence.Judge(s.peek(key), s.ws.history(key), v, evidence.Call{Needs: []evidence.Need{need}, Boundary: evidence.Now})
				s.ws.mu.Unlock()
			}
		})
	}
}

// BenchmarkMemory weighs the evidence of 200 files of 2,000 lines, and of a window read a hundred times over.
func BenchmarkMemory(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for range b.N {
		s := scaleSession(b)
		before := heap()
		for i := range 200 {
			see(s, scaleKey(b, s, i), scaleCapture(i, 2000), 2000)
		}
		once := heap() - before
		b.ReportMetric(float64(once)/(200*2000), "B/line")
		for i := range 200 {
			c := scaleCapture(i, 2000)
			for range 100 {
				see(s, scaleKey(b, s, i), c, 50)
			}
		}
		b.ReportMetric(float64(heap()-before)/float64(once), "x-after-100-rereads")
		runtime.KeepAlive(s)
	}
}
