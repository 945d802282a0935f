package scope_test

import (
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/scope"
)

func root(t testing.TB, abs string, fold bool) scope.Root {
	t.Helper()
	r, err := scope.NewRoot(abs, fold)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// admission is one row of the tables of hostile names. want is the admitted name, or the code it is refused with,
// behind an exclamation mark.
type admission struct{ root, from, spelling, want string }

func (a admission) check(t *testing.T, r scope.Root) {
	t.Helper()
	n, err := r.Admit(a.spelling, a.from)
	got := n.String()
	if err != nil {
		got = "!" + string(fault.CodeOf(err))
		if !n.IsZero() {
			t.Errorf("Admit(%q, %q) answers a name beside %v", a.spelling, a.from, err)
		}
	}
	if got != a.want {
		t.Errorf("%s: Admit(%q, %q) = %s, want %s (%v)", a.root, a.spelling, a.from, got, a.want, err)
	}
}

func TestAdmitPOSIX(t *testing.T) {
	for _, a := range []admission{
		// Relative spellings.
		{"/w/proj", "", "src/a.go", "src/a.go"},
		{"/w/proj", "", "./src//a.go", "src/a.go"},
		{"/w/proj", "", "src/../src/A.txt", "src/A.txt"},
		{"/w/proj", "", "src/", "src"},
		{"/w/proj", "", ".", "."},
		{"/w/proj", "", "./", "."},
		{"/w/proj", "", "a/..", "."},
		{"/w/proj", "src", "a.go", "src/a.go"},
		{"/w/proj", "src/deep", "../a.go", "src/a.go"},
		{"/w/proj", "src", "..", "."},
		{"/w/proj", "src", ".", "src"},
		{"/w/proj", "/w/proj/src", "a.go", "src/a.go"},
		{"/w/proj", "/w", "proj/a.go", "a.go"},
		{"/w/proj", "/w", "a.go", "!outside-root"},
		{"/w/proj", "..", "proj/a.go", "a.go"},
		{"/w/proj", "", "...", "..."},
		{"/w/proj", "", "..a/b..", "..a/b.."},
		{"/w/proj", "", " a ", " a "},
		{"/w/proj", "", "~/a", "~/a"},
		{"/w/proj", "", "a%20b", "a%20b"},
		{"/w/proj", "", `a\b`, `a\b`},
		{"/w/proj", "", "a:b", "a:b"},
		{"/w/proj", "", "nul", "nul"},
		{"/w/proj", "", "ein Übel.txt", "ein Übel.txt"},
		// Dots that leave, and dots that come back.
		{"/w/proj", "", "..", "!outside-root"},
		{"/w/proj", "", "../x", "!outside-root"},
		{"/w/proj", "", "a/../../x", "!outside-root"},
		{"/w/proj", "", "../proj/x", "x"},
		{"/w/proj", "", "../../../../../w/proj/x", "x"},
		{"/w/proj", "", "../proj-secret/x", "!outside-root"},
		{"/w/proj", "", "../projx", "!outside-root"},
		// Absolute spellings.
		{"/w/proj", "", "/w/proj/x", "x"},
		{"/w/proj", "", "/w/proj", "."},
		{"/w/proj", "", "/w/proj/", "."},
		{"/w/proj", "", "//w/proj/x", "x"},
		{"/w/proj", "ignored", "/w/proj/x", "x"},
		{"/w/proj", "", "/w/./proj/../proj/x", "x"},
		{"/w/proj", "", "/w/proj-secret/x", "!outside-root"},
		{"/w/proj", "", "/w/proj/../proj-secret/x", "!outside-root"},
		{"/w/proj", "", "/w/proj//../proj-secret/x", "!outside-root"},
		{"/w/proj", "", "/w/pro", "!outside-root"},
		{"/w/proj", "", "/w", "!outside-root"},
		{"/w/proj", "", "/", "!outside-root"},
		{"/w/proj", "", "/../w/proj/x", "x"},
		{"/w/proj", "", "/W/proj/x", "!outside-root"},
		{"/w/proj", "", "/dev/zero", "!outside-root"},
		{"/w/proj", "", `C:\w\proj\x`, "!outside-root"},
		{"/w/proj", "", "c:/w/proj/x", "!outside-root"},
		{"/w/proj", "", "./c:/x", "!outside-root"},
		{"/w/proj", "c:", "x", "!outside-root"},
		{"/w/proj", "", "c:", "c:"},
		{"/w/proj", "", "ab:/x", "ab:/x"},
		{"/", "", "/etc/x", "etc/x"},
		{"/", "", "../x", "x"},
		{"/", "", "/", "."},
		{"/w/a b/100%", "", "/w/a b/100%/f.txt", "f.txt"},
		{"/w/a b/100%", "", "/w/a%20b/100%25/f.txt", "!outside-root"},
		// What no rule may see.
		{"/w/proj", "", "", "!invalid"},
		{"/w/proj", "", "a\x00b", "!invalid"},
		{"/w/proj", "", "/etc/passwd\x00", "!invalid"},
		{"/w/proj", "", "a\xffb", "!invalid"},
		{"/w/proj", "", "a\nb", "!invalid"},
		{"/w/proj", "", "a\tb", "!invalid"},
		{"/w/proj", "", "a\x1b[2Jb", "!invalid"},
		{"/w/proj", "", "a\x7fb", "!invalid"},
		{"/w/proj", "", "a\u009bb", "!invalid"},
		{"/w/proj", "", "../\x00", "!invalid"},
		{"/w/proj", "a\x00", "b", "!invalid"},
		{"/w/proj", "", strings.Repeat("a", 4097), "!invalid"},
		{"/w/proj", "", strings.Repeat("a/", 2048), strings.Repeat("a/", 2047) + "a"},
		{"/w/proj", strings.Repeat("a/", 2047) + "a", "bcd/e", "!invalid"},
		{"/w/proj", "", "file:///w/proj/x", "!invalid"},
		{"/w/proj", "", "FILE:///w/proj/x", "!invalid"},
	} {
		a.check(t, root(t, a.root, false))
	}
}

func TestAdmitFoldingCase(t *testing.T) {
	for _, a := range []admission{
		{"/w/Proj", "", "/W/pROJ/src/Widget.tsx", "src/Widget.tsx"},
		{"/w/Proj", "", "SRC/a.TXT", "SRC/a.TXT"},
		{"/w/Straße", "", "/w/STRAßE/x", "x"},
		{"/w/proj", "", "/w/proj-secret/x", "!outside-root"},
		{"/w/\u212Aern", "", "/w/kern/x", "x"}, // the Kelvin sign is a k
	} {
		a.check(t, root(t, a.root, true))
	}
}

func TestAdmitWindows(t *testing.T) {
	for _, a := range []admission{
		{`C:\w\proj`, "", `src\a.go`, "src/a.go"},
		{`C:\w\proj`, "", "src/a.go", "src/a.go"},
		{`C:\w\proj`, `src\deep`, `..\a.go`, "src/a.go"},
		{`C:\w\proj`, "", `c:\W\PROJ\x`, "x"},
		{`C:\w\proj`, "", "c:/w/proj/x", "x"},
		{`c:/w/proj/`, "", `C:\w\proj\x`, "x"},
		{`C:\w\proj`, "", `\\?\C:\w\proj\x`, "x"},
		{`C:\w\proj`, "", `//?/C:/w/proj/x`, "x"},
		{`C:\w\proj`, "", `\w\proj\x`, "x"},
		{`C:\w\proj`, "", `/w/proj/x`, "x"},
		{`C:\w\proj`, "", `C:\w\proj-secret\x`, "!outside-root"},
		{`C:\w\proj`, "", `D:\w\proj\x`, "!outside-root"},
		{`C:\w\proj`, "", `..\..\..\x`, "!outside-root"},
		{`C:\w\proj`, "", `..\proj\x`, "x"},
		{`C:\w\proj`, "", `\\server\share\x`, "!outside-root"},
		{`C:\w\proj`, "", `\\.\PhysicalDrive0`, "!outside-root"},
		{`C:\w\proj`, "", `\\?\GLOBALROOT\Device\x`, "!outside-root"},
		{`C:\w\proj`, "", `C:x`, "!invalid"},
		{`C:\w\proj`, "", `C:`, "!invalid"},
		{`C:\w\proj`, "", "x:stream", "!invalid"},
		{`C:\w\proj`, "", "x::$DATA", "!invalid"},
		{`C:\w\proj`, "", "x.", "!invalid"},
		{`C:\w\proj`, "", "x ", "!invalid"},
		{`C:\w\proj`, "", `dir.\x`, "!invalid"},
		{`C:\w\proj`, "", "nul", "!invalid"},
		{`C:\w\proj`, "", "NUL.txt", "!invalid"},
		{`C:\w\proj`, "", `src\com1.go`, "!invalid"},
		{`C:\w\proj`, "", "com¹", "!invalid"},
		{`C:\w\proj`, "", "conin$", "!invalid"},
		{`C:\w\proj`, "", "com10.go", "com10.go"},
		{`C:\w\proj`, "", "console.go", "console.go"},
		{`C:\w\proj`, "", "a?b", "!invalid"},
		{`C:\w\proj`, "", "a*", "!invalid"},
		{`\\server\share\proj`, "", `\\SERVER\share\proj\x`, "x"},
		{`\\server\share\proj`, "", `\\?\UNC\server\share\proj\x`, "x"},
		{`\\server\share\proj`, "", `\\server\other\proj\x`, "!outside-root"},
		{`\\server\share\proj`, "", `\\server\share\proj\..\..\..\x`, "!outside-root"},
		{`\\server\share`, "", `..\..\x`, "x"},
	} {
		a.check(t, root(t, a.root, true))
	}
}
