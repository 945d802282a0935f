package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// show prints an answer on one line: folders with a slash, links with an @, then what was left out.
func showListed(a *ListAnswer, err error) string {
	if err != nil {
		var f *fault.Error
		errors.As(err, &f)
		return string(f.Code)
	}
	var out []string
	for _, e := range a.Entries {
		out = append(out, e.Path+map[disk.Kind]string{disk.Regular: "", disk.Folder: "/", disk.Link: "@", disk.Special: "|"}[e.Kind])
	}
	if a.Skipped > 0 {
		out = append(out, fmt.Sprintf("skipped=%d", a.Skipped))
	}
	if a.Complete != (a.Limit == nil) {
		out = append(out, "complete and limited, or neither")
	}
	if a.Limit != nil {
		out = append(out, fmt.Sprintf("%s=%d", a.Limit.Name, a.Limit.Value))
	}
	return strings.Join(out, " ")
}

func (p *place) list(r ListRequest) string {
	p.Helper()
	r.Meta = p.meta("a")
	return showListed(p.session("a").List(context.Background(), r))
}

// Every row lays out files (a name that ends with a slash is a folder, one that holds an arrow a link) and asks for one
// listing.
func TestListIgnores(t *testing.T) {
	for title, c := range map[string]struct {
		files map[string]string
		ask   ListRequest
		want  string
	}{
		"what is ignored is counted, a folder once": {
			map[string]string{".gitignore": "*.log\nbuild/\n", "a.log": "", "b.txt": "", "build/x": "", "build/y": ""},
			ListRequest{Depth: 9}, ".gitignore b.txt skipped=2"},
		"rules hold below, and the nearest is the strongest": {
			map[string]string{".gitignore": "*.log\n", "s/.gitignore": "!keep.log\n", "keep.log": "", "s/keep.log": "", "s/x.log": ""},
			ListRequest{Depth: 9}, ".gitignore s/ s/.gitignore s/keep.log skipped=2"},
		"they hold where a listing begins below them": {
			map[string]string{".gitignore": "*.log\n/s/y\n", "s/x.log": "", "s/y": "", "s/z": "", "s/t/x.log": "", "s/t/.gitignore": "z\n", "s/t/z": ""},
			ListRequest{Path: "s/t", Depth: 9}, "s/t/.gitignore skipped=2"},
		"info/exclude is weaker than any": {
			map[string]string{".git/HEAD": "", ".git/info/exclude": "a\nb\n", ".gitignore": "!b\n", "a": "", "b": ""},
			ListRequest{}, ".gitignore b skipped=1"},
		"an ignored folder that is named is listed": {
			map[string]string{".gitignore": "build/\n*.o\n", "build/x": "", "build/x.o": "", "build/s/y": ""},
			ListRequest{Path: "build/s"}, "build/s/y"},
		"with the rules of its own": {
			map[string]string{".gitignore": "build/\n*.o\n", "build/x": "", "build/x.o": "", "build/.gitignore": "x\n"},
			ListRequest{Path: "build"}, "build/.gitignore build/x.o skipped=1"},
		"what is excluded is not counted": {
			map[string]string{".gitignore": "*.log\n", "a.log": "", "b.txt": ""},
			ListRequest{Exclude: []string{"*.log"}}, ".gitignore b.txt"},
		"nor is what is not included": {
			map[string]string{".gitignore": "*.log\nd/\n", "a.log": "", "b.txt": "", "b.log": "", "d/b.txt": ""},
			ListRequest{Include: []string{"b.*"}}, "b.txt skipped=1"},
		"but a folder that would have been looked into is": {
			map[string]string{".gitignore": "*.log\nd/\n", "b.txt": "", "d/b.txt": ""},
			ListRequest{Include: []string{"b.*"}, Depth: 2}, "b.txt skipped=1"},
		"rules behind a link are not followed": {
			map[string]string{"rules": "*\n", ".gitignore -> rules": "", "s/.gitignore -> ../rules": "", "s/x": ""},
			ListRequest{Depth: 2}, ".gitignore@ rules s/ s/.gitignore@ s/x"},
		"a .git that is a file has no rules here": {
			map[string]string{".git": "gitdir: ../x\n", "a": ""},
			ListRequest{}, "a"},
		"rules that are a folder are none": {
			map[string]string{".gitignore/x": "*\n", "a": ""},
			ListRequest{}, ".gitignore/ a"},
		"a link that looks like an ignored folder is none": {
			map[string]string{".gitignore": "out/\n", "d/x": "", "out -> d": ""},
			ListRequest{}, ".gitignore d/ out@"},
		"without rules nothing is skipped": {
			map[string]string{"a.log": "", "d/": ""},
			ListRequest{}, "a.log d/"},
		"the limit counts what is shown": {
			map[string]string{".gitignore": "a*\n", "a1": "", "a2": "", "b1": "", "b2": "", "b3": ""},
			ListRequest{Limit: 3}, ".gitignore b1 b2 skipped=2 limit=3"},
		"and is not reached by exactly as many": {
			map[string]string{"b1": "", "b2": "", "b3/x": ""},
			ListRequest{Limit: 3}, "b1 b2 b3/"},
		"a limit that is reached in a folder below": {
			map[string]string{"a/x": "", "a/y": "", "b": ""},
			ListRequest{Limit: 2, Depth: 2}, "a/ a/x limit=2"},
		"a limit that folders which are not shown do not count for": {
			map[string]string{"a/x": "", "b/x": "", "c/x": ""},
			ListRequest{Limit: 2, Depth: 2, Include: []string{"x"}}, "a/x b/x limit=2"},
		"a link to .git is as closed as .git": {
			map[string]string{".git/HEAD": "", "g -> .git": ""},
			ListRequest{Path: "g"}, "denied"},
		"a circle of links": {
			map[string]string{"d/up -> ..": "", "d/x": ""},
			ListRequest{Depth: 64}, "d/ d/up@ d/x"},
	} {
		t.Run(title, func(t *testing.T) {
			p := newPlace(t)
			for name, text := range c.files {
				name, target, linked := strings.Cut(name, " -> ")
				at := filepath.Join(p.root, name)
				p.must(os.MkdirAll(filepath.Dir(at), 0o755))
				switch {
				case linked:
					p.must(os.Symlink(target, at))
				case strings.HasSuffix(name, "/"):
					p.must(os.MkdirAll(at, 0o755))
				default:
					p.must(os.WriteFile(at, []byte(text), 0o644))
				}
			}
			if got := p.list(c.ask); got != c.want {
				t.Errorf("%s\nwanted %s", got, c.want)
			}
		})
	}
}

