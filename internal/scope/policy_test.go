package scope_test

import (
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

func name(t testing.TB, rel string) scope.Name {
	t.Helper()
	n, err := scope.NameOf(rel)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEveryExampleOfEveryShape(t *testing.T) {
	p := scope.DefaultPolicy()
	for _, s := range scope.Shapes() {
		for _, rel := range s.Closed {
			n := name(t, rel)
			got := scope.Secret(n)
			if got == nil || got.ID != s.ID {
				t.Errorf("%s: %q is open to it, but is its example (%v)", s.ID, rel, got)
			}
			for _, a := range []scope.Access{scope.Read, scope.Write} {
				if err := p.Check(n, a); fault.CodeOf(err) != fault.Denied {
					t.Errorf("%s: %v of %q = %v, want denied", s.ID, a, rel, err)
				}
			}
			if err := p.Check(n, scope.List); err != nil {
				t.Errorf("%s: the name %q may be listed, got %v", s.ID, rel, err)
			}
		}
		for _, rel := range s.Open {
			if err := p.Check(name(t, rel), scope.Read); err != nil {
				t.Errorf("%s: %q must stay open: %v", s.ID, rel, err)
			}
		}
	}
}

func TestGitIsClosedInEverySpelling(t *testing.T) {
	p := scope.DefaultPolicy()
	for _, rel := range []string{
		".git", ".git/config", "sub/.git", "sub/.git/hooks/pre-commit", ".GIT/config", ".Git", ".git./config", ".git /config", ".git. . /x",
		"git~1", "GIT~1/config", "git~12", ".git::$INDEX_ALLOCATION/config", ".git:x", ".g\u200cit/config", ".gi\u200dt", "\ufeff.git/x", ".git\u200e",
		`.git\config`, `a\.git\config`, ".g\u0131t/../.git/x",
	} {
		n, err := scope.NameOf(rel)
		if err != nil {
			continue
		}
		for _, a := range []scope.Access{scope.Read, scope.Write, scope.List} {
			if err := p.Check(n, a); fault.CodeOf(err) != fault.Denied {
				t.Errorf("%v of %q = %v, want denied", a, rel, err)
			}
		}
	}
	for _, rel := range []string{".gitignore", ".gitattributes", ".gitmodules", ".github/workflows/ci.yml", "git", "git/x.go", "a.git", "x.git/config", ".gitx", "git~", "git~a", ".gi", "git-1"} {
		if err := p.Check(name(t, rel), scope.Write); err != nil {
			t.Errorf("write of %q: %v", rel, err)
		}
	}
}
