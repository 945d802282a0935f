package scope

import (
	"fmt"
	"path"
	"strings"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
)

// Access is what a caller wants to do with a name.
type Access uint8

// The accesses.
const (
	Read  Access = iota // learn anything of the text: reading, searching, matching, hashing, comparing
	Write               // create, change, replace, move or delete; a move writes both names and reads the first
	List                // show the name, and the names in it where it is a folder
)

// String returns read, write or list.
func (a Access) String() string { return [...]string{"read", "write", "list"}[a] }

// Policy decides which names are closed. The zero Policy closes .git alone; [DefaultPolicy] closes secrets too. One
// Policy stands at every door of a workspace. It is immutable.
type Policy struct {
	secrets bool
	open    []string
	closed  []string
}

// DefaultPolicy returns the policy that closes .git and the secret shapes of [Shapes].
func DefaultPolicy() Policy { return Policy{secrets: true} }

// With returns p with names that a person opened although a secret shape closes them, and names closed besides. A
// pattern without a slash is compared with the last component, one with a slash (a leading one too) with the whole path
// below the root; * and ? stop at slashes, [..] is a class, and case is ignored. What is closed here wins over what is
// open, and .git can never be opened. It answers invalid for a malformed pattern.
func (p Policy) With(open, closed []string) (Policy, error) {
	p.open, p.closed = append([]string(nil), p.open...), append([]string(nil), p.closed...)
	for i, list := range [][]string{open, closed} {
		for _, pat := range list {
			pat = fold(pat)
			if _, err := path.Match(pat, ""); err != nil || strings.Trim(pat, "/") == "" {
				return Policy{}, fault.Newf(fault.Invalid, "", "%q is no pattern for names.", shown(pat))
			}
			if strings.Contains(pat, "/") {
				pat = "/" + strings.TrimPrefix(pat, "/")
			}
			if i == 0 {
				p.open = append(p.open, pat)
			} else {
				p.closed = append(p.closed, pat)
			}
		}
	}
	return p, nil
}

// Check answers denied where p closes n for the access, not-regular where the root itself is to be read or written,
// and nil otherwise. The message is made of the name alone: it says neither whether the file exists nor anything of
// its lines.
//
//   - a path with a .git in it, in any spelling a file system may take for one, is closed for every access
//   - a secret shape is closed for reading and writing; its name may be listed
//
// The rule is asked twice: with the name as admitted, and with the name that links lead to.
func (p Policy) Check(n Name, a Access) error {
	if n.IsRoot() {
		if a == List {
			return nil
		}
		return fault.Newf(fault.NotRegular, n.rel, "The path is the root of the workspace, which is a folder. Name a file in it.")
	}
	if inGitDir(n.rel) {
		return fault.Newf(fault.Denied, n.rel, "%s belongs to git itself. No agent reads or writes it here; use git commands instead.", shown(n.rel))
	}
	if a == List || !p.secrets && len(p.closed) == 0 {
		return nil
	}
	if matches(p.closed, n.rel) {
		return fault.Newf(fault.Denied, n.rel, "%s is closed to agents by this workspace's configuration. Do without it, or ask the person.", shown(n.rel))
	}
	if !p.secrets {
		return nil
	}
	s := secretShape(n.rel)
	if s == nil || matches(p.open, n.rel) {
		return nil
	}
	return fault.Newf(fault.Denied, n.rel, "%s is closed to agents: by its name it is %s. Do without it, or ask the person.", shown(n.rel), s.What)
}

// Secret returns the shape that closes n, or nil. It ignores what a person opened.
func Secret(n Name) *Shape {
	if s := secretShape(n.rel); s != nil {
		c := *s
		return &c
	}
	return nil
}

// Hash names the policy: equal hashes close the same names. It changes when the built-in shapes do, so that a cached
// decision never outlives the rule it was made under.
func (p Policy) Hash() content.Ref {
	var b strings.Builder
	fmt.Fprintf(&b, "sightline policy 1\nsecrets %t\nopen %q\nclosed %q\n", p.secrets, p.open, p.closed)
	if p.secrets {
		for i := range shapes {
			fmt.Fprintf(&b, "%q %q\n", shapes[i].ID, shapes[i].Names)
		}
		fmt.Fprintf(&b, "%q %q %q %q %q\n", templateWords, codeWords, publicWords, privateWords, backupEndings)
	}
	return content.RefOf([]byte(b.String()))
}

func matches(patterns []string, rel string) bool {
	if len(patterns) == 0 {
		return false
	}
	whole := "/" + fold(rel)
	base := whole[strings.LastIndexByte(whole, '/')+1:]
	for _, pat := range patterns {
		subject := base
		if pat[0] == '/' {
			subject = whole
		}
		if ok, _ := path.Match(pat, subject); ok {
			return true
		}
	}
	return false
}