// meddling is a file system in which something happens between two calls.
type meddling struct {
	disk.FS
	before func(call string, name scope.Name) error
}

func (m meddling) List(name scope.Name, yield func(disk.Entry) bool) error {
	if err := m.before("list", name); err != nil {
		return err
	}
	return m.FS.List(name, yield)
}

func (m meddling) Sizes(dir scope.Name, bases []string) ([]int64, error) {
	if err := m.before("sizes", dir); err != nil {
		return nil, err
	}
	return m.FS.Sizes(dir, bases)
}

func (m meddling) Open(name scope.Name) (disk.File, error) {
	if err := m.before("open", name); err != nil {
		return nil, err
	}
	return m.FS.Open(name)
}

// What goes away or cannot be read while a tree is walked costs that part alone, and it is said; only the folder that
// was asked for must be there.
func TestListOverATreeThatChanges(t *testing.T) {
	ioFault := &fault.Error{Code: fault.IO, Message: "not readable"}
	for title, c := range map[string]struct {
		at   string // call and name at which it happens
		do   func(w disktest.World, cancel func()) error
		want string
	}{
		"nothing": {"", nil, "a/ a/1 b/ b/1 b/2 c skipped=1"},
		"a folder is removed": {"list b", func(w disktest.World, _ func()) error {
			w.Unlink("b/1")
			w.Unlink("b/2")
			w.Unlink("b/x.o")
			w.Unlink("b/.gitignore")
			w.Unlink("b")
			return nil
		}, "a/ a/1 b/ c"},
		"a folder becomes a file":       {"list b", func(w disktest.World, _ func()) error { w.Rename("b", "z"); w.Write("b", "", 0o644); return nil }, "a/ a/1 b/ c unread=1"},
		"a file is removed":             {"sizes b", func(w disktest.World, _ func()) error { w.Unlink("b/1"); return nil }, "a/ a/1 b/ b/2 c skipped=1"},
		"a folder cannot be read":       {"list b", func(disktest.World, func()) error { return ioFault }, "a/ a/1 b/ c unread=1"},
		"sizes cannot be told":          {"sizes b", func(disktest.World, func()) error { return ioFault }, "a/ a/1 b/ c skipped=1 unread=1"},
		"rules cannot be read":          {"open b/.gitignore", func(disktest.World, func()) error { return ioFault }, "a/ a/1 b/ b/1 b/2 b/x.o c unread=1"},
		"rules are removed":             {"open b/.gitignore", func(w disktest.World, _ func()) error { w.Unlink("b/.gitignore"); return nil }, "a/ a/1 b/ b/1 b/2 b/x.o c"},
		"the caller goes":               {"list b", func(_ disktest.World, cancel func()) error { cancel(); return nil }, "cancelled"},
		"the caller goes before rules":  {"open b/.gitignore", func(_ disktest.World, cancel func()) error { cancel(); return nil }, "cancelled"},
		"the top cannot be read":        {"list .", func(disktest.World, func()) error { return ioFault }, "io"},
		"info/exclude cannot be opened": {"open .git/info/exclude", func(disktest.World, func()) error { return ioFault }, "a/ a/1 b/ b/1 b/2 c skipped=1 unread=1"},
	} {
		t.Run(title, func(t *testing.T) {
			m := disktest.NewMemory(1)
			w := disktest.NewMemoryWorld(t, m, m.FS)
			for _, d := range []string{"a", "b"} {
				w.Mkdir(d, 0o755)
			}
			for _, f := range []string{"a/1", "b/1", "b/2", "b/x.o", "c"} {
				w.Write(f, "x", 0o644)
			}
			w.Write("b/.gitignore", "*.o\n", 0o644)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			met := c.at == ""
			ws, err := Open(ctx, Options{FS: meddling{w.FS(), func(call string, name scope.Name) error {
				if call+" "+name.String() != c.at || met {
					return nil
				}
				met = true
				return c.do(w, cancel)
			}}, Clock: func() int64 { return 1 }, Entropy: zeroes{}})
			if err != nil {
				t.Fatal(err)
			}
			s, err := ws.Session("a")
			if err != nil {
				t.Fatal(err)
			}
			got := showListed(s.List(ctx, ListRequest{Depth: 9, Exclude: []string{".gitignore"}}))
			if got != c.want || !met {
				t.Errorf("%s\nwanted %s (it happened: %t)", got, c.want, met)
			}
		})
	}
}

