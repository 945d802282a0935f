package wire

import (
	"reflect"
	"testing"

	"github.com/sightline-io/sightline"
)

// A door that plans and commits itself sees the request that Call would make, and gives the answer that Call would give.
func TestPlanningDoorsSeeTheSameEdit(t *testing.T) {
	const args = `{"path":"a","edits":[{"first":2,"last":1,"new":"x"}],"request_id":"7"}`
	f := &fake{edit: &sightline.EditAnswer{Path: "a", Edits: []sightline.Changed{{Before: lines(1, 1), After: lines(1, 2)}}}}
	a := f.call(t, "edit", args)
	q, err := DecodeEdit([]byte(args), sightline.Meta{})
	if err != nil || !reflect.DeepEqual(q, f.got) {
		t.Errorf("decoded %+v, %v; Call asked %+v", q, err, f.got)
	}
	b := EditDone(f.edit)
	if string(a.Text) != string(b.Text) || string(a.Structured()) != string(b.Structured()) || b.Tool != "edit" {
		t.Errorf("%s differs from %s", b.Text, a.Text)
	}
	if _, err := DecodeEdit([]byte(`{"path":"a"}`), sightline.Meta{}); sightline.CodeOf(err) != sightline.Invalid {
		t.Errorf("an edit without edits: %v", err)
	}
	if _, err := DecodeEdit(nil, sightline.Meta{}); err == nil {
		t.Error("no arguments were taken for an edit")
	}
}
