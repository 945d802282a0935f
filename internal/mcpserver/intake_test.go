package mcpserver

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// What the client has written is known whether it was taken or not, and at no moment is a byte in neither count.
func TestIntakeCountsEveryByte(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system does not tell how much a pipe holds")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := newIntake(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("0123456789"); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 4, 6} {
		if _, err := io.ReadFull(in, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		if got := in.written(); got != 10 {
			t.Errorf("%d bytes after %d more were taken, 10 were written", got, n)
		}
	}

	const total = 200_000
	var sent atomic.Int64
	sent.Store(10)
	taken := make(chan error, 1)
	go func() {
		_, err := io.CopyN(io.Discard, onlyReader{in}, total)
		taken <- err
	}()
	go func() {
		for range total {
			if _, err := w.Write([]byte{'x'}); err != nil {
				return // CopyN tells
			}
			sent.Add(1)
		}
	}()
	for {
		low := sent.Load()
		got := in.written()
		if got < low {
			t.Fatalf("%d bytes are known of, %d were written", got, low)
		}
		if low == total+10 {
			break
		}
	}
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	if err := in.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, errHungUp) {
		t.Errorf("a closed intake reads %v", err)
	}
	w.Close()
}

type onlyReader struct{ io.Reader }

// A reader that waits for input ends when the intake is closed.
func TestIntakeHangsUp(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for name, end := range map[string]io.ReadCloser{"pipe": r, "io.Pipe": func() io.ReadCloser { r, _ := io.Pipe(); return r }()} {
		in, err := newIntake(end)
		if err != nil {
			t.Fatal(err)
		}
		started, ended := make(chan struct{}), make(chan error)
		go func() {
			close(started)
			_, err := in.Read(make([]byte, 1))
			ended <- err
		}()
		<-started
		if err := in.close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Errorf("%s: a closed intake reads on", name)
		}
	}
}

// Lines come whole, with their places, however the bytes come.
func TestLines(t *testing.T) {
	long := strings.Repeat("y", 200_000)
	text := "one\n\ntwo\r\n" + long + "\nlast"
	want := []struct {
		start int64
		line  string
	}{{0, "one"}, {4, ""}, {5, "two\r"}, {10, long}, {200_011, "last"}}
	for _, size := range []int{1, 2, 3, 7, 4096, 1 << 20} {
		r := &lineReader{in: &chunks{text, size}}
		for i, w := range want {
			line, start, tooLong, err := r.next()
			if string(line) != w.line || start != w.start || tooLong || (err != nil) != (i == len(want)-1) {
				t.Fatalf("chunks of %d: line %d is %.20q at %d, %t, %v", size, i, line, start, tooLong, err)
			}
		}
		if line, _, _, err := r.next(); len(line) > 0 || err != io.EOF {
			t.Fatalf("after the end: %q %v", line, err)
		}
	}
}

// chunks gives its text in pieces.
type chunks struct {
	text string
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	n := copy(p, c.text[:min(c.size, len(c.text))])
	if c.text = c.text[n:]; c.text == "" {
		return n, io.EOF
	}
	return n, nil
}

// A line beyond the bound is passed over, what follows is not, and its memory is given back.
func TestLongLines(t *testing.T) {
	r := &lineReader{in: io.MultiReader(&endless{frameMax + 6<<20}, strings.NewReader("\nnext\n"))}
	if line, start, tooLong, err := r.next(); !tooLong || start != 0 || err != nil {
		t.Fatalf("%d bytes at %d, %t, %v", len(line), start, tooLong, err)
	}
	if line, start, tooLong, err := r.next(); string(line) != "next" || start != frameMax+6<<20+1 || tooLong || err != nil {
		t.Fatalf("%q at %d, %t, %v", line, start, tooLong, err)
	}
	if cap(r.buf) > bufferMax {
		t.Errorf("a buffer of %d bytes is kept", cap(r.buf))
	}
}

type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = 'z'
	}
	e.left -= n
	return n, nil
}
