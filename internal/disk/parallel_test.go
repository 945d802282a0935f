//go:build linux || darwin

package disk_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
)

// TestOneWinner lets two changes start from one version, without the lock that callers hold, over two file systems as
// two processes would have them: one is made, the other is refused, and the file holds what the first one wrote.
func TestOneWinner(t *testing.T) {
	for kernel, open := range kernels {
		for _, what := range []string{"swap", "create", "remove"} {
			t.Run(kernel+"/"+what, func(t *testing.T) {
				w, m := open(t, nil)
				second := w.FS()
				if m != nil {
					var err error
					if second, err = m.FS(); err != nil {
						t.Fatal(err)
					}
					defer second.Close()
				}
				for round := range 200 {
					if w.Has("f") {
						w.Unlink("f")
					}
					expect := disk.Absent()
					if what != "create" {
						w.Write("f", oldText, 0o644)
						expect = disktest.Holding(oldText)
					}
					var wg sync.WaitGroup
					start := make(chan struct{})
					errs := [2]error{}
					for i, f := range []disk.FS{w.FS(), second} {
						wg.Go(func() {
							<-start
							if what == "remove" && i == 1 {
								_, errs[i] = f.Remove(disktest.Name(t, "f"), expect, atomic)
							} else {
								_, errs[i] = f.Swap(disktest.Name(t, "f"), expect, fmt.Appendf(nil, "writer %d\n", i), atomic)
							}
						})
					}
					close(start)
					wg.Wait()
					if (errs[0] == nil) == (errs[1] == nil) {
						t.Fatalf("round %d: %v; %v", round, errs[0], errs[1])
					}
					winner := 0
					if errs[0] != nil {
						winner = 1
					}
					if c := fault.CodeOf(errs[1-winner]); c != fault.Conflict && c != fault.Exists && c != fault.Missing {
						t.Fatalf("round %d: the loser is told %v", round, errs[1-winner])
					}
					if what == "remove" && winner == 1 {
						if w.Has("f") {
							t.Fatalf("round %d: removed, and there: %q", round, w.Read("f"))
						}
					} else if got := w.Read("f"); got != fmt.Sprintf("writer %d\n", winner) {
						t.Fatalf("round %d: writer %d won, and the file holds %q", round, winner, got)
					}
					if left := leftover(w); len(left) > 0 {
						t.Fatalf("round %d: left %q", round, left)
					}
				}
			})
		}
	}
}

// TestCloseWaits closes the tree while many calls are under way: each of them either runs as usual or says that the tree
// is closed.
func TestCloseWaits(t *testing.T) {
	for kernel, open := range kernels {
		t.Run(kernel, func(t *testing.T) {
			w, _ := open(t, nil)
			w.Write("f", oldText, 0o644)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for {
						f, err := w.FS().Open(disktest.Name(t, "f"))
						if err != nil {
							if fault.CodeOf(err) != fault.IO {
								t.Error(err)
							}
							return
						}
						if b, _, err := f.ReadAll(context.Background(), 100, nil); err != nil || string(b) != oldText {
							t.Errorf("%q, %v", b, err)
						}
						if err := f.Close(); err != nil {
							t.Error(err)
						}
					}
				})
			}
			if err := w.FS().Close(); err != nil {
				t.Error(err)
			}
			wg.Wait()
		})
	}
}
