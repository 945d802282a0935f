package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
)

// failing stands before a log and fails as it is told.
type failing struct {
	logFile
	room                  int // bytes that still fit; a write beyond them is short
	flush, truncate, shut bool
}

func (f *failing) WriteAt(p []byte, off int64) (int, error) {
	if len(p) > f.room {
		n, err := f.logFile.WriteAt(p[:f.room], off)
		return n, errors.Join(err, syscall.ENOSPC)
	}
	f.room -= len(p)
	return f.logFile.WriteAt(p, off)
}

func (f *failing) Flush() error {
	if f.flush {
		return syscall.EIO
	}
	return f.logFile.Flush()
}

func (f *failing) Truncate(n int64) error {
	if f.truncate {
		return syscall.EIO
	}
	return f.logFile.Truncate(n)
}

func (f *failing) Close() error {
	err := f.logFile.Close()
	if f.shut {
		return syscall.EIO
	}
	return err
}

// A write that does not fit is taken back whole, wherever it broke off; when there is room again the log goes on.
func TestDiskFullLeavesNoTrace(t *testing.T) {
	batch := every()
	size := 0
	for _, r := range batch {
		b, _ := appendRecord(nil, r)
		size += len(b)
	}
	for room := 0; room < size; room += 41 {
		dir := logOf(t, batch[:1])
		before := raw(t, dir)
		j, _, _ := opened(t, dir)
		f := &failing{logFile: j.log, room: room}
		j.log = f
		err := j.Append(batch...)
		if fault.CodeOf(err) != fault.IO || !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("room for %d: %v", room, err)
		}
		if !bytes.Equal(raw(t, dir), before) {
			t.Fatalf("room for %d: the log changed", room)
		}
		f.room = 1 << 20
		must(t, j.Append(batch[1:]...))
		closed(t, j)
		_, got, rep := opened2(t, dir)
		if prefix(t, got, batch, "full") != len(batch) || rep.Cut != 0 {
			t.Fatalf("room for %d: %d records, report %+v", room, len(got), rep)
		}
	}
}

// What the medium did not take, and what could not be taken back, is never built upon in this process.
func TestFailingMediumEndsTheWriting(t *testing.T) {
	for name, f := range map[string]failing{
		"sync":     {room: 1 << 20, flush: true},
		"truncate": {room: 5, truncate: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := logOf(t, every())
			j, _, _ := opened(t, dir)
			f.logFile = j.log
			j.log = &f
			if err := j.Sync(&Reserved{Seq: 7}); fault.CodeOf(err) != fault.IO {
				t.Fatalf("sync: %v", err)
			}
			f.flush, f.truncate, f.room = false, false, 1<<20
			for range 2 {
				if err := j.Append(&Reserved{Seq: 8}); fault.CodeOf(err) != fault.IO {
					t.Fatalf("append afterwards: %v", err)
				}
			}
			closed(t, j)
			_, got, _ := opened2(t, dir)
			if n := prefix(t, got[:len(every())], every(), name); n != len(every()) {
				t.Fatalf("%d records", n)
			}
		})
	}
}

// A compaction that fails leaves the old log, which goes on; only where it is not known any more which log is there is
// nothing written.
func TestFailingCompaction(t *testing.T) {
	all := every()
	dump := func(emit func(Record) error) error {
		for _, r := range all[:4] {
			if err := emit(r); err != nil {
				return err
			}
		}
		return nil
	}
	mine := errors.New("mine")
	cases := map[string]struct {
		f      failing
		dump   func(func(Record) error) error
		create error
	}{
		"full":       {f: failing{room: 40}, dump: dump},
		"sync":       {f: failing{room: 1 << 20, flush: true}, dump: dump},
		"close":      {f: failing{room: 1 << 20, shut: true}, dump: dump},
		"no file":    {create: syscall.EACCES, dump: dump},
		"the dump":   {f: failing{room: 1 << 20}, dump: func(func(Record) error) error { return mine }},
		"bad record": {f: failing{room: 1 << 20}, dump: func(emit func(Record) error) error { return emit(&Intent{Change: 99}) }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := logOf(t, all)
			j, _, _ := opened(t, dir)
			j.create = func(path string) (logFile, error) {
				f, err := createLog(path)
				c.f.logFile = f
				return &c.f, errors.Join(err, c.create)
			}
			if err := j.Compact(c.dump); err == nil || name == "the dump" && !errors.Is(err, mine) {
				t.Fatalf("compaction answers %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, newName)); !os.IsNotExist(err) {
				t.Errorf("the new log is left: %v", err)
			}
			must(t, j.Append(&Reserved{Seq: 5}))
			closed(t, j)
			_, got, rep := opened2(t, dir)
			if len(got) != len(all)+1 || rep.Cut != 0 {
				t.Fatalf("%d records, report %+v", len(got), rep)
			}
		})
	}
}

// What is done to a journal that is closed is answered.
func TestClosed(t *testing.T) {
	j, _, _ := opened(t, logOf(t, nil))
	closed(t, j)
	closed(t, j)
	for _, err := range []error{j.Append(), j.Sync(&Reserved{}), j.Compact(nil)} {
		if fault.CodeOf(err) != fault.IO {
			t.Errorf("answered %v", err)
		}
	}
}
