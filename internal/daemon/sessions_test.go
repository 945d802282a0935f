package daemon_test

import (
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/daemon/daemontest"
)

// What a model names may be a session of its own connection or a new one. What a flag, the environment or the client's
// own id names may be anybody's.
func TestWhoMayNameWhichSession(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(9))
	p := w.Start(daemontest.How{})
	a, b := daemontest.Greeted(t, p.Socket, "alice"), daemontest.Greeted(t, p.Socket, "")
	a.Call("read", readLine(1)).Done(t)
	a.Call("read", with(readLine(2), `"session":"mine"`)).Done(t) // a new name

	b.Call("read", with(readLine(3), `"session":"alice"`)).Refused(t, "denied")
	b.Call("edit", with(editLine(2), `"session":"mine"`)).Refused(t, "denied")
	b.Call("open", `{"session":"mine","named":true}`).Refused(t, "denied")
	b.Call("edit", with(editLine(1), `"meta":{"as":"alice"}`)).Refused(t, "denied")
	b.Call("edit", editLine(1)).Refused(t, "not-seen") // its own session saw nothing
	b.Call("open", `{"session":"alice"}`).Done(t)      // by a flag
	b.Call("edit", with(editLine(1), `"meta":{"as":"alice"}`)).Done(t)
	b.Call("edit", with(strings.ReplaceAll(editLine(3), "3", "1"), `"session":"alice"`)).Refused(t, "not-found")

	a.Call("edit", with(editLine(2), `"session":"mine"`)).Done(t)
	a.Close()
	c := daemontest.Greeted(t, p.Socket, "")
	c.Call("read", with(readLine(3), `"session":"alice"`)).Refused(t, "denied") // its connection is gone, and the name is not new
	c.Call("edit", with(editLine(4), `"session":"alice","session":"c"`)).Refused(t, "invalid")
	daemontest.Greeted(t, p.Socket, "alice").Call("edit", editLine(3)).Refused(t, "not-seen")

	d := daemontest.Dial(t, p.Socket)
	for params, code := range map[string]string{
		`{"protocol":1,"client":"x","session":"two words"}`: "invalid", `{"protocol":1,"client":"x","more":1}`: "invalid",
		`{"protocol":1}`: "invalid", `{"client":"x"}`: "invalid", `{"protocol":0,"client":"x"}`: "invalid", `{"protocol":"1","client":"x"}`: "invalid",
		`{"protocol":1,"client":"x","root":"/"}`: "invalid", `{"protocol":1,"protocol":1,"client":"x"}`: "invalid", `[]`: "invalid",
	} {
		d.Call("hello", params).Refused(t, code)
	}
	if got := d.Call("hello", `{"protocol":99,"client":"from the future"}`).Done(t); got.Member("protocol") != "1" {
		t.Errorf("negotiated %s", got.Raw)
	}
	rows := d.Call("sessions", `{}`).Done(t).Raw
	for _, want := range []string{`{"session":"alice","connections":2}`, `{"session":"mine","connections":0}`} {
		if !strings.Contains(rows, want) {
			t.Errorf("%s lacks %s", rows, want)
		}
	}
}

// Two connections have sessions of their own: what one has seen licenses nothing for the other, and who changed what is
// told.
func TestTwoFronts(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(9))
	p := w.Start(daemontest.How{})
	a, b := daemontest.Greeted(t, p.Socket, "a"), daemontest.Greeted(t, p.Socket, "b")
	for _, c := range []*daemontest.Conn{a, b} {
		c.Call("read", `{"path":"f.txt"}`).Done(t)
	}
	a.Call("edit", editLine(1)).Done(t)
	b.Call("edit", editLine(5)).Done(t) // different lines of one file both land
	if no := b.Call("edit", editLine(1)).Refused(t, "stale"); !strings.Contains(no.Raw, "session a") {
		t.Errorf("who changed the line is not told: %s", no.Raw)
	}
}

