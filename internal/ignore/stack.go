package ignore

import (
	"slices"

	"github.com/sightline-io/sightline/internal/scope"
)

// Stack is one folder as a walk sees it: the rules in force there. It is a value; entering a folder makes another one and
// leaves this as it was. The zero Stack has no rules.
type Stack struct {
	rules []*Rules // the strongest last
	shut  Verdict  // of the folder itself or one above it, where that is ignored
}

// NewStack returns the place above the root with the rules that stand in no .gitignore, the weakest first:
// core.excludesFile, then info/exclude. Nil ones are left out.
func NewStack(outer ...*Rules) Stack {
	var s Stack
	for _, r := range outer {
		s = s.With(r)
	}
	return s
}

// Enter returns the place in the folder dir, an entry of this place's folder, before the rules of its own .gitignore are
// known: those are added by [Stack.With], unless the folder is shut. To start at the root nothing is entered.
func (s Stack) Enter(dir scope.Name) Stack { return s.enter(dir.String()) }

func (s Stack) enter(dir string) Stack {
	if v := s.match(dir, true); v.Ignored {
		s.shut = v
	}
	return s
}

// With returns the place with r as the strongest rules: those of the .gitignore in its folder.
func (s Stack) With(r *Rules) Stack {
	if r != nil && r.Len() > 0 {
		s.rules = append(slices.Clip(s.rules), r)
	}
	return s
}

// Shut reports whether the folder, or one above it, is ignored, and by what. Everything in it is ignored then, whatever
// its own .gitignore says, and that need not be read.
func (s Stack) Shut() (Verdict, bool) { return s.shut, s.shut.Ignored }

// Match returns what is to be said of name, an entry of this folder: the verdict of the folder where that is shut, else
// that of the last rule that matches in the strongest file that has one.
func (s Stack) Match(name scope.Name, isDir bool) Verdict { return s.match(name.String(), isDir) }

func (s Stack) match(name string, isDir bool) Verdict {
	if s.shut.Ignored {
		return s.shut
	}
	for _, r := range slices.Backward(s.rules) {
		if v := r.match(name, isDir); v.By != nil {
			return v
		}
	}
	return Verdict{}
}
