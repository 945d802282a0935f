package content

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/fault"
)

// jsonDepth is how deep arrays and objects may nest.
const jsonDepth = 10_000

// CanonicalJSON returns the one text that the storage formats hash for a JSON value: the ECMAScript text without
// white space, members ordered, numbers in their shortest form.
//
// It is not RFC 8785. Members whose names are array indices (0 to 4294967294, without sign or leading zero) come first
// in numeric order, the others follow by UTF-16 code units; of a repeated member the last one counts; a number too
// large for a double is null; lone surrogates stay as escapes. It answers invalid for what is no JSON text in UTF-8,
// and for one that nests deeper than 10,000.
func CanonicalJSON(src []byte) ([]byte, error) {
	if !utf8.Valid(src) {
		return nil, fault.Newf(fault.Invalid, "", "the JSON text is not valid UTF-8")
	}
	p := jsonParser{src: src}
	p.space()
	v := p.value(0)
	p.space()
	if p.bad == "" && p.at < len(src) {
		p.fail("something follows the value")
	}
	if p.bad != "" {
		return nil, fault.Newf(fault.Invalid, "", "no JSON text: %s at byte %d", p.bad, p.at)
	}
	return v.append(make([]byte, 0, len(src))), nil
}

// jsonValue is one parsed value: a scalar as its canonical text, or a container.
type jsonValue struct {
	text    []byte // scalars
	object  bool
	array   bool
	members []jsonMember // elements of an array have no names
}

type jsonMember struct {
	name  []byte   // canonical text, with its quotes
	units []uint16 // what names are ordered by
	index int64    // the array index that the name is, or -1
	value jsonValue
}

func (v *jsonValue) append(dst []byte) []byte {
	open, shut := byte('['), byte(']')
	if v.object {
		open, shut = '{', '}'
	} else if !v.array {
		return append(dst, v.text...)
	}
	dst = append(dst, open)
	for i := range v.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if m := &v.members[i]; v.object {
			dst = append(append(dst, m.name...), ':')
		}
		dst = v.members[i].value.append(dst)
	}
	return append(dst, shut)
}

// order sorts the members of an object and drops all but the last of each name.
func (v *jsonValue) order() {
	slices.SortStableFunc(v.members, func(a, b jsonMember) int {
		switch {
		case a.index >= 0 && b.index >= 0:
			return int(a.index - b.index)
		case a.index >= 0:
			return -1
		case b.index >= 0:
			return 1
		}
		return slices.Compare(a.units, b.units)
	})
	kept := v.members[:0]
	for i := range v.members {
		if i+1 < len(v.members) && slices.Equal(v.members[i].units, v.members[i+1].units) {
			continue
		}
		kept = append(kept, v.members[i])
	}
	v.members = kept
}

func newMember(name []byte) jsonMember {
	m := jsonMember{name: appendWide(nil, name), units: unitsOf(name), index: -1}
	if n := len(name); n == 1 || 1 < n && n <= 10 && name[0] != '0' {
		if i, err := strconv.ParseUint(string(name), 10, 64); err == nil && i < math.MaxUint32 && name[0] != '+' {
			m.index = int64(i)
		}
	}
	return m
}

// appendWide appends the canonical JSON string of s, which is UTF-8 but for lone surrogates.
func appendWide(dst, s []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			dst = appendASCII(dst, s[i])
			i++
			continue
		}
		r, n := decodeWide(s[i:])
		if utf16.IsSurrogate(r) {
			dst = append(dst, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return append(dst, '"')
}

func unitsOf(s []byte) []uint16 {
	out := make([]uint16, 0, len(s))
	for i := 0; i < len(s); {
		r, n := decodeWide(s[i:])
		i += n
		out = utf16.AppendRune(out, r)
		if utf16.IsSurrogate(r) {
			out[len(out)-1] = uint16(r) // AppendRune substitutes U+FFFD
		}
	}
	return out
}

// appendSurrogate and decodeWide extend UTF-8 to lone surrogates, which JSON escapes can spell.
func appendSurrogate(dst []byte, r rune) []byte {
	return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

func decodeWide(s []byte) (rune, int) {
	if r, n := utf8.DecodeRune(s); r != utf8.RuneError || n != 1 {
		return r, n
	}
	return rune(s[0]&0x0F)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
}

// appendNumber appends the shortest text that reads back as f, in ECMAScript's notation.
func appendNumber(dst []byte, f float64) []byte {
	switch a := math.Abs(f); {
	case math.IsInf(f, 0):
		return append(dst, "null"...)
	case a == 0:
		return append(dst, '0')
	case a >= 1e21 || a < 1e-6:
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
			dst[n-2] = dst[n-1] // 1e-07 is spelt 1e-7
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}
