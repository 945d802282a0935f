package content

import "unicode/utf8"

// The parameters of 32-bit FNV-1a.
const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

// BridgeHash returns the line hash that the I/O lifecycle bridge and its producers compare: 32-bit FNV-1a over the
// UTF-16 code units of the line, each taken whole, after every ECMAScript white space character is dropped. A byte
// that is no UTF-8 counts as the U+FFFD that a JavaScript host decodes it to: one for each maximal part of a
// character that was cut short.
//
// It is blind to white space and has 32 bits: equal hashes do not make equal lines. See [Hasher.Loose] for what is
// kept of such evidence.
func BridgeHash(line []byte) uint32 {
	h := uint32(fnvOffset)
	for i := 0; i < len(line); {
		c := line[i]
		if c < utf8.RuneSelf {
			i++
			if !asciiSpace(c) {
				h = (h ^ uint32(c)) * fnvPrime
			}
			continue
		}
		r, n := decodeRune(line[i:])
		i += n
		switch {
		case isSpace(r):
		case r > 0xFFFF:
			r -= 0x10000
			h = (h ^ uint32(0xD800+r>>10)) * fnvPrime
			h = (h ^ uint32(0xDC00+r&0x3FF)) * fnvPrime
		default:
			h = (h ^ uint32(r)) * fnvPrime
		}
	}
	return h
}

// BridgeHashUTF16 returns the same hash of a line given in UTF-16 code units, as JavaScript holds it. It differs from
// hashing the line's UTF-8 only for lone surrogates, which UTF-8 cannot hold.
func BridgeHashUTF16(units []uint16) uint32 {
	h := uint32(fnvOffset)
	for _, u := range units {
		if !isSpace(rune(u)) {
			h = (h ^ uint32(u)) * fnvPrime
		}
	}
	return h
}

// asciiSpace reports whether c is ECMAScript white space: tab to carriage return, and the blank.
func asciiSpace(c byte) bool { return c == ' ' || c-'\t' <= '\r'-'\t' }

// isSpace reports whether r is ECMAScript white space or a line terminator, which is what \s matches there. It is not
// Unicode's notion: U+0085 and U+180E are none, U+FEFF is one.
func isSpace(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r == ' ' || '\t' <= r && r <= '\r'
	case r == 0xA0, r == 0x1680, 0x2000 <= r && r <= 0x200A, r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}

// dropSpace appends line to dst without its ECMAScript white space. Bytes that are no UTF-8 stay as they are.
func dropSpace(dst, line []byte) []byte {
	for i := 0; i < len(line); {
		c := line[i]
		if c < utf8.RuneSelf {
			i++
			if !asciiSpace(c) {
				dst = append(dst, c)
			}
			continue
		}
		r, n := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && n == 1 || !isSpace(r) {
			dst = append(dst, line[i:i+n]...)
		}
		i += n
	}
	return dst
}
