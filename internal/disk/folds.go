package disk

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

// FoldsCase reports whether the folder at the absolute path root tells no difference between capitals and small
// letters. It writes nothing: it looks for an entry of the folder, or else the folder itself, under the other spelling.
// Where no name holds a letter the platform's habit is the answer.
func FoldsCase(root string) bool {
	if f, err := os.Open(root); err == nil {
		names, _ := f.Readdirnames(256) // a part of the names, or none, is as good
		f.Close()
		for _, n := range names {
			if other := swapCase(n); other != n {
				return sameEntry(root, n, other)
			}
		}
	}
	dir, base := filepath.Split(filepath.Clean(root))
	if other := swapCase(base); other != base {
		return sameEntry(dir, base, other)
	}
	return runtime.GOOS == "darwin" || runtime.GOOS == "windows"
}

// sameEntry reports whether both spellings find one file although the folder lists only one of them: two hard links,
// one of each spelling, are two entries.
func sameEntry(dir, a, b string) bool {
	x, err := os.Lstat(filepath.Join(dir, a))
	if err != nil {
		return false
	}
	y, err := os.Lstat(filepath.Join(dir, b))
	if err != nil || !os.SameFile(x, y) {
		return false
	}
	f, err := os.Open(dir)
	if err != nil {
		return true
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return true
	}
	for _, n := range names {
		if n == b {
			return false
		}
	}
	return true
}

// swapCase turns the case of the ASCII letters around; other letters are left, because file systems disagree on them.
func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= unicode.MaxASCII:
			return r
		case unicode.IsUpper(r):
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}
