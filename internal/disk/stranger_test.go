//go:build linux || darwin

package disk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
