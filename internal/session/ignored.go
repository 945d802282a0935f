package session

import (
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/ignore"
	"github.com/sightline-io/sightline/internal/scope"
)

// Rules for what a listing skips. They are git's, from the .gitignore files of the root and the folders below it and from
// the root's own .git/info/exclude, as they stand on the disk. core.excludesFile and the .gitignore files above the root
// lie outside of what a workspace may touch, and so does the info/exclude of a worktree or a submodule, whose .git is a
// file that points away: none of these is looked at. Nor is the index: a tracked file that a rule ignores is skipped too.
// Case is folded where the root's file system folds it, which is what git sets core.ignoreCase by.

const (
	ignoreFile = ".gitignore"

	// ignoreBytesMax bounds one file of rules, in bytes. A larger one is not applied and is reported as not read.
	ignoreBytesMax = 16 << 20
)

// above returns the place of the folder dir, before its own .gitignore is read.
func (l *listing) above(dir scope.Name) (ignore.Stack, error) {
	root, err := scope.NameOf(".")
	if err != nil {
		return ignore.Stack{}, err
	}
	exclude, err := l.rules(root, ".git/info/exclude")
	if err != nil {
		return ignore.Stack{}, err
	}
	place := ignore.NewStack(exclude)
	if dir.IsRoot() {
		return place, nil
	}
	at := root
	for base := range strings.SplitSeq(dir.String(), "/") {
		r, err := l.rules(at, ignoreFile)
		if err != nil {
			return place, err
		}
		if at, err = at.Join(base); err != nil {
			return place, err
		}
		place = place.With(r).Enter(at)
		if _, shut := place.Shut(); shut {
			// Somebody asks for what lies in an ignored folder. The rules outside say no more than that it is ignored.
			place = ignore.Stack{}
		}
	}
	return place, nil
}

// rules reads the file rel of rules that belongs to folder dir; nil where there is none. Like git it does not follow a link
// to it. A file that cannot be read is counted. The code is cancelled.
func (l *listing) rules(dir scope.Name, rel string) (*ignore.Rules, error) {
	name, err := scope.NameOf(strings.TrimPrefix(dir.String()+"/"+rel, "./"))
	if err != nil {
		return nil, err
	}
	file, err := l.s.ws.fs.Open(name)
	switch fault.CodeOf(err) {
	case "":
	case fault.Missing, fault.NotRegular, fault.OutsideRoot:
		return nil, nil
	default:
		l.unread++
		return nil, nil
	}
	defer file.Close()
	info := file.Info()
	if info.Name.Key(l.s.ws.root) != name.Key(l.s.ws.root) {
		return nil, nil // a link
	}
	text, more, err := file.ReadAll(l.ctx, ignoreBytesMax, nil)
	if fault.CodeOf(err) == fault.Cancelled {
		return nil, err
	}
	if err != nil || more {
		l.unread++
		return nil, nil
	}
	return ignore.Parse(dir, text, l.s.ws.root.FoldCase()), nil
}
