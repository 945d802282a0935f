package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
)

// Rules for frames. A frame is the length of its body and the checksum of length and body, both in four bytes, least
// first, and the body, whose first byte says what it is. No body is empty, so that a stretch of zeros is no frame.

const frameHead = 8

// errDamaged says that what stands there is no sound frame.
var errDamaged = errors.New("damaged")

// formatVersion is that of the bodies. A log of another one is set aside.
const formatVersion = 1

// appendFrame appends the frame of the body that put appends.
func appendFrame(dst []byte, put func([]byte) []byte) []byte {
	at := len(dst)
	dst = put(append(dst, make([]byte, frameHead)...))
	seal(dst[at:])
	return dst
}

// seal fills the head of a frame whose body is in place.
func seal(frame []byte) {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-frameHead))
	binary.LittleEndian.PutUint32(frame[4:], checksum(frame))
}

// checksum is that of a frame's length and body.
func checksum(frame []byte) uint32 {
	return crc32.Update(crc32.Checksum(frame[:4], castagnoli), castagnoli, frame[frameHead:])
}

// frames reads frames one after the other.
type frames struct {
	r    *bufio.Reader
	left int64 // bytes not yet read
	body []byte
}

func framesOf(r io.ReaderAt, from, to int64) *frames {
	return &frames{r: bufio.NewReaderSize(io.NewSectionReader(r, from, to-from), 1<<18), left: to - from}
}

// next returns the next body, which is good until the next call; io.EOF at the very end, and errDamaged where no sound
// frame follows.
func (f *frames) next() ([]byte, error) {
	if f.left == 0 {
		return nil, io.EOF
	}
	var head [frameHead]byte
	if f.left < frameHead {
		return nil, errDamaged
	}
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n == 0 || n > frameMax || n > f.left-frameHead {
		return nil, errDamaged
	}
	if int64(cap(f.body)) < n {
		f.body = make([]byte, n)
	}
	f.body = f.body[:n]
	if _, err := io.ReadFull(f.r, f.body); err != nil {
		return nil, err
	}
	f.left -= frameHead + n
	sum := crc32.Update(crc32.Checksum(head[:4], castagnoli), castagnoli, f.body)
	if sum != binary.LittleEndian.Uint32(head[4:]) {
		return nil, errDamaged
	}
	return f.body, nil
}

// header begins every log: the format, whose key it was written under, and which root it is about.
type header struct {
	keyID [16]byte
	root  string
}

func appendHeader(dst []byte, h header) []byte {
	return appendFrame(dst, func(b []byte) []byte {
		b = append(b, byte(kindHeader), formatVersion)
		b = append(b, h.keyID[:]...)
		return append(b, h.root...)
	})
}

func parseHeader(body []byte) (h header, ok bool) {
	if len(body) < 2+len(h.keyID) || body[0] != byte(kindHeader) || body[1] != formatVersion {
		return h, false
	}
	copy(h.keyID[:], body[2:])
	h.root = string(body[2+len(h.keyID):])
	return h, true
}

// readHeader returns the header of the log at path. An empty log is as one that is not there.
func readHeader(path string) (header, error) {
	f, err := os.Open(path)
	if err != nil {
		return header{}, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return header{}, err
	}
	if size == 0 {
		return header{}, os.ErrNotExist
	}
	body, err := framesOf(f, 0, size).next()
	if err != nil {
		return header{}, err
	}
	h, ok := parseHeader(body)
	if !ok {
		return h, errDamaged
	}
	return h, nil
}
