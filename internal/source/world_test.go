package source

import (
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/scope"
)

// world is a tree in memory with the files over it.
type world struct {
	disktest.World
	files *Files
	root  scope.Root
}

func newWorld(t *testing.T) *world {
	t.Helper()
	m := disktest.NewMemory(1)
	w := &world{World: disktest.NewMemoryWorld(t, m, m.FS)}
	t.Cleanup(func() {
		if err := w.FS().Close(); err != nil {
			t.Error(err)
		}
	})
	w.files = NewFiles(w.FS(), NewRecent(1<<20))
	root, err := scope.NewRoot(w.FS().Root(), false)
	if err != nil {
		t.Fatal(err)
	}
	w.root = root
	return w
}

func name(t *testing.T, rel string) scope.Name {
	t.Helper()
	n, err := scope.NameOf(rel)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func settled(s string) *content.Capture {
	c := content.CaptureOf([]byte(s))
	c.Text().Settle()
	return c
}
