package daemon

import (
	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/wire"
)

// method is what runs a method of the protocol.
type method struct {
	run     func(*call) *answer
	tool    bool // its params may hold what accompanies a tool's input
	changes bool // done, it has changed a file
	inline  bool // it is quick, and calls sent behind it rely on it
}

// methods is every method that a client calls but hello.
var methods = func() map[string]method {
	m := map[string]method{
		rpc.Hello:      {},
		rpc.Open:       {run: (*call).open, inline: true},
		rpc.Continue:   {run: (*call).proceed, tool: true},
		rpc.Plan:       {run: (*call).plan, tool: true},
		rpc.Commit:     {run: (*call).commit, tool: true, changes: true},
		rpc.Status:     {run: (*call).status},
		rpc.Sessions:   {run: (*call).sessions},
		rpc.Stats:      {run: (*call).stats},
		rpc.Log:        {run: (*call).log},
		rpc.Subscribe:  {run: (*call).subscribe, inline: true},
		rpc.Leave:      {run: (*call).unsubscribe, inline: true},
		rpc.Waive:      {run: (*call).waive},
		rpc.OverlaySet: {run: (*call).setOverlay},
		rpc.OverlayEnd: {run: (*call).dropOverlay},
		rpc.Shutdown:   {run: (*call).shutdown},
	}
	for _, t := range wire.Tools() {
		m[t.Name] = method{run: (*call).tool, tool: true, changes: !t.ReadOnly}
	}
	return m
}()

// tool puts the call to the tool of its name.
func (q *call) tool() *answer { return q.ask(q.method) }

// proceed is a read that continues.
func (q *call) proceed() *answer {
	has := false
	rpc.Members(q.params.args, func(name, _ []byte) bool {
		has = has || string(name) == "cursor"
		return !has
	})
	if !has {
		return refused(q.method, &sightline.Error{Op: q.method, Code: sightline.Invalid, Field: "cursor",
			Message: "\"cursor\" is missing: continue takes the cursor of the page before."})
	}
	return q.ask("read")
}

func (q *call) ask(tool string) *answer {
	sess, err := q.whose()
	if err != nil {
		return &answer{wire: wire.Refuse(tool, q.params.args, err)}
	}
	if f := q.c.s.rootFault(q.method); f != nil {
		return &answer{wire: wire.Refuse(tool, q.params.args, f)}
	}
	return &answer{wire: wire.Call(q.ctx, sess, tool, q.params.args, q.meta())}
}

func (q *call) meta() sightline.Meta {
	p := &q.params
	return sightline.Meta{Arrival: q.arrival, Round: p.round, PageBytes: p.pageBytes, Dir: p.dir, NoCure: p.noCure, Delivery: q.d}
}

// whose finds the session of a tool's call: the one that the front chose, else the one that the input names, else the
// connection's own.
func (q *call) whose() (*sightline.Session, error) {
	env, err := wire.OpenEnvelope(q.params.args)
	if err != nil {
		return nil, err
	}
	sess, err := q.c.session(q.params.as, env.Session)
	if err == nil {
		q.session = sess.ID()
	}
	return sess, err
}

func (c *conn) session(as, named string) (*sightline.Session, error) {
	c.mu.Lock()
	own := c.own
	id := own
	if as != "" {
		id = as
	}
	sess := c.opened[id]
	c.mu.Unlock()
	switch {
	case as != "" && sess == nil && id != own:
		return nil, &sightline.Error{Code: sightline.Denied, Field: "meta.as", Message: "This connection has not opened the session that \"meta.as\" names; open it first."}
	case as == "" && named != "":
		return c.s.named(c, named)
	case sess == nil:
		return c.s.open(c, id)
	}
	return sess, nil
}

// named opens the session that a model named: one of this connection's, or a new one.
func (s *server) named(c *conn, id string) (*sightline.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.mu.Lock()
	sess := c.opened[id]
	c.mu.Unlock()
	if sess != nil {
		return sess, nil
	}
	if s.ws.Has(id) || s.live[id] > 0 {
		return nil, &sightline.Error{Code: sightline.Denied, Field: "session",
			Message: "This session belongs to another connection; leave session out, or choose a new name."}
	}
	return s.enter(c, id)
}

// open opens a session that a front chose, whoever had it before.
func (s *server) open(c *conn, id string) (*sightline.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.enter(c, id)
}

// enter makes a session one of the connection's; the caller holds the server's mu.
func (s *server) enter(c *conn, id string) (*sightline.Session, error) {
	sess, err := s.ws.Session(id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened[id] == nil {
		c.opened[id] = sess
		s.live[id]++
	}
	return sess, nil
}
