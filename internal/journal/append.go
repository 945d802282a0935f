package journal

import (
	"errors"

	"github.com/sightline-io/sightline/internal/fault"
)

// outOfBounds says that a record holds what no record may; nothing of its batch was written.
func outOfBounds() error {
	return &fault.Error{Code: fault.Internal, Message: "A record of the journal is out of bounds."}
}

// appendRecord appends the frame of r; ok is false where r is out of bounds.
func appendRecord(dst []byte, r Record) (out []byte, ok bool) {
	at := len(dst)
	dst = append(dst, make([]byte, frameHead)...)
	if dst, ok = encode(dst, r); !ok || len(dst)-at-frameHead > frameMax {
		return dst[:at], false
	}
	seal(dst[at:])
	return dst, true
}

// Append writes recs in order at the end of the log, all or none, in one write and without a sync. It answers io; the
// log is then as it was, and later calls may succeed; internal for a record that is out of bounds.
func (j *Journal) Append(recs ...Record) error { return j.put(recs, false) }

// Sync is [Journal.Append], and returns when everything appended so far survives a loss of power. Where the medium
// cannot promise that it answers io, and so does every later call: what is on it is not known any more.
func (j *Journal) Sync(recs ...Record) error { return j.put(recs, true) }

func (j *Journal) put(recs []Record, sync bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.replayed {
		panic("journal: written to before it was replayed")
	}
	buf := j.buf[:0]
	for _, r := range recs {
		var ok bool
		if buf, ok = appendRecord(buf, r); !ok {
			return outOfBounds()
		}
	}
	if cap(buf) <= 1<<20 {
		j.buf = buf // a large one, of skeletons, is not kept
	}
	return j.write(buf, sync)
}

// write puts b at the end of the log; the caller holds mu.
func (j *Journal) write(b []byte, sync bool) error {
	switch {
	case j.closed:
		return fault.Newf(fault.IO, "", "The journal is closed.")
	case j.broken != nil:
		return failed("writing; it failed before and is not used until it is opened again", j.broken)
	}
	if len(b) > 0 {
		if _, err := j.log.WriteAt(b, j.size); err != nil {
			if cut := j.log.Truncate(j.size); cut != nil {
				j.broken = errors.Join(err, cut)
			}
			return failed("writing", err)
		}
		j.size += int64(len(b))
	}
	if sync {
		if err := j.log.Flush(); err != nil {
			j.broken = err
			return failed("syncing", err)
		}
	}
	return nil
}

// Size returns how many bytes the log has.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}
