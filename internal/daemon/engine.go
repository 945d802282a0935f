package daemon

import (
	"encoding/json"
	"os"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/wire"
)

// admin reads the params of a method that is no tool's. It answers nil after a refusal.
func (q *call) admin(known ...string) (*fields, *answer) {
	f, bad := readFields(q.method, q.params.args, append(known, "root")...)
	if bad != nil {
		return nil, refused(q.method, bad)
	}
	root := f.text("root")
	if f.r.bad != nil {
		return nil, refused(q.method, f.r.bad)
	}
	if root != "" && !q.c.s.isRoot(root) {
		return nil, refused(q.method, q.c.s.wrongRoot(q.method, root))
	}
	return f, nil
}

// Status is what is told of an engine.
type Status struct {
	V           int    `json:"v"`
	Root        string `json:"root"`
	Socket      string `json:"socket,omitempty"` // absent: no daemon, the engine is in the process that was asked
	Page        string `json:"page,omitempty"`   // address of the page for people, where there is one
	PID         int    `json:"pid"`
	Protocol    int    `json:"protocol"`
	Version     string `json:"version"`
	Profile     string `json:"profile"`
	Durability  string `json:"durability"`
	Started     int64  `json:"started"` // milliseconds since 1970
	Connections int    `json:"connections"`
	Live        int    `json:"live"`     // sessions that a connection has open
	Sessions    int    `json:"sessions"` // that are known
	Versions    int    `json:"versions"` // of files, in memory
	Bytes       int    `json:"version_bytes"`
	Dropped     int    `json:"dropped"`    // line hashes that were dropped for want of memory
	Receipts    int    `json:"receipts"`   // that are kept
	Forgotten   int    `json:"forgotten"`  // receipts that are not kept any more
	Unrecorded  int    `json:"unrecorded"` // records that could not be written to the journal
	Resumed     int    `json:"resumed"`    // records that were read from it
	Cut         int64  `json:"cut"`        // bytes of its end that were damaged
	Gap         bool   `json:"gap"`
}

// StatusOf is what a workspace tells of itself, for the process that holds it.
func StatusOf(ws *sightline.Workspace, version string, started int64) Status {
	resumed, n := ws.Resumed(), ws.Counters()
	return Status{V: 1, Root: ws.Root(), PID: os.Getpid(), Protocol: rpc.Protocol, Version: version,
		Profile: ws.Profile().String(), Durability: ws.Durability().String(), Started: started, Sessions: len(ws.SessionIDs()),
		Versions: n.Versions, Bytes: n.VersionBytes, Dropped: n.Dropped, Receipts: n.Receipts, Forgotten: n.Forgotten,
		Unrecorded: ws.Unrecorded(), Resumed: resumed.Records, Cut: resumed.Cut, Gap: resumed.Gap}
}

func (q *call) status() *answer {
	if _, no := q.admin(); no != nil {
		return no
	}
	s := q.c.s
	st := StatusOf(s.ws, s.opt.Version, s.started)
	st.Socket, st.Page = s.opt.Listener.Addr().String(), s.opt.Page
	s.mu.Lock()
	st.Connections, st.Live = len(s.conns), len(s.live)
	s.mu.Unlock()
	return resultOf(st)
}

// stats are the figures of the tally.
func (q *call) stats() *answer {
	if _, no := q.admin(); no != nil {
		return no
	}
	t := q.c.s.opt.Tally
	if t == nil {
		return refused(q.method, &sightline.Error{Op: q.method, Code: sightline.Invalid, Message: "This engine counts nothing; ask for log instead."})
	}
	return resultOf(t.Stats(q.c.s.started))
}

func (q *call) sessions() *answer {
	if _, no := q.admin(); no != nil {
		return no
	}
	type row struct {
		Session     string `json:"session"`
		Connections int    `json:"connections"`
	}
	s := q.c.s
	ids := s.ws.SessionIDs()
	rows := make([]row, len(ids))
	s.mu.Lock()
	for i, id := range ids {
		rows[i] = row{id, s.live[id]}
	}
	s.mu.Unlock()
	return resultOf(struct {
		V        int   `json:"v"`
		Sessions []row `json:"sessions"`
	}{1, rows})
}

// logPage is how many receipts one answer holds where nobody says, and at most.
const (
	logPage    = 100
	logPageMax = 1000
)

func (q *call) log() *answer {
	f, no := q.admin("since", "limit")
	if no != nil {
		return no
	}
	since, limit := f.whole("since", 0), f.whole("limit", logPage)
	if f.r.bad == nil && (limit < 1 || limit > logPageMax) {
		f.r.fail("limit", "must be a number of receipts from 1 to 1000")
	}
	if f.r.bad != nil {
		return refused(q.method, f.r.bad)
	}
	all := q.c.kept(uint64(since))
	page := all[:min(len(all), int(limit))]
	rows := make([]json.RawMessage, len(page))
	next := uint64(since)
	for i := range page {
		rows[i] = wire.ReceiptJSON(&page[i])
		next = page[i].Seq
	}
	return resultOf(struct {
		V        int               `json:"v"`
		Receipts []json.RawMessage `json:"receipts"`
		Next     uint64            `json:"next"`
		Complete bool              `json:"complete"`
	}{1, rows, next, len(page) == len(all)})
}

// kept returns the receipts that are kept behind a number, oldest first.
func (c *conn) kept(since uint64) []sightline.Receipt {
	all := c.s.ws.Receipts()
	for len(all) > 0 && all[0].Seq <= since {
		all = all[1:]
	}
	return all
}

