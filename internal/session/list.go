package session

import (
	"cmp"
	"context"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/ignore"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
)

// Bounds of a listing.
const (
	listDefault = 1000
	listMax     = 100_000
	depthMax    = 64
	listBreath  = 1024 // entries between two looks at the context
)

// List returns the names below a folder, sorted by path, without .git, without what the repository ignores and without
// following links. What is left out is counted, and what is left out for a bound is a limitation. A folder that is named
// although it is ignored is listed as if it were not. Codes: invalid, outside-root, denied, not-regular, missing; io,
// cancelled.
//
// A folder is held in memory as far as the limit lets it be shown, and all names of it while they are sorted. What cannot
// be read below the folder that was asked for does not end the listing, and what vanishes under it is not listed.
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
	unread    int // folders and files of rules that could not be read
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
	if info.Name != name {
		if err := c.open(info.Name, r.Path, scope.List); err != nil {
			return nil, err
		}
	}
	if info.Kind != disk.Folder {
		return nil, fault.Newf(fault.NotRegular, r.Path, "%s is a file; list takes a folder.", r.Path)
	}
	l.a = &ListAnswer{Path: info.Name.String(), Complete: true}
	place, err := l.above(info.Name)
	if err != nil {
		return nil, err
	}
	if _, err := l.folder(info.Name, place, 1); err != nil {
		return nil, err
	}
	switch {
	case !l.a.Complete:
	case l.unread > 0:
		l.a.Complete, l.a.Limit = false, &ListLimit{Name: "unread", Value: l.unread, Unit: "folders or ignore files that could not be read"}
	case l.unspelled > 0:
		l.a.Complete, l.a.Limit = false, &ListLimit{Name: "names", Value: l.unspelled, Unit: "names that no path can spell"}
	}
	return l.a, nil
}

// found is an entry that is shown, gone into, or both.
type found struct {
	name  scope.Name
	kind  disk.Kind
	shown bool
	size  int64 // of a file; -1 where it is gone
}

// folder lists one folder and, as far as the depth goes, those below. It returns false when the limit was reached.
func (l *listing) folder(dir scope.Name, place ignore.Stack, level int) (goOn bool, err error) {
	entries, place, err := l.entries(dir, place)
	if err != nil {
		if code := fault.CodeOf(err); level > 1 && code != fault.Cancelled {
			if code != fault.Missing { // a folder that is gone by now has nothing in it
				l.unread++
			}
			return true, nil
		}
		return false, err
	}
	all, err := l.choose(dir, place, entries, level)
	if err != nil {
		return false, err
	}
	for i := range all {
		if f := &all[i]; f.shown && f.size >= 0 {
			if len(l.a.Entries) == l.limit {
				l.a.Complete, l.a.Limit = false, &ListLimit{Name: "limit", Value: l.limit, Unit: "entries"}
				return false, nil
			}
			l.a.Entries = append(l.a.Entries, Listed{Path: f.name.String(), Kind: f.kind, Size: f.size})
		}
		if all[i].kind != disk.Folder {
			continue
		}
		if level >= l.depth {
			if level == depthMax && l.a.Complete {
				l.a.Complete, l.a.Limit = false, &ListLimit{Name: "depth", Value: depthMax, Unit: "levels"}
			}
			continue
		}
		if goOn, err := l.folder(all[i].name, place.Enter(all[i].name), level+1); err != nil || !goOn {
			return goOn, err
		}
	}
	return true, nil
}

// entries reads one folder, and the rules in it.
func (l *listing) entries(dir scope.Name, place ignore.Stack) ([]disk.Entry, ignore.Stack, error) {
	var all []disk.Entry
	rules := false
	err := l.s.ws.fs.List(dir, func(e disk.Entry) bool {
		rules = rules || e.Base == ignoreFile && e.Kind == disk.Regular
		all = append(all, e)
		return len(all)%listBreath != 0 || l.ctx.Err() == nil
	})
	if l.ctx.Err() != nil {
		return nil, place, &fault.Error{Code: fault.Cancelled, Err: l.ctx.Err()}
	}
	if err != nil || !rules {
		return all, place, err
	}
	r, err := l.rules(dir, ignoreFile)
	return all, place.With(r), err
}

// choose takes from the entries of a folder those that are of use, no more than can be shown, and counts the others.
func (l *listing) choose(dir scope.Name, place ignore.Stack, entries []disk.Entry, level int) ([]found, error) {
	room := l.limit - len(l.a.Entries) + 1 // one more tells that the limit was reached
	var all []found
	var files []int // in all
	var bases []string
	for i := 0; i < len(entries) && room > 0; i++ {
		if i%listBreath == listBreath-1 && l.ctx.Err() != nil {
			return nil, &fault.Error{Code: fault.Cancelled, Err: l.ctx.Err()}
		}
		e := entries[i]
		if strings.EqualFold(e.Base, ".git") {
			continue
		}
		name, err := dir.Join(e.Base)
		if err != nil {
			l.unspelled++ // a name that no path can spell (a newline, bad UTF-8) is not offered
			continue
		}
		f := found{name: name, kind: e.Kind, shown: len(l.r.Include) == 0 || anyMatch(l.r.Include, name.String())}
		if !f.shown && e.Kind != disk.Folder || anyMatch(l.r.Exclude, name.String()) {
			continue
		}
		if place.Match(name, e.Kind == disk.Folder).Ignored {
			if f.shown || level < l.depth {
				l.a.Skipped++
			}
			continue
		}
		if f.shown {
			room--
		}
		if e.Kind == disk.Regular {
			files, bases = append(files, len(all)), append(bases, e.Base)
		}
		all = append(all, f)
	}
	if len(files) == 0 {
		return all, nil
	}
	sizes, err := l.s.ws.fs.Sizes(dir, bases)
	if err != nil {
		sizes = nil // the folder was taken away, or closed, while it was listed: nothing in it can be shown
		l.unread++
	}
	for i, at := range files {
		all[at].size = -1
		if sizes != nil {
			all[at].size = sizes[i]
		}
	}
	return all, nil
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
