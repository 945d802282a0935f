package journal

import (
	"encoding/binary"
	"errors"
	"io"
)

// Replay hands every record of the log to apply, in order, and must be called once, before anything is written. What
// apply is given is its own to keep. From the first frame on that is damaged or incomplete the log is cut off, which the
// report tells. Where apply answers an error the replay ends with it and nothing is cut. It answers io where the log
// cannot be read or cut.
func (j *Journal) Replay(apply func(Record) error) (Report, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.replayed {
		panic("journal: replayed twice")
	}
	report := j.found
	fs := framesOf(j.log, 0, j.size)
	good := int64(0)
	for {
		body, err := fs.next()
		if err != nil && err != io.EOF && !errors.Is(err, errDamaged) {
			return report, failed("reading", err)
		}
		if err != nil {
			break
		}
		ok := true
		var r Record
		switch kind(body[0]) {
		case kindHeader:
			ok = good == 0
		case kindCompacted:
			j.base = j.size - fs.left
			report.Dumped = report.Records
		default:
			r, ok = decode(body)
		}
		if !ok {
			break
		}
		if r != nil {
			if err := apply(r); err != nil {
				return report, err
			}
			report.Records++
		}
		good = j.size - fs.left
	}
	report.Bytes, report.Cut = good, j.size-good
	if report.Cut > 0 {
		report.Gap = j.soundBehind(good)
		if err := j.cut(good); err != nil {
			return report, err
		}
	}
	j.replayed = true
	return report, nil
}

// cut shortens the log to its good part and makes sure that it stays so.
func (j *Journal) cut(good int64) error {
	if err := j.log.Truncate(good); err != nil {
		return failed("cutting off a damaged end", err)
	}
	if err := j.log.Flush(); err != nil {
		return failed("cutting off a damaged end", err)
	}
	j.size = good
	return nil
}

// searchMax bounds the bytes that the search for records behind a damage sums up.
const searchMax = 256 << 20

// soundBehind reports whether a sound record lies anywhere behind the damage at from. The search is bounded; where it
// ends at the bound the answer is yes, which is the safe one.
func (j *Journal) soundBehind(from int64) bool {
	rest := make([]byte, j.size-from)
	if _, err := j.log.ReadAt(rest, from); err != nil && err != io.EOF {
		return true
	}
	work := 0
	for at := 1; at+frameHead < len(rest); at++ {
		k := kind(rest[at+frameHead])
		n := int(binary.LittleEndian.Uint32(rest[at:]))
		if k <= kindHeader || k >= kinds || n == 0 || n > frameMax || n > len(rest)-at-frameHead {
			continue
		}
		if work += n; work > searchMax {
			return true
		}
		if frame := rest[at : at+frameHead+n]; checksum(frame) == binary.LittleEndian.Uint32(frame[4:]) {
			if _, ok := decode(frame[frameHead:]); ok {
				return true
			}
		}
	}
	return false
}
