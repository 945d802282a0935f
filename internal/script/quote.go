package script

import (
	"fmt"
	"strconv"
	"strings"
)

// unquote reads a printf-style text that begins with a double quote and returns it with the number of bytes read, both
// quotes included.
func unquote(s string) (text string, n int, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), i + 1, nil
		case '\\':
			i++
			if i >= len(s) {
				return "", 0, fmt.Errorf("text ends within an escape")
			}
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case '\\', '"':
				b.WriteByte(s[i])
			case 'x':
				if i+3 > len(s) {
					return "", 0, fmt.Errorf(`\x needs two hexadecimal digits`)
				}
				v, err := strconv.ParseUint(s[i+1:min(i+3, len(s))], 16, 8)
				if err != nil {
					return "", 0, fmt.Errorf(`\x needs two hexadecimal digits, not %q`, s[i+1:min(i+3, len(s))])
				}
				b.WriteByte(byte(v))
				i += 2
			default:
				return "", 0, fmt.Errorf(`unknown escape \%c`, s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, fmt.Errorf("text has no closing quote")
}

// Quote returns s in the notation of scripts, so that a failure can be pasted into one. Texts of more than 400 bytes
// are shown by both their ends.
func Quote(s string) string {
	if len(s) > 400 {
		return quote(s[:200]) + " ... " + quote(s[len(s)-150:]) + fmt.Sprintf(" (%d bytes)", len(s))
	}
	return quote(s)
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\\' || c == '"':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
