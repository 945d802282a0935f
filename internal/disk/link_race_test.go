//go:build linux || darwin

package disk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
)

// TestLinkRaces lets somebody put a link that leads out of the root in the place of the file, or of its folder, between
// any two calls. Nothing outside is ever read or touched.
func TestLinkRaces(t *testing.T) {
	loose := disk.SwapOptions{Durability: disk.Atomic, MakeParents: true} // syncing changes no path, and takes long
	runs := map[string]func(t testing.TB, fs disk.FS) (string, error){
		"read": func(t testing.TB, fs disk.FS) (string, error) {
			f, err := fs.Open(disktest.Name(t, "d/s.txt"))
			if err != nil {
				return "", err
			}
			defer f.Close()
			b, _, err := f.ReadAll(context.Background(), 100, nil)
			return string(b), err
		},
		"stat": func(t testing.TB, fs disk.FS) (string, error) {
			info, err := fs.Stat(disktest.Name(t, "d/s.txt"))
			if info.Size == int64(len("secret\n")) {
				return "secret\n", err
			}
			return "", err
		},
		"list": func(t testing.TB, fs disk.FS) (string, error) {
			all := ""
			err := fs.List(disktest.Name(t, "d"), func(e disk.Entry) bool { all += e.Base + " "; return true })
			if strings.Contains(all, "only-outside") {
				return "secret\n", err
			}
			return "", err
		},
		"swap": func(t testing.TB, fs disk.FS) (string, error) {
			return "", swap("d/s.txt", oldText, newText, atomic)(t, fs)
		},
		"create": func(t testing.TB, fs disk.FS) (string, error) { return "", create("d/n.txt", loose)(t, fs) },
		"create deep": func(t testing.TB, fs disk.FS) (string, error) {
			return "", create("d/x/y/n.txt", loose)(t, fs)
		},
		"remove": func(t testing.TB, fs disk.FS) (string, error) {
			_, err := fs.Remove(disktest.Name(t, "d/s.txt"), disktest.Holding(oldText), atomic)
			return "", err
		},
		"move in": func(t testing.TB, fs disk.FS) (string, error) {
			_, err := fs.Move(disktest.Name(t, "f"), disktest.Name(t, "d/n.txt"), disktest.Holding(oldText), atomic)
			return "", err
		},
		"move out": func(t testing.TB, fs disk.FS) (string, error) {
			_, err := fs.Move(disktest.Name(t, "d/s.txt"), disktest.Name(t, "n"), disktest.Holding(oldText), atomic)
			return "", err
		},
	}
	for name, run := range runs {
		for _, place := range []string{"file", "folder"} {
			for _, through := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/link=%v", name, place, through), func(t *testing.T) {
					everywhere(t, func(t *testing.T, open func(testing.TB, func(string) error) (disktest.World, *disktest.Memory), s *stranger) {
						var w disktest.World
						w, _ = open(t, s.before)
						real := "d"
						if through {
							real = "real"
							w.Symlink("real", "d")
						}
						w.Mkdir(real, 0o755)
						w.Write(real+"/s.txt", oldText, 0o644)
						w.Write("f", oldText, 0o644)
						s.act = func() {
							if place == "folder" {
								w.Rename("d", "away")
								w.Symlink(w.Outside(), "d")
							} else if w.Has(real + "/s.txt") {
								w.Rename(real+"/s.txt", "away.txt")
								w.Symlink(w.Outside()+"/s.txt", real+"/s.txt")
							}
						}
						before := outside(t, w)
						s.armed = true
						got, err := run(t, w.FS())
						s.armed = false
						if strings.Contains(got, "secret") {
							t.Errorf("before call %d: what lies outside came back", s.n)
						}
						if c := fault.CodeOf(err); c == fault.Internal {
							t.Errorf("before call %d: %v", s.n, err)
						}
						if after := outside(t, w); after != before {
							t.Errorf("before call %d: outside changed from %s to %s", s.n, before, after)
						}
					})
				})
			}
		}
	}
}

// outside tells what the folder beside the root holds.
func outside(t testing.TB, w disktest.World) string {
	t.Helper()
	if w.Outside() == disktest.MemoryOutside {
		return strings.Join(w.Names("../outside"), " ") + w.Read("../outside/s.txt")
	}
	list, err := os.ReadDir(w.Outside())
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(w.Outside(), "s.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(list, string(b))
}

// TestReadingWhatChanges lets the file change while it is read: once, and the slice is that of one instant; always, and
// the last slice comes without a stamp.
func TestReadingWhatChanges(t *testing.T) {
	for kernel, open := range kernels {
		t.Run(kernel, func(t *testing.T) {
			var w disktest.World
			reads, often := 0, 1
			w, _ = open(t, func(call string) error {
				// Between the two reads that a slice of this size takes.
				if call == "Read" {
					if reads++; reads%2 == 0 && reads <= 2*often {
						w.Write("f", strings.Repeat(fmt.Sprintf("%07d\n", reads), 1<<20), 0o644)
					}
				}
				return nil
			})
			w.Write("f", strings.Repeat("0000000\n", 1<<20), 0o644)
			f, err := w.FS().Open(disktest.Name(t, "f"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			b, more, err := f.ReadAll(context.Background(), 1<<30, nil)
			if err != nil || more || content.RefOf(b) != content.RefOf([]byte(strings.Repeat("0000002\n", 1<<20))) {
				t.Errorf("%d bytes that begin with %.8q and end with %.8q: no slice of one instant (%v)", len(b), b[:8], b[len(b)-8:], err)
			}
			if now, err := w.FS().Stat(disktest.Name(t, "f")); err != nil || now.Stamp != f.Info().Stamp {
				t.Errorf("the stamp is not that of the bytes: %v", err)
			}
			reads, often = 0, 1000
			if _, _, err := f.ReadAll(context.Background(), 1<<30, nil); err != nil || !f.Info().Stamp.IsZero() {
				t.Errorf("a file that never stands still: stamp %+v, %v", f.Info().Stamp, err)
			}
			if reads > 8 {
				t.Errorf("%d reads for one answer", reads)
			}
		})
	}
}
