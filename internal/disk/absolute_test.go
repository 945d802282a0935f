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

func TestBelow(t *testing.T) {
	dir := t.TempDir()
	root, link := filepath.Join(dir, "root"), filepath.Join(dir, "link")
	for _, d := range []string{root, filepath.Join(dir, "root-other")} {
		if err := os.MkdirAll(filepath.Join(d, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("root", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		link:                               ".",
		link + "/a/b":                      "a/b",
		link + "/sub/../x":                 "x",
		root + "/sub":                      "sub",
		link + "/../root-other/x":          "",
		dir + "/root-other/sub":            "",
		"link/a":                           "",
		dir:                                "",
		"/":                                "",
		filepath.Join(dir, "none", "root"): "",
	} {
		if got, ok := disk.Below(root, path); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t, want %q", path, got, ok, want)
		}
	}
	if _, ok := disk.Below(filepath.Join(dir, "none"), root); ok {
		t.Error("a root that is not there has something below it")
	}
}
