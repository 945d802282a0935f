package content

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonParser reads one JSON text, which is valid UTF-8. After a failure every method returns at once.
type jsonParser struct {
	src []byte
	at  int
	bad string // what is wrong at at; empty while nothing is
}

func (p *jsonParser) fail(what string) {
	if p.bad == "" {
		p.bad = what
	}
}

// peek returns the next byte, or 0 at the end, which no JSON text holds outside of strings.
func (p *jsonParser) peek() byte {
	if p.bad != "" || p.at >= len(p.src) {
		return 0
	}
	return p.src[p.at]
}

func (p *jsonParser) space() {
	for {
		switch p.peek() {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *jsonParser) value(depth int) jsonValue {
	if depth > jsonDepth {
		p.fail("it nests too deep")
	}
	switch c := p.peek(); {
	case c == '{' || c == '[':
		return p.container(depth, c == '{')
	case c == '"':
		return jsonValue{text: appendWide(nil, p.str())}
	case c == '-' || '0' <= c && c <= '9':
		return jsonValue{text: p.number()}
	}
	for _, word := range []string{"null", "true", "false"} {
		if p.bad == "" && bytes.HasPrefix(p.src[p.at:], []byte(word)) {
			p.at += len(word)
			return jsonValue{text: []byte(word)}
		}
	}
	p.fail("a value is missing")
	return jsonValue{}
}

func (p *jsonParser) container(depth int, object bool) jsonValue {
	v := jsonValue{object: object, array: !object}
	shut := byte(']')
	if object {
		shut = '}'
	}
	p.at++
	p.space()
	if p.peek() == shut {
		p.at++
		return v
	}
	for p.bad == "" {
		var m jsonMember
		if object {
			if p.peek() != '"' {
				p.fail("a name is missing")
				break
			}
			m = newMember(p.str())
			p.space()
			if p.peek() != ':' {
				p.fail("a colon is missing")
				break
			}
			p.at++
			p.space()
		}
		m.value = p.value(depth + 1)
		v.members = append(v.members, m)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
			p.space()
		case shut:
			p.at++
			if object {
				v.order()
			}
			return v
		default:
			p.fail("a comma or the end of the container is missing")
		}
	}
	return v
}

// number reads a number and returns its canonical text.
func (p *jsonParser) number() []byte {
	from := p.at
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else {
		p.digits()
	}
	if p.peek() == '.' {
		p.at++
		p.digits()
	}
	if p.peek()|0x20 == 'e' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		p.digits()
	}
	if p.bad != "" {
		return nil
	}
	// Out of range is no error here: too large is an infinity, which is written as null, and too small is zero.
	f, _ := strconv.ParseFloat(string(p.src[from:p.at]), 64)
	return appendNumber(nil, f)
}

func (p *jsonParser) digits() {
	from := p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	if p.at == from {
		p.fail("a digit is missing")
	}
}

// str reads a string and returns its text: UTF-8 but for lone surrogates, see appendSurrogate.
func (p *jsonParser) str() []byte {
	p.at++
	out := []byte{}
	for p.bad == "" {
		if p.at >= len(p.src) {
			p.fail("a string does not end")
			break
		}
		switch c := p.src[p.at]; {
		case c == '"':
			p.at++
			return out
		case c < ' ':
			p.fail("a control character stands in a string")
		case c == '\\':
			out = p.escape(out)
		default:
			out = append(out, c)
			p.at++
		}
	}
	return out
}

func (p *jsonParser) escape(out []byte) []byte {
	if p.at+1 >= len(p.src) {
		p.fail("a string does not end")
		return out
	}
	c := p.src[p.at+1]
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), c); i >= 0 {
		p.at += 2
		return append(out, "\"\\/\b\f\n\r\t"[i])
	}
	r, ok := p.unit(p.at)
	if !ok {
		p.fail("an escape is unknown")
		return out
	}
	p.at += 6
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r)
	}
	if low, ok := p.unit(p.at); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			p.at += 6
			return utf8.AppendRune(out, pair)
		}
	}
	return appendSurrogate(out, r)
}

// unit reads the escape \uXXXX at i.
func (p *jsonParser) unit(i int) (rune, bool) {
	if i+6 > len(p.src) || p.src[i] != '\\' || p.src[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.src[i+2:i+6]), 16, 16)
	return rune(n), err == nil
}