// What accompanies a call is checked like everything else, and a model cannot add to what its front sends.
func TestMeta(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", numbered(400))
	c := daemontest.Greeted(t, w.Start(daemontest.How{}).Socket, "")
	for _, bad := range []string{
		`"meta":{"ack":1}`, `"meta":{"arrived":-1}`, `"meta":{"round":"2"}`, `"meta":{"page_bytes":0}`, `"meta":{"page_bytes":99999999999}`, `"meta":{"dir":"../x"}`,
		`"meta":{"dir":"/x"}`, `"meta":{"answer":"xml"}`, `"meta":{"more":1}`, `"meta":{"ack":true,"ack":true}`, `"meta":[]`, `"meta":{},"meta":{}`, `"meta":{"as":""}`,
		`"meta":{},"ack":true`, `"meta":{},"root":"x"`, `"ack":true,"ack":true`, `"root":"/"`, `"root":7`, `"ack":"yes"`, `"more":1`, `"meta":{"root":"/"}`,
	} {
		c.Call("read", with(readLine(1), bad)).Refused(t, "invalid")
	}
	c.Call("read", `[]`).Failed(t, -32602)
	c.Call("no.such", `{}`).Failed(t, -32601)
	c.Call("continue", `{"path":"f.txt"}`).Refused(t, "invalid")
	c.Call("read", with(readLine(1), `"root":"`+w.Root+`"`)).Done(t)

	text := c.Call("read", with(readLine(1), `"meta":{"answer":"text","dir":"sub"}`)).Refused(t, "missing")
	if !strings.Contains(text.Member("text"), "missing") {
		t.Errorf("a refusal's text: %s", text.Raw)
	}
	both := c.Call("read", `{"path":"../f.txt","first":2,"last":2,"meta":{"answer":"both","dir":"sub"}}`).Done(t)
	if !strings.Contains(both.Member("text"), `     2\tline 000002`) || !strings.Contains(both.Member("structured"), `"text":"line 000002 of it\n"`) || !strings.Contains(both.Member("session"), "s-") {
		t.Errorf("both: %s", both.Raw)
	}
	page := c.Call("read", `{"path":"f.txt","intent":"full","meta":{"page_bytes":3000}}`).Done(t)
	next := c.Call("continue", `{"path":"f.txt","cursor":`+page.Member("cursor")+`,"meta":{"page_bytes":3000}}`).Done(t)
	if page.Member("more") != "true" || !strings.HasPrefix(next.Member("text"), `"line 000`) || next.Member("text") == page.Member("text") {
		t.Errorf("pages: %s %s", page.Raw, next.Raw)
	}
	if silent := c.Call("check", with(`{"path":"f.txt"}`, `"ack":true`)).Done(t); silent.Member("delivery") != "" {
		t.Errorf("an answer that shows nothing has a delivery: %s", silent.Raw)
	}
}

// An edit can be planned, shown to a person, and made later; the plan is the connection's and works once.
func TestPlanAndCommit(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", "one\ntwo\n")
	p := w.Start(daemontest.How{})
	c, other := daemontest.Greeted(t, p.Socket, "s"), daemontest.Greeted(t, p.Socket, "s")
	edit := `{"path":"f.txt","edits":[{"old":"two","new":"2"}]}`
	c.Call("plan", with(edit, `"meta":{"no_cure":true}`)).Refused(t, "not-seen")
	c.Call("read", `{"path":"f.txt"}`).Done(t)
	plan := c.Call("plan", edit).Done(t)
	if plan.Member("before") != `"one\ntwo\n"` || plan.Member("after") != `"one\n2\n"` || w.Holds("f.txt") != "one\ntwo\n" {
		t.Errorf("plan: %s", plan.Raw)
	}
	commit := `{"plan":` + plan.Member("plan") + `}`
	other.Call("commit", commit).Refused(t, "invalid")
	c.Call("commit", with(commit, `"session":"t"`)).Refused(t, "invalid")
	if done := c.Call("commit", commit).Done(t); done.Member("edits") != `[{"before":[2,2],"after":[2,2]}]` || w.Holds("f.txt") != "one\n2\n" {
		t.Errorf("commit: %s", done.Raw)
	}
	c.Call("commit", commit).Refused(t, "invalid")

	plan = c.Call("plan", `{"path":"f.txt","edits":[{"old":"one","new":"1"}]}`).Done(t)
	w.Put("f.txt", "ONE\n2\n")
	c.Call("commit", `{"plan":`+plan.Member("plan")+`}`).Refused(t, "stale")
	fresh := c.Call("plan", `{"path":"new.txt","edits":[{"old":"","new":"x\n"}]}`).Done(t)
	if fresh.Member("before") != "null" {
		t.Errorf("plan of a new file: %s", fresh.Raw)
	}
	var first string
	for range 65 {
		plan := c.Call("plan", `{"path":"f.txt","edits":[{"old":"2","new":"3"}]}`).Done(t)
		if first == "" {
			first = plan.Member("plan")
		}
	}
	c.Call("commit", `{"plan":`+first+`}`).Refused(t, "invalid") // more than a connection holds
}

