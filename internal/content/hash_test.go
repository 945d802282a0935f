package content

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
)

func TestRef(t *testing.T) {
	const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	r := RefOf(nil)
	if r.String() != empty || r.IsZero() || r.Digest() != sha256.Sum256(nil) {
		t.Errorf("the ref of nothing is %s", r)
	}
	if back, err := ParseRef(empty); err != nil || back != r {
		t.Errorf("%s is read as %s (%v)", empty, back, err)
	}
	var zero Ref
	if zero.String() != "" || !zero.IsZero() || zero == (Ref{set: true}) {
		t.Error("the zero ref is no ref of zeros")
	}
	zeros, err := ParseRef("sha256:" + strings.Repeat("0", 64))
	if err != nil || zeros.IsZero() {
		t.Error("a digest of zeros is a ref")
	}
	for _, s := range []string{"", "sha256:", empty[7:], "sha1:" + empty[7:], empty + "0", empty[:70], strings.ToUpper(empty), "sha256:" + strings.ToUpper(empty[7:]), "sha256:" + strings.Repeat("g", 64), " " + empty, empty + "\n"} {
		if got, err := ParseRef(s); fault.CodeOf(err) != fault.Invalid || !got.IsZero() {
			t.Errorf("%q is read as %q (%v)", s, got, err)
		}
	}
}

func TestCapture(t *testing.T) {
	gone, empty := Absent(), CaptureOf(nil)
	if !gone.IsAbsent() || empty.IsAbsent() || !gone.Ref().IsZero() || empty.Ref().IsZero() || gone.Text().Lines() != 0 {
		t.Error("absent and empty are two things")
	}
	c := CaptureOf([]byte("\xef\xbb\xbfa\n"))
	if c.Ref() != RefOf([]byte("\xef\xbb\xbfa\n")) || string(c.Text().Body()) != "a\n" {
		t.Error("the ref is of the raw bytes, the text is without BOM")
	}
}

// The hash of a line is pinned to its definition, on both sides of the length where it is computed in another way.
func TestLineHashIsItsDefinition(t *testing.T) {
	key := Key{1, 2, 3}
	h := NewHasher(key)
	for _, n := range []int{0, 1, 52, 4095, 4096, 4097, 100000} {
		line := bytes.Repeat([]byte("x"), n)
		want := sha256.Sum256(append(append(key[:len(key):len(key)], 1), line...))
		for range 2 {
			if got := h.Line(line); !bytes.Equal(got[:], want[:16]) {
				t.Errorf("hash of %d bytes", n)
			}
		}
		want = sha256.Sum256(append(append(key[:len(key):len(key)], 2), line...))
		if got := h.Loose(line); !bytes.Equal(got[:], want[:16]) {
			t.Errorf("loose hash of %d bytes", n)
		}
	}
	if NewHasher(Key{9}).Line([]byte("a")) == h.Line([]byte("a")) {
		t.Error("the key does not matter")
	}
}

func TestLooseHashDropsWhiteSpaceAndNothingElse(t *testing.T) {
	h := NewHasher(Key{7})
	same := [][]string{
		{"", " \t\r\v\f", "\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"},
		{"if(x){", "if (x) {", "\tif (x)\u00a0{\r"},
		{"\u0085", " \u0085"},
		{"\u180e"},
		{"\u200b"},
		{"\x1c"},
		{"\xff", " \xff "},
		{"\ufffd", " \ufffd "},
		{"\xe2\x80", " \xe2\x80"},
		{"If(x){"},
	}
	seen := map[Hash]int{}
	for class, lines := range same {
		for _, l := range lines {
			got := h.Loose([]byte(l))
			if other, ok := seen[got]; ok && other != class {
				t.Errorf("%q has the loose hash of class %d", l, other)
			}
			if got != h.Loose([]byte(lines[0])) {
				t.Errorf("%q and %q have two loose hashes", l, lines[0])
			}
			seen[got] = class
		}
	}
	if h.Loose([]byte("a")) == h.Line([]byte("a")) {
		t.Error("a loose hash can be taken for an exact one")
	}
}

func TestSkeleton(t *testing.T) {
	h := NewHasher(Key{1})
	x := Decode([]byte("\xef\xbb\xbfa\r\nb\n\na"))
	got := h.Skeleton(x)
	if len(got) != 4 || got[0] != h.Line([]byte("a")) || got[0] != got[3] || got[2] != h.Line(nil) || got[1] != h.Line([]byte("b")) {
		t.Errorf("skeleton %x", got)
	}
	if n := len(h.Skeleton(Decode(nil))); n != 0 {
		t.Errorf("%d hashes of an empty text", n)
	}
}
