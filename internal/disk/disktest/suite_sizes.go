package disktest

import (
	"slices"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

func suiteSizes(t *testing.T, w World) {
	w.Mkdir("d", 0o755)
	w.Mkdir("d/sub", 0o755)
	w.Write("d/empty", "", 0o644)
	w.Write("d/five", "12345", 0o000)
	w.Write("d/sub/six", "123456", 0o644)
	w.Write("seven", "1234567", 0o644)
	w.Symlink("five", "d/in")
	w.Symlink(w.Outside()+"/s.txt", "d/out")
	w.Symlink("sub", "sub")
	w.Symlink("d", "way")
	w.Pipe("d/pipe")
	bases := []string{"five", "empty", "none", "sub", "in", "out", "pipe", "sub/six", "../seven", "..", ".", "", "fi\x00ve", "five"}
	want := []int64{5, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 5}
	for _, dir := range []string{"d", "way"} {
		if got, err := w.FS().Sizes(Name(t, dir), bases); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, wanted %v", dir, got, err, want)
		}
	}
	if got, err := w.FS().Sizes(Name(t, "."), []string{"seven"}); err != nil || !slices.Equal(got, []int64{7}) {
		t.Errorf("the root: %v, %v", got, err)
	}
	for name, code := range map[string]fault.Code{
		"seven": fault.Invalid, "d/pipe": fault.Invalid, "none": fault.Missing, "d/out": fault.OutsideRoot, "sub": fault.NotRegular,
	} {
		_, err := w.FS().Sizes(Name(t, name), nil)
		Refused(t, err, code, name)
	}
	_, err := w.FS().Sizes(scope.Name{}, nil)
	Refused(t, err, fault.Invalid, "")
}
