package scope_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

func TestNewRoot(t *testing.T) {
	for _, c := range []struct{ abs, want, full string }{
		{"/", "/", "/a/b"},
		{"/w/p", "/w/p", "/w/p/a/b"},
		{"/w//p/", "/w/p", "/w/p/a/b"},
		{"/w/./x/../p", "/w/p", "/w/p/a/b"},
		{"/../w", "/w", "/w/a/b"},
		{"/a b/100%", "/a b/100%", "/a b/100%/a/b"},
		{`C:\`, `C:\`, `C:\a\b`},
		{`c:/w/p/`, `C:\w\p`, `C:\w\p\a\b`},
		{`\\?\D:\w`, `D:\w`, `D:\w\a\b`},
		{`\\server\share\w`, `\\server\share\w`, `\\server\share\w\a\b`},
		{`\\?\UNC\server\share\w`, `\\server\share\w`, `\\server\share\w\a\b`},
	} {
		r := root(t, c.abs, false)
		if r.Abs() != c.want || r.String() != c.want || r.IsZero() || r.FoldCase() {
			t.Errorf("%q is the root %q, want %q", c.abs, r, c.want)
		}
		if got := r.Full(name(t, "a/b")); got != c.full {
			t.Errorf("a/b of %q is %q, want %q", r, got, c.full)
		}
		if got := r.Full(name(t, ".")); got != c.want {
			t.Errorf("the root of %q is %q", r, got)
		}
		if again := root(t, r.Abs(), false); again != r {
			t.Errorf("%q is not its own root", r)
		}
		if n, err := r.Admit(c.full, ""); err != nil || n.String() != "a/b" {
			t.Errorf("%q: its own path %q is %q (%v)", r, c.full, n, err)
		}
	}
	for _, abs := range []string{"", "w", "./w", "../w", "~", "C:w", "/w\x00", "/w\n", "/\xff", "/" + strings.Repeat("a", 4096), `\\server`, `\\.\pipe\x`, `\\?\GLOBALROOT\x`} {
		if r, err := scope.NewRoot(abs, false); fault.CodeOf(err) != fault.Invalid || !r.IsZero() {
			t.Errorf("%.20q is the root %q (%v)", abs, r, err)
		}
	}
	if _, err := (scope.Root{}).Admit("a", ""); fault.CodeOf(err) != fault.Invalid {
		t.Error("the zero root admits names")
	}
}

// A root given through a link has two spellings, and absolute paths may use both.
func TestAlias(t *testing.T) {
	r := root(t, "/private/tmp/p", true)
	for range 2 { // the second time nothing is left to add
		var err error
		for _, a := range []string{"/tmp/p", "/private/tmp/p", "/Users/me/p"} {
			if r, err = r.Alias(a); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct{ spelling, want string }{
		{"/private/tmp/p/x", "x"}, {"/tmp/p/x", "x"}, {"/TMP/P/x", "x"}, {"/users/me/p/x", "x"}, {"/tmp/q/x", "!outside-root"}, {"/tmp/pp/x", "!outside-root"}, {"x", "x"},
	} {
		admission{"/private/tmp/p", "", c.spelling, c.want}.check(t, r)
	}
	if r.Abs() != "/private/tmp/p" {
		t.Error("an alias is not the root's own path")
	}
	for _, bad := range []string{"x", "", `C:\p`} {
		if _, err := r.Alias(bad); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("alias %q: %v", bad, err)
		}
	}
}

func TestRootFromURI(t *testing.T) {
	for _, c := range []struct{ uri, want string }{
		{"file:///w/p", "/w/p"},
		{"FILE:///w/p/", "/w/p"},
		{"file:/w/p", "/w/p"},
		{"file:///", "/"},
		{"file://localhost/w/p", "/w/p"},
		{"file:///w/a%20b/100%25", "/w/a b/100%"},
		{"file:///w/a b/100%", "/w/a b/100%"},
		{"file:///w/a%20b/100%", "/w/a b/100%"},
		{"file:///w/%zz%4", "/w/%zz%4"},
		{"file:///w/a%2520b", "/w/a%20b"}, // decoded once
		{"file:///w/%C3%A9", "/w/é"},
		{"file:///w/é", "/w/é"},
		{"file:///w/a#b?c", "/w/a#b?c"},
		{"file:///w/x/%2e%2e/p", "/w/p"},
		{"file:///C:/w/a%20b", `C:\w\a b`},
		{"file:///c%3A/w", `C:\w`},
		{"file:///c:", `C:\`},
		{"file://C:/w", `C:\w`},
		{"file://server/share/w%20x", `\\server\share\w x`},
	} {
		r, err := scope.RootFromURI(c.uri, false)
		if err != nil || r.Abs() != c.want {
			t.Errorf("%q is the root %q (%v), want %q", c.uri, r, err, c.want)
		}
	}
	for _, uri := range []string{"", "file:", "file://", "file:w", "/w/p", "http://x/w", "file:///w/%00", "file:///w/%0A", "file:///w/%FF", "file://server", "file:///" + strings.Repeat("a", 4096), "file:///" + strings.Repeat("%61", 5000)} {
		if r, err := scope.RootFromURI(uri, false); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%.20q is the root %q (%v)", uri, r, err)
		}
	}
}

// A path of another checkout is refused like every other one, and the message offers the same file of this workspace,
// by names alone (F49).
func TestCounterparts(t *testing.T) {
	for _, c := range []struct{ root, spelling, offer string }{
		{"/w/app/.wt/t1", "/w/app/src/x", "/w/app/.wt/t1/src/x"},
		{"/w/app/.wt/t1", "../../src/x", "/w/app/.wt/t1/src/x"},
		{"/w/app/.claude/worktrees/t1", "/w/app/src/x", "/w/app/.claude/worktrees/t1/src/x"},
		{"/w/app/worktrees/t1", "/w/app/src/x", "/w/app/worktrees/t1/src/x"},
		{"/w/app/.wt/t1", "/w/app/.wt/t2/src/x", "/w/app/.wt/t1/src/x"},
		{"/w/app-t1", "/w/app/src/x", "/w/app-t1/src/x"},
		{"/w/app", "/w/app.t1/src/x", "/w/app/src/x"},
		{"/a/one/app", "/b/two/app/src/x", "/a/one/app/src/x"},
		{"/home/u/.claude-worktrees/app/t1", "/home/u/app/src/x", "/home/u/.claude-worktrees/app/t1/src/x"},
		{`C:\w\app\.wt\t1`, `c:\W\app\src\x`, `C:\w\app\.wt\t1\src\x`},
		{"/w/app", "/etc/passwd", ""},
		{"/w/app", "/w/other/x", ""},
		{"/w/app", "/w/x", ""},
		{"/w/app", "/w", ""},
		{"/home/u/.cache/p", "/home/u/notes.txt", ""},
		{"/w/app/.wt/t1", "/w/app", ""},
		{`C:\w\app-t1`, `D:\w\app\src\x`, ""},
	} {
		_, err := root(t, c.root, strings.HasPrefix(c.root, "C:")).Admit(c.spelling, "")
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.OutsideRoot || f.Path != c.spelling {
			t.Errorf("%s: %s: %v", c.root, c.spelling, err)
			continue
		}
		want := "The path lies outside the root of this workspace, " + c.root + "."
		if c.offer != "" {
			want += " If you mean the same file of this workspace, its path here is " + c.offer + "."
		}
		if f.Message != want {
			t.Errorf("%s: %s:\ngot  %s\nwant %s", c.root, c.spelling, f.Message, want)
		}
	}
}

// Messages repeat the caller's spelling, made fit to be shown.
func TestSpellingsInMessages(t *testing.T) {
	r := root(t, "/w/p", false)
	for _, c := range []struct{ spelling, shown string }{
		{"/w/q//x/./y", "/w/q//x/./y"},
		{"a\x1b[2Jb\n", "a\ufffd[2Jb\ufffd"},
		{"a\xff\xfeb", "a\ufffdb"},
		{strings.Repeat("a", 5000), strings.Repeat("a", 256) + "..."},
	} {
		_, err := r.Admit(c.spelling, "")
		var f *fault.Error
		if !errors.As(err, &f) || f.Path != c.shown {
			t.Errorf("%.20q is shown as %q", c.spelling, f.Path)
		}
	}
}