// A waiver lets one session replace exactly the files it names, once. It licenses no edit of lines.
func TestWaive(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", "one\ntwo\n")
	w.Put("g.txt", "one\ntwo\n")
	p := w.Start(daemontest.How{})
	c, host := daemontest.Greeted(t, p.Socket, "s"), daemontest.Greeted(t, p.Socket, "")
	quiet := `"meta":{"no_cure":true}`
	write := func(name string) string {
		return `{"path":"` + name + `","text":"new\n","mode":"replace",` + quiet + `}`
	}
	c.Call("write", write("f.txt")).Refused(t, "needs-full")
	host.Call("waive", `{"session":"s","paths":["f.txt"]}`).Done(t)
	c.Call("edit", `{"path":"f.txt","edits":[{"old":"two","new":"2"}],`+quiet+`}`).Refused(t, "not-seen")
	c.Call("edit", `{"path":"f.txt","edits":[{"first":1,"last":2,"new":"2"}],`+quiet+`}`).Refused(t, "not-seen")
	c.Call("write", write("g.txt")).Refused(t, "needs-full")
	host.Call("write", write("f.txt")).Refused(t, "needs-full")
	c.Call("write", write("f.txt")).Done(t)
	w.Put("f.txt", "three\n")
	c.Call("write", write("f.txt")).Refused(t, "stale") // spent
	for _, bad := range []string{`{"session":"s"}`, `{"paths":["f.txt"]}`, `{"session":"s","paths":[]}`, `{"session":"s","paths":"f.txt"}`, `{"session":"","paths":["f"]}`} {
		host.Call("waive", bad).Refused(t, "invalid")
	}
	host.Call("waive", `{"session":"s","paths":["../x"]}`).Refused(t, "outside-root")
}

// Unsaved buffers lie over the disk while their connection lives.
func TestOverlays(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", "disk\n")
	p := w.Start(daemontest.How{})
	agent, editor, second := daemontest.Greeted(t, p.Socket, "s"), daemontest.Greeted(t, p.Socket, ""), daemontest.Greeted(t, p.Socket, "")
	set := `{"path":"f.txt","text":"buffer\n"}`
	editor.Call("overlay.set", set).Done(t)
	second.Call("overlay.set", `{"path":"f.txt","text":"other\n"}`).Refused(t, "dirty-buffer")
	second.Call("overlay.drop", `{"path":"f.txt"}`).Done(t) // it is not its own
	if page := agent.Call("read", `{"path":"f.txt"}`).Done(t); page.Member("text") != `"buffer\n"` || page.Member("source") != `"overlay"` {
		t.Errorf("page: %s", page.Raw)
	}
	agent.Call("edit", `{"path":"f.txt","edits":[{"old":"buffer","new":"x"}]}`).Refused(t, "dirty-buffer")
	editor.Call("overlay.drop", `{"path":"f.txt"}`).Done(t)
	if page := agent.Call("read", `{"path":"f.txt"}`).Done(t); page.Member("text") != `"disk\n"` {
		t.Errorf("after the drop: %s", page.Raw)
	}
	editor.Call("overlay.set", set).Done(t)
	editor.Close()
	for {
		// The daemon hears of the end in its own time; status tells when it has.
		if agent.Call("status", `{}`).Done(t).Member("connections") == "2" {
			break
		}
	}
	agent.Call("edit", `{"path":"f.txt","edits":[{"old":"disk","new":"edited"}]}`).Done(t)
	for _, bad := range []string{`{"path":"f.txt"}`, `{"text":"x"}`, `{"path":"f.txt","text":7}`, `{"path":"f.txt","text":"x","more":1}`} {
		agent.Call("overlay.set", bad).Refused(t, "invalid")
	}
	agent.Call("overlay.set", `{"path":"../f","text":"x"}`).Refused(t, "outside-root")
}
