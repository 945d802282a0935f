package daemon_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/daemon/daemontest"
)

// numbered is a file whose lines can be quoted one by one.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %06d of it\n", i+1)
	}
	return b.String()
}

func readLine(n int) string { return fmt.Sprintf(`{"path":"f.txt","first":%d,"last":%d}`, n, n) }

func editLine(n int) string {
	return fmt.Sprintf(`{"path":"f.txt","edits":[{"old":"line %06d of","new":"LINE %06d of"}]}`, n, n)
}

// with adds members to params.
func with(params, members string) string {
	return strings.TrimSuffix(params, "}") + "," + members + "}"
}

// In one write there is no answer that the second call could know.
func TestOneWriteIsOneRound(t *testing.T) {
	const rounds = 300
	w := daemontest.New(t)
	w.Put("f.txt", numbered(rounds))
	c := daemontest.Greeted(t, w.Start(daemontest.How{}).Socket, "")
	for n := 1; n <= rounds; n++ {
		read, r := c.Request("read", readLine(n))
		edit, e := c.Request("edit", editLine(n))
		c.Send(read, edit)
		for range 2 {
			switch f := c.Receive(); string(f.ID) {
			case r:
				f.Done(t)
			case e:
				f.Refused(t, "not-seen")
			default:
				t.Fatal(f.Raw)
			}
		}
	}
}

// Whoever has the answer may rely on it, however fast, although the end of its line may still be on its way.
func TestAnswerThenCall(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(500))
	c := daemontest.Greeted(t, w.Start(daemontest.How{}).Socket, "")
	for n := 1; n <= 500; n++ {
		read, _ := c.Request("read", readLine(n))
		c.Send(read)
		depth := 0
		for one := []byte{0}; depth >= 0; { // until the last brace, and no further
			if _, err := c.Conn.Read(one); err != nil {
				t.Fatal(err)
			}
			switch one[0] {
			case '{':
				depth++
			case '}':
				if depth--; depth == 0 {
					depth = -1
				}
			}
		}
		edit, e := c.Request("edit", editLine(n))
		c.Send(edit)
		if _, err := io.ReadFull(c.Conn, make([]byte, 1)); err != nil { // the newline of the page
			t.Fatal(err)
		}
		c.Await(e).Done(t)
	}
}

// Until the last byte of an answer is written nobody can have read it.
func TestHalfAnAnswer(t *testing.T) {
	const lines = 40_000
	w := daemontest.New(t)
	w.Put("f.txt", numbered(lines))
	c := daemontest.Greeted(t, w.Start(daemontest.How{}).Socket, "")
	read, _ := c.Request("read", fmt.Sprintf(`{"path":"f.txt","first":1,"last":%d,"meta":{"page_bytes":4000000}}`, lines))
	c.Send(read)
	half := make([]byte, 300_000)
	if _, err := io.ReadFull(c.Conn, half); err != nil {
		t.Fatal(err)
	}
	edit, e := c.Request("edit", editLine(10)) // a line that was in the half that came
	c.Send(edit)
	if !strings.Contains(string(half), "line 000010 of") {
		t.Fatal("the half does not show line 10")
	}
	c.Rest() // of the page
	c.Await(e).Refused(t, "not-seen")
	c.Call("edit", editLine(20)).Done(t)
}

// A front that accounts for its deliveries is believed: what it says was delivered counts from then on, what it says is
// lost, or says nothing of, never does.
func TestFrontSaysWhatWasDelivered(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(100))
	p := w.Start(daemontest.How{})
	c := daemontest.Greeted(t, p.Socket, "s")
	shown := func(n int) string {
		id := c.Call("read", with(readLine(n), `"ack":true`)).Done(t).Member("delivery")
		if id == "" {
			t.Fatal("no delivery")
		}
		return id
	}

	id := shown(1)
	c.Call("check", `{"path":"f.txt","first":1,"last":1}`).Done(t)
	if got := c.Call("check", `{"path":"f.txt","first":1,"last":1}`); got.Member("allowed") != "false" {
		t.Errorf("not said to be delivered: %s", got.Raw)
	}
	c.Notice("delivered", `{"id":`+id+`}`)
	c.Call("edit", editLine(1)).Done(t)

	c.Notice("lost", `{"id":`+shown(2)+`}`)
	c.Call("edit", with(editLine(2), `"meta":{"no_cure":true}`)).Refused(t, "not-seen")

	id = shown(3)
	c.Notice("leaving", `{"id":`+id+`}`)
	edit, e := c.Request("edit", editLine(3))
	c.Send(edit) // waits for what becomes of it
	c.Notice("delivered", `{"id":`+id+`}`)
	c.Await(e).Done(t)

	id = shown(4)
	c.Notice("leaving", `{"id":`+id+`}`)
	edit, e = c.Request("edit", with(editLine(4), `"meta":{"no_cure":true}`))
	c.Send(edit)
	c.Notice("lost", `{"id":`+id+`}`)
	c.Await(e).Refused(t, "not-seen")

	for _, how := range []string{"", "leaving"} {
		id = shown(5)
		if how != "" {
			c.Notice(how, `{"id":`+id+`}`)
		}
		c.Close() // the front dies and says nothing
		c = daemontest.Greeted(t, p.Socket, "s")
		c.Call("edit", with(editLine(5), `"meta":{"no_cure":true}`)).Refused(t, "not-seen")
	}
	c.Notice("delivered", `{"id":12345}`) // says nothing
	c.Notice("lost", `{}`)
	c.Notice("no.such.notice", `[]`)
	c.Call("status", `{}`).Done(t)
}

