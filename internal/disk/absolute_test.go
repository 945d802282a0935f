package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
)

func TestAbsolute(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"": wd, ".": wd, "a/../b": filepath.Join(wd, "b"), wd: wd, wd + "/": wd} {
		if got, err := disk.Absolute(path); err != nil || got != want {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
}
