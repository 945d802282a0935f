package content

import "unicode/utf8"

// decodeRune decodes the first character of b as the WHATWG rules for UTF-8 do: where b does not begin with one, it
// returns U+FFFD and the length of the maximal part of a character that stands there. Go's own decoder would return a
// U+FFFD for each byte of that part. b must not be empty.
func decodeRune(b []byte) (r rune, n int) {
	if r, n = utf8.DecodeRune(b); r != utf8.RuneError || n != 1 {
		return r, n
	}
	least, most, more := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case 0xC2 <= c && c <= 0xDF:
		more = 1
	case 0xE0 <= c && c <= 0xEF:
		more = 2
		switch c {
		case 0xE0:
			least = 0xA0
		case 0xED:
			most = 0x9F
		}
	case 0xF0 <= c && c <= 0xF4:
		more = 3
		switch c {
		case 0xF0:
			least = 0x90
		case 0xF4:
			most = 0x8F
		}
	}
	for n = 1; n <= more && n < len(b) && least <= b[n] && b[n] <= most; n++ {
		least, most = 0x80, 0xBF
	}
	return utf8.RuneError, n
}
