package edit_test

import (
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// What Shape refuses, Locate refuses in every file; what it lets pass fits some file.
func TestShapeIsWhatNoFileCanTake(t *testing.T) {
	text := content.Decode([]byte("a\nb\n"))
	for name, c := range map[string]struct {
		ops []edit.Op
		bad bool
	}{
		"none":             {nil, true},
		"nil":              {[]edit.Op{nil}, true},
		"NUL":              {[]edit.Op{edit.Replace{Old: "a", New: "x\x00"}}, true},
		"no UTF-8":         {[]edit.Op{edit.Append{Text: "\xff"}}, true},
		"backwards":        {[]edit.Op{edit.LineRange{Lines: span.Of[span.Line](2, 1), New: "x"}}, true},
		"inserts nothing":  {[]edit.Op{edit.LineRange{Lines: span.Of[span.Line](1, 1)}}, true},
		"empty anchor":     {[]edit.Op{edit.Anchors{From: "", To: "b", New: "x"}}, true},
		"replace":          {[]edit.Op{edit.Replace{Old: "a", New: "x"}}, false},
		"numbers":          {[]edit.Op{edit.LineRange{Lines: span.Of[span.Line](0, 1), New: "x"}}, false},
		"second is broken": {[]edit.Op{edit.Replace{Old: "a", New: "x"}, edit.Append{}}, true},
	} {
		shape := edit.Shape(c.ops)
		_, located := edit.Locate(text, c.ops)
		if (shape != nil) != c.bad || (located != nil) != c.bad {
			t.Errorf("%s: Shape says %v, Locate %v", name, shape, located)
		}
		if c.bad && fault.CodeOf(shape) != fault.CodeOf(located) {
			t.Errorf("%s: Shape says %v, Locate %v", name, shape, located)
		}
	}
	if edit.ShapeText("a\nb") != nil || fault.CodeOf(edit.ShapeText("a\x00")) != fault.Invalid {
		t.Error("ShapeText")
	}
}
