package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// variant is one way of running a script.
type variant struct {
	checks   bool // put the question to check before each call
	restarts bool // restart before each call
	cureOf   int  // stop at the refusal of this number, counted from 1, and follow its next call; 0 means run to the end
}

// Failure is a step whose outcome was not as said.
type Failure struct {
	File     string
	Line     int
	Step     string
	Problems []string
}

// Error lists the problems under the step's place.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s:%d: %s\n\t%s", f.File, f.Line, f.Step, strings.Join(f.Problems, "\n\t"))
}

// played is a call that was made, so that it can be made again.
type played struct {
	session, tool string
	args          map[string]any
	spelling      string
}

// run is one script under way.
type run struct {
	s          *Script
	v          variant
	tb         testing.TB
	d          Driver
	base, root string

	session  string
	round    *int64
	top      int64 // the highest round so far
	cursors  map[string]string
	refs     map[string]string
	arrivals map[string]any
	overlaid map[string]bool
	ids      map[string]bool
	began    bool // the first call was made

	last     *played // the last refused call
	refused  *refusal
	pending  func() Result
	planned  *played
	refusals int
	calls    int
	size     int // of the last refusal, for calls that are repeated
}

// newRun lays out the world and opens the door. The folder is removed with tb.
func newRun(tb testing.TB, s *Script, m Mode, v variant) (*run, error) {
	base := tb.TempDir()
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	world := filepath.Join(base, "w")
	rel := s.RootPath
	if rel == "" {
		rel = "proj"
	}
	root := filepath.Join(world, filepath.FromSlash(rel))
	state := filepath.Join(base, "state")
	for _, dir := range []string{root, state} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	r := &run{s: s, v: v, tb: tb, base: world, root: root, session: "s1", cursors: map[string]string{},
		refs: map[string]string{}, arrivals: map[string]any{}, overlaid: map[string]bool{}, ids: map[string]bool{}}
	profile := s.Profile
	if profile == "" {
		profile = "balanced"
	}
	d, err := m.Open(tb, World{Root: root, State: state, Profile: profile, PageBytes: s.PageBytes})
	if err != nil {
		return nil, err
	}
	r.d = d
	return r, r.able()
}

// able reports whether the door can do everything that the script asks for.
func (r *run) able() error {
	if c, ok := r.d.(Chooser); ok {
		if why := c.Cannot(r.s); why != "" {
			return &NotApplicable{why}
		}
	}
	for _, step := range r.s.Steps {
		switch a := step.Act.(type) {
		case *Call:
			if _, ok := r.d.(Splitter); a.Plan && !ok {
				return &NotApplicable{"this door plans and commits in one call"}
			}
		case *Control:
			if _, ok := r.d.(Overlayer); a.Op == "overlay" && !ok {
				return &NotApplicable{"this door takes no editor buffers"}
			}
			if f, ok := r.d.(Forgetful); a.Op == "restart" && ok {
				return &NotApplicable{f.Forgets()}
			}
			if _, ok := r.d.(Arriver); a.Op == "arrive" && !ok {
				return &NotApplicable{"this door cannot date a call back"}
			}
		}
	}
	return nil
}

// errStop ends a run that reached the refusal it was for.
var errStop = fmt.Errorf("stop")

// play runs the steps in order and returns the first failure.
func (r *run) play() error {
	for _, step := range r.s.Steps {
		problems, err := r.step(step)
		if len(problems) > 0 {
			return &Failure{r.s.File, step.Line, step.Text, problems}
		}
		if err == errStop {
			return nil
		}
		if err != nil {
			return &Failure{r.s.File, step.Line, step.Text, []string{err.Error()}}
		}
	}
	if r.v.cureOf > 0 {
		return fmt.Errorf("%s:%d: refusal %d did not come this time", r.s.File, r.s.Line, r.v.cureOf)
	}
	return nil
}

func (r *run) step(step Step) ([]string, error) {
	switch a := step.Act.(type) {
	case *Outside:
		return nil, outside(r.place(a), r.path(a.Path), r.path(a.To))
	case *Disk:
		return r.disk(a)
	case *Control:
		return r.control(a)
	case *Call:
		return r.times(a)
	case *Replay:
		return r.replay(a)
	case *Together:
		return r.together(a)
	}
	return nil, fmt.Errorf("a step that nobody can run: %T", step.Act)
}

