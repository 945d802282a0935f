package rpc

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// AppendText appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD each.
func AppendText[S string | []byte](dst []byte, s S) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

// AppendResult appends the frame that answers the call of that id; result is one JSON value without line ends.
func AppendResult(dst, id, result []byte) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	return append(append(append(dst, `,"result":`...), result...), "}\n"...)
}

// AppendError appends the frame that answers with an error; a nil id stands for an unknown one, and nil data for none.
func AppendError(dst, id []byte, code int, message string, data json.RawMessage) []byte {
	if id == nil {
		id = []byte("null")
	}
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	dst = strconv.AppendInt(append(dst, `,"error":{"code":`...), int64(code), 10)
	dst = AppendText(append(dst, `,"message":`...), message)
	if data != nil {
		dst = append(append(dst, `,"data":`...), data...)
	}
	return append(dst, "}}\n"...)
}

// AppendNotice appends a notification; params is one JSON object without line ends.
func AppendNotice(dst []byte, method string, params []byte) []byte {
	dst = AppendText(append(dst, `{"jsonrpc":"2.0","method":`...), method)
	return append(append(append(dst, `,"params":`...), params...), "}\n"...)
}
