package session

import (
	"bytes"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
)

// Whoever claims an id gets a session of its own or none.
func TestClaim(t *testing.T) {
	w, err := Open(t.Context(), Options{Root: t.TempDir(), Clock: func() int64 { return 0 }, Entropy: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	old, err := w.Session("old")
	if err != nil {
		t.Fatal(err)
	}
	if s, taken, err := w.Claim("old"); s != nil || !taken || err != nil {
		t.Errorf("a session of another is claimed: %v %t %v", s, taken, err)
	}
	var got atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if s, taken, err := w.Claim("new"); err == nil && !taken && s != nil && s != old {
				got.Add(1)
			}
		})
	}
	all.Wait()
	if got.Load() != 1 {
		t.Errorf("%d callers got one session", got.Load())
	}
	for _, bad := range []string{"", "a b", string(bytes.Repeat([]byte{'x'}, 201))} {
		if _, _, err := w.Claim(bad); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q is claimed: %v", bad, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Claim("late"); fault.CodeOf(err) != fault.IO {
		t.Errorf("a closed workspace answers %v", err)
	}
}
