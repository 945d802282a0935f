package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// listed is a tree of files in folders, with the rules of a usual repository and some folders that they leave out.
func listed(b *testing.B, folders, files int) string {
	b.Helper()
	root := b.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for i := range folders {
		dir := fmt.Sprintf("pkg%02d/sub%03d", i/20, i)
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			b.Fatal(err)
		}
		for k := range files {
			put(fmt.Sprintf("%s/file%04d.go", dir, k), "package p\n")
		}
	}
	put(".gitignore", "*.o\n*.a\n*.log\n*~\n.DS_Store\nnode_modules/\n/build/\n__pycache__/\n*.py[cod]\n.env\n/docs/_build/\n!keep.log\ncoverage*.out\n")
	return root
}

// What a listing of 50,000 files costs, from the answer's start to its end, in a tree and in one folder.
func BenchmarkList(b *testing.B) {
	for title, shape := range map[string]struct{ folders, files int }{
		"50000-in-500": {500, 100}, "10000-in-1": {1, 10_000}, "50000-in-1": {1, 50_000},
	} {
		b.Run(title, func(b *testing.B) {
			w, err := Open(context.Background(), Options{Root: listed(b, shape.folders, shape.files), Clock: func() int64 { return 1 }, Entropy: rand.Reader})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			s, err := w.Session("a")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				a, err := s.List(context.Background(), ListRequest{Depth: 64, Limit: 100_000})
				if err != nil || len(a.Entries) < shape.folders*shape.files || !a.Complete {
					b.Fatalf("%d entries, %v", len(a.Entries), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(shape.folders*shape.files), "ns/file")
		})
	}
}
