package journal

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/span"
)

func rows(n int) []Record {
	out := make([]Record, n)
	for i := range out {
		out[i] = &Observed{Session: "claude-code:0f3a", Key: "internal/session/journal.go", Version: refOf(i), Seq: evidence.Seq(1 << 20), Call: 1 << 20,
			At: 1700000000000, Slots: []span.Slots{span.Of[span.Slot](200, 401)}}
	}
	return out
}

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			j, _, _ := opened(b, filepath.Join(b.TempDir(), "state"))
			batch := rows(n)
			b.ReportAllocs()
			for b.Loop() {
				must(b, j.Append(batch...))
				if j.Size() > 256<<20 {
					must(b, j.Compact(func(func(Record) error) error { return nil }))
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func BenchmarkSync(b *testing.B) {
	j, _, _ := opened(b, filepath.Join(b.TempDir(), "state"))
	for b.Loop() {
		must(b, j.Sync(&Rewound{Session: "claude-code:0f3a", Epoch: 2, UpTo: 9}))
	}
}

func BenchmarkReplay(b *testing.B) {
	const n = 100_000
	dir := logOf(b, rows(n))
	for b.Loop() {
		b.StopTimer()
		j, err := Open(options(dir))
		must(b, err)
		b.StartTimer()
		rep, err := j.Replay(func(Record) error { return nil })
		must(b, err)
		if rep.Records != n {
			b.Fatal(rep)
		}
		b.StopTimer()
		closed(b, j)
		b.StartTimer()
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
