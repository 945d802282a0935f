package disk

import (
	"strings"
	"syscall"
)

const (
	linksMax = 40 // links followed for one name, as the kernel has it
	racesMax = 8  // times a name is resolved again because links moved under it
)

// openFollowing opens rel, following the links in it that stay inside the root. canon is the name that was opened; it
// is empty where nothing was followed. The kernel itself never follows a link: links are read by resolve, and their
// result is opened as strictly as the name itself, so that a link which is swapped in between cannot lead astray.
// Errors are bare errnos: EXDEV leads out of the root, ELOOP is a circle.
func (o *OS) openFollowing(rel string, how How) (fd FD, canon string, err error) {
	fd, err = o.direct(rel, how)
	for range racesMax {
		if err != syscall.ELOOP {
			return fd, canon, err
		}
		var r resolved
		if r, err = o.resolve(rel); err != nil {
			if err == errMoved {
				err = syscall.ELOOP
				continue
			}
			return -1, "", err
		}
		if r.gone {
			return -1, r.name, syscall.ENOENT
		}
		canon = r.name
		fd, err = o.direct(canon, how)
	}
	return fd, canon, err
}

// walk opens rel component by component, for kernels that cannot resolve beneath a folder. Like the kernel's way it
// answers ELOOP where any component is a link.
func (o *OS) walk(rel string, how How) (FD, error) {
	dir := o.root
	for {
		base, rest, more := strings.Cut(rel, "/")
		want := ForPassing
		if !more {
			want = how
		}
		fd, err := o.openat(dir, base, want, 0)
		if dir != o.root {
			o.k.Close(dir)
		}
		if err != nil || !more {
			return fd, err
		}
		dir, rel = fd, rest
	}
}

// resolved is where a name leads.
type resolved struct {
	name string // canonical as far as it exists
	link bool   // the last component of the asked name is itself a link
	gone bool   // nothing stands there: a component is missing
}

// errMoved tells that the tree changed while a name was resolved.
const errMoved = syscall.EAGAIN

// resolve follows the links in rel by hand. It reads each link through the descriptor of its folder, which was opened
// without following any. A target outside the root is accepted where it leads back in: its longest prefix that is the
// root is cut off. Everything else that leaves is EXDEV.
func (o *OS) resolve(rel string) (resolved, error) {
	var r resolved
	pending := strings.Split(rel, "/")
	var done []string
	for links := 0; len(pending) > 0; {
		c := pending[0]
		pending = pending[1:]
		switch c {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				// Above the root. The path may lead back in; if the root it passes last is the one it just left, it
				// does not.
				rest, ok := o.reanchor(o.real + "/../" + strings.Join(pending, "/"))
				if links++; !ok || links > linksMax || climbs(rest) {
					return r, syscall.EXDEV
				}
				pending = rest
				continue
			}
			done = done[:len(done)-1]
			continue
		}
		target, err := o.linkTarget(done, c)
		switch err {
		case nil:
		case syscall.EINVAL: // no link
			done = append(done, c)
			continue
		case syscall.ENOENT:
			if hasParent(pending) {
				return r, syscall.ENOENT
			}
			r.name, r.gone = strings.Join(append(append(done, c), pending...), "/"), true
			return r, nil
		default:
			return r, err
		}
		if links++; links > linksMax {
			return r, syscall.ELOOP
		}
		r.link = r.link || len(pending) == 0
		more := strings.Split(target, "/")
		if strings.HasPrefix(target, "/") {
			var ok bool
			if more, ok = o.reanchor(target); !ok {
				return r, syscall.EXDEV
			}
			done = done[:0]
		}
		pending = append(more, pending...)
	}
	if r.name = strings.Join(done, "/"); r.name == "" {
		r.name = "."
	}
	return r, nil
}

// linkTarget reads the link c in the folder of the components done.
func (o *OS) linkTarget(done []string, c string) (string, error) {
	dir := o.root
	if len(done) > 0 {
		fd, err := o.direct(strings.Join(done, "/"), ForPassing)
		if err == syscall.ELOOP {
			return "", errMoved
		}
		if err != nil {
			return "", err
		}
		defer o.k.Close(fd)
		dir = fd
	}
	return o.k.ReadLink(dir, c)
}

// reanchor returns the components of the absolute path below its longest prefix that is the root folder itself, under
// whatever spelling.
func (o *OS) reanchor(path string) ([]string, bool) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		st, err := o.k.Find(path[:end])
		if err == nil && st.Dev == o.dev && st.Ino == o.ino {
			return strings.Split(path[end:], "/"), true
		}
	}
	return nil, false
}

// climbs reports whether the first step of the components leads upwards.
func climbs(components []string) bool {
	for _, c := range components {
		if c != "" && c != "." {
			return c == ".."
		}
	}
	return false
}

func hasParent(components []string) bool {
	for _, c := range components {
		if c == ".." {
			return true
		}
	}
	return false
}
