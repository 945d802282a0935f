package mcpserver

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
)

// errorFrame is a protocol error.
func errorFrame(id []byte, code int, message string) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = strconv.AppendInt(append(b, `,"error":{"code":`...), int64(code), 10)
	return append(appendJSON(append(b, `,"message":`...), []byte(message)), "}}\n"...)
}

// resultFrame is the answer to a tool call. extra is empty or what the sessionless protocol wants of every result.
func resultFrame(dst, id, extra, text, structured []byte, isError bool) []byte {
	// Source text grows by less than an eighth when it is escaped; a large answer is not copied again and again while it
	// grows.
	dst = slices.Grow(dst, len(text)+len(text)/8+len(structured)+len(extra)+256)
	dst = append(append(append(dst, `{"jsonrpc":"2.0","id":`...), id...), `,"result":{`...)
	dst = append(append(dst, extra...), `"content":[{"type":"text","text":`...)
	dst = append(appendJSON(dst, text), `}]`...)
	if structured != nil {
		dst = append(append(dst, `,"structuredContent":`...), structured...)
	}
	if isError {
		dst = append(dst, `,"isError":true`...)
	}
	return append(dst, "}}\n"...)
}

// escapes tells for each byte how it stands in a JSON string: as itself where it is 0, with a backslash before the
// byte given, or, where that is u, by its number.
var escapes = func() (t [utf8.RuneSelf]byte) {
	for i := range 0x20 {
		t[i] = 'u'
	}
	t['\n'], t['\r'], t['\t'], t['"'], t['\\'] = 'n', 'r', 't', '"', '\\'
	return t
}()

const hexDigits = "0123456789abcdef"

// appendJSON appends text as a JSON string. Bytes that are no UTF-8 become U+FFFD. It exists because encoding/json
// takes several times as long on a page of source text, which is most of what this door sends.
func appendJSON(dst, text []byte) []byte {
	high := uint64(highBits) // bytes of characters beyond ASCII are looked at, unless all are known to be in order
	if utf8.Valid(text) {
		high = 0
	}
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		if i+8 <= len(text) {
			n := plain(binary.LittleEndian.Uint64(text[i:]), high)
			if i += n; n == 8 {
				continue
			}
		}
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := rune(0), 1
			if high != 0 {
				r, size = utf8.DecodeRune(text[i:])
			}
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, text[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		if e := escapes[c]; e != 0 {
			dst = append(append(dst, text[from:i]...), '\\', e)
			if e == 'u' {
				dst = append(dst, '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			from = i + 1
		}
		i++
	}
	return append(append(dst, text[from:]...), '"')
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// plain returns how many of eight bytes, from the lowest on, stand for themselves in a JSON string. high holds the top
// bits of those bytes that are not plain where they have them. A subtraction in one byte may borrow from the next, but
// only above a byte that is not plain already.
func plain(eight, high uint64) int {
	odd := (eight - 0x20*lowBits) | ((eight ^ '"'*lowBits) - lowBits) | ((eight ^ '\\'*lowBits) - lowBits)
	return bits.TrailingZeros64(odd&^eight&highBits|eight&high) / 8
}
