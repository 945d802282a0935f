package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		frame string
		want  Head
		err   error
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"read","params":{"a":[1,{"b":"}"}]}}`, Head{ID: []byte("1"), Method: "read", Params: []byte(`{"a":[1,{"b":"}"}]}`)}, nil},
		{` { "jsonrpc" : "2.0" , "method" : "lost" } `, Head{Method: "lost"}, nil},
		{`{"jsonrpc":"2.0","id":"a\"b","result":null}`, Head{ID: []byte(`"a\"b"`), Result: []byte("null")}, nil},
		{`{"jsonrpc":"2.0","id":-1.5e3,"error":{}}`, Head{ID: []byte("-1.5e3"), Error: []byte("{}")}, nil},
		{`{"jsonrpc":"2.0","i\u0064":7,"method":"a","extra":[]}`, Head{ID: []byte("7"), Method: "a"}, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, Head{}, ErrTwice},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`, Head{}, ErrTwice},
		{`{"jsonrpc":"2.0","jsonrpc":"2.0","method":"a"}`, Head{}, ErrTwice},
		{`{"jsonrpc":"1.0","id":1,"method":"a"}`, Head{}, ErrShape},
		{`{"id":1,"method":"a"}`, Head{}, ErrShape},
		{`{"jsonrpc":"2.0","id":1}`, Head{}, ErrShape},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, Head{}, ErrShape},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, Head{}, ErrShape},
		{`{"jsonrpc":"2.0","id":null,"method":"a"}`, Head{}, ErrShape},
		{`{"jsonrpc":"2.0","id":{},"method":"a"}`, Head{}, ErrShape},
		{`{"jsonrpc":"2.0","id":1,"method":"a","result":1}`, Head{}, ErrShape},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", idMax) + `","method":"a"}`, Head{}, ErrShape},
		{`7`, Head{}, ErrShape}, {`"x"`, Head{}, ErrShape}, {`null`, Head{}, ErrShape},
		{`[]`, Head{}, ErrBatch}, {`[{"jsonrpc":"2.0","method":"a"}]`, Head{}, ErrBatch},
		{``, Head{}, ErrSyntax}, {`{`, Head{}, ErrSyntax}, {`[1`, Head{}, ErrSyntax}, {`{"a":01}`, Head{}, ErrSyntax},
		{`{"a":"\q"}`, Head{}, ErrSyntax}, {`{"a":"\u12g4"}`, Head{}, ErrSyntax}, {"{\"a\":\"\x01\"}", Head{}, ErrSyntax},
		{`{"a":1,}`, Head{}, ErrSyntax}, {`{"jsonrpc":"2.0","method":"a"} x`, Head{}, ErrSyntax}, {"GET / HTTP/1.1", Head{}, ErrSyntax},
		{strings.Repeat("[", 100_000), Head{}, ErrSyntax}, {`{"a":` + strings.Repeat("[", DepthMax+1) + strings.Repeat("]", DepthMax+1) + `}`, Head{}, ErrSyntax},
	} {
		got, err := Parse([]byte(c.frame))
		if !errors.Is(err, c.err) {
			t.Errorf("%.80s: error %v, not %v", c.frame, err, c.err)
		}
		if c.err == nil && (string(got.ID) != string(c.want.ID) || got.Method != c.want.Method || string(got.Params) != string(c.want.Params) ||
			string(got.Result) != string(c.want.Result) || string(got.Error) != string(c.want.Error)) {
			t.Errorf("%s: %+v", c.frame, got)
		}
	}
	if h, _ := Parse([]byte(`{"id":3,"method":"a"}`)); string(h.ID) != "3" {
		t.Error("an error about a frame cannot name it")
	}
}

// FuzzParse compares with encoding/json: the same is JSON, and what is taken apart is what stands there.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"read","params":{"path":"é\ud83d\ude00\u0000"}}`, `[1,2]`, `{"a":-0.0e+10}`, "\xff", `{"":{"":[[]]}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1}}`, "\x00", `{"a":"` + "\xed\xa0\x80" + `"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		h, err := Parse(frame)
		if deep := bytes.Count(frame, []byte("["))+bytes.Count(frame, []byte("{")) > DepthMax; !deep && json.Valid(frame) == errors.Is(err, ErrSyntax) {
			t.Fatalf("valid %t, and Parse answers %v", json.Valid(frame), err)
		}
		if err != nil {
			return
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(frame, &m); err != nil {
			t.Fatalf("parsed, and %v", err)
		}
		for name, got := range map[string][]byte{"id": h.ID, "params": h.Params, "result": h.Result, "error": h.Error} {
			if string(m[name]) != string(got) {
				t.Errorf("%s is %q, not %q", name, got, m[name])
			}
		}
		n := 0
		if h.Params != nil && Members(h.Params, func(name, raw []byte) bool { n++; return json.Valid(raw) }) {
			var in map[string]json.RawMessage
			if err := json.Unmarshal(h.Params, &in); err != nil || len(in) > n {
				t.Errorf("%d members, %d and %v", n, len(in), err)
			}
		}
	})
}

// FuzzText compares with encoding/json, which repairs what is refused here.
func FuzzText(f *testing.F) {
	for _, s := range []string{`""`, `"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\`, `"\u12"`, `"\q"`, `"`, `"x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := scanner{b: raw}
		if len(raw) == 0 || raw[0] != '"' {
			return
		}
		if s.text(); s.bad || s.at != len(raw) {
			return // Parse hands over whole strings alone
		}
		got, ok := Text(raw)
		var want string
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		repaired := strings.Count(want, "\ufffd") > strings.Count(string(raw), "\ufffd")+strings.Count(strings.ToLower(string(raw)), `\ufffd`)
		if !utf8.Valid(raw) {
			repaired = true
		}
		if ok == repaired || ok && got != want {
			t.Errorf("%q is %q, %t; encoding/json reads %q", raw, got, ok, want)
		}
	})
}

// FuzzAppendText: what is written is read back, with U+FFFD for what is no UTF-8, and holds no line end.
func FuzzAppendText(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c\n\r\t\x00\x1f", "é\u2028😀", "\xff\xc3", "\xe2\x82"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out := AppendText(nil, text)
		var got string
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if want := string([]rune(string(text))); got != want {
			t.Errorf("%q is read as %q", text, got)
		}
		if back, ok := Text(out); !ok || back != got {
			t.Errorf("Text reads %q, %t", back, ok)
		}
		if bytes.ContainsAny(out, "\n\r") {
			t.Errorf("a line end in %q", out)
		}
	})
}

func TestWhole(t *testing.T) {
	for raw, want := range map[string]int64{"0": 0, "7": 7, "9007199254740991": 1<<53 - 1} {
		if n, ok := Whole([]byte(raw)); !ok || n != want {
			t.Errorf("%s is %d, %t", raw, n, ok)
		}
	}
	for _, raw := range []string{"", "-1", "+1", "1.0", "1e3", "9007199254740992", `"1"`, "99999999999999999999"} {
		if n, ok := Whole([]byte(raw)); ok {
			t.Errorf("%q is %d", raw, n)
		}
	}
}
