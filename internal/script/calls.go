package script

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// moment is the disk around a call.
type moment struct {
	tree    tree
	targets map[string]bool
	raw     []byte // the target's bytes; nil when there is none
	exists  bool
}

// times makes a call as often as it says. A repeated refusal may not grow.
func (r *run) times(c *Call) ([]string, error) {
	p, err := r.prepare(c)
	if err != nil {
		return nil, err
	}
	meta := CallMeta{Round: r.round, RequestID: c.ID}
	if c.Arrival != "" {
		a, ok := r.arrivals[c.Arrival]
		if !ok {
			return nil, fmt.Errorf("no arrival is called %s", c.Arrival)
		}
		meta.Arrival = a
	}
	first := 0
	for i := range c.Times {
		problems, err := r.make(p, meta, c.Want, c.Plan)
		if len(problems) > 0 && c.Times > 1 {
			problems = append(problems, fmt.Sprintf("this was time %d of %d", i+1, c.Times))
		}
		if len(problems) > 0 || err != nil {
			return problems, err
		}
		switch {
		case i == 1:
			first = r.size
		case i > 1 && r.size > first+16:
			return []string{fmt.Sprintf("the refusal grew from %d to %d bytes at time %d", first, r.size, i+1)}, nil
		}
	}
	return nil, nil
}

func (r *run) prepare(c *Call) (*played, error) {
	args, err := r.resolve(c.Args)
	if err != nil {
		return nil, err
	}
	p := &played{session: c.Session, tool: c.Tool, args: args.(map[string]any)}
	if p.session == "" {
		p.session = r.session
	}
	p.spelling, _ = p.args["path"].(string)
	return p, nil
}

// make makes one call and compares everything that can be compared. It returns errStop after the refusal that the run
// is for.
func (r *run) make(p *played, meta CallMeta, want *Want, plan bool) ([]string, error) {
	if r.v.restarts && r.began && p.args["cursor"] == nil { // a cursor ends with its engine
		r.d.Restart()
	}
	r.began = true
	before, err := r.moment(p)
	if err != nil {
		return nil, err
	}
	var asked *Result
	if r.asks(p, meta) {
		res := r.d.Call(p.session, "check", checkOf(p), CallMeta{Round: meta.Round, Arrival: meta.Arrival})
		if res.Structured != nil {
			asked = &res
		}
	}
	res := r.send(p, meta, plan)
	r.calls++
	after, err := look(r.base)
	if err != nil {
		return nil, err
	}
	repeat := meta.RequestID != "" && r.ids[p.session+" "+p.tool+" "+meta.RequestID]
	if meta.RequestID != "" {
		r.ids[p.session+" "+p.tool+" "+meta.RequestID] = true
	}
	return r.judge(&outcome{p: p, res: res, before: before, after: after, asked: asked, repeat: repeat, plan: plan}, want)
}

func (r *run) send(p *played, meta CallMeta, plan bool) Result {
	if !plan {
		return r.d.Call(p.session, p.tool, p.args, meta)
	}
	commit, res := r.d.(Splitter).Plan(p.session, p.args, meta)
	r.pending, r.planned = commit, p
	return res
}

// moment takes in the tree and the call's target.
func (r *run) moment(p *played) (*moment, error) {
	t, err := look(r.base)
	if err != nil {
		return nil, err
	}
	m := &moment{tree: t, targets: map[string]bool{}}
	for _, key := range []string{"path", "from", "to"} {
		if s, ok := p.args[key].(string); ok && s != "" {
			for name := range t.targets(r.base, r.path(s)) {
				m.targets[name] = true
			}
			if rel, err := filepath.Rel(r.base, r.path(s)); err == nil && p.tool == "delete" {
				m.targets[rel] = true // a link goes, and not what it leads to
			}
		}
	}
	if p.tool == "write" && p.args["mode"] == "create" || p.tool == "edit" {
		for name := range m.targets {
			for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
				if _, ok := t[dir]; !ok {
					m.targets[dir] = true
				}
			}
		}
	}
	key := "path"
	if p.tool == "move" {
		key = "from"
	}
	path, _ := p.args[key].(string)
	if info, err := os.Stat(r.path(path)); path != "" && err == nil && info.Mode().IsRegular() {
		m.raw, err = os.ReadFile(r.path(path))
		m.exists = true
		return m, err
	}
	return m, nil
}

// asks tells whether check can be asked the same question beforehand.
func (r *run) asks(p *played, meta CallMeta) bool {
	if !r.v.checks || meta.RequestID != "" || p.args["expect"] != nil || validArgs(p.tool, p.args) != nil {
		return false
	}
	return p.tool == "edit" || p.tool == "delete" || p.tool == "write" && p.args["mode"] == "replace"
}

