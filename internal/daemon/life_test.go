package daemon_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-io/sightline/internal/daemon"
	"github.com/sightline-io/sightline/internal/daemon/daemontest"
)

// Killed at any moment and started anew, the daemon gives the same answers: evidence, authorship, and what is missing.
func TestKilled(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(60))
	p := w.Start(daemontest.How{})
	c := daemontest.Greeted(t, p.Socket, "s")
	again := func() {
		p.Kill() // its socket stays, and nobody answers there
		p = w.Start(daemontest.How{})
		c = daemontest.Greeted(t, p.Socket, "s")
	}
	for n := 1; n <= 20; n++ {
		c.Call("read", readLine(n)).Done(t)
		before := c.Call("seen", `{"path":"f.txt","session":"s"}`).Done(t)
		again()
		if after := c.Call("seen", `{"path":"f.txt","session":"s"}`).Done(t); after.Member("lines") != before.Member("lines") {
			t.Fatalf("after the kill: %s\nbefore: %s", after.Raw, before.Raw)
		}
		c.Call("edit", editLine(n)).Done(t)
		again()
		c.Call("edit", strings.Replace(editLine(n), `"old":"line`, `"old":"LINE`, 1)).Done(t) // its own text, in the other case
		c.Call("edit", with(editLine(n+30), `"meta":{"no_cure":true}`)).Refused(t, "not-seen")
	}
}

// Killed while calls run, it loses none that was answered, and the file is what some whole number of them made it.
func TestKilledInTheMiddle(t *testing.T) {
	kills := 15
	if os.Getenv("SIGHTLINE_LONG") == "1" {
		kills = 1000
	}
	w := daemontest.New(t)
	const lines = 40
	for kill := range kills {
		w.Put("f.txt", numbered(lines))
		p := w.Start(daemontest.How{})
		c := daemontest.Greeted(t, p.Socket, fmt.Sprintf("s%d", kill))
		c.Call("read", `{"path":"f.txt"}`).Done(t)
		c.Call("check", `{"path":"f.txt"}`).Done(t) // waits until the page is recorded
		var frames []string
		for n := 1; n <= lines; n++ {
			frame, _ := c.Request("edit", editLine(n))
			frames = append(frames, frame)
		}
		c.Send(frames...)
		answered := kill % (lines - 1)
		for range answered {
			c.Receive().Done(t)
		}
		p.Kill()
		more := c.Ended() // what it still wrote
		got := w.Holds("f.txt")
		done := strings.Count(got, "LINE ")
		if done < answered+len(more) || done+strings.Count(got, "line ") != lines || len(got) != len(numbered(lines)) {
			t.Fatalf("kill %d: %d of %d edits were answered, %d are there:\n%s", kill, answered+len(more), lines, done, got)
		}
		p = w.Start(daemontest.How{})
		c = daemontest.Greeted(t, p.Socket, fmt.Sprintf("s%d", kill))
		for n := 1; n <= lines; n++ { // every line, made or not, is still its own
			old, new := "line", "done"
			if strings.Contains(got, fmt.Sprintf("LINE %06d", n)) {
				old = "LINE"
			}
			c.Call("edit", fmt.Sprintf(`{"path":"f.txt","edits":[{"old":"%s %06d of","new":"%s %06d of"}]}`, old, n, new, n)).Done(t)
		}
		p.Kill()
	}
}

// Of daemons that start at once one serves; the others find it.
func TestRace(t *testing.T) {
	w := daemontest.New(t)
	for range 5 {
		var ps []*daemontest.Process
		for range 4 {
			ps = append(ps, w.Begin(daemontest.How{}))
		}
		serving := 0
		for _, p := range ps {
			switch p.Await(); {
			case p.Socket != "":
				serving++
				daemontest.Greeted(t, p.Socket, "")
			case p.Said != "served":
				t.Errorf("a daemon said %q", p.Said)
			}
		}
		if serving != 1 {
			t.Fatalf("%d daemons serve one root", serving)
		}
		for _, p := range ps {
			p.Kill()
		}
	}
}

