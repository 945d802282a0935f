package rpc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
)

func TestPlaces(t *testing.T) {
	root := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	at := func(root, state, runtime string) []string {
		t.Helper()
		places, err := Places(root, state, func(name string) string {
			if name == "XDG_RUNTIME_DIR" {
				return runtime
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range places {
			if len(p) > addressMax || !filepath.IsAbs(p) {
				t.Errorf("place %s", p)
			}
		}
		return places
	}
	all := at(root, "/s", "/r")
	if len(all) < 3 || filepath.Dir(all[0]) != "/r/sightline" || !strings.HasSuffix(all[0], ".sock") || all[1] != filepath.Join("/s", "socket") {
		t.Errorf("places %q", all)
	}
	if got := at(link, "/s", "/r"); got[0] != all[0] {
		t.Errorf("another spelling lies at %s, not %s", got[0], all[0])
	}
	if got := at(t.TempDir(), "/s", "/r"); got[0] == all[0] {
		t.Errorf("two roots lie at %s", got[0])
	}
	if got := at(root, "/s", ""); got[0] != filepath.Join("/s", "socket") {
		t.Errorf("without a runtime folder: %q", got)
	}
	if got := at(root, "/s", "relative"); got[0] != filepath.Join("/s", "socket") {
		t.Errorf("with a relative runtime folder: %q", got)
	}
	deep := "/" + strings.Repeat("d", 200)
	if got := at(root, deep, deep); len(got) == 0 || strings.Contains(got[0], "ddd") {
		t.Errorf("where paths are too long: %q", got)
	}
	if _, err := Places(filepath.Join(root, "none"), "", os.Getenv); sightline.CodeOf(err) != sightline.Missing {
		t.Errorf("no root: %v", err)
	}
}
