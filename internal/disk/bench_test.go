//go:build linux || darwin

package disk_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
)

func benchWorld(b *testing.B) (disk.FS, string) {
	root := b.TempDir()
	f, err := disk.OpenOS(root, realOptions)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f, root
}

// BenchmarkRead is one whole read of a small and of a middling file, four folders deep, into a buffer that is used
// again; beside it the bare calls without containment, and the standard library.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10} {
		f, root := benchWorld(b)
		if err := os.MkdirAll(filepath.Join(root, "a/b/c/d"), 0o755); err != nil {
			b.Fatal(err)
		}
		path := filepath.Join(root, "a/b/c/d/file.go")
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o644); err != nil {
			b.Fatal(err)
		}
		name := disktest.Name(b, "a/b/c/d/file.go")
		buf := make([]byte, 0, 1<<20)
		b.Run(fmt.Sprintf("ours/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				file, err := f.Open(name)
				if err != nil {
					b.Fatal(err)
				}
				if data, _, err := file.ReadAll(context.Background(), 1<<30, buf); err != nil || len(data) != size {
					b.Fatal(err)
				}
				file.Close()
			}
		})
		b.Run(fmt.Sprintf("bare/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
				if err != nil {
					b.Fatal(err)
				}
				var st unix.Stat_t
				if err := unix.Fstat(fd, &st); err != nil {
					b.Fatal(err)
				}
				if n, err := unix.Pread(fd, buf[:cap(buf)], 0); err != nil || n != size {
					b.Fatal(err)
				}
				unix.Close(fd)
			}
		})
		b.Run(fmt.Sprintf("os.ReadFile/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if data, err := os.ReadFile(path); err != nil || len(data) != size {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStat is the look that settles whether a cached file still is the one it was.
func BenchmarkStat(b *testing.B) {
	f, root := benchWorld(b)
	if err := os.MkdirAll(filepath.Join(root, "a/b/c/d"), 0o755); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(root, "a/b/c/d/file.go")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		b.Fatal(err)
	}
	name := disktest.Name(b, "a/b/c/d/file.go")
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := f.Stat(name); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("os.Lstat", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := os.Lstat(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSwap is one replacement of a kilobyte, guarded by its old bytes, beside the plain ways to write a file of the
// same promise.
func BenchmarkSwap(b *testing.B) {
	const size = 1 << 10
	even, odd := []byte(strings.Repeat("e", size)), []byte(strings.Repeat("o", size))
	guarded := func(opt disk.SwapOptions) func(b *testing.B) {
		return func(b *testing.B) {
			f, root := benchWorld(b)
			if err := os.WriteFile(filepath.Join(root, "file.go"), even, 0o644); err != nil {
				b.Fatal(err)
			}
			name := disktest.Name(b, "file.go")
			before, after := even, odd
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Swap(name, disk.Holding(before), after, opt); err != nil {
					b.Fatal(err)
				}
				before, after = after, before
			}
		}
	}
	plain := func(sync bool) func(b *testing.B) {
		return func(b *testing.B) {
			root := b.TempDir()
			path := filepath.Join(root, "file.go")
			if err := os.WriteFile(path, even, 0o644); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				temp, err := os.OpenFile(path+".tmp", os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := temp.Write(odd); err != nil {
					b.Fatal(err)
				}
				if sync {
					if err := temp.Sync(); err != nil {
						b.Fatal(err)
					}
				}
				if err := temp.Close(); err != nil {
					b.Fatal(err)
				}
				if err := os.Rename(path+".tmp", path); err != nil {
					b.Fatal(err)
				}
				if sync {
					dir, err := os.Open(root)
					if err != nil {
						b.Fatal(err)
					}
					if err := dir.Sync(); err != nil {
						b.Fatal(err)
					}
					dir.Close()
				}
			}
		}
	}
	b.Run("guarded atomic", guarded(disk.SwapOptions{Durability: disk.Atomic}))
	b.Run("write+rename", plain(false))
	b.Run("guarded durable", guarded(disk.SwapOptions{}))
	b.Run("write+fsync+rename+fsync", plain(true))
}
