package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Every character comes back exactly, and every byte that is none as U+FFFD, as encoding/json has it.
func FuzzStringSurvives(f *testing.F) {
	for _, s := range []string{"", "a", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "<&>", "\u2028\u2029\u2027", "é€😀\uFFFD", "\xff", "a\xc3", "\xe2\x82", "\xf0\x9f\x98",
		"\xed\xa0\x80", "\xc0\xaf", strings.Repeat("x", 70) + "\xffé\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := appendString(nil, s)
		if !bytes.Equal(out, appendString(nil, []byte(s))) {
			t.Fatalf("string and bytes of %q differ", s)
		}
		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%q is written as %s: %v", s, out, err)
		}
		if utf8.ValidString(s) && back != s {
			t.Fatalf("%q comes back as %q", s, back)
		}
		std, _ := json.Marshal(s)
		var want string
		if err := json.Unmarshal(std, &want); err != nil || back != want {
			t.Fatalf("%q comes back as %q, and from encoding/json as %q", s, back, want)
		}
		if bytes.ContainsAny(out, "\n\r\u2028\u2029") {
			t.Fatalf("%q is not on one line: %s", s, out)
		}
		if utf8.ValidString(s) {
			sc := newScanner(out)
			if got := sc.text(); sc.err != nil || got != s {
				t.Fatalf("our own scanner reads %s as %q, %v", out, got, sc.err)
			}
		}
	})
}

// Every single character of Unicode survives.
func TestEveryCharacterSurvives(t *testing.T) {
	var all []byte
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all = utf8.AppendRune(all, r)
		}
	}
	var back string
	if err := json.Unmarshal(appendString(nil, all), &back); err != nil || back != string(all) {
		t.Fatalf("some character changed on the way, %v", err)
	}
}
