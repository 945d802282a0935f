package scope_test

import (
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

func TestNameOf(t *testing.T) {
	for _, rel := range []string{".", "a", "a/b", "..a", "a..", ".a", "a b", `a\b`, "ä", "a:b", strings.Repeat("a", 4096)} {
		n, err := scope.NameOf(rel)
		if err != nil || n.String() != rel || n.IsZero() || n.IsRoot() != (rel == ".") {
			t.Errorf("%.20q: %q, %v", rel, n, err)
		}
	}
	for _, rel := range []string{"", "/", "/a", "a/", "a//b", "./a", "a/.", "..", "../a", "a/../b", "c:/x", `c:\x`, "a\x00", "a\n", "a\xff", strings.Repeat("a", 4097)} {
		if n, err := scope.NameOf(rel); fault.CodeOf(err) != fault.Invalid || !n.IsZero() {
			t.Errorf("%.20q is the name %q (%v)", rel, n, err)
		}
	}
}

func TestPartsOfNames(t *testing.T) {
	for _, c := range []struct{ rel, dir, base string }{{"a", ".", "a"}, {"a/b", "a", "b"}, {"a/b/c.go", "a/b", "c.go"}, {".", ".", "."}} {
		n := name(t, c.rel)
		if n.Dir().String() != c.dir || n.Base() != c.base {
			t.Errorf("%q is %q in %q", n, n.Base(), n.Dir())
		}
		if n.IsRoot() {
			continue
		}
		if back, err := n.Dir().Join(n.Base()); err != nil || back != n {
			t.Errorf("%q is joined to %q (%v)", n, back, err)
		}
	}
	for _, base := range []string{"", ".", "..", "a/b", "/", "a\x00", "a\nb", "\xff", strings.Repeat("a", 4095)} {
		if n, err := name(t, "dir").Join(base); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%.20q is joined to %.20q (%v)", base, n, err)
		}
	}
}

func TestKeys(t *testing.T) {
	exact, mac, windows := root(t, "/w/p", false), root(t, "/w/p", true), root(t, `C:\w\p`, true)
	const composed, decomposed = "\u00e9", "e\u0301"
	for _, c := range []struct {
		a, b                string
		exact, mac, windows bool // are they one file
	}{
		{"src/A.txt", "src/A.txt", true, true, true},
		{"src/A.txt", "SRC/a.TXT", false, true, true},
		{"src/A.txt", "src/B.txt", false, false, false},
		{"É", "é", false, true, true},
		{"σ", "ς", false, true, true},
		{"\u212A", "k", false, true, true},
		{"ſ", "S", false, true, true},
		{"ß", "ss", false, false, false},
		{composed, decomposed, false, true, false},
		{"É", decomposed, false, true, false},
		{"a/b", `a\b`, false, false, false},
	} {
		for _, on := range []struct {
			r    scope.Root
			want bool
		}{{exact, c.exact}, {mac, c.mac}, {windows, c.windows}} {
			a, b := name(t, c.a), name(t, c.b)
			if got := a.Key(on.r) == b.Key(on.r); got != on.want {
				t.Errorf("%s: %q and %q are one file: %t", on.r, a, b, got)
			}
			if a.String() != c.a {
				t.Errorf("the name %q lost its capitals", c.a)
			}
		}
	}
}

func TestIn(t *testing.T) {
	r, mac := root(t, "/w/p", false), root(t, "/w/p", true)
	for _, c := range []struct {
		n, dir    string
		want, mac bool
	}{
		{"a/b", "a", true, true}, {"a/b", "a/b", true, true}, {"a", ".", true, true}, {".", ".", true, true},
		{"ab/c", "a", false, false}, {"a", "a/b", false, false}, {"A/b", "a", false, true}, {".", "a", false, false},
	} {
		if got := name(t, c.n).In(name(t, c.dir), r); got != c.want {
			t.Errorf("%q in %q: %t", c.n, c.dir, got)
		}
		if got := name(t, c.n).In(name(t, c.dir), mac); got != c.mac {
			t.Errorf("%q in %q where case is folded: %t", c.n, c.dir, got)
		}
	}
}
