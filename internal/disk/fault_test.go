//go:build linux || darwin

package disk_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
)

// breaker lets calls pass, or lack, until armed; then it fails the nth.
type breaker struct {
	lacking func(string) error
	nth     *disktest.Nth
	failed  []string
}

func (b *breaker) before(call string) error {
	if err := b.lacking(call); err != nil {
		return err
	}
	if b.nth == nil {
		return nil
	}
	if err := b.nth.Next(); err != nil {
		b.failed = append(b.failed, call)
		return err
	}
	return nil
}

// undoing are the calls that clean up or take back; where they themselves fail something may be left.
var undoing = []string{"Unlink", "Rmdir", "Exchange", "Rename", "RenameNew", "Truncate", "Write", "Link"}

// TestNthFault breaks every change at every call, once and lastingly, on every way down. A change that reports success
// has happened; one that reports a failure has not, and nothing is left of it. Where calls fail lastingly, taking back
// may fail as well: then each file is still old or new as a whole.
func TestNthFault(t *testing.T) {
	runs, worlds := 0, 0
	for kernel, open := range kernels {
		for way, calls := range ways {
			for _, s := range scenarios {
				for _, errno := range []syscall.Errno{syscall.EIO, syscall.EPERM, syscall.EINVAL, syscall.ENOSPC} {
					if kernel == "disk" && errno != syscall.EIO && (errno != syscall.EPERM || way != "openat2") {
						continue // the algorithm is the same one, and the real disk is slow
					}
					for _, lasting := range []bool{false, true} {
						name := fmt.Sprintf("%s/%s/%s/%v/lasting=%v", kernel, way, s.name, errno, lasting)
						worlds++
						for n := int64(1); ; n++ {
							runs++
							b := &breaker{lacking: disktest.Lacking(calls...)}
							w, m := open(t, b.before)
							s.before(w)
							b.nth = &disktest.Nth{N: n, Lasting: lasting, Err: errno}
							err := s.run(t, w.FS())
							hit := b.nth.Hit()
							b.nth = nil
							s.broken(t, fmt.Sprintf("%s, call %d (%v)", name, n, b.failed), w, m, b, lasting, err)
							if !hit {
								if err != nil {
									t.Errorf("%s: unbroken, and yet: %v", name, err)
								}
								break
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d changes broken in %d series", runs, worlds)
}

func (s *scenario) broken(t *testing.T, name string, w disktest.World, m *disktest.Memory, b *breaker, lasting bool, err error) {
	t.Helper()
	takingBack := slices.ContainsFunc(b.failed, func(c string) bool { return slices.Contains(undoing, c) })
	switch {
	case err == nil:
		if !s.is(w, s.new) {
			t.Errorf("%s: success, but %s", name, s.show(w))
		}
	case !s.is(w, s.old):
		if !lasting || !takingBack || !s.is(w, s.new) && !s.inPlace && s.name != "move" && s.name != "move into new folders" {
			t.Errorf("%s: %v, but %s", name, err, s.show(w))
		}
	}
	if err != nil && fault.CodeOf(err) == fault.Internal {
		t.Errorf("%s: %v is no fault of ours", name, err)
	}
	for n, mode := range s.modes {
		if w.Has(n) && w.Mode(n) != mode {
			t.Errorf("%s: mode %v", name, w.Mode(n))
		}
	}
	if left := leftover(w); len(left) > 0 && !takingBack {
		t.Errorf("%s: left %q", name, left)
	}
	if err != nil && !takingBack && (w.Has("x") || w.Has("x/y")) {
		t.Errorf("%s: new folders were left", name)
	}
	if m != nil && m.Descriptors() != 1 {
		t.Errorf("%s: %d descriptors are open", name, m.Descriptors())
	}
	lerr := w.FS().List(disktest.Name(t, "."), func(e disk.Entry) bool {
		if disk.Temporary(e.Base) {
			t.Errorf("%s: %s is listed", name, e.Base)
		}
		return true
	})
	if lerr != nil {
		t.Errorf("%s: %v", name, lerr)
	}
	// What failed once can be done again.
	if err != nil && s.is(w, s.old) {
		if err := s.run(t, w.FS()); err != nil || !s.is(w, s.new) {
			t.Errorf("%s: again: %v, %s", name, err, s.show(w))
		}
	}
}
