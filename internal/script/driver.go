package script

import "testing"

// CallMeta is what accompanies a call.
type CallMeta struct {
	Round     *int64 // the round the call belongs to; nil where none is told
	RequestID string // empty means none
	Arrival   any    // what [Arriver.Arrive] returned; nil means that the call arrives now
}

// Result is the answer to one call, as the door gave it.
type Result struct {
	// Structured holds the tool's structured answer, or the refusal in its published shape, as decoded JSON. For a
	// failure it holds at least code. It is nil for a check that the door has no words for; other calls always have it.
	Structured map[string]any
	// IsError is set for refusals and failures.
	IsError bool
	// Text is what a model would see; empty where the door has no such text.
	Text string
}

// Driver speaks to one door over one root. The runner calls it from one goroutine, but for the calls of a together
// block, which come from one goroutine each.
//
// Tools are read, edit, write, move, delete, list, check and seen, with the argument names of the MCP tools. Arguments
// are not changed by the driver and the runner does not change them afterwards. A driver reports its own breakdowns
// (a dead child process, say) through the testing.TB it was opened with.
type Driver interface {
	Call(session, tool string, args map[string]any, meta CallMeta) Result
	// Restart ends the engine and starts it again over the same root and state: the same session ids afterwards.
	Restart()
	// Root returns the absolute path of the served root, without links in it.
	Root() string
}

// Splitter is a Driver whose edits can be planned and committed apart.
type Splitter interface {
	// Plan judges the edit and holds it. A refusal comes back as the Result, and commit is then nil.
	Plan(session string, args map[string]any, meta CallMeta) (commit func() Result, r Result)
}

// Overlayer is a Driver that can be told of an unsaved editor buffer. A nil text discards it.
type Overlayer interface {
	Overlay(path string, text *string)
}

// Arriver is a Driver that can say that a call arrived before another one's answer left.
type Arriver interface {
	Arrive() any
}

// Forgetful is a Driver whose engine knows nothing of the past after a restart.
type Forgetful interface {
	// Forgets says why, for the list of scripts that were not run.
	Forgets() string
}

// Chooser is a Driver that cannot run every script.
type Chooser interface {
	// Cannot says why it cannot run s, or returns nothing where it can.
	Cannot(s *Script) string
}

// World is what a script asks of the door before its first call.
type World struct {
	Root      string // absolute; exists; holds the script's files
	State     string // absolute; an empty folder outside the root for the engine's own files
	Profile   string // balanced or strict
	PageBytes int    // how much text one answer may carry; 0 means the door's default
}

// Mode opens one kind of door.
type Mode struct {
	Name string
	// Open returns a driver over w, or says with a *NotApplicable why this door cannot run the script. The driver
	// ends with tb.Cleanup.
	Open func(tb testing.TB, w World) (Driver, error)
	// Cures and Restarts switch on the two kinds of repeated runs. They multiply the number of calls, so doors made
	// of processes may leave them to the library mode.
	Cures, Restarts bool
}

// NotApplicable says why a mode cannot run a script. Such scripts are counted and listed, never passed in silence.
type NotApplicable struct{ Reason string }

// Error returns the reason.
func (e *NotApplicable) Error() string { return "not applicable: " + e.Reason }
