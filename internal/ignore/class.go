package ignore

import "strings"

// set is a set of bytes.
type set [4]uint64

func (s *set) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

func (s *set) put(c byte) { s[c>>6] |= 1 << (c & 63) }

// readSet reads the bracket expression that s begins with and returns how long it is; 0 says that it is none: not closed,
// or with a class of an unknown name.
//
// Where names are folded they are lower case by the time they are compared. A range then holds a small letter if it holds
// its capital, and [:upper:] holds all of them; a single capital stays what it is and meets nothing. So it is with git.
func readSet(s string, fold bool) (out set, length int) {
	i, negated := 1, false
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		i, negated = i+1, true
	}
	low := -1 // the byte that a range could begin at
	for first := true; ; first = false {
		if i >= len(s) {
			return out, 0
		}
		c := s[i]
		if c == ']' && !first {
			break
		}
		switch {
		case c == '-' && low >= 0 && i+1 < len(s) && s[i+1] != ']':
			high, n := member(s[i+1:])
			if n == 0 {
				return out, 0
			}
			out.span(low, int(high), fold)
			i += 1 + n
			low = -1
		case strings.HasPrefix(s[i:], "[:"):
			n, ok := className(s[i:])
			if n == 0 {
				if !ok {
					return out, 0
				}
				out.put(c)
				low = int(c)
				i++
				continue
			}
			if !out.class(s[i+2:i+n-2], fold) {
				return out, 0
			}
			i += n
			low = -1
		default:
			c, n := member(s[i:])
			if n == 0 {
				return out, 0
			}
			out.put(c)
			low = int(c)
			i += n
		}
	}
	if negated {
		for k := range out {
			out[k] = ^out[k]
		}
	}
	out['/'>>6] &^= 1 << ('/' & 63)
	return out, i + 1
}

// member reads one byte of a set and returns how long its spelling is; 0 where it ends behind a backslash.
func member(s string) (c byte, length int) {
	if s[0] != '\\' {
		return s[0], 1
	}
	if len(s) < 2 {
		return 0, 0
	}
	return s[1], 2
}

// className returns the length of the "[:name:]" that s begins with. It is 0 with ok where the next bracket that closes
// has no colon before it, and the "[" is a member like any other; it is 0 without ok where none closes.
func className(s string) (length int, ok bool) {
	end := strings.IndexByte(s[2:], ']')
	if end < 0 {
		return 0, false
	}
	if end == 0 || s[2+end-1] != ':' {
		return 0, true
	}
	return 2 + end + 1, true
}

func (s *set) span(low, high int, fold bool) {
	for c := low; c <= high; c++ {
		s.put(byte(c))
		if fold && isUpper(byte(c)) {
			s.put(lowered(byte(c)))
		}
	}
}

// class adds the bytes of a named class and reports whether there is one of that name.
func (s *set) class(name string, fold bool) bool {
	in := classNamed(name)
	if in == nil {
		return false
	}
	for c := range 256 {
		if in(byte(c)) || fold && name == "upper" && isLower(byte(c)) {
			s.put(byte(c))
		}
	}
	return true
}

// classNamed returns the class of that name, or nil. Classes are those of POSIX in the C locale, but that white space is
// blank, tab, newline and CR alone, as git has it.
func classNamed(name string) func(c byte) bool {
	switch name {
	case "alnum":
		return func(c byte) bool { return isLetter(c) || isDigit(c) }
	case "alpha":
		return isLetter
	case "blank":
		return func(c byte) bool { return c == ' ' || c == '\t' }
	case "cntrl":
		return func(c byte) bool { return c < ' ' || c == 0x7f }
	case "digit":
		return isDigit
	case "graph":
		return func(c byte) bool { return ' ' < c && c < 0x7f }
	case "lower":
		return isLower
	case "print":
		return func(c byte) bool { return ' ' <= c && c < 0x7f }
	case "punct":
		return func(c byte) bool { return ' ' < c && c < 0x7f && !isLetter(c) && !isDigit(c) }
	case "space":
		return func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	case "upper":
		return isUpper
	case "xdigit":
		return func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
	}
	return nil
}

func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isUpper(c) || isLower(c) }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
