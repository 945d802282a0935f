package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzAppendJSON checks that a JSON string says what its text said: exactly for text, with U+FFFD for each byte that is
// none, and on one line.
func FuzzAppendJSON(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é€😀\u2028\u2029\ufffd", "\xff", "a\xe2\x82", "\xed\xa0\x80", "\xc0\xaf<&>", strings.Repeat("x\n", 99)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out := appendJSON([]byte("kept"), text)
		if !bytes.HasPrefix(out, []byte("kept")) {
			t.Fatal("what stood there is gone")
		}
		out = out[4:]
		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		theirs, err := json.Marshal(string(text))
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatal(err)
		}
		if back != want {
			t.Fatalf("%q came back as %q, want %q", text, back, want)
		}
		if utf8.Valid(text) && back != string(text) {
			t.Fatalf("text is not kept: %q", back)
		}
		if bytes.ContainsAny(out, "\n\r") || !utf8.Valid(out) {
			t.Fatalf("no line of UTF-8: %q", out)
		}
	})
}

// FuzzScan compares what a frame is taken for with encoding/json.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : [1, -0.5e+3, true, false, null, {"b":"\u00e9\\"}] } `, `{"a":1`, `{"a":01}`, `{"a":"\x"}`, `{"a":"\u12g4"}`,
		`{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":-}`, `{"a":1.}`, `{"a":1e}`, `{"a":tru}`, `[]`, `7`, `{"method":"m","id":"x","params":{"name":"n"}}`, `{"a":{}}}`, "{\"a\":\"\x1f\"}",
		`{"":{"":[]}}`, "{\"a\":1}\x00", `{"a":"\ud800"}`, `{"a":"\u"}`, `{"a":"\`, `{"id":1e400}`, "{\"\":\"\\u00\x190\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		h, err := parseHead(frame)
		var theirs map[string]json.RawMessage
		valid := json.Unmarshal(frame, &theirs) == nil && theirs != nil
		if valid == (err == errFrame) {
			if valid && strings.Count(string(frame), "[")+strings.Count(string(frame), "{") > depthMax {
				return // nested deeper than we go
			}
			t.Fatalf("%q: we say %v, encoding/json %t", frame, err, valid)
		}
		if err != nil {
			return
		}
		for name, raw := range map[string][]byte{"id": h.id, "params": h.params} {
			if !bytes.Equal(raw, theirs[name]) {
				t.Fatalf("%q: %s is %q, not %q", frame, name, raw, theirs[name])
			}
		}
		var method string
		if theirs["method"] != nil {
			if err := json.Unmarshal(theirs["method"], &method); err != nil || string(h.method) != method {
				t.Fatalf("%q: the method is %q, not %q %v", frame, h.method, method, err)
			}
		}
		if p, ok := parseCall(h.params); ok && p.name == nil {
			t.Fatal("a call without a name")
		}
		members(h.params, func(name, raw []byte) {
			if !json.Valid(raw) {
				t.Fatalf("%q: the member %q is %q", frame, name, raw)
			}
		})
	})
}

// Frames of many shapes and their damaged variants, without waiting for the fuzzer.
func TestScanVariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seed := []byte(`{"jsonrpc":"2.0","id":"a\"b","method":"tools\/call","params":{"name":"read","arguments":{"path":"f.txt","lines":[[1,2],[3,4e0]]},"_meta":{"x":null,"y":-0.0}}}`)
	damaged := 0
	for range 20_000 {
		b := bytes.Clone(seed)
		for range 1 + rng.IntN(2) {
			i := rng.IntN(len(b))
			switch rng.IntN(3) {
			case 0:
				b[i] = seed[rng.IntN(len(seed))]
			case 1:
				b = append(b[:i], b[i+1:]...)
			default:
				b = append(b[:i], append([]byte{seed[rng.IntN(len(seed))]}, b[i:]...)...)
			}
		}
		_, err := parseHead(b)
		var theirs map[string]json.RawMessage
		valid := json.Unmarshal(b, &theirs) == nil && theirs != nil
		if valid == (err == errFrame) {
			t.Fatalf("%s: we say %v, encoding/json %t", b, err, valid)
		}
		if !valid {
			damaged++
		}
	}
	if damaged < 1000 || damaged > 19_000 {
		t.Errorf("%d of 20000 variants are damaged", damaged)
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	var source strings.Builder
	for i := range 200 {
		fmt.Fprintf(&source, "\tif err := step%d(ctx, \"name\"); err != nil { // wo\u0308rter\n", i)
	}
	text := []byte(source.String())
	b.SetBytes(int64(len(text)))
	dst := make([]byte, 0, 4*len(text))
	for b.Loop() {
		dst = appendJSON(dst[:0], text)
	}
}
