package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/daemon/daemontest"
)

// The whole way: hello, a refusal that is a result with its cure, the same call again, and what is known of it.
func TestConversation(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", "one\ntwo\nthree\n")
	p := w.Start(daemontest.How{})
	if info, err := os.Stat(p.Socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Dir(p.Socket)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", info.Mode(), err)
	}
	if dir := filepath.Join(w.Runtime, "sightline"); filepath.Dir(p.Socket) != dir || !strings.HasSuffix(p.Socket, ".sock") {
		t.Errorf("the socket %s is not in %s", p.Socket, dir)
	}

	c := daemontest.Dial(t, p.Socket)
	c.Call("read", `{"path":"f.txt"}`).Failed(t, -32600) // before hello
	hello := c.Call("hello", `{"protocol":1,"client":"test","version":"9"}`).Done(t)
	if hello.Member("protocol") != "1" || hello.Member("pid") != fmt.Sprint(p.PID()) || hello.Member("root") != fmt.Sprintf("%q", w.Root) ||
		hello.Member("version") != `"`+daemontest.Version+`"` || !strings.HasPrefix(hello.Member("session"), `"s-`) {
		t.Errorf("hello: %s", hello.Raw)
	}
	c.Call("hello", `{"protocol":1,"client":"test"}`).Refused(t, "invalid")

	edit := `{"path":"f.txt","edits":[{"old":"two","new":"TWO"}]}`
	no := c.Call("edit", edit).Refused(t, "not-seen")
	if no.Member("missing") != "[[2,2]]" || !strings.Contains(no.Member("cure"), `"text":"two\n"`) {
		t.Errorf("refusal: %s", no.Raw)
	}
	c.Call("edit", edit).Done(t)
	if got := w.Holds("f.txt"); got != "one\nTWO\nthree\n" {
		t.Errorf("the file holds %q", got)
	}
	page := c.Call("read", `{"path":"f.txt","first":1,"last":1}`).Done(t)
	if page.Member("text") != `"one\n"` || page.Member("lines") != "[1,1]" {
		t.Errorf("page: %s", page.Raw)
	}
	seen := c.Call("seen", `{"path":"f.txt"}`).Done(t)
	for _, want := range []string{`{"lines":[1,1],"state":"seen"`, `{"lines":[2,2],"state":"authored"`, `{"lines":[3,3],"state":"unseen"}`} {
		if !strings.Contains(seen.Raw, want) {
			t.Errorf("seen lacks %s: %s", want, seen.Raw)
		}
	}
	c.Call("list", `{}`).Done(t)
	c.Call("check", `{"path":"f.txt","overwrite":true}`).Done(t)
	c.Call("write", `{"path":"g.txt","text":"x\n","mode":"create"}`).Done(t)
	c.Call("move", `{"from":"g.txt","to":"h.txt"}`).Done(t)
	c.Call("delete", `{"path":"h.txt"}`).Done(t)
	status := c.Call("status", `{}`).Done(t)
	if status.Member("socket") != fmt.Sprintf("%q", p.Socket) || status.Member("protocol") != "1" || status.Member("connections") != "1" {
		t.Errorf("status: %s", status.Raw)
	}
	c.Call("sessions", `{}`).Done(t)
}