func checkOf(p *played) map[string]any {
	args := map[string]any{"path": p.args["path"]}
	switch p.tool {
	case "edit":
		args["edits"] = p.args["edits"]
	case "write":
		args["overwrite"] = true
	case "delete":
		args["delete"] = true
	}
	return args
}

// replay plays the last refused call, its next call, or the pending plan.
func (r *run) replay(a *Replay) ([]string, error) {
	switch a.What {
	case "approve":
		return r.approve(a.Want)
	case "same":
		if r.last == nil {
			return nil, fmt.Errorf("no call was refused")
		}
		return r.make(r.last, CallMeta{Round: r.round}, a.Want, false)
	}
	return r.follow(a.Want)
}

func (r *run) approve(want *Want) ([]string, error) {
	if r.pending == nil {
		return nil, fmt.Errorf("no plan is pending")
	}
	before, err := r.moment(r.planned)
	if err != nil {
		return nil, err
	}
	res := r.pending()
	r.pending = nil
	after, err := look(r.base)
	if err != nil {
		return nil, err
	}
	return r.judge(&outcome{p: r.planned, res: res, before: before, after: after}, want)
}

// follow plays cure.next of the last refusal. A read is read to its end, and then the refused call is played again.
func (r *run) follow(want *Want) ([]string, error) {
	if r.last == nil || r.refused == nil {
		return nil, fmt.Errorf("no call was refused")
	}
	last, next := r.last, r.refused.Next
	if next == nil {
		return []string{"the refusal names no next call"}, nil
	}
	p := &played{session: last.session, tool: next.Tool, args: next.Args}
	p.spelling, _ = next.Args["path"].(string)
	meta := CallMeta{Round: r.round}
	if next.Tool != "read" {
		return r.make(p, meta, want, false)
	}
	for pages := 0; ; pages++ {
		problems, err := r.make(p, meta, nil, false)
		if len(problems) > 0 || err != nil {
			return problems, err
		}
		cursor, more := r.cursors[p.spelling]
		if !more {
			break
		}
		if pages > 500 {
			return []string{"the next read does not end after 500 pages"}, nil
		}
		p = &played{session: p.session, tool: "read", args: map[string]any{"path": p.spelling, "cursor": cursor},
			spelling: p.spelling}
	}
	r.nextRound()
	return r.make(last, CallMeta{Round: r.round}, want, false)
}

// together makes the calls of a block at the same moment. Their outcomes are judged for shape alone, since their order
// is open; with retry each refused call's next calls are followed until it is admitted.
func (r *run) together(t *Together) ([]string, error) {
	results := make([]Result, len(t.Calls))
	plays := make([]*played, len(t.Calls))
	for i, step := range t.Calls {
		p, err := r.prepare(step.Act.(*Call))
		if err != nil {
			return nil, err
		}
		plays[i] = p
	}
	meta := CallMeta{Round: r.round}
	var wg sync.WaitGroup
	for i, p := range plays {
		wg.Add(1)
		go func() {
			defer wg.Done()
			results[i] = r.d.Call(p.session, p.tool, p.args, meta)
		}()
	}
	wg.Wait()
	r.began = true
	for i, p := range plays {
		r.calls++
		problems, err := r.joined(p, results[i], t.Calls[i].Act.(*Call).Want, t.Retry)
		if len(problems) > 0 || err != nil {
			return append([]string{t.Calls[i].Text}, problems...), err
		}
	}
	return nil, nil
}

// joined judges one answer of a block.
func (r *run) joined(p *played, res Result, want *Want, retry bool) ([]string, error) {
	if res.Structured["refused"] != true {
		if res.IsError {
			return []string{"failed: " + show(res)}, nil
		}
		if want != nil && want.Verdict == "refuse" {
			return []string{"expected a refusal, it was admitted"}, nil
		}
		return nil, nil
	}
	ref, bad := parseRefusal(res.Structured)
	bad = append(bad, ref.checkMessage(p.spelling)...)
	if len(bad) > 0 {
		return bad, nil
	}
	r.last, r.refused = p, ref
	if want != nil {
		if bad := want.refusal(ref, res); len(bad) > 0 {
			return bad, nil
		}
	} else if !retry {
		return []string{"refused: " + show(res)}, nil
	}
	for tries := 0; retry; tries++ {
		if tries == 5 {
			return []string{"still refused after five cures: " + show(res)}, nil
		}
		problems, err := r.follow(&Want{Verdict: "any", AnyLines: true})
		if len(problems) > 0 || err != nil {
			return problems, err
		}
		if r.last == nil {
			break
		}
	}
	return nil, nil
}

// show prints an answer on one line.
func show(res Result) string {
	b, err := json.Marshal(res.Structured)
	if err != nil {
		return fmt.Sprint(res.Structured)
	}
	s := string(b)
	if len(s) > 1500 {
		s = s[:1500] + "..."
	}
	return strings.TrimSpace(s)
}
