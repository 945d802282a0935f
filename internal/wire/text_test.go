package wire

import (
	"testing"

	"github.com/sightline-io/sightline"
)

// A name that would break the list into other lines is quoted.
func TestListedNamesStayOnOneLine(t *testing.T) {
	f := &fake{list: &sightline.ListAnswer{Complete: true, Entries: []sightline.Listed{
		{Path: "a\nb", Size: 1}, {Path: "é b"}, {Path: "x\xff", Kind: sightline.Folder}}}}
	want := "\"a\\nb\"\t1\né b\t0\n\"x\\xff\"/\n\n[sightline] 3 names, complete\n"
	if a := f.call(t, "list", ""); string(a.Text) != want {
		t.Errorf("got %q", a.Text)
	}
	empty := &fake{list: &sightline.ListAnswer{Complete: true}}
	if a := empty.call(t, "list", ""); string(a.Text) != "[sightline] 0 names, complete\n" {
		t.Errorf("got %q", a.Text)
	}
}
