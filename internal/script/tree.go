package script

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// entry is what is known of one name on disk.
type entry struct {
	Kind  string // file, dir, link, fifo, other
	Mode  fs.FileMode
	Inode uint64
	Links uint64
	Size  int64
	Sum   string // of a file's bytes
	To    string // of a link
}

func (e entry) String() string {
	switch e.Kind {
	case "link":
		return "link to " + e.To
	case "file":
		return fmt.Sprintf("file %04o, %d bytes, %s, inode %d, %d names", e.Mode, e.Size, e.Sum[:12], e.Inode, e.Links)
	}
	return fmt.Sprintf("%s %04o", e.Kind, e.Mode)
}

// tree is everything below a folder, by path relative to it.
type tree map[string]entry

// look takes in the whole tree. A file that vanishes while it looks is left out.
func look(base string) (tree, error) {
	t := tree{}
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		if path == base {
			return nil
		}
		info, err := os.Lstat(path)
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		e, err := entryOf(path, info)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, path)
		t[rel] = e
		return err
	})
	return t, err
}

func entryOf(path string, info fs.FileInfo) (entry, error) {
	e := entry{Mode: info.Mode().Perm(), Kind: "other"}
	e.Inode, e.Links = inode(info)
	switch {
	case info.IsDir():
		e.Kind, e.Links = "dir", 0
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		e.Kind, e.To = "link", to
		return e, err
	case info.Mode()&fs.ModeNamedPipe != 0:
		e.Kind = "fifo"
	case info.Mode().IsRegular():
		b, err := os.ReadFile(path)
		if err != nil {
			return e, err
		}
		sum := sha256.Sum256(b)
		e.Kind, e.Size, e.Sum = "file", int64(len(b)), hex.EncodeToString(sum[:])
	}
	return e, nil
}

// changes lists the names that differ between two looks, each with what it was and became.
func changes(before, after tree) map[string]string {
	out := map[string]string{}
	for name, b := range before {
		a, ok := after[name]
		switch {
		case !ok:
			out[name] = "was " + b.String() + ", is gone"
		case a != b:
			out[name] = "was " + b.String() + ", is " + a.String()
		}
	}
	for name, a := range after {
		if _, ok := before[name]; !ok {
			out[name] = "was absent, is " + a.String()
		}
	}
	return out
}

func sortedChanges(m map[string]string) string {
	var s []string
	for name, what := range m {
		s = append(s, name+": "+what)
	}
	sort.Strings(s)
	return strings.Join(s, "; ")
}

// targets returns the names below base that a call on the absolute path may change: the file itself, what its links
// lead to, and its hard-linked siblings.
func (t tree) targets(base, path string) map[string]bool {
	out := map[string]bool{}
	add := func(p string) {
		if rel, err := filepath.Rel(base, p); err == nil {
			out[rel] = true
		}
	}
	real := path
	if p, err := filepath.EvalSymlinks(path); err == nil {
		real = p
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		real = filepath.Join(dir, filepath.Base(path))
	}
	add(real)
	rel, err := filepath.Rel(base, real)
	if e, ok := t[rel]; err == nil && ok && e.Kind == "file" && e.Links > 1 {
		for name, other := range t {
			if other.Inode == e.Inode && other.Kind == "file" {
				out[name] = true
			}
		}
	}
	return out
}
