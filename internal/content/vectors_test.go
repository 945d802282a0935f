package content

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func load(t testing.TB, file string, into any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

type bridgeVectors struct {
	Lines []struct {
		Name, Hash      string
		Text            *string
		UTF16           []uint16
		KeptUTF16Length int `json:"keptUtf16Length"`
	}
	ByteFiles []struct {
		Name, BytesHex string
		DecodedUTF16   []uint16 `json:"decodedUtf16"`
		LineCount      int
		LineHashes     []string
	}
	Splits []struct {
		Name, Text    string
		Lines, Hashes []string
		LineCount     int
	}
}

func TestBridgeHashVectors(t *testing.T) {
	var v bridgeVectors
	load(t, "bridge-linehash-vectors.json", &v)
	if len(v.Lines) != 106 || len(v.ByteFiles) != 16 || len(v.Splits) != 19 {
		t.Fatalf("%d lines, %d files, %d splits", len(v.Lines), len(v.ByteFiles), len(v.Splits))
	}
	for _, l := range v.Lines {
		if got := fmt.Sprintf("%08x", BridgeHashUTF16(l.UTF16)); got != l.Hash {
			t.Errorf("%s: %s by units, want %s", l.Name, got, l.Hash)
		}
		if l.Text == nil {
			continue
		}
		if got := fmt.Sprintf("%08x", BridgeHash([]byte(*l.Text))); got != l.Hash {
			t.Errorf("%s: %s, want %s", l.Name, got, l.Hash)
		}
		if got := len(utf16.Encode([]rune(string(dropSpace(nil, []byte(*l.Text)))))); got != l.KeptUTF16Length {
			t.Errorf("%s: %d code units without white space, want %d", l.Name, got, l.KeptUTF16Length)
		}
	}
	// A JavaScript host splits at LF and sees one more, empty line behind a final newline; we do not.
	check := func(name string, raw []byte, count int, hashes []string) {
		parts := bytes.Split(raw, []byte{'\n'})
		if len(parts) != count {
			t.Errorf("%s: %d lines, want %d", name, len(parts), count)
		}
		for i, p := range parts {
			if got := fmt.Sprintf("%08x", BridgeHash(p)); i < len(hashes) && got != hashes[i] {
				t.Errorf("%s line %d: %s, want %s", name, i, got, hashes[i])
			}
		}
		text := Decode(raw)
		if text.Encoding() == UTF16LE || text.Encoding() == UTF16BE {
			return
		}
		for i := range text.Lines() {
			if got := fmt.Sprintf("%08x", BridgeHash(text.Line(i))); got != hashes[i] {
				t.Errorf("%s our line %d: %s, want %s", name, i, got, hashes[i])
			}
		}
		ours := count
		if len(parts[count-1]) == 0 {
			ours--
		}
		if text.Lines() != ours {
			t.Errorf("%s: we count %d lines, want %d", name, text.Lines(), ours)
		}
	}
	for _, f := range v.ByteFiles {
		raw, err := hex.DecodeString(f.BytesHex)
		if err != nil {
			t.Fatal(err)
		}
		check(f.Name, raw, f.LineCount, f.LineHashes)
		if got := decodedUnits(raw); !equalUnits(got, f.DecodedUTF16) {
			t.Errorf("%s: decodes to %v, want %v", f.Name, got, f.DecodedUTF16)
		}
	}
	for _, s := range v.Splits {
		check(s.Name, []byte(s.Text), s.LineCount, s.Hashes)
	}
}

// decodedUnits decodes raw as a JavaScript host does.
func decodedUnits(raw []byte) []uint16 {
	var out []uint16
	for len(raw) > 0 {
		r, n := decodeRune(raw)
		out = utf16.AppendRune(out, r)
		raw = raw[n:]
	}
	return out
}

func equalUnits(a, b []uint16) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func TestNormalizedVectors(t *testing.T) {
	var v struct {
		Text []struct {
			ID, BytesHex, BytesBase64, Preimage, FileContentHash, MarkdownContentHash, RawByteHash string
		}
		JSON []struct{ ID, SourceJSON, Canonical, NormalizedHash string }
	}
	load(t, "normalized-hash-vectors.json", &v)
	if len(v.Text) != 65 || len(v.JSON) != 46 {
		t.Fatalf("%d texts, %d values", len(v.Text), len(v.JSON))
	}
	for _, x := range v.Text {
		raw, err := hex.DecodeString(x.BytesHex)
		switch {
		case x.BytesBase64 != "":
			raw, err = base64.StdEncoding.DecodeString(x.BytesBase64)
		case x.ID == "t-70000":
			raw = bytes.Repeat([]byte("x"), 70000)
		case x.ID == "t-split-emoji":
			raw = append(bytes.Repeat([]byte("x"), 65535), "😀"...)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := `"` + string(appendText(nil, raw)) + `"`; x.Preimage != "" && got != x.Preimage {
			t.Errorf("%s: preimage %q, want %q", x.ID, got, x.Preimage)
		}
		for _, h := range []struct{ what, got, want string }{
			{"file", NormalizedSHA256(raw).String(), x.FileContentHash},
			{"markdown", MarkdownSHA256(raw).String(), x.MarkdownContentHash},
			{"raw", RawSHA256(raw).String(), x.RawByteHash},
		} {
			if h.got != h.want {
				t.Errorf("%s: %s hash %s, want %s", x.ID, h.what, h.got, h.want)
			}
		}
	}
	for _, x := range v.JSON {
		c, err := CanonicalJSON([]byte(x.SourceJSON))
		if err != nil || string(c) != x.Canonical {
			t.Errorf("%s: %s (%v), want %s", x.ID, c, err, x.Canonical)
			continue
		}
		if h, _ := NormalizedJSONSHA256([]byte(x.SourceJSON)); h.String() != x.NormalizedHash {
			t.Errorf("%s: %s, want %s", x.ID, h, x.NormalizedHash)
		}
		if again, err := CanonicalJSON(c); err != nil || !bytes.Equal(again, c) {
			t.Errorf("%s: canonical text changes when made canonical: %s (%v)", x.ID, again, err)
		}
	}
}

// A text is the JSON string of itself: the two ways to the same hash agree, also where the writer cuts the text.
func TestTextHashIsTheHashOfTheJSONString(t *testing.T) {
	for _, unit := range []string{"a", "é", "€", "😀", "\n", "\"", "\x01", "ab\r\n"} {
		for _, n := range []int{0, 1, 1023, 1024, 1365, 1366, 2047, 2048, 4095, 4096, 4097, 9000} {
			text := []byte(strings.Repeat(unit, n))
			for _, shift := range []string{"", "x", "xy", "xyz"} {
				raw := append([]byte(shift), text...)
				j, err := json.Marshal(string(raw))
				if err != nil {
					t.Fatal(err)
				}
				want, err := NormalizedJSONSHA256(j)
				if err != nil {
					t.Fatal(err)
				}
				if got := NormalizedSHA256(raw); got != want {
					t.Fatalf("%d of %q behind %q: %s, want %s", n, unit, shift, got, want)
				}
			}
		}
	}
}

func TestWhatIsNoJSON(t *testing.T) {
	for _, src := range []string{
		"", " ", "nul", "nulll", "{", "}", "[", "]", "[1,]", "{,}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `'a'`, `"a`, "\"a\nb\"", `"\x"`, `"\u12"`, `"\u12g4"`,
		"01", "-", "1.", ".5", "1e", "1e+", "+1", "0x1", "1 2", "[1 2]", "NaN", "Infinity", "undefined", "\ufeff1", "\"\xff\"", "[1]x", "\v1", `{"a":1 "b":2}`, `"\`, `"\u`,
		strings.Repeat("[", 20000), strings.Repeat("[", 10002) + strings.Repeat("]", 10002),
	} {
		if c, err := CanonicalJSON([]byte(src)); err == nil {
			t.Errorf("%.40q is read as %.40s", src, c)
		}
	}
	deep := strings.Repeat("[", 9999) + strings.Repeat("]", 9999)
	if c, err := CanonicalJSON([]byte(deep)); err != nil || string(c) != deep {
		t.Errorf("a depth of 9,999 is refused: %v", err)
	}
}

func FuzzCanonicalJSON(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[1.50,"\ud83d\ude00","\ud800"]}`, `{"10":1,"9":2,"-1":3}`, `[1e400,-0,1e-7]`, `{"\ud83d":1,"\ud83d\ude00":2,"\uffff":3}`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := CanonicalJSON(src)
		if ok := json.Valid(src) && utf8.Valid(src) && !bytes.HasPrefix(src, bomUTF8); ok != (err == nil) && !strings.Contains(fmt.Sprint(err), "too deep") {
			t.Fatalf("valid %t, but %v", ok, err)
		}
		if err != nil {
			return
		}
		again, err := CanonicalJSON(c)
		if err != nil || !bytes.Equal(again, c) {
			t.Fatalf("%s becomes %s (%v)", c, again, err)
		}
	})
}

func FuzzBridgeHash(f *testing.F) {
	for _, s := range []string{"", " a\t", "é😀", "\xff\xe2\x82", "\ufeffx", "\xed\xa0\x80", "a\u0085b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if got, want := BridgeHash(line), BridgeHashUTF16(decodedUnits(line)); got != want {
			t.Fatalf("%x by bytes, %x by units", got, want)
		}
		if BridgeHash(dropSpace(nil, line)) != BridgeHash(line) && utf8.Valid(line) {
			t.Fatal("white space counts")
		}
		// The decoder loses no byte and never stands still.
		for b := line; len(b) > 0; {
			r, n := decodeRune(b)
			if n < 1 || n > len(b) || n > 3 && r == utf8.RuneError {
				t.Fatalf("decodes %d bytes of % x", n, b)
			}
			b = b[n:]
		}
	})
}
