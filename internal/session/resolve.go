package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/source"
)

// Rules for the way from a spelling to a file. Shape first, then containment, then the policy, then what is on disk: a
// path that is denied never shows whether the file exists. A link may lead to a name that the policy closes, so the
// policy is asked again about the name that was found.

// name admits the caller's spelling, whatever the policy says of it.
func (c *call) name(path string) (scope.Name, error) {
	return c.s.ws.admit(path, c.meta.Dir)
}

// hold locks the file under path against commits, and returns what lets go of it. What is captured and what is known of it
// then belong together: a commit is made and booked under this lock, and whoever captured its bytes in between, or knew of
// it beside older bytes, would take the session's own text for a stranger's. Nothing is held while anybody thinks.
func (c *call) hold(path string) (unlock func()) {
	w := c.s.ws
	name, err := c.name(path)
	if err != nil {
		return func() {}
	}
	key := name.Key(w.root)
	if info, err := w.fs.Stat(name); err == nil {
		key = w.key(&source.Found{Name: info.Name, Info: info})
	}
	return w.paths.lock(key)
}

// admit turns the caller's spelling into a name that the policy opens for a.
func (c *call) admit(path string, a scope.Access) (scope.Name, error) {
	name, err := c.name(path)
	if err != nil {
		return scope.Name{}, err
	}
	if name.IsRoot() && a != scope.List {
		return name, fault.Newf(fault.NotRegular, path, "%s is a folder; name a file.", path)
	}
	return name, c.s.ws.policy.Check(name, a)
}

// capture finds and captures the file under the caller's spelling.
func (c *call) capture(ctx context.Context, path string, a scope.Access) (*source.Found, error) {
	name, err := c.admit(path, a)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, &fault.Error{Code: fault.Cancelled, Err: ctx.Err()}
	}
	found, err := c.s.ws.overlays.Capture(ctx, name)
	if fault.CodeOf(err) == fault.Missing {
		if closed := c.lands(name, path, a); closed != nil {
			return nil, closed
		}
	}
	if err != nil {
		return nil, err
	}
	if found.Name != name {
		if err := c.open(found.Name, path, a); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// open asks the policy about the name that the links on a path lead to.
func (c *call) open(name scope.Name, path string, a scope.Access) error {
	err := c.s.ws.policy.Check(name, a)
	if fault.CodeOf(err) == fault.Denied {
		return fault.Newf(fault.Denied, path, "%s is closed to agents: it leads to a name that is closed by this workspace's rule. Do without it, or ask the person.", path)
	}
	return err
}

// lands asks the policy about a name where nothing stands, when a folder above it is a link: what would be made there
// would be made where the link leads.
func (c *call) lands(name scope.Name, path string, a scope.Access) error {
	for dir := name.Dir(); !dir.IsZero() && !dir.IsRoot(); dir = dir.Dir() {
		info, err := c.s.ws.fs.Stat(dir)
		if err != nil {
			continue // not there either, or nowhere that this call could go on
		}
		if info.Name == dir {
			return nil
		}
		there, err := scope.NameOf(strings.TrimPrefix(info.Name.String()+name.String()[len(dir.String()):], "./"))
		if err != nil {
			return fault.Newf(fault.Invalid, path, "%s leads to a name that cannot be given.", path)
		}
		return c.open(there, path, a)
	}
	return nil
}

// writable refuses what may not be written whatever was seen of it: a read-only file, one with unsaved changes in an
// editor, one that is too large to be judged.
func (c *call) writable(found *source.Found, path string) error {
	switch {
	case found.Info.ReadOnly:
		return fault.Newf(fault.ReadOnly, path, "%s is read-only (mode %04o); it was not changed.", path, found.Info.Mode.Perm())
	case found.From == source.Overlay:
		return fault.Newf(fault.DirtyBuffer, path, "An editor holds unsaved changes of %s; a write to disk would go behind its back. Ask for the buffer to be saved, then send the same call again.", path)
	case found.Capture == nil:
		return fault.Newf(fault.Limit, path, "%s has %d bytes; files above %d bytes are read in windows and not edited.", path, found.Info.Size, source.CaptureMax)
	}
	return nil
}

// unexpected refuses a call whose expected version is not the current one, naming what differs from it where that
// version is known.
func (c *call) unexpected(r refused) error {
	w := c.s.ws
	cur := w.version(r.capture)
	c.s.settle(c.boundary)
	w.mu.Lock()
	v := evidence.Judge(c.s.peek(r.key), w.history(r.key), cur, evidence.Call{Kind: evidence.KindDelete, Boundary: c.boundary})
	w.mu.Unlock()
	v.Allow, v.Code, v.Missing = false, fault.Stale, nil
	if len(v.Drifted) == 0 {
		v.Cure = nil
	}
	r.verdict, r.again = v, nil
	f := c.refuse(r)
	f.Message = fmt.Sprintf("%s is not the version that the call expects; it is %s now.%s", r.path, r.capture.Ref(), remedy(f, v))
	if r.capture.Text().Lines() == 0 {
		f.Message += " It is empty."
	}
	return f
}

// swapOptions are those of the workspace.
func (w *Workspace) swapOptions(parents bool) disk.SwapOptions {
	return disk.SwapOptions{Durability: w.opt.Durability, MakeParents: parents}
}

// upcoming is the number that the next thing to happen will have.
func (w *Workspace) upcoming() evidence.Seq { return evidence.Seq(w.seq.Load() + 1) }

// asFault returns the fault in err; an error that is none is a fault of ours.
func asFault(err error) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &fault.Error{Code: fault.Cancelled, Err: err}
	}
	return &fault.Error{Code: fault.Internal, Err: err}
}
