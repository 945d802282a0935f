package session

import (
	"cmp"
	"context"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
)

// Bounds of a listing.
const (
	listDefault = 1000
	listMax     = 100_000
	depthMax    = 64
)

// List returns the names below a folder, sorted by path, without .git and without following links. What is left out
// for a bound is reported. Codes: invalid, outside-root, denied, not-regular, missing; io, cancelled.
func (s *Session) List(ctx context.Context, r ListRequest) (*ListAnswer, error) {
	c := s.begin("list", r.Meta)
	a, err := c.list(ctx, r)
	if err != nil {
		return nil, c.failAt(err, r.Path)
	}
	name, _ := c.name(cmp.Or(r.Path, "."))
	c.note(receipt.Receipt{Name: name})
	return a, nil
}

type listing struct {
	*call
	ctx   context.Context
	r     ListRequest
	a     *ListAnswer
	limit int
	depth int

	unspelled int // names that no path can spell
}

func (c *call) list(ctx context.Context, r ListRequest) (*ListAnswer, error) {
	if r.Path == "" {
		r.Path = "."
	}
	name, err := c.admit(r.Path, scope.List)
	if err != nil {
		return nil, err
	}
	l := &listing{call: c, ctx: ctx, r: r, limit: r.Limit, depth: r.Depth}
	if r.Limit < 0 || r.Depth < 0 || r.Limit > listMax {
		return nil, &fault.Error{Code: fault.Invalid, Field: "limit", Message: "limit is 1 to 100000 entries and depth at least 1 level"}
	}
	if l.limit == 0 {
		l.limit = listDefault
	}
	if l.depth == 0 {
		l.depth = 1
	}
	l.depth = min(l.depth, depthMax)
	for _, p := range append(append([]string(nil), r.Include...), r.Exclude...) {
		if !doublestar.ValidatePattern(p) {
			return nil, &fault.Error{Code: fault.Invalid, Field: "include", Message: "the pattern " + p + " is malformed"}
		}
	}
	info, err := c.s.ws.fs.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Kind != disk.Folder {
		return nil, fault.Newf(fault.NotRegular, r.Path, "%s is a file; list takes a folder.", r.Path)
	}
	l.a = &ListAnswer{Path: info.Name.String(), Complete: true}
	if _, err := l.folder(info.Name, 1); err != nil {
		return nil, err
	}
	if l.unspelled > 0 && l.a.Complete {
		l.a.Complete, l.a.Limit = false, &ListLimit{Name: "names", Value: l.unspelled, Unit: "names that no path can spell"}
	}
	return l.a, nil
}

// folder lists one folder and, as far as the depth goes, those below. It returns false when the limit was reached.
func (l *listing) folder(dir scope.Name, level int) (goOn bool, err error) {
	if l.ctx.Err() != nil {
		return false, &fault.Error{Code: fault.Cancelled, Err: l.ctx.Err()}
	}
	var entries []disk.Entry
	if err := l.s.ws.fs.List(dir, func(e disk.Entry) bool { entries = append(entries, e); return true }); err != nil {
		return false, err
	}
	for _, e := range entries {
		if strings.EqualFold(e.Base, ".git") {
			continue
		}
		name, err := dir.Join(e.Base)
		if err != nil {
			l.unspelled++ // a name that no path can spell (a newline, bad UTF-8) is not offered
			continue
		}
		if goOn, err := l.entry(name, e, level); err != nil || !goOn {
			return goOn, err
		}
	}
	return true, nil
}

func (l *listing) entry(name scope.Name, e disk.Entry, level int) (goOn bool, err error) {
	rel := name.String()
	if anyMatch(l.r.Exclude, rel) {
		return true, nil
	}
	if len(l.r.Include) == 0 || anyMatch(l.r.Include, rel) {
		if len(l.a.Entries) == l.limit {
			l.a.Complete, l.a.Limit = false, &ListLimit{Name: "limit", Value: l.limit, Unit: "entries"}
			return false, nil
		}
		out := Listed{Path: rel, Kind: e.Kind}
		if e.Kind == disk.Regular {
			if info, err := l.s.ws.fs.Stat(name); err == nil {
				out.Size = info.Size
			}
		}
		l.a.Entries = append(l.a.Entries, out)
	}
	if e.Kind != disk.Folder {
		return true, nil
	}
	if level >= l.depth {
		if level == depthMax && l.a.Complete {
			l.a.Complete, l.a.Limit = false, &ListLimit{Name: "depth", Value: depthMax, Unit: "levels"}
		}
		return true, nil
	}
	return l.folder(name, level+1)
}

// anyMatch reports whether a pattern matches the path, or, for a pattern without a slash, its last element.
func anyMatch(patterns []string, rel string) bool {
	for _, p := range patterns {
		subject := rel
		if !strings.Contains(p, "/") {
			subject = path.Base(rel)
		}
		if doublestar.MatchUnvalidated(p, subject) {
			return true
		}
	}
	return false
}
