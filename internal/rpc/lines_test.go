package rpc

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Lines come whole, with their places, however the bytes come.
func TestLines(t *testing.T) {
	long := strings.Repeat("y", 200_000)
	text := "one\n\ntwo\r\n" + long + "\nlast"
	want := []struct {
		start int64
		line  string
	}{{0, "one"}, {4, ""}, {5, "two\r"}, {10, long}}
	for name, in := range map[string]io.Reader{
		"at once":     strings.NewReader(text),
		"by bytes":    iotest.OneByteReader(strings.NewReader(text)),
		"by halves":   iotest.HalfReader(strings.NewReader(text)),
		"end with it": iotest.DataErrReader(strings.NewReader(text)),
	} {
		l := &Lines{In: in, Max: 200_000}
		for i, w := range want {
			line, start, large, err := l.Next()
			if string(line) != w.line || start != w.start || large || err != nil {
				t.Fatalf("%s: line %d is %.20q at %d, %t, %v", name, i, line, start, large, err)
			}
		}
		for range 2 {
			if line, _, _, err := l.Next(); line != nil || err != io.EOF {
				t.Fatalf("%s: after the end: %q %v", name, line, err)
			}
		}
	}
}

// A line of exactly the bound is taken, one byte more is not, and memory stays bounded however long it is.
func TestLineBound(t *testing.T) {
	for _, most := range []int{1, 100, bufferMin - 1, bufferMin, bufferMin + 1, 3 << 20} {
		l := &Lines{In: strings.NewReader(strings.Repeat("x", most) + "\nnext\n"), Max: most}
		if line, _, _, err := l.Next(); len(line) != most || err != nil {
			t.Errorf("%d bytes: %d, %v", most, len(line), err)
		}
		if most >= 4 {
			if line, _, _, err := l.Next(); string(line) != "next" || err != nil {
				t.Errorf("after %d bytes: %q, %v", most, line, err)
			}
		}
		endless := &counted{}
		l = &Lines{In: endless, Max: most}
		for range 2 {
			if _, _, _, err := l.Next(); !errors.Is(err, ErrLong) {
				t.Errorf("endless, bound %d: %v", most, err)
			}
		}
		if endless.n > most+bufferMin || cap(l.buf) > bufferMin {
			t.Errorf("bound %d: %d bytes were taken, a buffer of %d is kept", most, endless.n, cap(l.buf))
		}
	}
}

type counted struct{ n int }

func (c *counted) Read(p []byte) (int, error) {
	c.n += len(p)
	copy(p, bytes.Repeat([]byte{'x'}, len(p)))
	return len(p), nil
}

// Memory for a large line is asked for once, before it is taken; it is not kept.
func TestLargeLines(t *testing.T) {
	asked := 0
	big := strings.Repeat("x", 5<<20)
	l := &Lines{In: strings.NewReader("a\n" + big + "\nb\n" + big + "\n"), Max: LineMax, Large: func() error { asked++; return nil }}
	for i, want := range []bool{false, true, false, true} {
		line, _, large, err := l.Next()
		if err != nil || large != want || asked != (i+1)/2 || want != (len(line) == len(big)) {
			t.Fatalf("line %d: %d bytes, large %t, asked %d times, %v", i, len(line), large, asked, err)
		}
	}
	if _, _, _, err := l.Next(); err != io.EOF || cap(l.buf) > bufferMax {
		t.Errorf("%v, a buffer of %d is kept", err, cap(l.buf))
	}
	no := errors.New("no room")
	l = &Lines{In: strings.NewReader(big), Max: LineMax, Large: func() error { return no }}
	if _, _, _, err := l.Next(); err != no || cap(l.buf) > bufferMax {
		t.Errorf("without room: %v", err)
	}
}
