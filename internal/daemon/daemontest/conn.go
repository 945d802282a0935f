package daemontest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// Conn speaks to a socket frame by frame. One goroutine at a time may use it.
type Conn struct {
	testing.TB
	net.Conn
	in *bufio.Reader
	id int
}

// Frame is what a daemon sends.
type Frame struct {
	Raw    string
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// patience is how long an answer is waited for before a test fails.
const patience = 30 * time.Second

// Dial connects to a socket.
func Dial(tb testing.TB, socket string) *Conn {
	tb.Helper()
	nc, err := net.Dial("unix", socket)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { nc.Close() })
	return &Conn{TB: tb, Conn: nc, in: bufio.NewReaderSize(nc, 64<<10)}
}

// Greeted connects and says hello.
func Greeted(tb testing.TB, socket, session string) *Conn {
	tb.Helper()
	c := Dial(tb, socket)
	params := `{"protocol":1,"client":"test"`
	if session != "" {
		params += fmt.Sprintf(`,"session":%q`, session)
	}
	c.Call("hello", params+"}").Done(tb)
	return c
}

// Send writes frames, each on a line, in one write.
func (c *Conn) Send(frames ...string) {
	c.Helper()
	if _, err := c.Write([]byte(strings.Join(frames, "\n") + "\n")); err != nil {
		c.Fatal(err)
	}
}

// Request returns a request, and its id.
func (c *Conn) Request(method, params string) (frame, id string) {
	c.id++
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, method, params), fmt.Sprint(c.id)
}

// Notice sends a notification.
func (c *Conn) Notice(method, params string) {
	c.Helper()
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// Next returns the next frame; ok is false at the end of the connection.
func (c *Conn) Next() (f Frame, ok bool) {
	c.Helper()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		c.Fatal(err)
	}
	line, err := c.in.ReadString('\n')
	if err != nil {
		if e, late := err.(net.Error); late && e.Timeout() {
			c.Fatal("nothing comes")
		}
		return f, false
	}
	f.Raw = strings.TrimSuffix(line, "\n")
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		c.Fatalf("%v in %.300q", err, line)
	}
	return f, true
}

// Rest passes over the rest of a line, after a part of it was read from the connection itself.
func (c *Conn) Rest() {
	c.Helper()
	if _, err := c.in.ReadString('\n'); err != nil {
		c.Fatal(err)
	}
}

// Receive returns the next frame.
func (c *Conn) Receive() Frame {
	c.Helper()
	f, ok := c.Next()
	if !ok {
		c.Fatal("the connection ended")
	}
	return f
}

// Await returns the answer to a request, passing over what comes before.
func (c *Conn) Await(id string) Frame {
	c.Helper()
	for {
		if f := c.Receive(); string(f.ID) == id && f.Method == "" {
			return f
		}
	}
}

// Call makes a request and returns its answer.
func (c *Conn) Call(method, params string) Frame {
	c.Helper()
	frame, id := c.Request(method, params)
	c.Send(frame)
	return c.Await(id)
}

// Member returns a member of the result, as JSON.
func (f Frame) Member(name string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(f.Result, &m) != nil {
		return ""
	}
	return string(m[name])
}

// Done fails the test unless the call was done.
func (f Frame) Done(tb testing.TB) Frame {
	tb.Helper()
	if f.Error != nil || f.Result == nil || f.Member("refused") == "true" {
		tb.Fatalf("not done: %.600s", f.Raw)
	}
	return f
}

// Refused fails the test unless the call was refused with the code.
func (f Frame) Refused(tb testing.TB, code string) Frame {
	tb.Helper()
	if f.Error != nil || f.Member("refused") != "true" || f.Member("code") != `"`+code+`"` {
		tb.Fatalf("not refused as %s: %.600s", code, f.Raw)
	}
	return f
}

// Failed fails the test unless the answer is an error with the code.
func (f Frame) Failed(tb testing.TB, code int) Frame {
	tb.Helper()
	if f.Error == nil || f.Error.Code != code {
		tb.Fatalf("no error %d: %.600s", code, f.Raw)
	}
	return f
}

// Ended fails the test unless the connection ends after whatever comes before, which it returns.
func (c *Conn) Ended() []Frame {
	c.Helper()
	var all []Frame
	for {
		f, ok := c.Next()
		if !ok {
			return all
		}
		all = append(all, f)
	}
}