// place fills the names of places into a link's target.
func (r *run) place(o *Outside) *Outside {
	if o.Op != "link" {
		return o
	}
	c := *o
	c.To = r.fill(o.To)
	return &c
}

func (r *run) fill(s string) string {
	s = strings.ReplaceAll(s, "{root}", r.root)
	return strings.ReplaceAll(s, "{outer}", filepath.Dir(r.root))
}

// nextRound begins the round after all others, where rounds are told.
func (r *run) nextRound() {
	if r.round != nil {
		r.top++
		n := r.top
		r.round = &n
	}
}

// path returns the absolute path of a script's path.
func (r *run) path(p string) string {
	p = r.fill(p)
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(r.root, filepath.FromSlash(p))
}

func (r *run) control(c *Control) ([]string, error) {
	switch c.Op {
	case "session":
		r.session = c.Name
	case "round":
		n := c.N
		r.round, r.top = &n, max(r.top, n)
	case "restart":
		r.d.Restart()
	case "arrive":
		r.arrivals[c.Name] = r.d.(Arriver).Arrive()
	case "overlay":
		r.overlaid[c.Path] = c.Text != nil
		r.d.(Overlayer).Overlay(r.fill(c.Path), c.Text)
	case "ref":
		raw, err := os.ReadFile(r.path(c.Path))
		if err != nil {
			return nil, err
		}
		r.refs[c.Name] = factsOf(raw).Ref
	}
	return nil, nil
}

// resolve fills in what was unknown when the script was read.
func (r *run) resolve(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return r.fill(v), nil
	case cursorOf:
		c, ok := r.cursors[v.path]
		if !ok {
			return nil, fmt.Errorf("no read of %s left a cursor", v.path)
		}
		return c, nil
	case refNamed:
		ref, ok := r.refs[v.name]
		if !ok {
			return nil, fmt.Errorf("no ref is called %s", v.name)
		}
		return ref, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, m := range v {
			f, err := r.resolve(m)
			if err != nil {
				return nil, err
			}
			out[k] = f
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, m := range v {
			f, err := r.resolve(m)
			if err != nil {
				return nil, err
			}
			out[i] = f
		}
		return out, nil
	}
	return v, nil
}

// disk compares a statement with the disk.
func (r *run) disk(d *Disk) ([]string, error) {
	if d.Op == "tree" {
		return r.sameTree(d.Paths)
	}
	path := r.path(d.Path)
	info, err := os.Lstat(path)
	if d.Op == "absent" {
		if !os.IsNotExist(err) {
			return []string{fmt.Sprintf("%s is there", d.Path)}, nil
		}
		return nil, nil
	}
	if err != nil {
		return []string{err.Error()}, nil
	}
	switch d.Op {
	case "bytes":
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, want := range d.Texts {
			if string(raw) == want {
				return nil, nil
			}
		}
		return []string{"want " + Quote(d.Texts[0]), "have " + Quote(string(raw))}, nil
	case "mode":
		if got := info.Mode().Perm(); uint32(got) != d.Mode {
			return []string{fmt.Sprintf("want mode %04o, have %04o", d.Mode, got)}, nil
		}
	case "symlink":
		if to, err := os.Readlink(path); err != nil || to != r.fill(d.To) {
			return []string{fmt.Sprintf("want a link to %s, have %q, %v", d.To, to, err)}, nil
		}
	case "same-inode":
		other, err := os.Stat(r.path(d.To))
		if err != nil || !os.SameFile(info, other) {
			return []string{fmt.Sprintf("%s and %s are two files, %v", d.Path, d.To, err)}, nil
		}
	}
	return nil, nil
}

func (r *run) sameTree(want []string) ([]string, error) {
	t, err := look(r.root)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	var bad []string
	for _, p := range want {
		wanted[filepath.FromSlash(p)] = true
		if _, ok := t[filepath.FromSlash(p)]; !ok {
			bad = append(bad, p+" is not there")
		}
	}
	for name, e := range t {
		if !wanted[name] && e.Kind != "dir" {
			bad = append(bad, name+" should not be there: "+e.String())
		}
	}
	return bad, nil
}
