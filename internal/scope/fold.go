package scope

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// identity maps s to one representative of all spellings that a case-folding file system takes for one name. Those of
// POSIX (APFS, HFS+, ext4 with casefold) fold normal forms as well as case; NTFS folds case alone.
func (r Root) identity(s string) string {
	if !r.fold {
		return s
	}
	if r.windows || isASCII(s) {
		return fold(s)
	}
	return norm.NFD.String(fold(norm.NFD.String(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fold maps s to one representative of all spellings that differ in case alone, by Unicode simple case folding. ASCII
// letters become lower case.
func fold(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf && (s[i] < 'A' || 'Z' < s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	out := make([]byte, i, len(s))
	copy(out, s)
	for _, r := range s[i:] {
		out = utf8.AppendRune(out, foldRune(r))
	}
	return string(out)
}

// foldRune returns the smallest rune of r's folding orbit, with A to Z lowered. The orbit of K holds the Kelvin sign
// and that of s the long s, so both fold to the ASCII letter, as case-insensitive file systems do.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
