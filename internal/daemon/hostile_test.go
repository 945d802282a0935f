package daemon_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/daemon"
	"github.com/sightline-io/sightline/internal/daemon/daemontest"
)

// Garbage ends its own connection and touches nobody else.
func TestGarbage(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(5))
	p := w.Start(daemontest.How{})
	good := daemontest.Greeted(t, p.Socket, "")
	for _, garbage := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x00\x01\x02\xff\n", "{\n", "{\"jsonrpc\":\"2.0\",\n", strings.Repeat("[", 10_000) + "\n", "\"\\u12\n"} {
		for _, greeted := range []bool{false, true} {
			var bad *daemontest.Conn
			if bad = daemontest.Dial(t, p.Socket); greeted {
				bad = daemontest.Greeted(t, p.Socket, "")
			}
			if _, err := bad.Write([]byte(garbage)); err != nil {
				t.Fatal(err)
			}
			said := bad.Ended()
			if len(said) != 1 || said[0].Error == nil || said[0].Error.Code != -32700 || string(said[0].ID) != "null" {
				t.Errorf("%.30q: %v", garbage, said)
			}
		}
	}
	for frame, code := range map[string]int{ // JSON that is no request is answered, and the connection goes on
		`[]`: -32600, `7`: -32600, `{"jsonrpc":"2.0","id":9}`: -32600, `{"jsonrpc":"1.0","id":9,"method":"status"}`: -32600,
		`{"jsonrpc":"2.0","id":null,"method":"status"}`: -32600, `{"jsonrpc":"2.0","id":9,"id":9,"method":"status"}`: -32600,
	} {
		good.Send(frame)
		good.Receive().Failed(t, code)
	}
	good.Send(``, `  `, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"edit","params":{"path":"f.txt"}}`) // nothing is asked
	good.Call("read", readLine(1)).Done(t)
}

// A line without end closes its connection, and memory stays bounded; before hello the bound is small.
func TestEndlessLine(t *testing.T) {
	const gigabyte = 1 << 30
	w := daemontest.New(t)
	p := w.Start(daemontest.How{})
	good := daemontest.Greeted(t, p.Socket, "")
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	send := func(c *daemontest.Conn) (sent int) {
		if _, err := c.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"`)); err != nil {
			t.Fatal(err)
		}
		for sent < gigabyte {
			n, err := c.Write(chunk)
			if sent += n; err != nil {
				return sent
			}
		}
		return sent
	}
	if sent := send(daemontest.Dial(t, p.Socket)); sent > 2<<20 {
		t.Errorf("%d bytes were taken from somebody who had not said hello", sent)
	}
	var all sync.WaitGroup
	for range 6 {
		c := daemontest.Greeted(t, p.Socket, "")
		all.Go(func() {
			if sent := send(c); sent >= gigabyte {
				t.Errorf("%d bytes were taken for one line", sent)
			}
		})
	}
	good.Call("status", `{}`).Done(t) // meanwhile
	all.Wait()
	good.Call("status", `{}`).Done(t)
	peak := peakMemory(t, p.PID())
	t.Logf("the daemon took %d MiB at most", peak>>20)
	if peak > raced*(900<<20) {
		t.Errorf("the daemon took %d MiB", peak>>20)
	}
}

// A line as long as may be is taken.
func TestLongLine(t *testing.T) {
	w := daemontest.New(t)
	p := w.Start(daemontest.How{})
	c := daemontest.Greeted(t, p.Socket, "")
	head, tail := `{"jsonrpc":"2.0","id":7,"method":"status","params":{},"pad":"`, `"}`
	c.Send(head + strings.Repeat("x", 64<<20-len(head)-len(tail)) + tail)
	c.Receive().Done(t)
	c.Send(head + strings.Repeat("x", 64<<20-len(head)-len(tail)+1) + tail)
	if said := c.Ended(); len(said) != 1 || said[0].Error == nil || said[0].Error.Code != -32600 || !strings.Contains(said[0].Raw, "67108864") {
		t.Errorf("a byte too many: %v", said)
	}
	text := strings.Repeat("line\n", 3<<20/5)
	c = daemontest.Greeted(t, p.Socket, "")
	c.Call("write", fmt.Sprintf(`{"path":"big.txt","text":%q,"mode":"create"}`, text)).Done(t)
	if w.Holds("big.txt") != text {
		t.Error("a large text was written differently")
	}
}

// Two hundred fronts at once, each reading and editing.
func TestManyFronts(t *testing.T) {
	const fronts = 200
	w := daemontest.New(t)
	w.Put("f.txt", numbered(fronts))
	p := w.Start(daemontest.How{})
	var all sync.WaitGroup
	for n := 1; n <= fronts; n++ {
		c := daemontest.Greeted(t, p.Socket, "")
		all.Go(func() {
			for _, f := range []daemontest.Frame{c.Call("read", readLine(n)), c.Call("edit", editLine(n))} {
				if f.Error != nil || f.Member("refused") == "true" {
					t.Errorf("front %d: %.300s", n, f.Raw)
				}
			}
		})
	}
	all.Wait()
	if got := strings.Count(w.Holds("f.txt"), "LINE "); got != fronts {
		t.Errorf("%d of %d edits are there", got, fronts)
	}
	if got := daemontest.Greeted(t, p.Socket, "").Call("status", `{}`).Member("connections"); got != "201" {
		t.Errorf("%s connections", got)
	}
}

