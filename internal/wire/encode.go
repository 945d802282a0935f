package wire

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/sightline-io/sightline"
)

// object writes one JSON object member by member, so that the members stand in the order the contract lists them and
// the text of a page is copied once.
type object struct{ out []byte }

// begin starts an object that carries the version of its shape.
func begin(size int) *object {
	return &object{append(make([]byte, 0, size+256), `{"v":1`...)}
}

func (o *object) end() json.RawMessage { return append(o.out, '}') }

func (o *object) name(n string) {
	if o.out[len(o.out)-1] != '{' {
		o.out = append(o.out, ',')
	}
	o.out = append(append(append(o.out, '"'), n...), '"', ':')
}

func (o *object) raw(n string, v json.RawMessage) { o.name(n); o.out = append(o.out, v...) }

func (o *object) null(n string) { o.name(n); o.out = append(o.out, "null"...) }

func (o *object) text(n, v string) { o.name(n); o.out = appendString(o.out, v) }

func (o *object) bytes(n string, v []byte) { o.name(n); o.out = appendString(o.out, v) }

func (o *object) boolean(n string, v bool) { o.name(n); o.out = strconv.AppendBool(o.out, v) }

func (o *object) number(n string, v int64) { o.name(n); o.out = strconv.AppendInt(o.out, v, 10) }

// ref writes a ref, null when it names nothing.
func (o *object) ref(n string, v sightline.Ref) {
	if v.IsZero() {
		o.null(n)
		return
	}
	o.text(n, v.String())
}

func (o *object) span(n string, l sightline.Lines) { o.name(n); o.out = appendSpan(o.out, l) }

func (o *object) spans(n string, ls []sightline.Lines) {
	o.name(n)
	o.out = append(o.out, '[')
	for i, l := range ls {
		if i > 0 {
			o.out = append(o.out, ',')
		}
		o.out = appendSpan(o.out, l)
	}
	o.out = append(o.out, ']')
}

// texts writes a list of strings; it is left out when empty.
func (o *object) texts(n string, vs []string) {
	if len(vs) == 0 {
		return
	}
	o.name(n)
	for i, v := range vs {
		o.out = appendString(append(o.out, "[,"[min(i, 1)]), v)
	}
	o.out = append(o.out, ']')
}

// each writes an array of n values.
func (o *object) each(name string, n int, write func(o *object, i int)) {
	o.name(name)
	o.out = append(o.out, '[')
	for i := range n {
		if i > 0 {
			o.out = append(o.out, ',')
		}
		write(o, i)
	}
	o.out = append(o.out, ']')
}

// nested writes an object within an array.
func (o *object) nested(write func(o *object)) {
	o.out = append(o.out, '{')
	write(o)
	o.out = append(o.out, '}')
}

func appendSpan(out []byte, l sightline.Lines) []byte {
	first, last := Outside(l)
	last = min(last, maxNumber) // an open end is no number that others can read
	out = strconv.AppendInt(append(out, '['), int64(first), 10)
	return append(strconv.AppendInt(append(out, ','), int64(last), 10), ']')
}

// appendString writes a JSON string. Valid UTF-8 survives exactly; every byte that is no part of a character becomes
// U+FFFD. U+2028 and U+2029 are escaped, since some readers take them for line ends.
func appendString[S string | []byte](out []byte, s S) []byte {
	const digits = "0123456789abcdef"
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			out = append(out, s[from:i]...)
			switch c {
			case '"', '\\':
				out = append(out, '\\', c)
			case '\n':
				out = append(out, '\\', 'n')
			case '\r':
				out = append(out, '\\', 'r')
			case '\t':
				out = append(out, '\\', 't')
			default:
				out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			}
			i++
			from = i
			continue
		}
		// The longest character has four bytes; converting more would copy the rest of s each time.
		r, n := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(append(out, s[from:i]...), "\uFFFD"...)
			from = i + n
		case r == '\u2028' || r == '\u2029':
			out = append(append(out, s[from:i]...), '\\', 'u', '2', '0', '2', digits[r&15])
			from = i + n
		}
		i += n
	}
	return append(append(out, s[from:]...), '"')
}
