package scope

import (
	"path"
	"slices"
	"strings"
)

// rules is the table of shapes, compiled: what can be looked up is looked up, so that a walk over a large tree asks
// cheaply.
type rules struct {
	base  map[string]int     // exact last component
	ext   map[string]int     // last component ends in this, dot included
	globs []glob             // patterns with a star elsewhere, for the last component
	in    map[string][]under // dir/name, by name
	dirs  []under            // dir/**
}

// glob is a pattern with what stands before its first star and behind its last, by which most names fail at once.
type glob struct {
	pattern, before, behind string
	shape                   int
}

func (g *glob) matches(base string) bool {
	if !strings.HasPrefix(base, g.before) || !strings.HasSuffix(base, g.behind) {
		return false
	}
	ok, _ := path.Match(g.pattern, base)
	return ok
}

// under is a shape bound to folders: the components of the folders, then what the last component must be.
type under struct {
	dirs  []string
	shape int
}

var compiled = compile(shapes)

func compile(shapes []Shape) *rules {
	r := &rules{base: map[string]int{}, ext: map[string]int{}, in: map[string][]under{}}
	for i, s := range shapes {
		for _, p := range s.Names {
			parts := strings.Split(p, "/")
			last, dirs := parts[len(parts)-1], parts[:len(parts)-1]
			switch {
			case last == "**":
				r.dirs = append(r.dirs, under{dirs, i})
			case len(dirs) > 0:
				r.in[last] = append(r.in[last], under{dirs, i})
			case !strings.Contains(p, "*"):
				r.base[last] = i
			case strings.HasPrefix(p, "*.") && !strings.Contains(p[1:], "*"):
				r.ext[p[1:]] = i
			default:
				r.globs = append(r.globs, glob{p, p[:strings.IndexByte(p, '*')], p[strings.LastIndexByte(p, '*')+1:], i})
			}
		}
	}
	return r
}

// secretShape returns the shape that closes rel, or nil.
func secretShape(rel string) *Shape {
	if strings.IndexByte(rel, '\\') >= 0 {
		rel = strings.Trim(strings.ReplaceAll(rel, `\`, "/"), "/") // as a program of Windows would read it
	}
	comps := strings.Split(rel, "/")
	for i, c := range comps {
		comps[i] = plain(c)
	}
	dirs, base := comps[:len(comps)-1], withoutBackupMarks(comps[len(comps)-1])
	i := compiled.find(dirs, base)
	if i < 0 || excepted(shapes[i].ID, dirs, base) {
		return nil
	}
	return &shapes[i]
}

func (r *rules) find(dirs []string, base string) int {
	if i, ok := r.base[base]; ok {
		return i
	}
	for _, u := range r.in[base] {
		if len(dirs) >= len(u.dirs) && slices.Equal(dirs[len(dirs)-len(u.dirs):], u.dirs) {
			return u.shape
		}
	}
	for at := range dirs {
		if dirs[at] == "" || dirs[at][0] != '.' {
			continue // every folder shape begins with a dot
		}
		for _, u := range r.dirs {
			if len(dirs)-at >= len(u.dirs) && slices.Equal(dirs[at:at+len(u.dirs)], u.dirs) {
				return u.shape
			}
		}
	}
	for at := 1; at < len(base); at++ {
		if base[at] == '.' {
			if i, ok := r.ext[base[at:]]; ok {
				return i
			}
		}
	}
	for i := range r.globs {
		if r.globs[i].matches(base) {
			return r.globs[i].shape
		}
	}
	if isKeyWithPurpose(base) {
		return r.base["id_rsa"]
	}
	return -1
}

// isKeyWithPurpose recognises keys that people name after their purpose: id_rsa_github, id_ed25519-work.
func isKeyWithPurpose(base string) bool {
	if !strings.HasPrefix(base, "id_") || strings.Contains(base, ".") {
		return false
	}
	for _, k := range []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"} {
		if rest, ok := strings.CutPrefix(base, k); ok && rest != "" && (rest[0] == '_' || rest[0] == '-') {
			return true
		}
	}
	return false
}

// excepted reports whether a name of the shape stays open.
func excepted(id string, dirs []string, base string) bool {
	words := strings.FieldsFunc(base, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	switch id {
	case "env":
		if strings.HasSuffix(base, ".env") && !strings.HasPrefix(base, ".env") {
			return slices.Contains(templateWords, words[0]) || len(words) > 1 && slices.Contains(templateWords, words[len(words)-2])
		}
		return slices.Contains(templateWords, last) || slices.Contains(codeWords, last)
	case "private-key":
		return isPublic(words[:len(words)-1], last)
	case "ssh":
		return last == "pub"
	case "secrets-file":
		return len(dirs) > 0 && dirs[len(dirs)-1] == "templates"
	}
	return false
}

// isPublic reports whether the words of a key's name, but for its extension, say that it is made to be published. A
// .pem may hold a certificate; a .key that is named after a certificate is the private half of it.
func isPublic(words []string, extension string) bool {
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	if extension != "pem" {
		return has(publicWords[:2]) && !has(privateWords[2:])
	}
	return has(publicWords) && !has(privateWords)
}

// withoutBackupMarks takes off what editors and people add to a name that they keep a copy under.
func withoutBackupMarks(base string) string {
	if len(base) > 2 && base[0] == '#' && base[len(base)-1] == '#' {
		base = base[1 : len(base)-1]
	}
	swap := false
	for again := true; again; {
		again = false
		for _, e := range backupEndings {
			if s, ok := strings.CutSuffix(base, e); ok && s != "" {
				swap = swap || e == ".swp" || e == ".swo"
				base, again = s, true
			}
		}
	}
	if swap && len(base) > 2 && base[0] == '.' && (base[1] == '.' || strings.HasPrefix(base, ".id_")) {
		base = base[1:] // an editor's swap file gains a leading dot
	}
	return base
}
