package session_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
)

// The root is one folder however the way to it is spelled: absolute paths through links above it lie inside.
func TestRootUnderOtherSpellings(t *testing.T) {
	outer := t.TempDir()
	root, link := filepath.Join(outer, "root"), filepath.Join(outer, "link")
	for path, text := range map[string]string{root + "/d/f": "a\n", outer + "/root-secret/f": "s\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("root", link); err != nil {
		t.Fatal(err)
	}
	for _, as := range []string{root, link} {
		ws, err := session.Open(context.Background(), session.Options{Root: as, Clock: func() int64 { return 1 }, Entropy: rand.Reader})
		if err != nil {
			t.Fatal(err)
		}
		s, err := ws.Session("s")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"d/f", root + "/d/f", link + "/d/f", link + "/d/../d/f", outer + "/link/../link/d/f"} {
			p, err := s.Read(context.Background(), session.ReadRequest{Path: path})
			if err != nil || p.Path != "d/f" || string(p.Text) != "a\n" {
				t.Errorf("root %s: read %s: %v, %v", as, path, p, err)
			}
		}
		for _, path := range []string{outer + "/root-secret/f", link + "/../root-secret/f", outer, "/"} {
			if _, err := s.Read(context.Background(), session.ReadRequest{Path: path}); fault.CodeOf(err) != fault.OutsideRoot {
				t.Errorf("root %s: read %s: %v, want outside-root", as, path, err)
			}
		}
		if err := ws.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
