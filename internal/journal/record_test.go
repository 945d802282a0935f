package journal

import (
	"reflect"
	"testing"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// Every kind of record comes back as it was written, and no kind is left out of the sample.
func TestEveryRecordComesBack(t *testing.T) {
	seen := map[kind]bool{}
	for _, r := range every() {
		seen[r.kind()] = true
	}
	for k := kindCompacted + 1; k < kinds; k++ {
		if !seen[k] {
			t.Errorf("no sample of kind %d", k)
		}
		if r := blank(k); r == nil || r.kind() != k {
			t.Errorf("kind %d makes a blank %T", k, r)
		}
	}
	dir := logOf(t, every())
	_, got, rep := opened(t, dir)
	if rep.Cut != 0 || rep.Gap || rep.Fresh || rep.Aside != "" || rep.Records != len(every()) || rep.Bytes != int64(len(raw(t, dir))) {
		t.Fatalf("report %+v", rep)
	}
	for i, want := range every() {
		if i >= len(got) || !reflect.DeepEqual(got[i], want) {
			t.Fatalf("record %d: got %+v, want %+v", i, got[i], want)
		}
	}
}

// A body that lacks its end, or goes on behind it, is none.
func TestBodiesAreExact(t *testing.T) {
	for _, r := range every() {
		body, ok := encode(nil, r)
		if !ok {
			t.Fatalf("%T is not written", r)
		}
		for n := range body {
			if got, ok := decode(body[:n]); ok {
				t.Errorf("%T cut to %d of %d bytes is read as %+v", r, n, len(body), got)
			}
		}
		if got, ok := decode(append(body[:len(body):len(body)], 0)); ok {
			t.Errorf("%T with a byte more is read as %+v", r, got)
		}
	}
}

// What could not be read back is not written, and leaves the log as it was.
func TestOutOfBoundsIsNotWritten(t *testing.T) {
	long := string(make([]byte, textMax+1))
	cases := map[string]Record{
		"a long name":           &Sibling{Name: long},
		"a negative time":       &Done{ID: 1, At: -1},
		"a negative line":       &Intent{Partial: []span.Line{-1}},
		"a span backwards":      &Observed{Slots: []span.Slots{{From: 5, To: 3}}},
		"splices out of order":  &Intent{Splices: span.Splices{{Old: span.Of[span.Line](5, 6)}, {Old: span.Of[span.Line](1, 2)}}},
		"an origin unknown":     &Observed{Origin: evidence.Searched + 1},
		"a ref that is none":    &Observed{Version: "secret"},
		"a skeleton too short":  &Version{State: evidence.VersionState{Ref: refOf(1), N: 3, Skeleton: hashes(2)}},
		"hashes for no splice":  &Version{State: evidence.VersionState{Ref: refOf(1), N: 3, Skeleton: hashes(1)}, Base: refOf(2)},
		"a change unknown":      &Intent{Change: changes},
		"a skeleton beyond all": &Version{State: evidence.VersionState{Ref: refOf(1), N: SkeletonLinesMax + 1, Skeleton: hashes(SkeletonLinesMax + 1)}},
	}
	for name, r := range cases {
		t.Run(name, func(t *testing.T) {
			dir := logOf(t, nil)
			j, _, _ := opened(t, dir)
			before := len(raw(t, dir))
			if err := j.Append(&Reserved{Seq: 1}, r); fault.CodeOf(err) != fault.Internal {
				t.Errorf("append answers %v", err)
			}
			if after := len(raw(t, dir)); after != before {
				t.Errorf("the log went from %d to %d bytes", before, after)
			}
			must(t, j.Append(&Reserved{Seq: 2}))
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, r := range every() {
		body, _ := encode(nil, r)
		f.Add(body)
	}
	f.Add([]byte{byte(kindObserved), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{byte(kindVersion), 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		r, ok := decode(body)
		if !ok {
			return
		}
		again, ok := encode(nil, r)
		if !ok {
			t.Fatalf("read but not written: %+v", r)
		}
		back, ok := decode(again)
		if !ok || !reflect.DeepEqual(back, r) {
			t.Fatalf("%+v came back as %+v", r, back)
		}
	})
}
