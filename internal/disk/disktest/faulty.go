package disktest

import (
	"context"
	"io"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// FaultyFS is a file system whose nth call fails with io and does nothing. Calls of its open files count too; Root,
// Info and Close do not, because they cannot fail. It is as safe for concurrent use as the file system below it.
type FaultyFS struct {
	disk.FS
	nth *Nth
}

// Faulty returns fs with its call number n, counted from 1, failing, or every call from that one on where lasting is
// set. With n zero nothing fails and the calls are counted.
func Faulty(fs disk.FS, n int64, lasting bool) *FaultyFS {
	return &FaultyFS{fs, &Nth{N: n, Lasting: lasting, Err: &fault.Error{Code: fault.IO, Message: "A fault was injected."}}}
}

// Count returns how many calls were made.
func (f *FaultyFS) Count() int64 { return f.nth.Count() }

// Hit reports whether a call was failed.
func (f *FaultyFS) Hit() bool { return f.nth.Hit() }

// Unwrap returns the file system below.
func (f *FaultyFS) Unwrap() disk.FS { return f.FS }

// Open implements [disk.FS].
func (f *FaultyFS) Open(name scope.Name) (disk.File, error) {
	if err := f.nth.Next(); err != nil {
		return nil, err
	}
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f.nth}, nil
}

// Stat implements [disk.FS].
func (f *FaultyFS) Stat(name scope.Name) (disk.Info, error) {
	if err := f.nth.Next(); err != nil {
		return disk.Info{}, err
	}
	return f.FS.Stat(name)
}

// List implements [disk.FS].
func (f *FaultyFS) List(name scope.Name, yield func(disk.Entry) bool) error {
	if err := f.nth.Next(); err != nil {
		return err
	}
	return f.FS.List(name, yield)
}

// Sizes implements [disk.FS].
func (f *FaultyFS) Sizes(dir scope.Name, bases []string) ([]int64, error) {
	if err := f.nth.Next(); err != nil {
		return nil, err
	}
	return f.FS.Sizes(dir, bases)
}

// Swap implements [disk.FS].
func (f *FaultyFS) Swap(name scope.Name, expect disk.Expect, after []byte, opt disk.SwapOptions) (disk.Swapped, error) {
	if err := f.nth.Next(); err != nil {
		return disk.Swapped{}, err
	}
	return f.FS.Swap(name, expect, after, opt)
}

// Remove implements [disk.FS].
func (f *FaultyFS) Remove(name scope.Name, expect disk.Expect, opt disk.SwapOptions) (disk.Swapped, error) {
	if err := f.nth.Next(); err != nil {
		return disk.Swapped{}, err
	}
	return f.FS.Remove(name, expect, opt)
}

// Move implements [disk.FS].
func (f *FaultyFS) Move(from, to scope.Name, expect disk.Expect, opt disk.SwapOptions) (disk.Swapped, error) {
	if err := f.nth.Next(); err != nil {
		return disk.Swapped{}, err
	}
	return f.FS.Move(from, to, expect, opt)
}

type faultyFile struct {
	disk.File
	nth *Nth
}

func (f *faultyFile) Stat() (disk.Info, error) {
	if err := f.nth.Next(); err != nil {
		return disk.Info{}, err
	}
	return f.File.Stat()
}

func (f *faultyFile) ReadAll(ctx context.Context, limit int64, buf []byte) ([]byte, bool, error) {
	if err := f.nth.Next(); err != nil {
		return nil, false, err
	}
	return f.File.ReadAll(ctx, limit, buf)
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.nth.Next(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

var _ io.ReaderAt = (*faultyFile)(nil)
