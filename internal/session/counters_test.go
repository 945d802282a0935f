package session_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/session"
)

// Counters count one version for each text that was met and one receipt for each decision.
func TestCounters(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "f.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := session.Open(context.Background(), session.Options{Root: root, Profile: session.Strict, Durability: disk.Atomic,
		Clock: func() int64 { return 0 }, Entropy: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if c := w.Counters(); c != (session.Counters{}) {
		t.Errorf("a fresh workspace counts %+v", c)
	}
	s, err := w.Session("a")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d := &session.Delivery{}
		if _, err := s.Read(context.Background(), session.ReadRequest{Path: "f.txt", Meta: session.Meta{Delivery: d}}); err != nil {
			t.Fatal(err)
		}
		d.Left()
	}
	if c := w.Counters(); c.Versions != 1 || c.VersionBytes == 0 || c.Dropped != 0 || c.Receipts != 2 || c.Forgotten != 0 {
		t.Errorf("after two reads of one file it counts %+v", c)
	}
	if w.Profile() != session.Strict || w.Durability() != disk.Atomic {
		t.Errorf("it is %v and %v", w.Profile(), w.Durability())
	}
}
