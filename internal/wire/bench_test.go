package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/sightline-io/sightline"
)

// benchPage is a page of the size that one answer has.
func benchPage() *sightline.Page {
	text := bytes.Repeat([]byte("\tif err := doSomething(\"with text\"); err != nil {\n"), 150)
	l := lines(0, 150)
	return &sightline.Page{Path: "src/app.go", Source: "disk", Lines: &l, TotalLines: 150, Text: text, Shown: text, State: sightline.Satisfied}
}

func BenchmarkCallRead(b *testing.B) {
	f := &fake{page: benchPage()}
	args := json.RawMessage(`{"path":"src/app.go","first":1,"last":150}`)
	b.ReportAllocs()
	for b.Loop() {
		if a := Call(b.Context(), f, "read", args, sightline.Meta{}); a.Code != "" {
			b.Fatal(string(a.Text))
		}
	}
}

func BenchmarkStructuredRead(b *testing.B) {
	f := &fake{page: benchPage()}
	a := f.call(b, "read", `{"path":"src/app.go"}`)
	b.SetBytes(int64(len(f.page.Text)))
	b.ReportAllocs()
	for b.Loop() {
		a.Structured()
	}
}

func BenchmarkDecodeEdits(b *testing.B) {
	item := []byte(`{"old":"\tif err != nil {\n\t\treturn err\n\t}\n","new":"\treturn wrap(err)\n"},`)
	args := append(append([]byte(`{"path":"a","edits":[`), bytes.Repeat(item, 1000)...), `{"append":"x"}]}`...)
	b.SetBytes(int64(len(args)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := newRequest("edit", args, sightline.Meta{}).edit(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenEnvelope(b *testing.B) {
	args := json.RawMessage(`{"path":"src/app.go","first":1,"last":150,"session":"s1"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := OpenEnvelope(args); err != nil {
			b.Fatal(err)
		}
	}
}
