package content

import (
	"bytes"
	"testing"
)

// source is a text of 20,000 lines of 52 bytes, the mean of the repositories that were measured.
func source() []byte {
	return bytes.Repeat([]byte("\tif err := doSomething(ctx, value, options); err !=\n"), 20_000)
}

func BenchmarkLineStarts(b *testing.B) {
	raw := source()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		lineStarts(raw)
	}
}

func BenchmarkDecodeAndSettle(b *testing.B) {
	raw := source()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		Decode(raw).Settle()
	}
}

func perLine(b *testing.B, hash func(line []byte)) {
	t := Decode(source()).Settle()
	n := t.Lines()
	for b.Loop() {
		for i := range n {
			hash(t.Line(i))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/line")
}

func BenchmarkSkeleton(b *testing.B) {
	h, t := NewHasher(Key{1}), Decode(source()).Settle()
	for b.Loop() {
		h.Skeleton(t)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(t.Lines()), "ns/line")
}

func BenchmarkLoose(b *testing.B) {
	h := NewHasher(Key{1})
	perLine(b, func(l []byte) { h.Loose(l) })
}

func BenchmarkBridgeHash(b *testing.B) { perLine(b, func(l []byte) { BridgeHash(l) }) }

func BenchmarkNormalizedSHA256(b *testing.B) {
	raw := source()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		NormalizedSHA256(raw)
	}
}

func BenchmarkRef(b *testing.B) {
	raw := source()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		RefOf(raw)
	}
}
