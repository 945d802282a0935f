//go:build linux || darwin

package disk_test

import (
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
)

var realOptions = disk.Options{Entropy: disktest.Entropy, Clock: disktest.Clock}

// ways are the ways down to the real disk, by what the kernel is made to lack.
var ways = map[string][]string{
	"openat2":           nil,
	"walk":              {"OpenBeneath"},
	"walk, no exchange": {"OpenBeneath", "Exchange"},
	"no exchange":       {"Exchange", "RenameNew"},
}

func lacking(calls []string) func(root string) (disk.FS, error) {
	return func(root string) (disk.FS, error) {
		return disk.Over(&disktest.Trap{Kernel: disk.System, Before: disktest.Lacking(calls...)}, root, realOptions)
	}
}

func TestSuiteOS(t *testing.T) {
	for name, calls := range ways {
		t.Run(name, func(t *testing.T) {
			disktest.Suite(t, func(t *testing.T) disktest.World { return disktest.NewOSWorld(t, lacking(calls)) })
		})
	}
	t.Run("as opened", func(t *testing.T) {
		disktest.Suite(t, func(t *testing.T) disktest.World {
			return disktest.NewOSWorld(t, func(root string) (disk.FS, error) { return disk.OpenOS(root, realOptions) })
		})
	})
	t.Run("os.Root", func(t *testing.T) {
		disktest.Suite(t, func(t *testing.T) disktest.World {
			return disktest.NewOSWorld(t, func(root string) (disk.FS, error) { return disk.OpenPortable(root, realOptions) })
		})
	})
}

func TestSuiteMemory(t *testing.T) {
	for name, calls := range ways {
		t.Run(name, func(t *testing.T) {
			disktest.Suite(t, func(t *testing.T) disktest.World {
				m := disktest.NewMemory(1)
				return disktest.NewMemoryWorld(t, m, func() (disk.FS, error) {
					return disk.Over(&disktest.Trap{Kernel: m, Before: disktest.Lacking(calls...)}, disktest.MemoryRoot, m.Options())
				})
			})
		})
	}
	t.Run("counted", func(t *testing.T) {
		disktest.Suite(t, func(t *testing.T) disktest.World {
			m := disktest.NewMemory(1)
			return disktest.NewMemoryWorld(t, m, func() (disk.FS, error) {
				f, err := m.FS()
				return disktest.Faulty(f, 0, false), err
			})
		})
	})
}
