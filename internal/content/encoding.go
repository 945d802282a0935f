package content

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/fault"
)

func decode(raw []byte) *Text {
	switch {
	case bytes.HasPrefix(raw, bomUTF8):
		// The mark says what the bytes are meant to be, also where some of them are damaged.
		t := &Text{raw: raw, body: raw[3:], bom: true}
		if bytes.IndexByte(t.body, 0) >= 0 {
			t.enc = Binary
		}
		return t
	case bytes.HasPrefix(raw, bomUTF32LE):
		// Its first half is the mark of UTF-16, as which it would read as text full of NULs.
		return &Text{raw: raw, body: raw, enc: Binary}
	case bytes.HasPrefix(raw, bomUTF16LE):
		if b, ok := fromUTF16(raw[2:], binary.LittleEndian); ok {
			return &Text{raw: raw, body: b, enc: UTF16LE, bom: true}
		}
	case bytes.HasPrefix(raw, bomUTF16BE):
		if b, ok := fromUTF16(raw[2:], binary.BigEndian); ok {
			return &Text{raw: raw, body: b, enc: UTF16BE, bom: true}
		}
	}
	return &Text{raw: raw, body: raw, enc: eightBitOrUTF8(raw)}
}

// eightBitOrUTF8 tells UTF-8 from 8-bit text and from binary data. Damaged UTF-8 stays UTF-8 where well-formed
// multi-byte characters outnumber the bytes that fit into none: one bad byte does not make a file Latin-1.
func eightBitOrUTF8(b []byte) Encoding {
	if bytes.IndexByte(b, 0) >= 0 {
		return Binary
	}
	if utf8.Valid(b) {
		return UTF8
	}
	good, bad := 0, 0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			good++
		}
		b = b[n:]
	}
	if good > bad {
		return UTF8
	}
	return EightBit
}

// fromUTF16 converts b to UTF-8; ok is false when converting back would not give the same bytes.
func fromUTF16(b []byte, order binary.ByteOrder) (out []byte, ok bool) {
	if len(b)%2 != 0 {
		return nil, false
	}
	out = make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 2 {
		u := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(u) {
			if i+4 > len(b) {
				return nil, false
			}
			r := utf16.DecodeRune(u, rune(order.Uint16(b[i+2:])))
			if r == utf8.RuneError {
				return nil, false
			}
			u, i = r, i+2
		}
		out = utf8.AppendRune(out, u)
	}
	return out, true
}

// Encode returns the raw bytes of a file whose text is body, in the encoding and with the BOM of t. It answers
// lossy-encoding when body holds characters that this encoding has not, and never writes a substitute for one. Bytes
// that were already in t's own body pass unchanged; body must consist of parts of it and of inserted text.
//
// inserted is the text that was put in; it alone is checked against an 8-bit or binary file's encoding.
func (t *Text) Encode(body []byte, inserted ...string) ([]byte, error) {
	switch t.enc {
	case UTF16LE, UTF16BE:
		if !utf8.Valid(body) {
			return nil, fault.Newf(fault.LossyEncoding, "", "the text is not valid UTF-8, so it cannot be written as %s", t.enc)
		}
		var order binary.AppendByteOrder = binary.LittleEndian
		out := append([]byte(nil), bomUTF16LE...)
		if t.enc == UTF16BE {
			order, out = binary.BigEndian, append([]byte(nil), bomUTF16BE...)
		}
		for _, r := range string(body) {
			if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
				out = order.AppendUint16(order.AppendUint16(out, uint16(hi)), uint16(lo))
				continue
			}
			out = order.AppendUint16(out, uint16(r))
		}
		return out, nil
	case EightBit, Binary:
		for _, s := range inserted {
			for i := range len(s) {
				if s[i] >= utf8.RuneSelf {
					return nil, fault.Newf(fault.LossyEncoding, "", "the file is %s, and the new text holds characters beyond ASCII that cannot be written into it without guessing its encoding", t.enc)
				}
			}
		}
	}
	if !t.bom {
		return body, nil
	}
	return append(append(make([]byte, 0, len(body)+3), bomUTF8...), body...), nil
}
