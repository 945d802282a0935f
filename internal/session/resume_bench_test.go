package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/edit"
)

// BenchmarkResume opens a workspace whose journal knows a file of 5,000 lines that was read and edited 500 times.
func BenchmarkResume(b *testing.B) {
	p := newPlace(b)
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "line %d of the file\n", i)
	}
	p.put("f.txt", text.String())
	for i := range 500 {
		p.read("s", "f.txt", lines(1+i, 40+i))
		p.edit("s", "f.txt", edit.LineRange{Lines: lines(20+i, 20+i), New: fmt.Sprintf("edited %d", i)})
	}
	b.ResetTimer()
	for b.Loop() {
		p.restart()
	}
	b.ReportMetric(float64(p.ws.Resumed().Bytes), "log-bytes")
}
