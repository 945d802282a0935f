//go:build linux || darwin

package disk_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// A full disk is told from other failures by the message alone: a model sees nothing else.
func TestFailuresSayWhy(t *testing.T) {
	m := disktest.NewMemory(1)
	full := false
	fs, err := disk.Over(&disktest.Trap{Kernel: m, Before: func(call string) error {
		if full && call == "Write" {
			return syscall.ENOSPC
		}
		return nil
	}}, disktest.MemoryRoot, m.Options())
	if err != nil {
		t.Fatal(err)
	}
	name, err := scope.NameOf("f")
	if err != nil {
		t.Fatal(err)
	}
	full = true
	_, err = fs.Swap(name, disk.Absent(), []byte("text"), disk.SwapOptions{})
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.IO || !strings.Contains(f.Text(), syscall.ENOSPC.Error()) {
		t.Errorf("a full disk is answered %v", err)
	}
}