// zeroes is entropy for what needs none.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// crowd is a file system with one folder of very many files, which hold nothing and are nowhere.
type crowd struct {
	disk.FS
	n, sized int
}

func (f *crowd) List(_ scope.Name, yield func(disk.Entry) bool) error {
	for i := range f.n {
		if !yield(disk.Entry{Base: fmt.Sprintf("f%07d", i)}) {
			return nil
		}
	}
	return nil
}

func (f *crowd) Sizes(_ scope.Name, bases []string) ([]int64, error) {
	f.sized += len(bases)
	return make([]int64, len(bases)), nil
}

// Of a million files in one folder those that are shown are looked at, and the cut is said.
func TestListAMillion(t *testing.T) {
	m := disktest.NewMemory(1)
	f := &crowd{FS: disktest.NewMemoryWorld(t, m, m.FS).FS(), n: 1_000_000}
	ws, err := Open(t.Context(), Options{FS: f, Clock: func() int64 { return 1 }, Entropy: zeroes{}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ws.Session("a")
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.List(t.Context(), ListRequest{})
	if err != nil || len(a.Entries) != listDefault || a.Complete || a.Limit == nil || *a.Limit != (ListLimit{"limit", listDefault, "entries"}) {
		t.Fatalf("%d entries, %+v, %v", len(a.Entries), a.Limit, err)
	}
	if f.sized > listDefault+1 {
		t.Errorf("the sizes of %d files were asked for", f.sized)
	}
}

// A folder whose rights keep us out is counted, on a real disk and as a user whom rights bind.
func TestListUnreadableFolder(t *testing.T) {
	p := newPlace(t)
	p.must(os.Mkdir(filepath.Join(p.root, "shut"), 0o755))
	p.put("shut/x", "x\n")
	p.put("y", "y\n")
	p.must(os.Chmod(filepath.Join(p.root, "shut"), 0))
	defer os.Chmod(filepath.Join(p.root, "shut"), 0o755)
	want := "shut/ y unread=1"
	if _, err := os.ReadDir(filepath.Join(p.root, "shut")); !errors.Is(err, fs.ErrPermission) {
		want = "shut/ shut/x y" // rights do not bind this user
	}
	if got := p.list(ListRequest{Depth: 2}); got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
}
