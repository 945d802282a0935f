package edit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/span"
)

// FuzzLocate makes up to three operations of the input. Whatever they are, nothing panics, and either everything is
// done or nothing, by a code of the list.
func FuzzLocate(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), "b", "B", "x", 1, 2, byte(0))
	f.Add([]byte("a\r\nb\r\n\r\nb"), "\nb", "\nB\n", "x\r\ny", 1, 3, byte(1))
	f.Add([]byte("a\r\nb\nb\r\r\n"), "b\r", "\r", "\n", 2, 1, byte(2))
	f.Add([]byte("\xef\xbb\xbfx\nx\nx\n"), "x\n", "x\nx\n", "\ufeffq", 1, 1, byte(3))
	f.Add([]byte("\xff\xfea\x00\n\x00"), "a", "b", "c", 2, 1, byte(7))
	f.Add([]byte("caf\xe9\nok"), "ok", "y\u2192", "z", 1, 1, byte(4))
	f.Add([]byte("}\n}\n}\n"), "}\n}", "}\n}\n}", "}", 4, 3, byte(5))
	f.Add([]byte(""), "", "x", "x", 1, 0, byte(6))
	f.Add([]byte("     1\ta\n"), "     1\ta", "[sightline] x", "y", 1, 1, byte(8))
	f.Fuzz(func(t *testing.T, file []byte, old, fresh, text string, first, last int, mode byte) {
		var ops []Op
		if mode&1 == 0 {
			ops = append(ops, Replace{Old: old, New: fresh, All: mode&8 != 0})
		}
		if mode&2 == 0 {
			ops = append(ops, LineRange{Lines: span.Of(span.Line(first-1), span.Line(last)), New: text})
		}
		if mode&4 == 0 {
			ops = append(ops, Append{Text: fresh})
		}
		if mode&16 == 0 {
			ops = append(ops, Anchors{From: old, To: text, Inclusive: mode&8 != 0, New: fresh})
		}
		before := content.Decode(slices.Clone(file))
		p, err := Locate(before, ops)
		if !bytes.Equal(before.Raw(), file) {
			t.Fatal("the original was changed")
		}
		if err != nil {
			checkFault(t, p, err)
			return
		}
		checkPlan(t, before, p)
		checkSame(t, before, p, len(ops))
		if r, ok := ops[0].(Replace); ok && len(ops) == 1 {
			checkReplaced(t, before, p, r)
		}
	})
}

func checkFault(t *testing.T, p *Plan, err error) {
	var f *fault.Error
	if p != nil || !errors.As(err, &f) || !utf8.ValidString(f.Message) || !strings.HasSuffix(f.Message, ".") || strings.ToUpper(f.Message[:1]) != f.Message[:1] {
		t.Fatalf("plan %v, error %v", p, err)
	}
	if !slices.Contains([]fault.Code{fault.Invalid, fault.Exists, fault.Limit, fault.LossyEncoding, fault.NotFound, fault.Ambiguous, fault.Conflict}, f.Code) {
		t.Errorf("code %s", f.Code)
	}
}

// checkSame carries the plan over to the text it was made on.
func checkSame(t *testing.T, before *content.Text, p *Plan, ops int) {
	q, err := p.Transport(before, func(k span.Line) (span.Line, bool) { return k, true })
	if err != nil {
		if ops == 1 || fault.CodeOf(err) != fault.Conflict {
			t.Errorf("carried over to itself: %v", err)
		}
		return
	}
	if !bytes.Equal(p.After, q.After) {
		t.Errorf("carried over to itself: %q, not %q", q.After, p.After)
	}
	checkPlan(t, before, q)
}

// checkReplaced compares with the standard library where it means the same.
func checkReplaced(t *testing.T, before *content.Text, p *Plan, r Replace) {
	body := string(before.Body())
	if strings.Contains(body, "\r") || strings.Contains(r.Old, "\r") || strings.HasPrefix(r.New, "\ufeff") {
		return
	}
	n := 1
	if r.All {
		n = -1
	}
	if got := string(content.Decode(p.After).Body()); before.Encoding() == content.UTF8 && got != strings.Replace(body, r.Old, r.New, n) {
		t.Errorf("%q by %q in %q gives %q", r.Old, r.New, body, got)
	}
}
