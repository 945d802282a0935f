package script

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const bom = "\xef\xbb\xbf"

// facts are what the bytes of a file say about themselves, found without the product's own code.
type facts struct {
	Known    bool // false for bytes that are neither UTF-8 nor UTF-16 with a BOM: their text is not judged
	Lines    []string
	BOM      bool
	Encoding string
	EOL      string
	Final    bool
	Ref      string
}

func factsOf(raw []byte) facts {
	sum := sha256.Sum256(raw)
	f := facts{Known: true, Encoding: "utf-8", Ref: "sha256:" + hex.EncodeToString(sum[:])}
	body := string(raw)
	switch {
	case strings.HasPrefix(body, bom):
		f.BOM, body = true, body[3:]
	case strings.HasPrefix(body, "\xff\xfe") && len(body)%2 == 0:
		f.BOM, f.Encoding, body = true, "utf-16le", wide(raw[2:], binary.LittleEndian)
	case strings.HasPrefix(body, "\xfe\xff") && len(body)%2 == 0:
		f.BOM, f.Encoding, body = true, "utf-16be", wide(raw[2:], binary.BigEndian)
	}
	if !utf8.ValidString(body) || strings.Contains(body, "\x00") {
		f.Known = false
	}
	f.Lines = splitLines(body)
	f.Final = len(f.Lines) > 0 && ending(f.Lines[len(f.Lines)-1]) != ""
	f.EOL = eolOf(f.Lines)
	return f
}

func wide(b []byte, order binary.ByteOrder) string {
	u := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		u = append(u, order.Uint16(b[i:]))
	}
	return string(utf16.Decode(u))
}

func eolOf(lines []string) string {
	lf, crlf := 0, 0
	for _, l := range lines {
		switch ending(l) {
		case "\n":
			lf++
		case "\r\n":
			crlf++
		}
	}
	switch {
	case lf > 0 && crlf > 0:
		return "mixed"
	case lf > 0:
		return "lf"
	case crlf > 0:
		return "crlf"
	}
	return "none"
}

// span returns the lines a..b, one-based and closed.
func (f facts) span(r Range) (string, bool) {
	if r.From < 1 || r.To > len(f.Lines) || r.From > r.To {
		return "", false
	}
	return strings.Join(f.Lines[r.From-1:r.To], ""), true
}

// outsideSame reports whether the lines outside the pairs of places are the same bytes before and after, and if not,
// where they part. Each pair says where an edit lies in the old and in the new text. The very last line kept may have
// gained or lost its ending where text was put behind it.
func outsideSame(before, after []byte, pairs [][2]Range) (string, bool) {
	kept := func(raw []byte, side int) []string {
		lines := splitLines(strings.TrimPrefix(string(raw), bom))
		var out []string
		for i, l := range lines {
			inside := false
			for _, p := range pairs {
				inside = inside || (i+1 >= p[side].From && i+1 <= p[side].To)
			}
			if !inside {
				out = append(out, l)
			}
		}
		return out
	}
	if strings.HasPrefix(string(before), bom) != strings.HasPrefix(string(after), bom) {
		return "the byte order mark", false
	}
	b, a := kept(before, 0), kept(after, 1)
	if len(a) != len(b) {
		return "number", false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		atEnd := i == len(a)-1 && (ending(a[i]) == "" || ending(b[i]) == "")
		if !atEnd || strings.TrimRight(a[i], "\r\n") != strings.TrimRight(b[i], "\r\n") {
			return "was " + Quote(b[i]) + ", is " + Quote(a[i]), false
		}
	}
	return "", true
}
