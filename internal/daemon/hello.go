package daemon

import (
	"encoding/json"
	"os"
	"strconv"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// hello is the first call of a connection: it says who is there, settles the revision of the protocol, and, with flags
// or the environment behind it, names the session of calls that name none.
func (c *conn) hello(h rpc.Head) {
	q := &call{c: c, id: h.ID, method: rpc.Hello, d: &sightline.Delivery{}}
	q.run(method{run: func(q *call) *answer { return q.greet(h.Params) }})
}

func (q *call) greet(raw []byte) *answer {
	f, bad := readFields(q.method, raw, "protocol", "client", "version", "session", "root")
	if bad != nil {
		return refused(q.method, bad)
	}
	if bad := f.need("protocol", "client"); bad != nil {
		return refused(q.method, bad)
	}
	theirs, client, id, root := f.whole("protocol", 0), f.text("client"), f.text("session"), f.text("root")
	if raw := f.raw("version"); raw != nil {
		f.r.text("version", raw)
	}
	if f.r.bad != nil {
		return refused(q.method, f.r.bad)
	}
	both := protocolOf(theirs)
	switch {
	case both == 0:
		return refused(q.method, &sightline.Error{Op: q.method, Code: sightline.Invalid, Field: "protocol",
			Message: "This daemon speaks revision " + strconv.Itoa(rpc.ProtocolMin) + " to " + strconv.Itoa(rpc.Protocol) + " of the protocol and no older one."})
	case root != "" && !q.c.s.isRoot(root):
		return refused(q.method, q.c.s.wrongRoot(q.method, root))
	}
	if bad := q.c.s.rootFault(q.method); bad != nil {
		return refused(q.method, bad)
	}
	if err := q.c.introduce(client, id); err != nil {
		return refused(q.method, err)
	}
	return resultOf(struct {
		V        int    `json:"v"`
		Protocol int64  `json:"protocol"`
		Version  string `json:"version"`
		PID      int    `json:"pid"`
		Root     string `json:"root"`
		Session  string `json:"session"`
	}{1, both, q.c.s.opt.Version, os.Getpid(), q.c.s.ws.Root(), q.c.own})
}

// introduce notes who is there. It is called by serve alone.
func (c *conn) introduce(client, id string) error {
	c.mu.Lock()
	known := c.client != ""
	c.mu.Unlock()
	if known {
		return &sightline.Error{Op: rpc.Hello, Code: sightline.Invalid, Message: "This connection has said hello before."}
	}
	if id != "" {
		if _, err := c.s.open(c, id); err != nil {
			return err
		}
	} else {
		var err error
		if id, err = c.s.ws.NewID("s-"); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client, c.own = client, id
	c.lines.Max = rpc.LineMax
	return nil
}

// open makes a session one of this connection's: whichever the front asks for, or one that a model named.
func (q *call) open() *answer {
	f, bad := readFields(q.method, q.params.args, "session", "named")
	if bad != nil {
		return refused(q.method, bad)
	}
	id, named := f.text("session"), f.boolean("named")
	if named {
		f.need("session")
	}
	if f.r.bad != nil {
		return refused(q.method, f.r.bad)
	}
	var sess *sightline.Session
	var err error
	switch {
	case named:
		sess, err = q.c.s.named(q.c, id)
	case id != "":
		sess, err = q.c.s.open(q.c, id)
	default:
		if id, err = q.c.s.ws.NewID("s-"); err == nil {
			sess, err = q.c.s.open(q.c, id)
		}
	}
	if err != nil {
		return refused(q.method, err)
	}
	return resultOf(struct {
		V       int    `json:"v"`
		Session string `json:"session"`
	}{1, sess.ID()})
}

// resultOf is an answer of the daemon's own. What it encodes cannot fail to be encoded.
func resultOf(v any) *answer {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("daemon: a result that is no JSON: " + err.Error())
	}
	return &answer{result: raw}
}

// done is an answer with nothing to say.
func done() *answer { return &answer{result: json.RawMessage(`{"v":1}`)} }
