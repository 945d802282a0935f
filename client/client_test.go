package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/daemon/daemontest"
)

var ctx = context.Background()

// dial connects to the daemon of a world, and starts none.
func dial(t *testing.T, w *daemontest.World, opt client.Options) *client.Client {
	t.Helper()
	opt.Root, opt.State, opt.Env = w.Root, w.State, w.Env
	if opt.Name == "" {
		opt.Name = "test"
	}
	c, err := client.Dial(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func call(s *client.Session, tool, args string) *client.Answer {
	return s.Call(ctx, tool, json.RawMessage(args), client.Meta{Structured: true})
}

func done(t *testing.T, a *client.Answer) *client.Answer {
	t.Helper()
	if a.Refused || a.Failed {
		t.Fatalf("not done: %s", a.Text)
	}
	return a
}

func refused(t *testing.T, a *client.Answer, code sightline.Code) {
	t.Helper()
	if !a.Refused || a.Code != code || !strings.HasPrefix(string(a.Text), string(code)+": ") {
		t.Fatalf("not refused as %s: %+v %s", code, a, a.Text)
	}
}

const (
	readOne = `{"path":"f.txt","first":1,"last":1}`
	editOne = `{"path":"f.txt","edits":[{"old":"one","new":"ONE"}]}`
	editTwo = `{"path":"f.txt","edits":[{"old":"two","new":"TWO"}]}`
	text    = "one\ntwo\nthree\n"
)

// The answers are those of an engine in the same process, text and facts.
func TestAnswers(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", text)
	p := w.Start(daemontest.How{})
	c := dial(t, w, client.Options{Session: "s", Version: "1.0.0"})
	if i := c.Info(); i.PID != p.PID() || i.Root != w.Root || i.Version != daemontest.Version || i.Protocol != 1 || i.Session != "s" {
		t.Errorf("info %+v", i)
	}
	s := c.Own()
	refused(t, call(s, "edit", editTwo), sightline.NotSeen)
	done(t, call(s, "edit", editTwo))
	page := done(t, call(s, "read", "{\n \"path\": \"f.txt\",\n \"intent\": \"full\"\n}"))
	if !strings.HasPrefix(string(page.Text), "     1\tone\n     2\tTWO\n") || !strings.Contains(string(page.Structured()), `"text":"one\nTWO\nthree\n"`) {
		t.Errorf("page: %s %s", page.Text, page.Structured())
	}
	if quiet := s.Call(ctx, "read", json.RawMessage(readOne), client.Meta{}); quiet.Structured() != nil {
		t.Errorf("facts nobody asked for: %s", quiet.Structured())
	}
	for _, bad := range []string{`[]`, `7`, `{`, `{"path":"f.txt"`, "{\"path\":\"f\ntxt\"}", `{"path":"f.txt","meta":{"as":"root"}}`, `{"path":"f.txt","root":"` + w.Root + `"}`, `{"path":"f.txt","ack":true}`} {
		refused(t, call(s, "read", bad), sightline.Invalid)
	}
	for _, none := range []string{"", "null", " {} "} {
		refused(t, call(s, "read", none), sightline.Invalid) // path is missing
	}
	refused(t, call(s, "rename", `{}`), sightline.Invalid)
	refused(t, s.Continue(ctx, json.RawMessage(`{"path":"f.txt"}`), client.Meta{}), sightline.Invalid)
	r := uint64(3)
	refused(t, s.Call(ctx, "read", json.RawMessage(`{"path":"g"}`), client.Meta{Round: &r, Dir: "a/b", PageBytes: 5000, NoCure: true}), sightline.Missing)

	var status struct{ Socket string }
	if err := c.Do(ctx, "status", nil, &status); err != nil || status.Socket != p.Socket {
		t.Errorf("status %+v, %v", status, err)
	}
	if err := c.Do(ctx, "waive", map[string]any{"session": "s", "paths": []string{"../x"}}, nil); sightline.CodeOf(err) != sightline.OutsideRoot {
		t.Errorf("a refusal of the daemon's own: %v", err)
	}
	if err := c.Do(ctx, "no.such", nil, nil); sightline.CodeOf(err) != sightline.Internal {
		t.Errorf("no such method: %v", err)
	}
	c.Close()
	if a := call(s, "read", readOne); !a.Failed || a.Code != sightline.Cancelled {
		t.Errorf("after Close: %+v", a)
	}
}

// Who may name which session is the daemon's rule; a session that was opened once is open again after a break.
func TestSessions(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", text)
	p := w.Start(daemontest.How{})
	a, b := dial(t, w, client.Options{Session: "a"}), dial(t, w, client.Options{})
	done(t, call(a.Own(), "read", readOne))
	if _, err := b.Named(ctx, "a"); sightline.CodeOf(err) != sightline.Denied {
		t.Errorf("another's session: %v", err)
	}
	mine, err := b.Named(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := b.Open(ctx, "")
	if err != nil || !strings.HasPrefix(fresh.ID(), "s-") || fresh.ID() == b.Own().ID() {
		t.Errorf("a fresh session: %v, %v", fresh, err)
	}
	shared, err := b.Open(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	done(t, call(shared, "edit", editOne))
	done(t, call(mine, "read", `{"path":"f.txt"}`))
	done(t, call(mine, "check", `{"path":"f.txt"}`)) // a session's next call waits until the page is recorded
	own := b.Own().ID()
	p.Kill()
	w.Start(daemontest.How{})
	done(t, call(mine, "edit", editTwo))
	if again, err := b.Named(ctx, "mine"); err != nil || again.ID() != "mine" || b.Own().ID() != own {
		t.Errorf("after the break: %v, own %s not %s", err, b.Own().ID(), own)
	}
}

// The door says when an answer left; calls rely on what had left when they arrived, over one wire as over none.
func TestDeliveries(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", text)
	w.Start(daemontest.How{})
	s := dial(t, w, client.Options{}).Own()
	c := dial(t, w, client.Options{})
	s = c.Own()
	show := func() *client.Delivery {
		d := &client.Delivery{}
		done(t, s.Call(ctx, "read", json.RawMessage(readOne), client.Meta{Delivery: d}))
		if !d.Shows() {
			t.Fatal("a page that shows nothing")
		}
		return d
	}
	edit := func(at client.Arrival) *client.Answer {
		return s.Call(ctx, "edit", json.RawMessage(editOne), client.Meta{NoCure: true, Arrival: at})
	}
	d := show()
	refused(t, edit(client.Arrival{}), sightline.NotSeen) // it has not left
	d.Lost()
	refused(t, edit(client.Arrival{}), sightline.NotSeen)
	d = show()
	early := c.Arrive()
	d.Leave()
	late := c.Arrive()
	waiting := make(chan *client.Answer, 1)
	refused(t, edit(early), sightline.NotSeen)
	go func() { waiting <- edit(late) }() // may rely on it, and waits for what becomes of it
	d.Left()
	d.Lost() // too late
	done(t, <-waiting)

	none := &client.Delivery{}
	s.Call(ctx, "check", json.RawMessage(`{"path":"f.txt"}`), client.Meta{Delivery: none})
	if none.Shows() {
		t.Error("a check shows nothing")
	}
	none.Left()
	d = &client.Delivery{} // a refusal delivers too
	refused(t, s.Call(ctx, "edit", json.RawMessage(editTwo), client.Meta{Delivery: d}), sightline.NotSeen)
	refused(t, s.Call(ctx, "edit", json.RawMessage(editTwo), client.Meta{NoCure: true}), sightline.NotSeen)
	d.Left()
	done(t, call(s, "edit", editTwo))
}

// A plan is made, shown and committed over the wire.
func TestPlan(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", text)
	w.Start(daemontest.How{})
	s := dial(t, w, client.Options{}).Own()
	if p, a := s.Plan(ctx, json.RawMessage(editOne), client.Meta{}); p != nil || a.Code != sightline.NotSeen {
		t.Fatalf("plan of an unseen line: %v, %+v", p, a)
	}
	p, a := s.Plan(ctx, json.RawMessage(editOne), client.Meta{})
	if p == nil {
		t.Fatalf("no plan: %s", a.Text)
	}
	if p.Path != "f.txt" || *p.Before != text || p.After != "ONE\ntwo\nthree\n" {
		t.Errorf("plan %+v", p)
	}
	done(t, s.Commit(ctx, p, client.Meta{Structured: true}))
	refused(t, s.Commit(ctx, p, client.Meta{}), sightline.Invalid)
	if p, _ := s.Plan(ctx, json.RawMessage(`{"path":"new.txt","edits":[{"old":"","new":"x\n"}]}`), client.Meta{}); p == nil || p.Before != nil || p.After != "x\n" {
		t.Errorf("plan of a new file: %+v", p)
	}
	if p, a := s.Plan(ctx, json.RawMessage(`[`), client.Meta{}); p != nil || a.Code != sightline.Invalid {
		t.Errorf("plan of nothing: %+v", a)
	}
}

// starter starts daemons and counts them.
type starter struct {
	w       *daemontest.World
	version string
	n       atomic.Int32
	mu      sync.Mutex
	all     []*daemontest.Process
}

func (s *starter) start(context.Context) error {
	s.n.Add(1)
	p := s.w.Begin(daemontest.How{Version: s.version})
	p.Await()
	s.mu.Lock()
	s.all = append(s.all, p)
	s.mu.Unlock()
	if strings.HasPrefix(p.Said, "failed") {
		return &sightline.Error{Code: sightline.IO, Message: p.Said}
	}
	return nil
}

// A daemon is started where none answers, by whoever comes first, and again where it died.
func TestStarted(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", text)
	st := &starter{w: w, version: daemontest.Version}
	var all sync.WaitGroup
	clients := make([]*client.Client, 8)
	for i := range clients {
		all.Go(func() { clients[i] = dial(t, w, client.Options{Start: st.start, Session: fmt.Sprintf("s%d", i)}) })
	}
	all.Wait()
	pid := clients[0].Info().PID
	for _, c := range clients {
		if c.Info().PID != pid {
			t.Errorf("two daemons: %d and %d", pid, c.Info().PID)
		}
		done(t, call(c.Own(), "read", readOne))
		done(t, call(c.Own(), "check", readOne)) // waits until the page is recorded
	}
	st.mu.Lock()
	for _, p := range st.all {
		p.Kill()
	}
	st.mu.Unlock()
	for i, c := range clients { // evidence goes on, and so does what the first of them wrote
		a := call(c.Own(), "edit", editOne)
		if i == 0 {
			done(t, a)
		} else {
			refused(t, a, sightline.Stale)
		}
	}
}

// Without a daemon and without a way to start one it says so at once; where starting fails it says why.
func TestNobody(t *testing.T) {
	w := daemontest.New(t)
	_, err := client.Dial(ctx, client.Options{Root: w.Root, State: w.State, Env: w.Env})
	if sightline.CodeOf(err) != sightline.IO {
		t.Errorf("nobody there: %v", err)
	}
	if err := os.WriteFile(w.State, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	st := &starter{w: w}
	_, err = client.Dial(ctx, client.Options{Root: w.Root, State: w.State, Env: w.Env, Start: st.start})
	if sightline.CodeOf(err) != sightline.IO || !strings.Contains(err.Error(), "state folder") || st.n.Load() != 1 {
		t.Errorf("an unusable state: %v, started %d times", err, st.n.Load())
	}
	if _, err = client.Dial(ctx, client.Options{Root: filepath.Join(w.Root, "none"), Start: st.start}); sightline.CodeOf(err) != sightline.Missing {
		t.Errorf("no root: %v", err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	hangs := func(context.Context) error { return nil } // says that it listens, and nobody does
	if _, err = client.Dial(stopped, client.Options{Root: w.Root, Env: w.Env, Start: hangs}); sightline.CodeOf(err) != sightline.Cancelled {
		t.Errorf("given up: %v", err)
	}
	if _, err = client.Dial(ctx, client.Options{Root: w.Root, Env: w.Env, Start: hangs, Wait: 50 * time.Millisecond}); sightline.CodeOf(err) != sightline.IO {
		t.Errorf("waited in vain: %v", err)
	}
}

// A daemon of another version is ended politely, once; those who are served by it go on with the next one.
func TestOtherVersion(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", text)
	old := w.Start(daemontest.How{Version: "0.9.0"})
	st := &starter{w: w, version: "0.9.0"}
	before := dial(t, w, client.Options{Version: "0.9.0", Session: "old", Start: st.start})
	done(t, call(before.Own(), "read", readOne))
	fresh := &starter{w: w, version: "1.0.0"}
	after := dial(t, w, client.Options{Version: "1.0.0", Start: fresh.start})
	if after.Info().Version != "1.0.0" || fresh.n.Load() != 1 {
		t.Errorf("served by %+v, started %d times", after.Info(), fresh.n.Load())
	}
	if last := old.Wait(); last != "ended" {
		t.Errorf("the old daemon ended with %q", last)
	}
	done(t, call(before.Own(), "edit", editOne)) // with what it had seen
	if i := before.Info(); i.Version == "1.0.0" && st.n.Load() != 0 {
		t.Errorf("served by %+v, started %d times", i, st.n.Load())
	}
	done(t, call(after.Own(), "read", readOne))
}

// While daemons are ended politely and others started, no call is lost and none is made twice.
func TestReplacedUnderLoad(t *testing.T) {
	const counters, steps = 6, 60
	w := daemontest.New(t)
	var b strings.Builder
	for n := range counters {
		fmt.Fprintf(&b, "counter %d: 0.\n", n)
	}
	w.Put("f.txt", b.String())
	st := &starter{w: w, version: daemontest.Version}
	var all sync.WaitGroup
	for n := range counters {
		c := dial(t, w, client.Options{Start: st.start, Session: fmt.Sprintf("c%d", n)})
		all.Go(func() {
			s := c.Own()
			if a := call(s, "read", `{"path":"f.txt"}`); a.Refused || a.Failed {
				t.Errorf("counter %d: %s", n, a.Text)
				return
			}
			for step := range steps {
				a := call(s, "edit", fmt.Sprintf(`{"path":"f.txt","edits":[{"old":"counter %d: %d.","new":"counter %d: %d."}]}`, n, step, n, step+1))
				if a.Refused || a.Failed {
					t.Errorf("counter %d, step %d: %s", n, step, a.Text)
					return
				}
			}
		})
	}
	killer := dial(t, w, client.Options{Start: st.start})
	for range 5 {
		if err := killer.Do(ctx, "shutdown", nil, nil); err != nil && sightline.CodeOf(err) != sightline.IO {
			t.Error(err)
		}
	}
	all.Wait()
	for n := range counters {
		if want := fmt.Sprintf("counter %d: %d.\n", n, steps); !strings.Contains(w.Holds("f.txt"), want) {
			t.Errorf("%q is not there:\n%s", want, w.Holds("f.txt"))
		}
	}
}

// A call that a killed daemon may have made is not sent again; one that only asks is.
func TestKilledMeanwhile(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", text)
	p := w.Start(daemontest.How{})
	front, c := dial(t, w, client.Options{Session: "s"}), dial(t, w, client.Options{Session: "s"})
	d := &client.Delivery{}
	done(t, front.Own().Call(ctx, "read", json.RawMessage(readOne), client.Meta{Delivery: d}))
	d.Leave()
	if err := front.Do(ctx, "status", nil, nil); err != nil { // the leaving is said
		t.Fatal(err)
	}
	edits, checks := make(chan *client.Answer, 1), make(chan *client.Answer, 1)
	go func() { edits <- call(c.Own(), "edit", editOne) }()
	go func() { checks <- call(c.Own(), "check", readOne) }()
	raw := daemontest.Greeted(t, p.Socket, "")
	for !strings.Contains(raw.Call("status", `{}`).Raw, `"connections":3`) {
	}
	for range 50 { // both were taken: each asking takes longer than that
		raw.Call("status", `{}`)
	}
	p.Kill()
	w.Start(daemontest.How{})
	if a := <-edits; !a.Failed || a.Code != sightline.IO || !strings.Contains(string(a.Text), "may have been done") {
		t.Errorf("the edit: %s", a.Text)
	}
	done(t, <-checks)
	d.Left() // to nobody
	done(t, call(c.Own(), "read", readOne))
}

// A request that is given up is given up by the daemon, which says how far it came.
func TestCancel(t *testing.T) {
	w := daemontest.New(t)
	w.Put("f.txt", text)
	w.Start(daemontest.How{})
	front, c := dial(t, w, client.Options{Session: "s"}), dial(t, w, client.Options{Session: "s"})
	d := &client.Delivery{}
	done(t, front.Own().Call(ctx, "read", json.RawMessage(readOne), client.Meta{Delivery: d}))
	d.Leave()
	if err := front.Do(ctx, "status", nil, nil); err != nil {
		t.Fatal(err)
	}
	same := strings.TrimSuffix(editOne, "}") + `,"request_id":"r"}`
	stopped, stop := context.WithCancel(ctx)
	answers := make(chan *client.Answer, 2)
	for range 2 {
		go func() { answers <- c.Own().Call(stopped, "edit", json.RawMessage(same), client.Meta{}) }()
	}
	stop()
	// One of them waits for the answer of the other, and is given up. The other waits for the delivery, which cannot be.
	if a := <-answers; !a.Failed || a.Code != sightline.Cancelled {
		t.Errorf("given up: %+v %s", a, a.Text)
	}
	d.Left()
	if a := <-answers; a.Failed && a.Code != sightline.Cancelled || a.Refused {
		t.Errorf("the other one: %+v %s", a, a.Text)
	}
	done(t, call(c.Own(), "edit", same))
}

// A request that is too long is refused here.
func TestTooLong(t *testing.T) {
	w := daemontest.New(t)
	w.Start(daemontest.How{})
	s := dial(t, w, client.Options{}).Own()
	long, err := json.Marshal(map[string]string{"path": "f.txt", "mode": "create", "text": strings.Repeat("x", 64<<20)})
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Call(ctx, "write", long, client.Meta{}); a.Code != sightline.Limit {
		t.Errorf("%+v", a.Code)
	}
	done(t, call(s, "list", `{}`))
}