// Where the front tells how many deliveries had left when it received a call, that decides, however late the call comes.
func TestArrived(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(40))
	c := daemontest.Greeted(t, w.Start(daemontest.How{}).Socket, "")
	deliver := func(n int) {
		id := c.Call("read", with(readLine(n), `"ack":true`)).Done(t).Member("delivery")
		c.Notice("delivered", `{"id":`+id+`}`)
	}
	at := func(params string, n int) string {
		return with(params, fmt.Sprintf(`"meta":{"no_cure":true,"arrived":%d}`, n))
	}
	deliver(1)
	deliver(2)
	deliver(3)
	c.Call("edit", at(editLine(3), 2)).Refused(t, "not-seen")
	c.Call("edit", at(editLine(2), 2)).Done(t)
	c.Call("edit", at(editLine(1), 0)).Refused(t, "not-seen")
	c.Call("edit", at(editLine(1), 1)).Done(t)
	c.Call("edit", at(editLine(3), 3)).Done(t)
	c.Call("edit", at(editLine(3), 4)).Refused(t, "invalid")
	for n := 4; n <= 20; n++ {
		deliver(n)
	}
	for n := 21; n <= 4949; n++ { // more than are kept: a call from before is taken to be as old as the connection
		deliver(5)
	}
	deliver(30)
	c.Call("edit", at(editLine(10), 20)).Refused(t, "not-seen")
	c.Call("edit", at(editLine(30), 4949)).Refused(t, "not-seen")
	c.Call("edit", at(editLine(30), 4950)).Done(t)
	c.Call("edit", at(editLine(10), 4950)).Done(t)
}

// Edits by number that were written before the answer to the first of them was there mean one text, however they are
// sent: in one write, or with the front's word that they arrived together.
func TestNumbersOfOneText(t *testing.T) {
	w := daemontest.New(t)
	p := w.Start(daemontest.How{})
	number := func(path string, line int, text string) string {
		return fmt.Sprintf(`{"path":%q,"edits":[{"first":%d,"last":%d,"new":%q}]}`, path, line, line, text)
	}
	for i := range 100 {
		path := fmt.Sprintf("f%d.txt", i)
		w.Put(path, "1\n2\n3\n4\n")
		c := daemontest.Greeted(t, p.Socket, "")
		c.Call("read", `{"path":"`+path+`"}`).Done(t)
		other := number(path, 4, "z\n") // of another session, which waits for nobody
		first, second := number(path, 1, "1a\n1b\n"), number(path, 3, "X\n")
		switch i % 4 {
		case 0, 1:
			one, a := c.Request("edit", first)
			if i%4 == 1 {
				one, a = c.Request("edit", with(first, `"ack":true`))
			}
			two, b := c.Request("edit", second)
			c.Send(one, two)
			got := map[string]daemontest.Frame{}
			for range 2 {
				f := c.Receive()
				got[string(f.ID)] = f
			}
			got[a].Done(t)
			if got[b].Member("refused") == "true" { // it was planned while the first was being made
				c.Call("edit", `{"path":"`+path+`","edits":[{"old":"3","new":"X"}]}`).Done(t)
			}
		case 2:
			id := c.Call("edit", with(first, `"ack":true`)).Done(t).Member("delivery")
			c.Call("edit", second).Done(t) // the front has not said that the answer left
			c.Notice("delivered", `{"id":`+id+`}`)
		case 3:
			id := c.Call("edit", with(first, `"ack":true`)).Done(t).Member("delivery")
			c.Notice("delivered", `{"id":`+id+`}`)
			c.Call("edit", with(second, `"meta":{"arrived":0}`)).Done(t)
		}
		if got := w.Holds(path); got != "1a\n1b\n2\nX\n4\n" {
			t.Fatalf("way %d: the file holds %q", i%4, got)
		}
		d := daemontest.Greeted(t, p.Socket, "")
		d.Call("edit", with(other, `"meta":{"no_cure":true}`)).Refused(t, "not-seen")
		c.Close()
		d.Close()
	}
	// And whoever has the answer speaks of the text after it.
	w.Put("g.txt", "1\n2\n3\n4\n")
	c := daemontest.Greeted(t, p.Socket, "")
	c.Call("read", `{"path":"g.txt"}`).Done(t)
	c.Call("edit", number("g.txt", 1, "1a\n1b\n")).Done(t)
	c.Call("edit", number("g.txt", 4, "X\n")).Done(t)
	id := c.Call("edit", with(number("g.txt", 1, "1\n1a\n"), `"ack":true`)).Done(t).Member("delivery")
	c.Notice("delivered", `{"id":`+id+`}`)
	c.Call("edit", number("g.txt", 6, "Y\n")).Done(t)
	if got := w.Holds("g.txt"); got != "1\n1a\n1b\n2\nX\nY\n" {
		t.Errorf("the file holds %q", got)
	}
}

// Rounds decide where the host tells them.
func TestRounds(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(3))
	c := daemontest.Greeted(t, w.Start(daemontest.How{}).Socket, "")
	c.Call("read", with(readLine(1), `"meta":{"round":4}`)).Done(t)
	c.Call("edit", with(editLine(1), `"meta":{"round":4}`)).Refused(t, "not-seen")
	c.Call("edit", with(editLine(1), `"meta":{"round":5}`)).Done(t)
}
