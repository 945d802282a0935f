package content

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
)

// Encode keeps encoding and BOM, writes what the encoding has, and refuses the rest; it never writes a substitute.
func TestEncode(t *testing.T) {
	le := func(s string) string { return string(utf16Bytes(binary.LittleEndian, s)) }
	be := func(s string) string { return string(utf16Bytes(binary.BigEndian, s)) }
	for _, c := range []struct {
		name, raw, old, new string
		want                string // empty: refused as lossy-encoding
	}{
		{"utf-8", "a\n", "a", "é😀", "é😀\n"},
		{"utf-8 with BOM", "\xef\xbb\xbfa\n", "a", "b", "\xef\xbb\xbfb\n"},
		{"damaged utf-8 keeps its damage", "é€ \xff a\n", "a", "ü", "é€ \xff ü\n"},
		{"latin-1 takes ASCII", "caf\xe9 a\n", "a\n", "b\n", "caf\xe9 b\n"},
		{"latin-1 takes nothing else", "caf\xe9 a\n", "a\n", "é\n", ""},
		{"latin-1 takes no lone byte either", "caf\xe9 a\n", "a\n", "\xe9\n", ""},
		{"binary takes ASCII", "\x00a\n", "a", "b", "\x00b\n"},
		{"binary takes nothing else", "\x00a\n", "a", "é", ""},
		{"utf-16le", le("aé\r\n"), "a", "😀", le("😀é\r\n")},
		{"utf-16be", be("aé\n"), "a", "b", be("bé\n")},
		{"utf-16 takes no damage", le("a"), "a", "\xff", ""},
		{"utf-16 takes no encoded surrogate", be("a"), "a", "\xed\xa0\x80", ""},
	} {
		x := Decode([]byte(c.raw))
		body := strings.Replace(string(x.Body()), c.old, c.new, 1)
		got, err := x.Encode([]byte(body), c.new)
		if c.want == "" {
			if fault.CodeOf(err) != fault.LossyEncoding || got != nil {
				t.Errorf("%s: %q (%v), want lossy-encoding", c.name, got, err)
			}
			continue
		}
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q (%v), want %q", c.name, got, err, c.want)
		}
	}
}

// Encode must not write into what it was given: the raw bytes of the file are shared.
func TestEncodeSharesNothingItWrites(t *testing.T) {
	for _, raw := range []string{"\xef\xbb\xbfabc", string(utf16Bytes(binary.LittleEndian, "abc")), string(utf16Bytes(binary.BigEndian, "abc"))} {
		x := Decode([]byte(raw))
		first, err := x.Encode(x.Body())
		if err != nil {
			t.Fatal(err)
		}
		for i := range first {
			first[i] = '!'
		}
		second, err := x.Encode(x.Body())
		if err != nil || string(second) != raw || string(x.Raw()) != raw {
			t.Errorf("%q became %q", raw, second)
		}
		if string(bomUTF8) != "\xef\xbb\xbf" || string(bomUTF16LE) != "\xff\xfe" || string(bomUTF16BE) != "\xfe\xff" {
			t.Fatal("a mark was overwritten")
		}
	}
}
