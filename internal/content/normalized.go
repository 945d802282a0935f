package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"unicode/utf8"
)

// Sum is a digest of the storage formats, whose text form is 64 lower-case hex digits without a prefix. Unlike a
// [Ref] it does not say which algorithm made it.
type Sum [sha256.Size]byte

// String returns the digest in lower-case hex.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// RawSHA256 returns the storage algorithm sha256-raw-v1: SHA-256 of the bytes.
func RawSHA256(raw []byte) Sum { return sha256.Sum256(raw) }

// NormalizedSHA256 returns the storage algorithm sha256-normalized-v1 of a text file: SHA-256 over the JSON string of
// its text, quotes and escapes included. Despite the name nothing is normalised: BOM, endings and blanks all matter.
// Bytes that are no UTF-8 are read as U+FFFD, so different damaged files may have equal sums; for identity there is
// [RefOf].
func NormalizedSHA256(raw []byte) Sum {
	h := sha256.New()
	w := literal{h: h, buf: make([]byte, 0, 8192)}
	w.text(raw)
	var s Sum
	h.Sum(s[:0])
	return s
}

// MarkdownSHA256 returns the sum of a document: as [NormalizedSHA256], after exactly one leading BOM was dropped.
func MarkdownSHA256(raw []byte) Sum { return NormalizedSHA256(bytes.TrimPrefix(raw, bomUTF8)) }

// NormalizedJSONSHA256 returns sha256-normalized-v1 of a JSON value: SHA-256 over its canonical text. It answers
// invalid where [CanonicalJSON] does.
func NormalizedJSONSHA256(src []byte) (Sum, error) {
	c, err := CanonicalJSON(src)
	if err != nil {
		return Sum{}, err
	}
	return sha256.Sum256(c), nil
}

// literal writes JSON strings into a hash by way of a small buffer, so that a large file is not copied.
type literal struct {
	h   hash.Hash
	buf []byte
}

func (w *literal) text(raw []byte) {
	w.buf = append(w.buf, '"')
	for len(raw) > 0 {
		n := min(len(raw), 4096)
		for n < len(raw) && n < 4096+utf8.UTFMax && !utf8.RuneStart(raw[n]) {
			n++ // never cut within a character
		}
		w.buf = appendText(w.buf, raw[:n])
		raw = raw[n:]
		w.h.Write(w.buf)
		w.buf = w.buf[:0]
	}
	w.h.Write(append(w.buf, '"'))
}

// appendText appends what stands for raw between the quotes of a JSON string: the escapes that JSON demands, and
// U+FFFD for what is no UTF-8.
func appendText(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if c := raw[i]; c < utf8.RuneSelf {
			dst = appendASCII(dst, c)
			i++
			continue
		}
		r, n := decodeRune(raw[i:])
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst
}

const hexDigits = "0123456789abcdef"

func appendASCII(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c >= ' ':
		return append(dst, c)
	}
	switch c {
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
