package content

import (
	"crypto/sha256"
	"hash"
)

// Key is the secret of one workspace that line hashes are made with, so that what rests on disk tells nobody which
// text it stands for.
type Key [32]byte

// Hash is the exact, keyed hash of one line: the first 16 bytes of SHA-256(key ‖ 0x01 ‖ line), the line without its
// ending. Equal lines of one workspace have equal hashes; 128 bits make a chance collision of no concern.
type Hash [16]byte

// Hasher computes line hashes under one key. It reuses its buffers, so it is not safe for concurrent use.
type Hasher struct {
	key Key
	h   hash.Hash
	buf []byte
}

// NewHasher returns a Hasher for k.
func NewHasher(k Key) *Hasher { return &Hasher{key: k, h: sha256.New()} }

// Line returns the exact hash of one line, given without its ending.
func (h *Hasher) Line(line []byte) Hash {
	var out Hash
	if len(line) <= 4096 {
		// One call over a joined buffer is faster than three writes for the short lines that files consist of.
		h.buf = append(append(append(h.buf[:0], h.key[:]...), 1), line...)
		sum := sha256.Sum256(h.buf)
		copy(out[:], sum[:])
		return out
	}
	h.h.Reset()
	h.h.Write(h.key[:])
	h.h.Write([]byte{1})
	h.h.Write(line)
	h.buf = h.h.Sum(h.buf[:0])
	copy(out[:], h.buf)
	return out
}

// Skeleton returns the hash of every line of t, in order.
func (h *Hasher) Skeleton(t *Text) []Hash {
	n := t.Lines()
	out := make([]Hash, n)
	for i := range n {
		out[i] = h.Line(t.Line(i))
	}
	return out
}

// Loose returns the hash of one line without its ECMAScript white space: the first 16 bytes of
// SHA-256(key ‖ 0x02 ‖ rest). Lines that differ in white space alone have equal loose hashes. It stands beside the
// exact hash for lines that are known by a producer's 32-bit hash only, so that what is kept of those is no weaker
// than it must be.
func (h *Hasher) Loose(line []byte) Hash {
	var out Hash
	h.buf = dropSpace(append(append(h.buf[:0], h.key[:]...), 2), line)
	sum := sha256.Sum256(h.buf)
	copy(out[:], sum[:])
	return out
}
