package scope_test

import (
	"errors"
	"strings"
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

// Every pattern of the table closes what it says: with a word in place of each star, alone and below a folder, in
// capitals, and under the marks of backups.
func TestEveryPatternOfEveryShape(t *testing.T) {
	ids := map[string]bool{}
	for _, s := range scope.Shapes() {
		if ids[s.ID] || s.What == "" || !strings.HasSuffix(s.Why, ".") || len(s.Closed) == 0 || len(s.Open) == 0 {
			t.Errorf("%s: not explained, or not shown by examples, or not the only one", s.ID)
		}
		ids[s.ID] = true
		for _, p := range s.Names {
			plain := strings.ReplaceAll(strings.ReplaceAll(p, "**", "deep/x"), "*", "q7")
			for _, rel := range []string{plain, "some/where/" + plain, strings.ToUpper(plain), plain + ".bak", plain + "~", plain + ".old.orig"} {
				if got := scope.Secret(name(t, rel)); got == nil || got.ID != s.ID {
					t.Errorf("%s: pattern %s does not close %q (%v)", s.ID, p, rel, got)
				}
			}
			if strings.Contains(p, "/") {
				continue
			}
			// A word inside a longer name closes nothing.
			for _, rel := range []string{"x" + plain + ".go", "my" + strings.TrimPrefix(plain, ".") + "_test.py"} {
				if got := scope.Secret(name(t, rel)); got != nil {
					t.Errorf("%s: pattern %s closes %q", got.ID, p, rel)
				}
			}
		}
	}
}

// Ordinary names that other rules close by a word in them.
func TestOrdinaryNamesAreOpen(t *testing.T) {
	p := scope.DefaultPolicy()
	for _, rel := range []string{
		"secrets.go", "secret.go", "internal/secrets/store.go", "secrets/README.md", "credentials_test.py", "credentials.rs", "src/auth/token.ts", "password.tsx", "passwords.md",
		"key.pem.go", "keyboard.c", "monkey.js", "hotkey.json", "api-key-form.vue", "environment.ts", "env.d.ts", ".env.example", ".env.sample", ".env.template", ".env.dist",
		".envrc", ".npmrc", ".yarnrc.yml", ".gitignore", ".dockerignore", "Dockerfile", ".docker/Dockerfile", ".ssh.md", "sshd_config", "aws.tf", "kube.yaml", "deploy/kubeconfig/main.go",
		"certs/server.crt", "ca-certificates.crt", "id_rsa.pub", "history.go", "docs/.env.md", "test/fixtures/public.pem", "tfstate.go", "secret.yaml", "charts/x/templates/secrets.yaml",
	} {
		for _, a := range []scope.Access{scope.Read, scope.Write, scope.List} {
			if err := p.Check(name(t, rel), a); err != nil {
				t.Errorf("%v of %q: %v", a, rel, err)
			}
		}
	}
}

// A refusal is made of the name: no lines, no cure, nothing that depends on whether the file exists.
func TestRefusalsRevealNothing(t *testing.T) {
	for rel, want := range map[string]string{
		".env.local":    ".env.local is closed to agents: by its name it is a file of environment variables, which holds passwords and tokens. Do without it, or ask the person.",
		"a/.git/x":      "a/.git/x belongs to git itself. No agent reads or writes it here; use git commands instead.",
		".ssh/id\u2028": ".ssh/id\u2028 is closed to agents: by its name it is in the folder of SSH keys. Do without it, or ask the person.",
	} {
		err := scope.DefaultPolicy().Check(name(t, rel), scope.Write)
		var f *fault.Error
		if !errors.As(err, &f) || f.Message != want || f.Path != rel || f.Missing != nil || f.Drifted != nil || f.Cure != nil || f.Err != nil {
			t.Errorf("%q: %+v", rel, err)
		}
	}
}

func TestTheRootIsNoFile(t *testing.T) {
	for _, p := range []scope.Policy{{}, scope.DefaultPolicy()} {
		for a, want := range map[scope.Access]fault.Code{scope.Read: fault.NotRegular, scope.Write: fault.NotRegular, scope.List: ""} {
			if got := fault.CodeOf(p.Check(name(t, "."), a)); got != want {
				t.Errorf("%v of the root is %q, want %q", a, got, want)
			}
		}
	}
}

func TestPolicyOfAPerson(t *testing.T) {
	p, err := scope.DefaultPolicy().With([]string{".env.test", "fixtures/*.pem", ".git"}, []string{"*.sql", "/private/*", "Fixtures/b.pem"})
	if err != nil {
		t.Fatal(err)
	}
	for rel, open := range map[string]bool{
		".env.test": true, "a/.ENV.TEST": true, ".env.local": false, "fixtures/a.pem": true, "x/fixtures/a.pem": false, "fixtures/x/a.pem": false,
		"dump.sql": false, "a/DUMP.SQL": false, "private/x": false, "a/private/x": true, "fixtures/b.pem": false, ".git": false, ".git/config": false, "main.go": true,
	} {
		for _, a := range []scope.Access{scope.Read, scope.Write} {
			if got := p.Check(name(t, rel), a) == nil; got != open {
				t.Errorf("%v of %q is open: %t", a, rel, got)
			}
		}
	}
	if scope.DefaultPolicy().Check(name(t, "dump.sql"), scope.Read) != nil {
		t.Error("the policy it was made from changed")
	}
	for _, bad := range []string{"", "/", "[", "a[", `\`} {
		if _, err := scope.DefaultPolicy().With([]string{bad}, nil); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("pattern %q: %v", bad, err)
		}
		if _, err := scope.DefaultPolicy().With(nil, []string{bad}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("pattern %q: %v", bad, err)
		}
	}
}

// The hash of the built-in policy. It changes when a shape does, on purpose and never by chance: a remembered decision
// must not outlive the rule it was made under.
func TestPolicyHash(t *testing.T) {
	const want = "sha256:0daa06390adf849b50386041e0e411f317a8bfd0c5f518c486c631eb06d80496"
	p := scope.DefaultPolicy()
	if got := p.Hash().String(); got != want {
		t.Errorf("the hash of the default policy is %s, want %s", got, want)
	}
	with := func(open, closed []string) string {
		q, err := p.With(open, closed)
		if err != nil {
			t.Fatal(err)
		}
		return q.Hash().String()
	}
	hashes := []string{p.Hash().String(), scope.Policy{}.Hash().String(), with([]string{"a"}, nil), with(nil, []string{"a"}), with([]string{"a"}, []string{"a"}), with([]string{"a", "b"}, nil), with([]string{"a b"}, nil), with([]string{"/a"}, nil)}
	for i, a := range hashes {
		for _, b := range hashes[:i] {
			if a == b {
				t.Errorf("two policies have the hash %s", a)
			}
		}
	}
	if with(nil, nil) != want || with([]string{"/A/b"}, nil) != with([]string{"a/B"}, nil) {
		t.Error("equal policies have two hashes")
	}
}

func BenchmarkCheck(b *testing.B) {
	p := scope.DefaultPolicy()
	names := []scope.Name{name(b, "internal/evidence/carry.go"), name(b, "src/components/Button.tsx"), name(b, "README.md"), name(b, "a/b/c/d/e/f/index_test.py")}
	for i := 0; b.Loop(); i++ {
		if err := p.Check(names[i%len(names)], scope.Read); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAdmit(b *testing.B) {
	r := root(b, "/home/u/project", false)
	for b.Loop() {
		if _, err := r.Admit("/home/u/project/internal/evidence/carry.go", ""); err != nil {
			b.Fatal(err)
		}
	}
}
