package content

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// naiveLines cuts a body the slow way: every line with its ending.
func naiveLines(body []byte) []string {
	var out []string
	line := ""
	for _, c := range body {
		line += string([]byte{c})
		if c == '\n' {
			out = append(out, line)
			line = ""
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// checkTable compares everything a Text says of its lines with the slow way.
func checkTable(t *testing.T, x *Text) {
	t.Helper()
	want := naiveLines(x.Body())
	if x.Lines() != len(want) {
		t.Fatalf("%q: %d lines, want %d", x.Body(), x.Lines(), len(want))
	}
	at, lf, crlf := 0, 0, 0
	for i, full := range want {
		line, ending := full, NoEnding
		if l, ok := strings.CutSuffix(full, "\r\n"); ok {
			line, ending = l, CRLF
			crlf++
		} else if l, ok := strings.CutSuffix(full, "\n"); ok {
			line, ending = l, LF
			lf++
		}
		if string(x.Full(i)) != full || string(x.Line(i)) != line || x.Ending(i) != ending || x.Offset(i) != at {
			t.Fatalf("%q line %d: full %q, line %q, ending %d, offset %d", x.Body(), i, x.Full(i), x.Line(i), x.Ending(i), x.Offset(i))
		}
		for off := at; off < at+len(full); off++ {
			if got := x.LineAt(off); got != i {
				t.Fatalf("%q: offset %d is on line %d, want %d", x.Body(), off, got, i)
			}
		}
		if x.Exact(i) != (utf8.ValidString(line) && !strings.Contains(line, "\x00")) {
			t.Fatalf("%q line %d: exact %t", x.Body(), i, x.Exact(i))
		}
		at += len(full)
	}
	if x.Offset(len(want)) != len(x.Body()) || string(x.Slice(0, len(want))) != string(x.Body()) {
		t.Fatalf("%q: the lines do not add up", x.Body())
	}
	end := len(want)
	if end > 0 && !x.FinalNewline() {
		end--
	}
	if got := x.LineAt(len(x.Body())); got != end {
		t.Fatalf("%q: the end is on line %d, want %d", x.Body(), got, end)
	}
	eol, major := EOLNone, LF
	switch {
	case lf > 0 && crlf > 0:
		eol = EOLMixed
		if crlf > lf {
			major = CRLF
		}
	case lf > 0:
		eol = EOLLF
	case crlf > 0:
		eol, major = EOLCRLF, CRLF
	}
	if x.EOL() != eol || x.Prevailing() != major {
		t.Fatalf("%q: %s with %q, want %s with %q", x.Body(), x.EOL(), x.Prevailing(), eol, major)
	}
	if x.FinalNewline() != strings.HasSuffix(string(x.Body()), "\n") {
		t.Fatalf("%q: final newline %t", x.Body(), x.FinalNewline())
	}
}

// Every text of up to seven bytes over a letter, CR and LF.
func TestLineTableExhaustively(t *testing.T) {
	const letters = "a\r\n"
	for n := range 8 {
		total := 1
		for range n {
			total *= len(letters)
		}
		for code := range total {
			raw := make([]byte, n)
			for i := range raw {
				raw[i], code = letters[code%len(letters)], code/len(letters)
			}
			checkTable(t, Decode(raw))
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\nb", "a\r\nb\r\n", "\xef\xbb\xbfa\n", "\xff\xfea\x00\n\x00", "\xfe\xff\x00a", "caf\xe9\n", "\x00", "é\xff\n", "\xff\xfe\x00\x00a\x00\x00\x00", "\xff\xfe\x00\xd8"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		x := Decode(raw)
		if x.Settle() != x {
			t.Fatal("Settle returns another text")
		}
		checkTable(t, x)
		// What was taken apart goes together again, byte for byte.
		back, err := x.Encode(x.Body())
		if err != nil || !bytes.Equal(back, before) || !bytes.Equal(x.Raw(), before) {
			t.Fatalf("% x became % x (%s, %v)", before, back, x.Encoding(), err)
		}
		wide := x.Encoding() == UTF16LE || x.Encoding() == UTF16BE
		if x.BOM() != (wide || len(x.Body()) < len(raw)) {
			t.Fatalf("% x: BOM %t as %s", raw, x.BOM(), x.Encoding())
		}
		if wide && !utf8.Valid(x.Body()) {
			t.Fatalf("% x: decoded to invalid UTF-8", raw)
		}
		if got := Decode(back); got.Encoding() != x.Encoding() || got.BOM() != x.BOM() {
			t.Fatalf("% x: read again as %s", raw, got.Encoding())
		}
	})
}

// What other tools take for the end of a line is content here (F37).
func TestOnlyLineFeedsEndLines(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want []string
	}{
		{"l0\n\x0cl1\nl2\n", []string{"l0", "\x0cl1", "l2"}},
		{"p\rq\nr\n", []string{"p\rq", "r"}},
		{"s\u2028t\nw\n", []string{"s\u2028t", "w"}},
		{"a\rb", []string{"a\rb"}},
		{"a\u2029b\u0085c\vd\x1ce\x1df\x1e\n", []string{"a\u2029b\u0085c\vd\x1ce\x1df\x1e"}},
		{"a\r", []string{"a\r"}},
		{"a\r\r\n", []string{"a\r"}},
		{"\n\n", []string{"", ""}},
		{"", nil},
		{"\ufeffa\n", []string{"a"}},
		{"a\n\ufeffb\n", []string{"a", "\ufeffb"}},
	} {
		x := Decode([]byte(c.raw))
		var got []string
		for i := range x.Lines() {
			got = append(got, string(x.Line(i)))
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%q: lines %q, want %q", c.raw, got, c.want)
		}
	}
}

func utf16Bytes(order binary.AppendByteOrder, s string) []byte {
	out := order.AppendUint16(nil, 0xFEFF)
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		enc       Encoding
		bom       bool
		body      string
	}{
		{"empty", "", UTF8, false, ""},
		{"ascii", "a\n", UTF8, false, "a\n"},
		{"utf-8", "é€😀\n", UTF8, false, "é€😀\n"},
		{"utf-8 with BOM", "\xef\xbb\xbfé\n", UTF8, true, "é\n"},
		{"BOM alone", "\xef\xbb\xbf", UTF8, true, ""},
		{"half a BOM", "\xef\xbb", EightBit, false, "\xef\xbb"},
		{"two BOMs", "\xef\xbb\xbf\xef\xbb\xbfa", UTF8, true, "\ufeffa"},
		{"damaged utf-8 with BOM", "\xef\xbb\xbfcaf\xe9", UTF8, true, "caf\xe9"},
		{"NUL behind a BOM", "\xef\xbb\xbfa\x00", Binary, true, "a\x00"},
		{"latin-1", "caf\xe9\n", EightBit, false, "caf\xe9\n"},
		{"one bad byte among good ones", "é€ \xff", UTF8, false, "é€ \xff"},
		{"as many bad as good", "é \xff", EightBit, false, "é \xff"},
		{"encoded surrogate", "\xed\xa0\x80", EightBit, false, "\xed\xa0\x80"},
		{"binary", "a\x00b", Binary, false, "a\x00b"},
		{"utf-16le", string(utf16Bytes(binary.LittleEndian, "aé😀\r\n")), UTF16LE, true, "aé😀\r\n"},
		{"utf-16be", string(utf16Bytes(binary.BigEndian, "aé😀\n")), UTF16BE, true, "aé😀\n"},
		{"utf-16le, BOM alone", "\xff\xfe", UTF16LE, true, ""},
		{"utf-16le with U+FFFD and U+FEFF", string(utf16Bytes(binary.LittleEndian, "\ufffd\ufeff")), UTF16LE, true, "\ufffd\ufeff"},
		{"utf-16le, odd length", "\xff\xfea\x00b", Binary, false, "\xff\xfea\x00b"},
		{"utf-16le, lone high surrogate", "\xff\xfe\x3d\xd8\x61\x00", Binary, false, "\xff\xfe\x3d\xd8\x61\x00"},
		{"utf-16le, high surrogate at the end", "\xff\xfe\x3d\xd8", EightBit, false, "\xff\xfe\x3d\xd8"},
		{"utf-16be, lone low surrogate", "\xfe\xff\xdc\x00", Binary, false, "\xfe\xff\xdc\x00"},
		{"utf-16 without BOM", "a\x00b\x00", Binary, false, "a\x00b\x00"},
		{"utf-32le", "\xff\xfe\x00\x00a\x00\x00\x00", Binary, false, "\xff\xfe\x00\x00a\x00\x00\x00"},
		{"utf-32be", "\x00\x00\xfe\xff\x00\x00\x00a", Binary, false, "\x00\x00\xfe\xff\x00\x00\x00a"},
	} {
		x := Decode([]byte(c.raw))
		if x.Encoding() != c.enc || x.BOM() != c.bom || string(x.Body()) != c.body {
			t.Errorf("%s: %s, BOM %t, body %q; want %s, %t, %q", c.name, x.Encoding(), x.BOM(), x.Body(), c.enc, c.bom, c.body)
		}
	}
}

func TestExactLines(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want []bool
	}{
		{"a\nb\xff\né\n", []bool{true, false, true}},
		{"caf\xe9\nplain\n", []bool{false, true}},
		{"a\x00b\nplain\n", []bool{false, true}},
		{string(utf16Bytes(binary.LittleEndian, "a\x00\nb\n")), []bool{false, true}},
		{"a\x1b[31m\tb\n", []bool{true}},
	} {
		x := Decode([]byte(c.raw))
		for i, want := range c.want {
			if x.Exact(i) != want {
				t.Errorf("%q line %d: exact %t, want %t", c.raw, i, x.Exact(i), want)
			}
		}
	}
}
