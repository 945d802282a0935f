package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// outside does what somebody else does to the disk. path and to are absolute.
func outside(o *Outside, path, to string) error {
	switch o.Op {
	case "file":
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(o.Text), 0o644); err != nil {
			return err
		}
		if o.Mode == 0 {
			return os.Chmod(path, 0o644)
		}
		return os.Chmod(path, os.FileMode(o.Mode))
	case "write":
		return inPlace(path, func([]byte) []byte { return []byte(o.Text) })
	case "replace":
		return byRename(path, []byte(o.Text))
	case "rewrite":
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return byRename(path, b)
	case "append":
		return inPlace(path, func(b []byte) []byte { return append(b, o.Text...) })
	case "line", "insert", "cut":
		return changeLines(o, path)
	case "mkdir":
		return os.MkdirAll(path, 0o755)
	case "rm":
		return os.RemoveAll(path)
	case "fifo":
		return mkfifo(path)
	case "link":
		return os.Symlink(o.To, path)
	case "hardlink":
		return os.Link(to, path)
	case "rename":
		return os.Rename(path, to)
	case "copy":
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o644)
	case "chmod":
		return os.Chmod(path, os.FileMode(o.Mode))
	case "touch":
		d, err := time.ParseDuration(strings.TrimPrefix(o.Age, "+"))
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		at := info.ModTime().Add(d)
		return os.Chtimes(path, at, at)
	}
	return fmt.Errorf("nobody can %q", o.Op)
}

// inPlace rewrites an existing file in its own inode.
func inPlace(path string, change func([]byte) []byte) error {
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(path, change(b), 0o644)
}

// byRename puts a new inode with the mode of the old one in its place, as editors and formatters do.
func byRename(path string, data []byte) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temp := path + ".somebody"
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return err
	}
	if err := os.Chmod(temp, mode); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// changeLines replaces the text of one line and keeps its ending, inserts before a line, or cuts lines.
func changeLines(o *Outside, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := splitLines(string(b))
	from, to := o.Span.From, o.Span.To
	switch o.Op {
	case "line":
		if from < 1 || from > len(lines) {
			return fmt.Errorf("%s has %d lines, so none is line %d", o.Path, len(lines), from)
		}
		lines[from-1] = o.Text + ending(lines[from-1])
	case "insert":
		if from < 1 || from > len(lines)+1 {
			return fmt.Errorf("%s has %d lines, so nothing goes before line %d", o.Path, len(lines), from)
		}
		lines = append(lines[:from-1:from-1], append([]string{o.Text}, lines[from-1:]...)...)
	case "cut":
		if from < 1 || to > len(lines) || from > to {
			return fmt.Errorf("%s has %d lines, so lines %d-%d cannot go", o.Path, len(lines), from, to)
		}
		lines = append(lines[:from-1:from-1], lines[to:]...)
	}
	return os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644)
}

// splitLines cuts s after each LF.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func ending(line string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"):
		return "\n"
	}
	return ""
}
