package edit

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

func numbered(n int) *content.Text {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "line %06d of a file with ordinary lines of text\n", i)
	}
	return content.Decode(b.Bytes()).Settle()
}

func BenchmarkLocate(b *testing.B) {
	t := numbered(10_000)
	b.Run("text", func(b *testing.B) {
		b.SetBytes(int64(len(t.Raw())))
		for b.Loop() {
			p, err := Locate(t, []Op{Replace{Old: "line 005000 of", New: "LINE of"}})
			if err != nil {
				b.Fatal(err)
			}
			p.Changes[0].Choose(func(span.Slot) bool { return true })
		}
	})
	b.Run("lines", func(b *testing.B) {
		for b.Loop() {
			if _, err := Locate(t, []Op{LineRange{Lines: span.Of[span.Line](5000, 5001), New: "x"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if _, err := Locate(t, []Op{Replace{Old: "ordinary", New: "plain", All: true}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("not-found", func(b *testing.B) {
		for b.Loop() {
			if _, err := Locate(t, []Op{Replace{Old: "line 005000 off", New: "x"}}); err == nil {
				b.Fatal("found")
			}
		}
	})
	crlf := content.Decode(bytes.ReplaceAll(t.Raw(), []byte("\n"), []byte("\r\n"))).Settle()
	b.Run("crlf", func(b *testing.B) {
		for b.Loop() {
			if _, err := Locate(crlf, []Op{Replace{Old: "line 005000 of a file with ordinary lines of text\nline", New: "x"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkManyOps(b *testing.B) {
	t := numbered(2 * OpsMax)
	ops := make([]Op, OpsMax)
	for i := range ops {
		ops[i] = LineRange{Lines: span.Of(span.Line(2*i), span.Line(2*i+1)), New: "x"}
	}
	for b.Loop() {
		if _, err := Locate(t, ops); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	var old, fresh bytes.Buffer
	for i := range 250 {
		fmt.Fprintf(&old, "%d\n}\n", i)
		fmt.Fprintf(&fresh, "%d\n}\n", i+i%7)
	}
	t := content.Decode(old.Bytes()).Settle()
	all := part{at: span.Of(0, span.Byte(old.Len()/2)), text: fresh.String()[:fresh.Len()/2]}
	p, err := newPlan(t, []Op{Replace{}}, []part{all})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Changes[0].Choose(func(s span.Slot) bool { return s%8 != 1 })
	}
}
