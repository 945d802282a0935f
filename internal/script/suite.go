package script

import (
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// cure follows the next call of the refusal that just came, with nothing else in between: it must be admitted.
func (r *run) cure() []string {
	last, ref := r.last, r.refused
	if ref.Next == nil {
		return nil
	}
	r.nextRound()
	before := r.calls
	var problems []string
	var err error
	switch {
	case ref.Next.Tool != "read":
		problems, err = r.follow(&Want{Verdict: "allow", AnyLines: true})
	case !ofEvidence(ref.Code) || r.oldGone(last) || last.args["expect"] != nil && len(ref.Missing) == 0:
		// The text that was to be replaced is gone or never was: the read is the way on, and the call stays refused. So
		// does one that expects a version which is no more.
		problems, err = r.follow(&Want{Verdict: "any", AnyLines: true})
	default:
		problems, err = r.follow(&Want{Verdict: "allow", AnyLines: true})
	}
	if err != nil {
		problems = append(problems, err.Error())
	}
	if len(problems) == 0 {
		return nil
	}
	return append([]string{"the refusal came as expected, but its next call " + ref.Next.Tool + " " +
		show(Result{Structured: ref.Next.Args}) + " did not mend it after " + plural(r.calls-before)}, problems...)
}

func plural(n int) string {
	if n == 1 {
		return "1 call"
	}
	return strconv.Itoa(n) + " calls"
}

// oldGone tells whether a text edit quotes something that the file no longer holds.
func (r *run) oldGone(p *played) bool {
	edits, _ := p.args["edits"].([]any)
	raw, err := os.ReadFile(r.path(p.spelling))
	if err != nil {
		return true
	}
	text := strings.ReplaceAll(strings.Join(factsOf(raw).Lines, ""), "\r\n", "\n")
	for _, e := range edits {
		m, _ := e.(map[string]any)
		for _, key := range []string{"old", "from", "to"} {
			old, ok := m[key].(string)
			n := strings.Count(text, strings.ReplaceAll(old, "\r\n", "\n"))
			if ok && (n == 0 || n > 1 && m["all"] != true && old != "") {
				return true // what stood there became something that names no single place
			}
		}
	}
	return false
}

// judged turns the outcome of a pending script round: it has to fail until the word is taken away.
func (s *Script) judged(err error) error {
	var no *NotApplicable
	switch {
	case s.Pending == "" || errors.As(err, &no):
		return err
	case err == nil:
		return &Failure{s.File, s.Line, "-- " + s.Name + " --", []string{"is marked as pending and passes: take the word away"}}
	}
	return &pending{s.Pending}
}

// pending is the outcome of a script that fails as it is known to.
type pending struct{ reason string }

func (p *pending) Error() string { return "pending: " + p.reason }

// Run runs one script in every way that the mode asks for and returns how many calls and refusals there were. The
// error is a *Failure with the script's file and line, or a *NotApplicable.
func Run(tb testing.TB, s *Script, m Mode) (calls, refusals int, err error) {
	for range max(s.Repeat, 1) {
		r, err := newRun(tb, s, m, variant{checks: true})
		if err != nil {
			return 0, 0, err
		}
		if err := r.play(); err != nil {
			return 0, 0, err
		}
		calls, refusals = calls+r.calls, r.refusals
	}
	if m.Cures && !s.NoCure {
		for k := 1; k <= min(refusals, 12); k++ {
			if err := again(tb, s, m, variant{cureOf: k}, "the cure of its refusal "+strconv.Itoa(k)); err != nil {
				return 0, 0, err
			}
		}
	}
	if m.Restarts && s.restartable() {
		if err := again(tb, s, m, variant{restarts: true}, "a restart before each call"); err != nil {
			return 0, 0, err
		}
	}
	return calls, refusals, nil
}

func again(tb testing.TB, s *Script, m Mode, v variant, what string) error {
	r, err := newRun(tb, s, m, v)
	if err == nil {
		err = r.play()
	}
	var f *Failure
	if errors.As(err, &f) {
		f.Problems = append([]string{"in the run with " + what + ":"}, f.Problems...)
	}
	return err
}

// restartable tells whether a restart between any two calls leaves every answer as it was. It does not where a script
// speaks of rounds, cursors, pending plans, buffers or repeats, which belong to one run of the engine.
func (s *Script) restartable() bool {
	if s.NoRestart != "" || s.Repeat > 1 {
		return false
	}
	for _, step := range s.Steps {
		switch a := step.Act.(type) {
		case *Call:
			_, cursor := a.Args["cursor"].(cursorOf)
			if cursor || a.Plan || a.ID != "" || a.Times > 1 || a.Arrival != "" {
				return false
			}
		case *Control:
			if a.Op == "round" || a.Op == "overlay" || a.Op == "arrive" {
				return false
			}
		case *Together:
			return false
		}
	}
	return true
}

// tally is what came of the scripts of one mode.
type tally struct {
	mu                   sync.Mutex
	ran, calls, refusals int
	not, open            []string
}

func (c *tally) add(name string, calls, refusals int, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var inapplicable *NotApplicable
	var known *pending
	switch {
	case errors.As(err, &known):
		c.open = append(c.open, name+": "+known.reason)
	case errors.As(err, &inapplicable):
		c.not = append(c.not, name+": "+inapplicable.Reason)
	case err != nil:
		return err
	default:
		c.ran, c.calls, c.refusals = c.ran+1, c.calls+calls, c.refusals+refusals
	}
	return nil
}

// RunAll runs every script of the folder through the mode, one parallel subtest each, and logs what was run and what
// the mode cannot run, with the reasons.
func RunAll(t *testing.T, m Mode, dir string) {
	t.Helper()
	scripts, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var c tally
	t.Run(m.Name, func(t *testing.T) {
		for _, s := range scripts {
			name := strings.TrimSuffix(s.File, filepath.Ext(s.File)) + "/" + s.Name
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				calls, refusals, err := Run(t, s, m)
				if err := c.add(name, calls, refusals, s.judged(err)); err != nil {
					t.Error(err)
				}
			})
		}
	})
	sort.Strings(c.not)
	sort.Strings(c.open)
	t.Logf("%s: %d of %d scripts passed with %d calls and %d refusals; %d not applicable, %d pending", m.Name, c.ran,
		len(scripts), c.calls, c.refusals, len(c.not), len(c.open))
	for _, line := range c.open {
		t.Log("pending: " + line)
	}
	for _, line := range c.not {
		t.Log("not applicable: " + line)
	}
}
