package content

import (
	"bytes"
	"unicode/utf8"
)

// Encoding says how the bytes of a file stand for text.
type Encoding uint8

// The encodings that are told apart. Nothing is guessed: what is neither marked nor valid is EightBit or Binary.
const (
	UTF8     Encoding = iota // valid UTF-8, or UTF-8 with some damaged bytes
	UTF16LE                  // UTF-16, little endian, convertible there and back without loss
	UTF16BE                  // UTF-16, big endian, convertible there and back without loss
	EightBit                 // some 8-bit encoding that no rule can name: only ASCII may be written into it
	Binary                   // holds NUL bytes and is no UTF-16
)

// String returns the name shown at the doors: utf-8, utf-16le, utf-16be, 8-bit or binary.
func (e Encoding) String() string {
	return [...]string{"utf-8", "utf-16le", "utf-16be", "8-bit", "binary"}[e]
}

// Ending is how one line ends.
type Ending uint8

// The endings. A lone CR ends nothing: it is ordinary content.
const (
	NoEnding Ending = iota // the last line of a file without a final newline
	LF
	CRLF
)

// String returns the bytes of the ending.
func (e Ending) String() string { return [...]string{"", "\n", "\r\n"}[e] }

// EOL summarises the endings of a file.
type EOL uint8

// The summaries.
const (
	EOLNone EOL = iota // no line ends: the file is empty or one line without a newline
	EOLLF
	EOLCRLF
	EOLMixed
)

// String returns the name shown at the doors: none, lf, crlf or mixed.
func (e EOL) String() string { return [...]string{"none", "lf", "crlf", "mixed"}[e] }

// Text is the text of one file's bytes: decoded to UTF-8 without its BOM, and cut into lines at LF alone. For UTF-8,
// 8-bit and binary files it is a part of the raw bytes themselves; only UTF-16 is converted.
//
// A text may be up to 4 GiB long; whoever captures files keeps them far below that.
//
// A Text is immutable but for facts that are computed when first asked for; it is therefore not safe for concurrent
// use until [Text.Settle] was called, and safe afterwards. It shares raw with its creator, who must not change it.
type Text struct {
	raw  []byte
	body []byte // raw less its BOM, decoded
	enc  Encoding
	bom  bool

	starts []uint32 // start of each line in body, and len(body) at the end; nil until asked for
	facts  *facts
}

type facts struct {
	eol   EOL
	major Ending // the prevailing ending, LF where there is none
}

var (
	bomUTF8    = []byte{0xEF, 0xBB, 0xBF}
	bomUTF16LE = []byte{0xFF, 0xFE}
	bomUTF16BE = []byte{0xFE, 0xFF}
	bomUTF32LE = []byte{0xFF, 0xFE, 0, 0}
)

// Decode finds out what raw is. It never fails: what is not text is Binary, with its bytes as they are.
func Decode(raw []byte) *Text { return decode(raw) }

// Raw returns the bytes of the file.
func (t *Text) Raw() []byte { return t.raw }

// Body returns the text: UTF-8 without BOM for the Unicode encodings, the raw bytes for 8-bit and binary files.
func (t *Text) Body() []byte { return t.body }

// Encoding returns how the raw bytes stand for the text.
func (t *Text) Encoding() Encoding { return t.enc }

// BOM reports whether the file begins with a byte order mark.
func (t *Text) BOM() bool { return t.bom }

// Lines returns the number of lines. A final newline starts no further line, and an empty text has none.
func (t *Text) Lines() int { return len(t.table()) - 1 }

// FinalNewline reports whether the last line is ended. An empty text has none.
func (t *Text) FinalNewline() bool { return len(t.body) > 0 && t.body[len(t.body)-1] == '\n' }

// Full returns line i with its ending.
func (t *Text) Full(i int) []byte { s := t.table(); return t.body[s[i]:s[i+1]] }

// Line returns line i without its ending.
func (t *Text) Line(i int) []byte {
	l := t.Full(i)
	return l[:len(l)-len(endingOf(l).String())]
}

// Ending returns how line i ends.
func (t *Text) Ending(i int) Ending { return endingOf(t.Full(i)) }

// Slice returns the lines [from, to) with their endings.
func (t *Text) Slice(from, to int) []byte { s := t.table(); return t.body[s[from]:s[to]] }

// Offset returns where line i starts in the body; i may be the number of lines, whose offset is the body's length.
func (t *Text) Offset(i int) int { return int(t.table()[i]) }

// LineAt returns the line that holds the body's byte at off; an offset at the very end belongs to the last line, or to
// line Lines() when the last line is ended.
func (t *Text) LineAt(off int) int {
	s := t.table()
	lo, hi := 0, len(s)-1 // first start beyond off
	for lo < hi {
		m := (lo + hi) / 2
		if int(s[m]) > off {
			hi = m
		} else {
			lo = m + 1
		}
	}
	if int(s[lo]) > off {
		return lo - 1
	}
	if n := len(s) - 1; n > 0 && !t.FinalNewline() {
		return n - 1
	}
	return len(s) - 1
}

// EOL returns which endings the lines have.
func (t *Text) EOL() EOL { return t.look().eol }

// Prevailing returns the ending most lines have, LF where none has any or both are equally many.
func (t *Text) Prevailing() Ending { return t.look().major }

// Exact reports whether line i can be shown to a model exactly: it is valid UTF-8 and holds no NUL.
func (t *Text) Exact(i int) bool {
	l := t.Line(i)
	return utf8.Valid(l) && bytes.IndexByte(l, 0) < 0
}

// Settle computes all facts now, after which t is safe for concurrent use. It returns t.
func (t *Text) Settle() *Text { t.table(); t.look(); return t }

func endingOf(full []byte) Ending {
	n := len(full)
	switch {
	case n == 0 || full[n-1] != '\n':
		return NoEnding
	case n > 1 && full[n-2] == '\r':
		return CRLF
	}
	return LF
}

func (t *Text) table() []uint32 {
	if t.starts == nil {
		t.starts = lineStarts(t.body)
	}
	return t.starts
}

// lineStarts returns the offset of every line of b and, last, len(b).
func lineStarts(b []byte) []uint32 {
	s := make([]uint32, 1, bytes.Count(b, []byte{'\n'})+2)
	for at := 0; at < len(b); {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		if at < len(b) {
			s = append(s, uint32(at))
		}
	}
	if len(b) == 0 {
		return s // one start at 0, which is also the end: no line
	}
	return append(s, uint32(len(b)))
}

func (t *Text) look() *facts {
	if t.facts != nil {
		return t.facts
	}
	f := &facts{}
	lf := bytes.Count(t.body, []byte{'\n'})
	crlf := bytes.Count(t.body, []byte{'\r', '\n'})
	f.major = LF
	switch {
	case lf == 0:
		f.eol = EOLNone
	case crlf == 0:
		f.eol = EOLLF
	case crlf == lf:
		f.eol, f.major = EOLCRLF, CRLF
	default:
		f.eol = EOLMixed
		if 2*crlf > lf {
			f.major = CRLF
		}
	}
	t.facts = f
	return f
}
