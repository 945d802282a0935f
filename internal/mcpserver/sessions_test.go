package mcpserver_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/engine"
	"github.com/sightline-io/sightline/internal/mcpserver"
)

// A model may name a session its own connection opened, or a new one, and no other: whoever could name another's would
// license himself with what that one was shown.
func TestSessionArgument(t *testing.T) {
	ws := workspace(t, folder(t, 40))
	a := serve(t, "pipes", "2025-06-18", mcpserver.Options{Engine: engine.Local(ws), Session: "flag-a"})
	b := serve(t, "pipes", "2025-11-25", mcpserver.Options{Engine: engine.Local(ws)})
	named := func(session string) string {
		return fmt.Sprintf(`{"path":"f.txt","session":%q}`, session)
	}
	edit := func(n int, session string) string {
		return fmt.Sprintf(`{"path":"f.txt","session":%q,"edits":[{"old":"%06d of","new":"%d of"}]}`, session, n, n)
	}
	a.call("read", `{"path":"f.txt"}`).ok(t) // flag-a knows the file
	a.call("read", named("mine")).ok(t)      // a new name
	a.call("read", named("flag-a")).ok(t)    // its own, by name
	a.call("edit", edit(1, "mine")).ok(t)
	for _, tool := range []string{"read", "seen", "check", "delete"} {
		for _, other := range []string{"flag-a", "mine"} {
			b.call(tool, named(other)).refused(t, "denied")
		}
	}
	b.call("edit", edit(2, "mine")).refused(t, "denied")
	b.call("edit", edit(2, "theirs")).refused(t, "not-seen") // a new one knows nothing
	b.call("edit", edit(2, "theirs")).ok(t)
	a.call("read", named("theirs")).refused(t, "denied")
	for _, bad := range []string{"", " ", "a b", "\n", strings.Repeat("x", 201)} {
		b.call("read", named(bad)).refused(t, "invalid")
	}

	// A later connection that is started with the name resumes it; its model could not have named it.
	later := serve(t, "pipes", "2025-06-18", mcpserver.Options{Engine: engine.Local(ws), Session: "flag-a"})
	later.call("edit", `{"path":"f.txt","edits":[{"old":"000030 of","new":"thirty of"}]}`).ok(t)
}

// Of two connections that name the same new session at the same time one gets it.
func TestOneConnectionGetsANewSession(t *testing.T) {
	ws := workspace(t, folder(t, 3))
	a := serve(t, "pipes", "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
	b := serve(t, "pipes", "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
	for i := range 300 {
		args := fmt.Sprintf(`{"path":"f.txt","session":"new%d"}`, i)
		var got [2]answer
		var both sync.WaitGroup
		for j, c := range []*client{a.client, b.client} {
			both.Go(func() { got[j] = c.call("check", args) })
		}
		both.Wait()
		if got[0].isError == got[1].isError {
			t.Fatalf("both are answered alike: %s and %s", got[0].raw, got[1].raw)
		}
	}
}

// The client's own conversation is a session that outlives the connection; a name given by flag or call goes before it.
func TestConversations(t *testing.T) {
	root := folder(t, 40)
	ws := workspace(t, root)
	edit := func(n int) string {
		return fmt.Sprintf(`{"path":"f.txt","edits":[{"old":"%06d of","new":"%d of"}]}`, n, n)
	}
	one, two := `"sessionId":"one","threadId":"x"`, `"threadId":"two"`
	a := serve(t, "pipes", "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
	if text := a.call("read", `{"path":"f.txt"}`, one).ok(t).text; strings.Contains(text, "[sightline] session") {
		t.Errorf("a session the client can name itself is printed: %s", text)
	}
	a.call("edit", edit(1), two).refused(t, "not-seen")
	a.call("edit", edit(2)).refused(t, "not-seen")
	a.call("edit", edit(3), one).ok(t)
	b := serve(t, "pipes", "2025-06-18", mcpserver.Options{Engine: engine.Local(ws)})
	b.call("edit", edit(4), one).ok(t)
	c := serve(t, "pipes", "2025-06-18", mcpserver.Options{Engine: engine.Local(ws), Session: "flag"})
	c.call("edit", edit(5), one).refused(t, "not-seen")

	// Ids that cannot be a part of a name are passed over, and never a refusal that the model could not mend.
	for _, odd := range []string{`"sessionId":"a b"`, `"sessionId":""`, `"sessionId":7`, `"sessionId":"` + strings.Repeat("x", 500) + `"`, `"sessionId":"\u0000"`} {
		a.call("read", `{"path":"f.txt"}`, odd).ok(t)
	}
	odd := serve(t, "pipes", "", mcpserver.Options{Engine: engine.Local(ws)})
	odd.version, odd.name = sessionless, strings.Repeat("name with blanks ", 20)
	odd.call("read", `{"path":"f.txt"}`, one).ok(t)
}
