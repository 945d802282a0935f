package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// escaped reads the rest of a string that began at from and whose first escape stands at i.
func (s *scanner) escaped(from, i int) string {
	out := append(make([]byte, 0, 2*(i-from)+32), s.in[from:i]...)
	for i < len(s.in) {
		c := s.in[i]
		switch {
		case c == '"':
			if !utf8.Valid(out) {
				s.fail("must be valid UTF-8")
				return ""
			}
			s.at = i + 1
			return string(out)
		case c < ' ':
			s.at = i
			s.malformed()
			return ""
		case c != '\\':
			run := i
			for i++; i < len(s.in) && s.in[i] >= ' ' && s.in[i] != '"' && s.in[i] != '\\'; i++ {
			}
			out = append(out, s.in[run:i]...)
			continue
		}
		var n int
		out, n = s.escape(out, i)
		if n == 0 {
			if s.err == nil {
				s.at = i
				s.malformed()
			}
			return ""
		}
		i += n
	}
	s.at = len(s.in)
	s.malformed()
	return ""
}

// escape appends what the escape at i stands for and returns its length, or 0 when it is none.
func (s *scanner) escape(out []byte, i int) ([]byte, int) {
	if i+1 >= len(s.in) {
		return out, 0
	}
	switch c := s.in[i+1]; c {
	case '"', '\\', '/':
		return append(out, c), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	case 'u':
	default:
		return out, 0
	}
	r := hex4(s.in, i)
	if r < 0 {
		return out, 0
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), 6
	}
	pair := utf16.DecodeRune(r, hex4(s.in, i+6))
	if pair == utf8.RuneError {
		// Half a character: putting U+FFFD in its place would write other text than was sent.
		s.fail("holds a lone surrogate escape, which is no character")
		return out, 0
	}
	return utf8.AppendRune(out, pair), 12
}

// hex4 returns the code unit of the escape \uXXXX at i, or -1 when there is none.
func hex4(in []byte, i int) rune {
	if i+6 > len(in) || in[i] != '\\' || in[i+1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range in[i+2 : i+6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
