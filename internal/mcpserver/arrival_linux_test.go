package mcpserver_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// awaitHeld waits until the pipe that f reads holds n bytes.
func awaitHeld(tb testing.TB, f *os.File, n int) {
	tb.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		tb.Fatal(err)
	}
	limit := time.Now().Add(20 * time.Second)
	for held := 0; held < n; runtime.Gosched() {
		cerr := raw.Control(func(fd uintptr) { held, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
		if err != nil || cerr != nil || time.Now().After(limit) {
			tb.Fatal(held, err, cerr)
		}
	}
}

// An answer that waits behind others for room in the pipe has not left, however small it is.
func TestAnswersWaitInLine(t *testing.T) {
	c := spawn(t, "2025-06-18", folder(t, 3000))
	for i := range 50 {
		session := fmt.Sprintf(`"session":"s%d"`, i)
		// Two answers of which one alone fits into the pipe.
		a, b, early, late := c.next(), c.next(), c.next(), c.next()
		c.send(c.frame(a, "tools/call", callParams("read", `{"path":"f.txt","first":1,"last":1400}`)))
		awaitHeld(t, c.out, 40<<10)
		c.send(c.frame(b, "tools/call", callParams("read", `{"path":"f.txt","first":1401,"last":2400,`+session+`}`)))
		awaitHeld(t, c.out, 60<<10)
		ask := callParams("check", `{"path":"f.txt","first":1500,"last":1500,`+session+`}`)
		c.send(c.frame(early, "tools/call", ask))
		for range 3 {
			if r := c.receive().ok(t); string(r.ID) == early && !strings.Contains(r.text, "not-seen") {
				t.Fatalf("a call that was written before any answer was read is told: %s", r.text)
			}
		}
		c.send(c.frame(late, "tools/call", ask))
		if r := c.await(late).ok(t); strings.Contains(r.text, "not-seen") {
			t.Fatalf("a call that was written when all answers were read is told: %s", r.text)
		}
	}
}
