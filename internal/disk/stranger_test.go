//go:build linux || darwin

package disk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
)

// stranger acts once, before the nth call, from the moment it is armed.
type stranger struct {
	lacking func(string) error
	act     func()
	n       int
	calls   []string
	acted   bool
	armed   bool
}

func (s *stranger) before(call string) error {
	if s.armed {
		s.calls = append(s.calls, call)
		if len(s.calls) == s.n {
			s.armed = false
			s.act()
			s.armed, s.acted = true, true
		}
	}
	return s.lacking(call)
}

func (s *stranger) last() string { return s.calls[s.n-1] }

// everywhere runs f with a stranger before each call of it, on every kernel and way, until there is no further call.
func everywhere(t *testing.T, f func(t *testing.T, open func(testing.TB, func(string) error) (disktest.World, *disktest.Memory), s *stranger)) {
	for kernel, open := range kernels {
		for way, lacks := range ways {
			for n := 1; ; n++ {
				s := &stranger{lacking: disktest.Lacking(lacks...), n: n}
				// Each run is a test of its own, so that a failure names its place.
				ok := t.Run(fmt.Sprintf("%s/%s/%d", kernel, way, n), func(t *testing.T) { f(t, open, s) })
				if !ok || !s.acted {
					break
				}
			}
		}
	}
}

// TestStrangersBytesAreNotLost lets somebody else write the file between any two calls of a change, by renaming another
// file over it or by overwriting it. Their bytes are there afterwards, whatever became of the change. The one window
// that is left, between the last comparison and the call after it where names cannot be exchanged, is named here.
func TestStrangersBytesAreNotLost(t *testing.T) {
	const foreign = "somebody else's\n"
	changes := map[string]struct {
		run    func(t testing.TB, fs disk.FS) error
		window []string // calls before which a stranger is not seen, where the kernel lacks exchange or renaming onto free names
	}{
		"swap":        {swap("f", oldText, newText, durable), []string{"Rename"}},
		"swap atomic": {swap("f", oldText, newText, atomic), []string{"Rename"}},
		"swap held": {func(t testing.TB, fs disk.FS) error {
			_, err := fs.Swap(disktest.Name(t, "f"), disk.Holding([]byte(oldText)), []byte(newText), durable)
			return err
		}, []string{"Rename"}},
		"remove": {scenarioNamed("remove").run, []string{"Unlink"}},
		"move":   {scenarioNamed("move").run, []string{"Unlink"}},
	}
	for name, change := range changes {
		for _, act := range []string{"replace", "overwrite"} {
			t.Run(name+"/"+act, func(t *testing.T) {
				everywhere(t, func(t *testing.T, open func(testing.TB, func(string) error) (disktest.World, *disktest.Memory), s *stranger) {
					var w disktest.World
					at := ""
					s.act = func() {
						// Who overwrites finds the file where it is; who renames takes its name.
						at = "f"
						if act == "overwrite" && !w.Has("f") {
							if at = "g"; !w.Has("g") {
								at = "" // it is on its way to be removed: nobody can open it
								return
							}
						}
						if act == "replace" {
							w.Replace(at, foreign, 0o644)
						} else {
							w.Write(at, foreign, 0o644)
						}
					}
					w, _ = open(t, s.before)
					w.Write("f", oldText, 0o644)
					s.armed = true
					err := change.run(t, w.FS())
					s.armed = false
					if !s.acted || at == "" {
						return
					}
					if slices.Contains(change.window, s.last()) && lacksExchange(t.Name()) {
						return
					}
					found := w.Has("f") && w.Read("f") == foreign || w.Has("g") && w.Read("g") == foreign
					if !found {
						t.Errorf("before call %d, %s: their bytes are lost (%v); names %q", s.n, s.last(), err, w.Names("."))
					}
					if left := leftover(w); len(left) > 0 {
						t.Errorf("before call %d, %s: left %q", s.n, s.last(), left)
					}
					if c := fault.CodeOf(err); err != nil && c != fault.Conflict && c != fault.Missing {
						t.Errorf("before call %d, %s: %v", s.n, s.last(), err)
					}
				})
			})
		}
	}
}

func lacksExchange(test string) bool { return strings.Contains(test, "no_exchange") }

func scenarioNamed(name string) *scenario {
	for i := range scenarios {
		if scenarios[i].name == name {
			return &scenarios[i]
		}
	}
	panic("no scenario " + name)
}

// TestTwoStrangers lets one take the name before the exchange and another after it, while the first one's bytes are
// being put back. The later one stays, as it would have without us.
func TestTwoStrangers(t *testing.T) {
	for kernel, open := range kernels {
		t.Run(kernel, func(t *testing.T) {
			var w disktest.World
			exchanges := 0
			w, _ = open(t, func(call string) error {
				if call == "Exchange" {
					exchanges++
					w.Replace("f", fmt.Sprintf("stranger %d\n", exchanges), 0o644)
				}
				return nil
			})
			w.Write("f", oldText, 0o644)
			_, err := w.FS().Swap(disktest.Name(t, "f"), disktest.Holding(oldText), []byte(newText), durable)
			disktest.Refused(t, err, fault.Conflict, "f")
			if exchanges != 3 || w.Read("f") != "stranger 3\n" && w.Read("f") != "stranger 2\n" {
				t.Errorf("after %d exchanges the file holds %q", exchanges, w.Read("f"))
			}
			if left := leftover(w); len(left) > 0 {
				t.Errorf("left %q", left)
			}
		})
	}
}

// TestLinkRaces lets somebody put a link that leads out of the root in the place of the file, or of its folder, between
// any two calls. Nothing outside is ever read or touched.
func TestLinkRaces(t *testing.T) {
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
			return "", swap("d/s.txt", oldText, newText, durable)(t, fs)
		},
		"create": func(t testing.TB, fs disk.FS) (string, error) { return "", create("d/n.txt", parents)(t, fs) },
		"create deep": func(t testing.TB, fs disk.FS) (string, error) {
			return "", create("d/x/y/n.txt", parents)(t, fs)
		},
		"remove": func(t testing.TB, fs disk.FS) (string, error) {
			_, err := fs.Remove(disktest.Name(t, "d/s.txt"), disktest.Holding(oldText), durable)
			return "", err
		},
		"move in": func(t testing.TB, fs disk.FS) (string, error) {
			_, err := fs.Move(disktest.Name(t, "f"), disktest.Name(t, "d/n.txt"), disktest.Holding(oldText), durable)
			return "", err
		},
		"move out": func(t testing.TB, fs disk.FS) (string, error) {
			_, err := fs.Move(disktest.Name(t, "d/s.txt"), disktest.Name(t, "n"), disktest.Holding(oldText), durable)
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
