package journal

import (
	"errors"
	"os"

	"github.com/sightline-io/sightline/internal/fault"
)

// NeedsCompaction reports whether the log has grown past 32 MiB and past twice what it had after the last compaction.
func (j *Journal) NeedsCompaction() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size > compactAbove && j.size > 2*j.base
}

// compactChunk is how many bytes of a new log are written at once.
const compactChunk = 1 << 20

// Compact replaces the log by what dump gives to emit: records that tell all that is known now. The new log is complete
// and on the medium before it takes the old one's name, so that a crash leaves one or the other, whole. Between what
// dump tells and the next append nothing else may be written; the caller sees to that. An error of dump or emit is
// returned as it is, else io; the old log then goes on.
func (j *Journal) Compact(dump func(emit func(Record) error) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return fault.Newf(fault.IO, "", "The journal is closed.")
	case !j.replayed:
		panic("journal: compacted before it was replayed")
	}
	size, err := j.writeNew(dump)
	if err != nil {
		if rerr := os.Remove(j.path(newName)); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return err
	}
	return j.swapLogs(size)
}

// writeNew writes log.new whole and returns its size.
func (j *Journal) writeNew(dump func(emit func(Record) error) error) (size int64, err error) {
	f, err := j.create(j.path(newName))
	if err != nil {
		return 0, failed("beginning a new log", err)
	}
	buf := appendHeader(nil, header{keyID(j.key), j.root})
	put := func(least int) error {
		if len(buf) < least {
			return nil
		}
		if _, err := f.WriteAt(buf, size); err != nil {
			return failed("writing a new log", err)
		}
		size += int64(len(buf))
		buf = buf[:0]
		return nil
	}
	err = dump(func(r Record) error {
		var ok bool
		if buf, ok = appendRecord(buf, r); !ok {
			return outOfBounds()
		}
		return put(compactChunk)
	})
	if err != nil {
		return 0, errors.Join(err, f.Close())
	}
	buf = appendFrame(buf, func(b []byte) []byte { return append(b, byte(kindCompacted)) })
	if err := put(0); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Flush(), f.Close()); err != nil {
		return 0, failed("syncing a new log", err)
	}
	return size, nil
}

// swapLogs gives log.new the log's name. The old one is closed before, because some systems rename onto no open file;
// when it cannot be opened again nothing more is written.
func (j *Journal) swapLogs(size int64) error {
	err := j.log.Close()
	if err == nil {
		err = os.Rename(j.path(newName), j.path(logName))
	}
	if err == nil {
		err = syncFolder(j.dir)
	}
	f, oerr := openLogFile(j.path(logName), os.O_RDWR)
	if oerr != nil {
		j.log, j.broken = closedFile{}, errors.Join(err, oerr)
		return failed("opening the new log", j.broken)
	}
	j.log = f
	if err != nil {
		j.broken = err // which of the two logs will be there after a loss of power is not known
		return failed("taking the new log over", err)
	}
	j.size, j.base, j.broken = size, size, nil
	return nil
}

// closedFile stands where no log is open.
type closedFile struct{}

func (closedFile) ReadAt([]byte, int64) (int, error)  { return 0, os.ErrClosed }
func (closedFile) WriteAt([]byte, int64) (int, error) { return 0, os.ErrClosed }
func (closedFile) Truncate(int64) error               { return os.ErrClosed }
func (closedFile) Flush() error                       { return os.ErrClosed }
func (closedFile) Close() error                       { return nil }
