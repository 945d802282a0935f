package daemon_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/daemon/daemontest"
	"github.com/sightline-io/sightline/internal/rpc"
)

const specPath = "../../docs/spec/daemon.md"

var update = flag.Bool("update", false, "write the generated parts of docs/spec/daemon.md")

// conversations are what the document shows: frames that are sent, by connection. Answers are what the daemon says.
var conversations = map[string][]string{
	"hello": {
		`a {"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":"doc","session":"alice"}}`,
		`a {"jsonrpc":"2.0","id":2,"method":"read","params":{"path":"greet.txt","first":1,"last":1}}`,
		`a {"jsonrpc":"2.0","id":3,"method":"edit","params":{"path":"greet.txt","edits":[{"old":"world","new":"there"}]}}`,
		`a {"jsonrpc":"2.0","id":4,"method":"read","params":{"path":"greet.txt","lines":7}}`,
		`a {"jsonrpc":"2.0","id":5,"method":"rename","params":{}}`,
	},
	"both": {
		`a {"jsonrpc":"2.0","id":6,"method":"read","params":{"path":"greet.txt","first":2,"last":2,"meta":{"answer":"both","as":"alice"}}}`,
		`a {"jsonrpc":"2.0","id":7,"method":"delete","params":{"path":"none.txt","meta":{"answer":"text"}}}`,
	},
	"ack": {
		`a {"jsonrpc":"2.0","id":8,"method":"read","params":{"path":"poem.txt","first":1,"last":1,"ack":true,"meta":{}}}`,
		`a {"jsonrpc":"2.0","id":9,"method":"read","params":{"path":"poem.txt","first":1,"last":1,"ack":true}}`,
		`a {"jsonrpc":"2.0","method":"delivered","params":{"id":1}}`,
		`a {"jsonrpc":"2.0","id":10,"method":"check","params":{"path":"poem.txt","first":1,"last":1,"meta":{"arrived":0}}}`,
		`a {"jsonrpc":"2.0","id":11,"method":"check","params":{"path":"poem.txt","first":1,"last":1,"meta":{"arrived":1}}}`,
	},
	"sessions": {
		`b {"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":"other","session":"bob"}}`,
		`b {"jsonrpc":"2.0","id":2,"method":"read","params":{"path":"greet.txt","session":"alice"}}`,
		`b {"jsonrpc":"2.0","id":3,"method":"open","params":{"session":"alice"}}`,
		`b {"jsonrpc":"2.0","id":4,"method":"check","params":{"path":"greet.txt","first":1,"last":1,"session":"alice"}}`,
		`b {"jsonrpc":"2.0","id":5,"method":"sessions","params":{}}`,
	},
	"plan": {
		`a {"jsonrpc":"2.0","id":12,"method":"plan","params":{"path":"greet.txt","edits":[{"old":"there","new":"all"}]}}`,
		`a {"jsonrpc":"2.0","id":13,"method":"commit","params":{"plan":"PLAN"}}`,
	},
}

var (
	convBlock   = regexp.MustCompile(`(?s)<!-- conversation: (\S+) -->\n.*?<!-- /conversation -->`)
	methodBlock = regexp.MustCompile(`(?s)<!-- methods -->\n.*?<!-- /methods -->`)
	planID      = regexp.MustCompile(`"p-[0-9a-f]+"`)
)