// Who holds another state folder holds another lease, and still does not take the socket of one that answers.
func TestOneSocket(t *testing.T) {
	w := daemontest.New(t)
	p := w.Start(daemontest.How{})
	if _, err := daemon.Listen(w.Root, w.State+"2", w.Env); err == nil || !strings.Contains(err.Error(), p.Socket) {
		t.Errorf("a second listener: %v", err)
	}
	daemontest.Greeted(t, p.Socket, "")
}

// A socket that a dead process left is replaced, a file that is none is not, and folders that cannot be had are passed
// over. From another environment the socket is found by the link in the state folder.
func TestPlacesOfTheSocket(t *testing.T) {
	w := daemontest.New(t)
	l, err := daemon.Listen(w.Root, w.State, w.Env)
	if err != nil {
		t.Fatal(err)
	}
	path := l.Addr().String()
	l.Close() // and its file stays
	if _, err := os.Lstat(path); err != nil {
		t.Fatal("no stale socket to test with: ", err)
	}
	if l, err = daemon.Listen(w.Root, w.State, w.Env); err != nil || l.Addr().String() != path {
		t.Fatalf("over a stale socket: %v", err)
	}
	if nc, err := net.Dial("unix", filepath.Join(w.State, "socket")); err != nil {
		t.Errorf("by the link: %v", err)
	} else {
		nc.Close()
	}
	l.Close()

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err = daemon.Listen(w.Root, w.State, w.Env)
	if err != nil || filepath.Dir(l.Addr().String()) != w.State {
		t.Fatalf("beside a file of that name: %v", err)
	}
	l.Close()
	if b, err := os.ReadFile(path); err != nil || string(b) != "precious" {
		t.Errorf("a file that is no socket was touched: %q, %v", b, err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if l, err = daemon.Listen(w.Root, w.State, w.Env); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if info, err := os.Stat(filepath.Dir(l.Addr().String())); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a folder that was open to others: %v, %v", info.Mode(), err)
	}
}

// A front that dies while its call runs loses nothing: the call is done and is its session's.
func TestFrontDies(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(40))
	p := w.Start(daemontest.How{})
	for n := 1; n <= 30; n++ {
		c := daemontest.Greeted(t, p.Socket, "s")
		c.Call("read", readLine(n)).Done(t)
		edit, _ := c.Request("edit", editLine(n))
		c.Send(edit)
		c.Close()
		d := daemontest.Greeted(t, p.Socket, "s")
		written := fmt.Sprintf(`"first":%d,"last":%d,`, n, n)
		for !strings.Contains(w.Holds("f.txt"), fmt.Sprintf("LINE %06d", n)) ||
			d.Call("check", `{`+written+`"path":"f.txt"}`).Done(t).Member("allowed") != "true" {
		}
		d.Call("edit", strings.Replace(strings.Replace(editLine(n), "LINE", "mine", 1), "line", "LINE", 1)).Done(t)
	}
}

// A client that has closed its side of the connection still gets its answers.
func TestHalfClosed(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(5))
	c := daemontest.Greeted(t, w.Start(daemontest.How{}).Socket, "")
	one, _ := c.Request("read", readLine(1))
	two, _ := c.Request("read", readLine(2))
	c.Send(one, two)
	if err := c.Conn.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := c.Ended(); len(got) != 2 || got[0].Result == nil || got[1].Result == nil {
		t.Errorf("after the client's end: %v", got)
	}
}

// blocked puts an edit of line n to the daemon that waits until what becomes of a delivery of its session is known. It
// returns the frame's id on c, and what lets it go on.
func blocked(t *testing.T, front, c *daemontest.Conn, n int) (id string, goOn func()) {
	t.Helper()
	delivery := front.Call("read", with(readLine(n), `"ack":true`)).Done(t).Member("delivery")
	front.Notice("leaving", `{"id":`+delivery+`}`)
	front.Call("status", `{}`).Done(t)
	edit, id := c.Request("edit", editLine(n))
	c.Send(edit)
	c.Call("status", `{}`).Done(t) // the edit was taken
	return id, func() { front.Notice("delivered", `{"id":`+delivery+`}`) }
}