// Everything that was decided is told to subscribers, and those who do not read are left behind with a notice; they can
// ask for what they missed.
func TestSubscribe(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(5))
	s := w.Serve(nil)
	c, slow, quick := daemontest.Greeted(t, s.Socket, "s"), daemontest.Greeted(t, s.Socket, ""), daemontest.Greeted(t, s.Socket, "")
	c.Call("read", readLine(1)).Done(t)
	quick.Call("subscribe", `{"since":0}`).Done(t)
	if f := quick.Receive(); f.Method != "receipt" || !strings.Contains(f.Raw, `"seq":1,`) || !strings.Contains(f.Raw, `"verb":"read"`) {
		t.Errorf("what was before: %s", f.Raw)
	}
	quick.Call("subscribe", `{"since":0}`).Refused(t, "invalid")
	c.Call("edit", editLine(4)).Refused(t, "not-seen")
	if f := quick.Receive(); !strings.Contains(f.Raw, `"code":"not-seen"`) || !strings.Contains(f.Raw, `"path":"f.txt"`) || strings.Contains(f.Raw, "of it") {
		t.Errorf("the refusal: %s", f.Raw)
	}
	if page := c.Call("log", `{"limit":1}`).Done(t); page.Member("complete") != "false" || page.Member("next") != "1" {
		t.Errorf("log: %s", page.Raw)
	}
	if page := c.Call("log", `{"since":1}`).Done(t); page.Member("complete") != "true" || !strings.Contains(page.Raw, `"not-seen"`) {
		t.Errorf("log: %s", page.Raw)
	}
	c.Call("log", `{"limit":0}`).Refused(t, "invalid")
	quick.Call("unsubscribe", `{}`).Done(t)

	slow.Call("subscribe", `{}`).Done(t)
	for range 9000 { // more than the queue and what the socket holds
		c.Call("list", `{}`).Done(t)
	}
	var last, lagged string
	n := 0
	for lagged == "" {
		f := slow.Receive()
		if f.Method == "lagged" {
			lagged = string(f.Params)
			break
		}
		n++
		_, last, _ = strings.Cut(f.Raw, `"seq":`)
		last, _, _ = strings.Cut(last, ",")
	}
	if n < 1024 || lagged != `{"after":`+last+`}` {
		t.Errorf("after %d receipts, the last %s: %s", n, last, lagged)
	}
	slow.Call("subscribe", `{"since":`+last+`}`).Done(t)
	if f := slow.Receive(); f.Method != "receipt" {
		t.Errorf("after the notice: %s", f.Raw)
	}
	if f := quick.Call("status", `{}`); f.Result == nil {
		t.Errorf("it was sent more: %s", f.Raw)
	}
}

// A client that reads nothing holds nobody up, not even the end.
func TestClientThatReadsNothing(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(4000))
	alarms := &daemontest.Alarms{}
	s := w.Serve(func(o *daemon.Options) { o.After = alarms.After })
	deaf, c := daemontest.Greeted(t, s.Socket, ""), daemontest.Greeted(t, s.Socket, "")
	var frames []string
	for range 100 {
		frame, _ := deaf.Request("read", `{"path":"f.txt","meta":{"page_bytes":90000}}`)
		frames = append(frames, frame)
	}
	deaf.Send(frames...)
	c.Call("read", readLine(1)).Done(t)
	c.Call("edit", editLine(1)).Done(t)
	s.Stop()
	alarms.Await(t, 2e9, 1)()
	s.Await(t)
}

// A process of another user is not answered, whatever the rights of the socket say.
func TestStranger(t *testing.T) {
	if os.Getenv(strangerEnv) != "" {
		nc, err := net.Dial("unix", os.Getenv(strangerEnv))
		if err != nil {
			fmt.Println("cannot connect:", err)
			return
		}
		_, _ = nc.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":"x"}}` + "\n"))
		b := make([]byte, 1000)
		n, _ := nc.Read(b)
		fmt.Printf("got %q\n", b[:n])
		return
	}
	w := daemontest.New(t)
	p := w.Start(daemontest.How{})
	daemontest.Greeted(t, p.Socket, "") // one's own is
	if os.Geteuid() != 0 {
		return // only root can be somebody else
	}
	for _, dir := range []string{w.Runtime + "/..", w.Runtime, w.Runtime + "/sightline"} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, open := range []bool{false, true} {
		want := "cannot connect"
		if open {
			want = `got ""`
			if err := os.Chmod(p.Socket, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(copyOf(t, os.Args[0]), "-test.run=^TestStranger$")
		cmd.Env = append(os.Environ(), strangerEnv+"="+p.Socket)
		asNobody(cmd)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("a stranger, socket open %t: %v\n%s", open, err, out)
		}
	}
}

const strangerEnv = "SIGHTLINE_TEST_STRANGER"

// copyOf puts a program where everybody can run it.
func copyOf(t *testing.T, program string) string {
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.CreateTemp("", "stranger")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(f.Name()) })
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := f.Chmod(0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