// The document's conversations are held with a real daemon, and its table is that of the protocol; with -update they
// are written.
func TestSpecification(t *testing.T) {
	spec, err := os.ReadFile(specPath)
	if err != nil {
		t.Fatal(err)
	}
	w := daemontest.New(t)
	w.Put("greet.txt", "hello\nworld\n")
	w.Put("poem.txt", "one\ntwo\n")
	p := w.Start(daemontest.How{})
	steady := strings.NewReplacer(w.Root, "/srv/project", fmt.Sprintf(`"pid":%d`, p.PID()), `"pid":4711`)
	conns := map[string]*daemontest.Conn{"a": daemontest.Dial(t, p.Socket), "b": daemontest.Dial(t, p.Socket)}
	held := map[string]bool{}
	plan := ""
	fresh := convBlock.ReplaceAllFunc(spec, func(b []byte) []byte {
		name := string(convBlock.FindSubmatch(b)[1])
		held[name] = true
		var out strings.Builder
		for _, line := range conversations[name] {
			who, frame, _ := strings.Cut(line, " ")
			c := conns[who]
			fmt.Fprintf(&out, "-> %s\n", frame)
			c.Send(strings.Replace(frame, `"PLAN"`, plan, 1))
			if !strings.Contains(frame, `"id":`) || !strings.Contains(frame, `,"id":`) {
				continue // a notification
			}
			answer := c.Receive().Raw
			if id := planID.FindString(answer); id != "" {
				plan = id
				answer = planID.ReplaceAllString(answer, `"PLAN"`)
			}
			fmt.Fprintf(&out, "<- %s\n", steady.Replace(answer))
		}
		return fmt.Appendf(nil, "<!-- conversation: %s -->\n```text\n%s```\n<!-- /conversation -->", name, out.String())
	})
	fresh = methodBlock.ReplaceAll(fresh, []byte(methodTable()))
	if *update {
		if err := os.WriteFile(specPath, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(fresh, spec) {
		t.Errorf("docs/spec/daemon.md is not what the daemon says; run this test with -update\n%s", fresh)
	}
	for name := range conversations {
		if !held[name] {
			t.Errorf("docs/spec/daemon.md does not show the conversation %s", name)
		}
	}
}

// methodTable is the table of methods, from the protocol.
func methodTable() string {
	var b strings.Builder
	b.WriteString("<!-- methods -->\n| method | params | |\n|---|---|---|\n")
	for _, m := range rpc.Methods() {
		var params []string
		if m.Tool != "" {
			params = append(params, "the input of `"+m.Tool+"`")
		}
		for _, p := range m.Members {
			params = append(params, "`"+p+"`")
		}
		kind := ""
		switch {
		case m.FromUs:
			kind = "notification of the daemon: "
		case m.Notice:
			kind = "notification: "
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s%s |\n", m.Name, strings.Join(params, ", "), kind, m.Does)
	}
	return b.String() + "<!-- /methods -->"
}

// Every method of the protocol is there and every member of it is known; no other is.
func TestMethodsAreWhatTheTableSays(t *testing.T) {
	w := daemontest.New(t)
	s := w.Serve(nil)
	spec, err := os.ReadFile(specPath)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range rpc.Methods() {
		if m.Notice {
			continue
		}
		c := daemontest.Greeted(t, s.Socket, "")
		if m.Name == rpc.Hello {
			c = daemontest.Dial(t, s.Socket)
		}
		f := c.Call(m.Name, `{"no_such_member":1}`)
		if f.Error != nil || !strings.Contains(f.Raw, "no_such_member") && m.Name != rpc.Continue {
			t.Errorf("%s with an unknown member: %s", m.Name, f.Raw)
		}
		for _, name := range m.Members {
			name = strings.TrimSuffix(name, "?")
			if f := c.Call(m.Name, `{"`+name+`":null}`); f.Error != nil || strings.Contains(f.Raw, "is no member") {
				t.Errorf("%s with %s: %s", m.Name, name, f.Raw)
			}
			if m.Name == rpc.Shutdown {
				break
			}
		}
	}
	c := daemontest.Greeted(t, s.Socket, "")
	for _, name := range rpc.MetaMembers() {
		if f := c.Call("read", `{"path":"f","meta":{"`+strings.TrimSuffix(name, "?")+`":null}}`); f.Error != nil || strings.Contains(f.Raw, "is no member") {
			t.Errorf("meta with %s: %s", name, f.Raw)
		}
		if !bytes.Contains(spec, []byte("| `"+name+"` |")) {
			t.Errorf("docs/spec/daemon.md does not name the member %s of meta", name)
		}
	}
	for _, code := range []int{rpc.CodeParse, rpc.CodeRequest, rpc.CodeMethod, rpc.CodeParams, rpc.CodeInternal, rpc.CodeIO, rpc.CodeCancelled} {
		if !bytes.Contains(spec, fmt.Appendf(nil, "| %d |", code)) {
			t.Errorf("docs/spec/daemon.md does not name the error %d", code)
		}
	}
}