// A polite end takes no more calls, says how many it took, answers those that run, hears what was delivered, and lets go
// of the root.
func TestShutdown(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(5))
	p := w.Start(daemontest.How{})
	front, c, asker := daemontest.Greeted(t, p.Socket, "s"), daemontest.Greeted(t, p.Socket, "s"), daemontest.Dial(t, p.Socket)
	id, goOn := blocked(t, front, c, 1)
	asker.Call("shutdown", `{}`).Done(t) // also by who has not said hello
	if f := c.Receive(); f.Method != "closing" || string(f.Params) != `{"taken":3}` {
		t.Fatalf("what the client is told: %s", f.Raw)
	}
	late, _ := c.Request("read", readLine(2))
	c.Send(late)
	goOn()
	c.Await(id).Done(t)
	if rest := c.Ended(); len(rest) != 0 {
		t.Errorf("a call behind the end was answered: %v", rest)
	}
	if last := p.Wait(); last != "ended" {
		t.Errorf("the daemon ended with %q", last)
	}
	if _, err := os.Lstat(p.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its socket is left: %v", err)
	}
	p = w.Start(daemontest.How{})
	c = daemontest.Greeted(t, p.Socket, "s")
	c.Call("edit", with(editLine(2), `"meta":{"no_cure":true}`)).Refused(t, "not-seen")
	c.Call("edit", strings.Replace(editLine(1), `"old":"line`, `"old":"LINE`, 1)).Done(t)
	p.Signal(syscall.SIGTERM) // ends politely too
	c.Ended()
	if last := p.Wait(); last != "ended" {
		t.Errorf("after SIGTERM the daemon ended with %q", last)
	}
}

// A call that does not end holds an end up for the grace and no longer.
func TestShutdownGrace(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(5))
	alarms := &daemontest.Alarms{}
	s := w.Serve(func(o *daemon.Options) { o.After, o.Grace = alarms.After, time.Hour })
	front, c := daemontest.Greeted(t, s.Socket, "s"), daemontest.Greeted(t, s.Socket, "s")
	blocked(t, front, c, 1)
	front.Call("shutdown", `{}`).Done(t)
	alarms.Await(t, time.Hour, 1)() // over
	// Now the client is heard for a second more, and the front's silence is taken for lost.
	alarms.Await(t, 2*time.Second, 1)()
	s.Await(t)
	if s.Err != nil {
		t.Error(s.Err)
	}
}

// With nobody connected for long enough it ends by itself; whoever connects in time is served.
func TestIdle(t *testing.T) {
	w := daemontest.New(t)
	alarms := &daemontest.Alarms{}
	s := w.Serve(func(o *daemon.Options) { o.After, o.IdleAfter = alarms.After, 3*time.Minute })
	alarms.Await(t, 3*time.Minute, 1)
	a := daemontest.Greeted(t, s.Socket, "")
	alarms.Await(t, 3*time.Minute, 0) // it is off while somebody is there
	b := daemontest.Greeted(t, s.Socket, "")
	a.Close()
	b.Call("status", `{}`).Done(t)
	b.Close()
	fire := alarms.Await(t, 3*time.Minute, 1)
	c := daemontest.Greeted(t, s.Socket, "")
	fire() // too late
	c.Call("status", `{}`).Done(t)
	c.Close()
	alarms.Await(t, 3*time.Minute, 1)()
	s.Await(t)
	if s.Err != nil {
		t.Error(s.Err)
	}
	if _, err := net.Dial("unix", s.Socket); err == nil {
		t.Error("somebody still listens")
	}

	p := daemontest.New(t).Start(daemontest.How{Idle: time.Millisecond}) // and so does a process
	if last := p.Wait(); last != "ended" {
		t.Errorf("an idle daemon ended with %q", last)
	}
}

