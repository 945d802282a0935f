package daemon

import (
	"encoding/json"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
	"github.com/sightline-io/sightline/internal/wire"
)

// plan is an edit that was admitted and not made yet. It is the connection's, and ends with it.
type plan struct {
	*sightline.Plan
	sess *sightline.Session
	args json.RawMessage
}

// plan locates and judges an edit and holds it. The texts in its answer are for a person or a host: they deliver
// nothing.
func (q *call) plan() *answer {
	refuse := func(err error) *answer { return &answer{wire: wire.Refuse("edit", q.params.args, err)} }
	sess, err := q.whose()
	if err != nil {
		return refuse(err)
	}
	if f := q.c.s.rootFault(q.method); f != nil {
		return refuse(f)
	}
	r, err := wire.DecodeEdit(q.params.args, q.meta())
	if err != nil {
		return refuse(err)
	}
	p, err := sess.Plan(q.ctx, r)
	if err != nil {
		return refuse(err)
	}
	id, err := q.c.s.ws.NewID("p-")
	if err != nil {
		return refuse(err)
	}
	q.c.hold(id, &plan{p, sess, q.params.args})
	var before *string
	if e, ok := r.Edits[0].(sightline.ReplaceText); !ok || e.Old != "" { // such an edit is admitted only where there is no file
		text := string(p.Before())
		before = &text
	}
	o := append([]byte(`{"v":1,"path":`), rpc.AppendText(nil, p.Path())...)
	o = rpc.AppendText(append(o, `,"allowed":true,"plan":`...), id)
	o = append(o, `,"before":`...)
	if before == nil {
		o = append(o, "null"...)
	} else {
		o = rpc.AppendText(o, *before)
	}
	o = rpc.AppendText(append(o, `,"after":`...), p.After())
	return &answer{result: append(o, '}')}
}

// hold keeps a plan; over the bound the oldest goes.
func (c *conn) hold(id string, p *plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plans[id] = p
	c.planned = append(c.planned, id)
	if len(c.planned) > rpc.PlansMax {
		delete(c.plans, c.planned[0])
		c.planned = c.planned[1:]
	}
}

// commit makes a planned edit. A plan is spent by a decision, whichever, and by no failure of the moment.
func (q *call) commit() *answer {
	f, bad := readFields(q.method, q.params.args, "plan", "session")
	if bad != nil {
		return refused(q.method, bad)
	}
	if bad := f.need("plan"); bad != nil {
		return refused(q.method, bad)
	}
	id, named := f.text("plan"), f.text("session")
	if f.r.bad != nil {
		return refused(q.method, f.r.bad)
	}
	q.c.mu.Lock()
	p := q.c.plans[id]
	q.c.mu.Unlock()
	if p == nil || named != "" && named != p.sess.ID() || q.params.as != "" && q.params.as != p.sess.ID() {
		return refused(q.method, &sightline.Error{Op: q.method, Code: sightline.Invalid, Field: "plan",
			Message: "This connection holds no such plan of this session: it was committed, or 64 newer ones were made. Plan the edit again."})
	}
	q.session = p.sess.ID()
	if f := q.c.s.rootFault(q.method); f != nil {
		return &answer{wire: wire.Refuse("edit", p.args, f)}
	}
	a, err := p.sess.Commit(q.ctx, p.Plan, q.meta())
	if code := sightline.CodeOf(err); err == nil || code.Refusal() {
		q.c.mu.Lock()
		delete(q.c.plans, id)
		q.c.mu.Unlock()
	}
	if err != nil {
		return &answer{wire: wire.Refuse("edit", p.args, err)}
	}
	return &answer{wire: wire.EditDone(a)}
}