func (q *call) subscribe() *answer {
	f, no := q.admin("since")
	if no != nil {
		return no
	}
	c := q.c
	all := c.kept(0)
	var last uint64
	if len(all) > 0 {
		last = all[len(all)-1].Seq
	}
	since := f.whole("since", int64(last))
	if f.r.bad != nil {
		return refused(q.method, f.r.bad)
	}
	if c.s.opt.Feed == nil {
		return refused(q.method, &sightline.Error{Op: q.method, Code: sightline.Invalid, Message: "This engine hands no receipts on; ask for log instead."})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sub != nil || c.closing || c.deaf {
		return refused(q.method, &sightline.Error{Op: q.method, Code: sightline.Invalid, Message: "This connection has a subscription."})
	}
	sub := c.s.opt.Feed.subscribe()
	c.sub = sub
	c.calls.Add(1)
	kept := c.kept(uint64(since)) // what happens in between comes twice, and tells the same
	q.then = func() { go c.follow(sub, kept, uint64(since)) }
	return resultOf(struct {
		V     int   `json:"v"`
		Since int64 `json:"since"`
	}{1, since})
}

func (q *call) unsubscribe() *answer {
	if _, bad := readFields(q.method, q.params.args); bad != nil {
		return refused(q.method, bad)
	}
	q.c.mu.Lock()
	sub := q.c.sub
	q.c.sub = nil
	q.c.mu.Unlock()
	q.c.s.opt.Feed.drop(sub)
	return done()
}

// waive is for people and hosts: a model reaches it through no tool.
func (q *call) waive() *answer {
	f, no := q.admin("session", "paths")
	if no != nil {
		return no
	}
	if bad := f.need("session", "paths"); bad != nil {
		return refused(q.method, bad)
	}
	id := f.text("session")
	var paths []string
	if err := json.Unmarshal(f.raw("paths"), &paths); err != nil || len(paths) == 0 {
		f.r.fail("paths", "must be a list of at least one path")
	}
	if f.r.bad != nil {
		return refused(q.method, f.r.bad)
	}
	sess, err := q.c.s.ws.Session(id)
	if err == nil {
		err = sess.Waive(paths)
	}
	if err != nil {
		return refused(q.method, err)
	}
	return resultOf(struct {
		V       int      `json:"v"`
		Session string   `json:"session"`
		Paths   []string `json:"paths"`
	}{1, id, paths})
}

// buffersBytes bounds the text of all buffers that one connection lays over the disk.
const buffersBytes = 128 << 20

func (q *call) setOverlay() *answer {
	f, no := q.admin("path", "text")
	if no != nil {
		return no
	}
	if bad := f.need("path", "text"); bad != nil {
		return refused(q.method, bad)
	}
	path := f.text("path")
	text, ok := rpc.Text(f.raw("text"))
	if !ok {
		f.r.fail("text", "must be a string of UTF-8")
	}
	if f.r.bad != nil {
		return refused(q.method, f.r.bad)
	}
	name, err := q.c.s.ws.Admit(path)
	if err != nil {
		return refused(q.method, err)
	}
	if bad := q.c.buffer(name.String(), len(text)); bad != nil {
		return refused(q.method, bad)
	}
	if bad := q.c.s.rootFault(q.method); bad != nil {
		return refused(q.method, bad)
	}
	if err := q.c.s.ws.Overlays().Set(q.c.owner, name, text); err != nil {
		return refused(q.method, err)
	}
	q.c.dropIfDeaf()
	return resultOf(struct {
		V    int    `json:"v"`
		Path string `json:"path"`
	}{1, name.String()})
}

// buffer charges the connection for a buffer.
func (c *conn) buffer(name string, size int) *sightline.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := size
	for n, bytes := range c.buffers {
		if n != name {
			total += bytes
		}
	}
	if _, there := c.buffers[name]; !there && len(c.buffers) >= rpc.BuffersMax || total > buffersBytes {
		return &sightline.Error{Op: rpc.OverlaySet, Code: sightline.Limit, Path: name,
			Message: "One connection lays at most 1000 buffers with 134217728 bytes over the disk; drop one first."}
	}
	c.buffers[name] = size
	return nil
}

// dropIfDeaf takes claims away that were made while the client left: they die with the connection.
func (c *conn) dropIfDeaf() {
	c.mu.Lock()
	deaf := c.deaf
	c.mu.Unlock()
	if deaf {
		c.s.ws.Overlays().DropOwner(c.owner)
	}
}

func (q *call) dropOverlay() *answer {
	f, no := q.admin("path")
	if no != nil {
		return no
	}
	if bad := f.need("path"); bad != nil {
		return refused(q.method, bad)
	}
	path := f.text("path")
	if f.r.bad != nil {
		return refused(q.method, f.r.bad)
	}
	name, err := q.c.s.ws.Admit(path)
	if err != nil {
		return refused(q.method, err)
	}
	q.c.mu.Lock()
	delete(q.c.buffers, name.String())
	q.c.mu.Unlock()
	q.c.s.ws.Overlays().Drop(q.c.owner, name)
	return done()
}

// shutdown answers first: the end begins when the call is over.
func (q *call) shutdown() *answer {
	if _, no := q.admin(); no != nil {
		return no
	}
	q.then = func() { q.c.s.end("a client asked for it") }
	return done()
}