// A root that is removed or replaced while it is served is told, nothing is done, and the daemon ends.
func TestRootGone(t *testing.T) {
	for name, replace := range map[string]bool{"removed": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			w := daemontest.New(t)
			w.Put("f.txt", numbered(5))
			p := w.Start(daemontest.How{})
			c := daemontest.Greeted(t, p.Socket, "s")
			c.Call("read", `{"path":"f.txt"}`).Done(t)
			if err := os.Rename(w.Root, w.Root+".old"); err != nil {
				t.Fatal(err)
			}
			if replace {
				w.Put("f.txt", numbered(5))
			}
			no := c.Call("edit", editLine(1)).Failed(t, -32000)
			if !strings.Contains(no.Error.Message, w.Root) || !strings.Contains(string(no.Error.Data), `"code":"io"`) {
				t.Errorf("the failure: %s", no.Raw)
			}
			c.Ended()
			if last := p.Wait(); last != "ended" {
				t.Errorf("the daemon ended with %q", last)
			}
			if replace && w.Holds("f.txt") != numbered(5) {
				t.Error("the new root was written")
			}
			if err := os.RemoveAll(w.Root); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(w.Root+".old", w.Root); err != nil {
				t.Fatal(err)
			}
			if w.Holds("f.txt") != numbered(5) {
				t.Error("the old root was written")
			}
			p = w.Start(daemontest.How{})
			daemontest.Greeted(t, p.Socket, "s").Call("edit", editLine(1)).Done(t) // evidence was kept
		})
	}
}

// A state folder that cannot be used is told by name, and nothing is served on half a record.
func TestStateUnusable(t *testing.T) {
	w := daemontest.New(t)
	if err := os.WriteFile(w.State, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := w.Begin(daemontest.How{}).Await()
	if !strings.HasPrefix(p.Said, "failed") || !strings.Contains(p.Said, "state folder") {
		t.Errorf("the daemon said %q", p.Said)
	}
	if os.Geteuid() == 0 {
		return // rights do not hold root back
	}
	if err := errors.Join(os.Remove(w.State), os.Mkdir(w.State, 0o500)); err != nil {
		t.Fatal(err)
	}
	if p := w.Begin(daemontest.How{}).Await(); !strings.HasPrefix(p.Said, "failed") {
		t.Errorf("over a read-only folder the daemon said %q", p.Said)
	}
}

// A call that waits can be stopped; one that is not there cannot, and nothing else is touched.
func TestCancel(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(5))
	s := w.Serve(nil)
	front, c := daemontest.Greeted(t, s.Socket, "s"), daemontest.Greeted(t, s.Socket, "s")
	delivery := front.Call("read", with(readLine(1), `"ack":true`)).Done(t).Member("delivery")
	front.Notice("leaving", `{"id":`+delivery+`}`)
	front.Call("status", `{}`).Done(t)
	same := with(editLine(1), `"request_id":"r"`)
	one, first := c.Request("edit", same)
	two, second := c.Request("edit", same)
	c.Send(one, two)
	c.Notice("cancel", `{"id":"no such"}`)
	c.Notice("cancel", `{"id":`+first+`}`)
	c.Notice("cancel", `{"id":`+second+`}`)
	c.Receive().Failed(t, -32001) // the one that waits for the other's answer
	front.Notice("delivered", `{"id":`+delivery+`}`)
	if f := c.Receive(); f.Error != nil && f.Error.Code != -32001 {
		t.Errorf("the other one, which could not be stopped any more, or was: %s", f.Raw)
	}
	c.Call("edit", same).Done(t) // recorded, or made now
}

// Everything over the bounds is refused, with the bound, and what is within goes on.
func TestBounds(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(5))
	s := w.Serve(nil)
	front, c := daemontest.Greeted(t, s.Socket, "s"), daemontest.Greeted(t, s.Socket, "s")
	_, goOn := blocked(t, front, c, 1)
	frames := []string{}
	ids := map[string]bool{}
	for range 300 {
		frame, id := c.Request("edit", editLine(1))
		frames, ids[id] = append(frames, frame), true
	}
	c.Send(frames...)
	limited := 0
	for range 45 { // 256 run
		f := c.Receive()
		if f.Member("code") != `"limit"` || !strings.Contains(f.Raw, "256") {
			t.Fatalf("%d: %s", limited, f.Raw)
		}
		limited++
	}
	goOn()
	for range 256 {
		c.Receive()
	}

	c.Call("status", `{}`).Done(t)
	for range 4096 {
		c.Call("read", with(readLine(2), `"ack":true`)).Done(t)
	}
	if no := c.Call("read", with(readLine(2), `"ack":true`)).Refused(t, "limit"); !strings.Contains(no.Raw, "4096") {
		t.Errorf("unsaid deliveries: %s", no.Raw)
	}
	c.Notice("lost", `{"id":7}`)
	c.Call("read", with(readLine(2), `"ack":true`)).Done(t)
}
