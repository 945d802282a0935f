//go:build linux || darwin

package disk_test

import (
	"fmt"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
)

// TestCrashAnywhere cuts the power before every call of every change, many times with different luck, and once more
// after it. A synced change leaves each file old or new, whole and with its mode; once it is reported it is there for
// good. What is not promised is left out by name: files written in place, and changes that were not synced.
func TestCrashAnywhere(t *testing.T) {
	const lucks = 60
	for _, s := range scenarios {
		if s.inPlace || s.atomic {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			armed, crashes, news := false, 0, 0
			var m *disktest.Memory
			check := func(when string, finished bool) {
				for luck := range uint64(lucks) {
					crashes++
					crashed := m.Crash(luck)
					after := disktest.NewMemoryWorld(t, crashed, crashed.FS)
					isNew := s.is(after, s.new)
					if isNew {
						news++
					}
					if !isNew && (finished || !s.is(after, s.old)) {
						t.Fatalf("power lost %s, luck %d: %s", when, luck, s.show(after))
					}
					for n, mode := range s.modes {
						if after.Has(n) && after.Mode(n) != mode {
							t.Fatalf("power lost %s, luck %d: %s has mode %v", when, luck, n, after.Mode(n))
						}
					}
					listed(t, after)
				}
			}
			calls := 0
			w, mem := kernels["memory"](t, func(call string) error {
				if armed {
					calls++
					check(fmt.Sprintf("before call %d, %s", calls, call), false)
				}
				return nil
			})
			m = mem
			s.before(w)
			armed = true
			if err := s.run(t, w.FS()); err != nil {
				t.Fatal(err)
			}
			armed = false
			check("after the change was reported", true)
			if news == 0 || news == crashes {
				t.Errorf("%d of %d crashes left the new state: the crashes test nothing", news, crashes)
			}
			t.Logf("%d calls, %d crashes, %d of them left the new state", calls, crashes, news)
		})
	}
}

// listed fails the test where a listing shows a temporary file.
func listed(t *testing.T, w disktest.World) {
	t.Helper()
	for _, folder := range []string{".", "d", "x", "x/y"} {
		if !w.Has(folder) {
			continue
		}
		err := w.FS().List(disktest.Name(t, folder), func(e disk.Entry) bool {
			if disk.Temporary(e.Base) {
				t.Errorf("%s is listed", e.Base)
			}
			return true
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestReadersSeeOldOrNew looks at the files before every call: somebody who reads at any instant, or finds the tree as a
// killed process leaves it, sees each file old or new and never without it. Unlike after a loss of power this holds for
// changes that are not synced, too.
func TestReadersSeeOldOrNew(t *testing.T) {
	for kernel, open := range kernels {
		for way, lacks := range ways {
			for _, s := range scenarios {
				if s.inPlace {
					continue
				}
				t.Run(kernel+"/"+way+"/"+s.name, func(t *testing.T) {
					lacking, armed := disktest.Lacking(lacks...), false
					var w disktest.World
					w, _ = open(t, func(call string) error {
						// A move onto a file system without RenameNew shows two names for an instant, never none.
						if armed && !s.is(w, s.old) && !s.is(w, s.new) && !(s.new["g"] != "" && w.Has("f") && w.Read("g") == oldText) &&
							!(s.new["x/g"] != "" && w.Has("f") && w.Read("x/g") == oldText) {
							t.Errorf("before %s: %s", call, s.show(w))
						}
						return lacking(call)
					})
					s.before(w)
					armed = true
					if err := s.run(t, w.FS()); err != nil || !s.is(w, s.new) {
						t.Errorf("%v, %s", err, s.show(w))
					}
				})
			}
		}
	}
}

// TestLeftoversAreSwept shows the rule for what a run that died left: never listed, removed by a listing once nobody
// touched it for ten minutes, and only if it is a file of this user.
func TestLeftoversAreSwept(t *testing.T) {
	const left, foreign, folder = ".sightline-0123456789abcdef.tmp", ".sightline-0123456789abcdee.tmp", ".sightline-0123456789abcded.tmp"
	m := disktest.NewMemory(1)
	w := disktest.NewMemoryWorld(t, m, m.FS)
	w.Write(left, "bytes", 0o600)
	w.Mkdir(folder, 0o755)
	m.Become(0, 0)
	w.Write(foreign, "bytes", 0o600)
	m.Become(1000, 1000)
	listed(t, w)
	if !w.Has(left) {
		t.Error("a fresh temporary file was removed: somebody may be using it")
	}
	m.Advance(599_000_000_000)
	listed(t, w)
	if !w.Has(left) {
		t.Error("removed too early")
	}
	m.Advance(2_000_000_000)
	listed(t, w)
	if w.Has(left) {
		t.Error("a leftover was not removed")
	}
	if !w.Has(foreign) || !w.Has(folder) {
		t.Error("something was removed that is not ours")
	}
}
