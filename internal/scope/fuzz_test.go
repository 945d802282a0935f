package scope_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

// Whatever is spelt, an admitted name never leads out, is canonical, and admits itself; whatever is not admitted is
// refused as invalid or as outside.
func FuzzAdmit(f *testing.F) {
	for _, s := range []string{
		"a/../b", "../../w/p/x", "/w/p/x", "//w//p//x", "..", ".", "a\x00", "a\xff", `..\..\x`, `C:\w\p\x`, `c:x`, `\\?\C:\w\p\..\x`, "nul.txt", "x.", "x:y",
		".git/../a", "file:///w/p", "é/../É", "e\u0301", strings.Repeat("../", 50) + "w/p/a", "/w/p/../p-secret/x", "a//./../..//b", ".. /x", "...",
	} {
		f.Add(s, "")
		f.Add(s, "src")
		f.Add("x", s)
	}
	roots := []scope.Root{root(f, "/w/p", false), root(f, "/W/P", true), root(f, "/", false), root(f, `C:\w\p`, true), root(f, `\\srv\share\w`, true)}
	p := scope.DefaultPolicy()
	f.Fuzz(func(t *testing.T, spelling, from string) {
		for _, r := range roots {
			n, err := r.Admit(spelling, from)
			if err != nil {
				if c := fault.CodeOf(err); c != fault.Invalid && c != fault.OutsideRoot {
					t.Fatalf("code %s", c)
				}
				if !n.IsZero() || !utf8.ValidString(err.Error()) || len(err.Error()) > 6000 {
					t.Fatalf("%q: a name beside %v", spelling, err)
				}
				continue
			}
			if same, err := scope.NameOf(n.String()); err != nil || same != n {
				t.Fatalf("%q is no canonical name: %v", n, err)
			}
			for _, again := range []string{n.String(), r.Full(n)} {
				if len(again) > scope.MaxSpelling {
					continue
				}
				if same, err := r.Admit(again, ""); err != nil || same != n {
					t.Fatalf("%s: %q was admitted as %q, and %q as %q (%v)", r, spelling, n, again, same, err)
				}
			}
			if !n.In(n.Dir(), r) {
				t.Fatalf("%q is not in its folder", n)
			}
			checkPolicyLaws(t, p, n)
		}
	})
}

// checkPolicyLaws: what may be read may be written, what may be written may be listed, and a folder inside .git is as
// closed as .git.
func checkPolicyLaws(t *testing.T, p scope.Policy, n scope.Name) {
	t.Helper()
	read, write, list := p.Check(n, scope.Read), p.Check(n, scope.Write), p.Check(n, scope.List)
	if fault.CodeOf(read) != fault.CodeOf(write) || list != nil && read == nil {
		t.Fatalf("%q: read %v, write %v, list %v", n, read, write, list)
	}
	if inside, err := n.Join("x"); err == nil && list != nil && p.Check(inside, scope.List) == nil {
		t.Fatalf("%q is closed and what is in it is not", n)
	}
}
