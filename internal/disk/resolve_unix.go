//go:build linux || darwin

package disk

import (
	"strings"

	"golang.org/x/sys/unix"
)

const (
	linksMax = 40 // links followed for one name, as the kernel has it
	racesMax = 8  // times a name is resolved again because links moved under it
)

// openFollowing opens rel, following the links in it that stay inside the root. canon is the name that was opened; it
// is empty where nothing was followed. The kernel itself never follows a link: links are read by resolve, and their
// result is opened as strictly as the name itself, so that a link which is swapped in between cannot lead astray.
// Errors are bare errnos: EXDEV leads out of the root, ELOOP is a circle.
func (o *OS) openFollowing(rel string, flags int) (fd int, canon string, err error) {
	fd, err = o.direct(rel, flags)
	for range racesMax {
		if err != unix.ELOOP {
			return fd, canon, err
		}
		var r resolved
		if r, err = o.resolve(rel); err != nil {
			if err == errMoved {
				err = unix.ELOOP
				continue
			}
			return -1, "", err
		}
		if r.gone {
			return -1, r.name, unix.ENOENT
		}
		canon = r.name
		fd, err = o.direct(canon, flags)
	}
	return fd, canon, err
}

// walk opens rel component by component, for kernels that cannot resolve beneath a folder. Like the kernel's way it
// answers ELOOP where any component is a link.
func (o *OS) walk(rel string, flags int) (int, error) {
	dir := o.root
	for {
		base, rest, more := strings.Cut(rel, "/")
		want := folderFlags
		if !more {
			want = flags
		}
		fd, err := o.openat(dir, base, want|unix.O_NOFOLLOW, 0)
		if err == unix.ENOTDIR || err == unix.ELOOP {
			// A link where a folder was wanted is answered with ENOTDIR by some and with ELOOP by others.
			if _, lerr := o.readlinkat(dir, base); lerr == nil {
				err = unix.ELOOP
			}
		}
		if err == nil && !more && flags&lookOnly != 0 && flags&unix.O_DIRECTORY == 0 {
			err = o.refuseLink(fd)
		}
		if dir != o.root {
			o.close(dir)
		}
		if err != nil || !more {
			return fd, err
		}
		dir, rel = fd, rest
	}
}

// refuseLink closes fd and answers ELOOP where it is a link itself, which looking flags open without complaint.
func (o *OS) refuseLink(fd int) error {
	var st unix.Stat_t
	err := o.fstat(fd, &st)
	if err == nil && kindOf(uint32(st.Mode)) == Link {
		err = unix.ELOOP
	}
	if err != nil {
		o.close(fd)
	}
	return err
}

// resolved is where a name leads.
type resolved struct {
	name string // canonical as far as it exists
	link bool   // the last component of the asked name is itself a link
	gone bool   // nothing stands there: a component is missing
}

// errMoved tells that the tree changed while a name was resolved.
const errMoved = unix.EAGAIN

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
				rest, ok := o.reanchor(o.real + "/../" + strings.Join(pending, "/"))
				if !ok {
					return r, unix.EXDEV
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
		case unix.EINVAL: // no link
			done = append(done, c)
			continue
		case unix.ENOENT:
			if hasParent(pending) {
				return r, unix.ENOENT
			}
			r.name, r.gone = strings.Join(append(append(done, c), pending...), "/"), true
			return r, nil
		default:
			return r, err
		}
		if links++; links > linksMax {
			return r, unix.ELOOP
		}
		r.link = r.link || len(pending) == 0
		more := strings.Split(target, "/")
		if strings.HasPrefix(target, "/") {
			var ok bool
			if more, ok = o.reanchor(target); !ok {
				return r, unix.EXDEV
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
		fd, err := o.direct(strings.Join(done, "/"), folderFlags)
		if err == unix.ELOOP {
			return "", errMoved
		}
		if err != nil {
			return "", err
		}
		defer o.close(fd)
		dir = fd
	}
	return o.readlinkat(dir, c)
}

// reanchor returns the components of the absolute path below its longest prefix that is the root folder itself, under
// whatever spelling.
func (o *OS) reanchor(path string) ([]string, bool) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		var st unix.Stat_t
		if err := o.call("stat", func() error { return unix.Stat(path[:end], &st) }); err != nil {
			continue
		}
		if uint64(st.Dev) == o.dev && uint64(st.Ino) == o.ino {
			return strings.Split(path[end:], "/"), true
		}
	}
	return nil, false
}

func hasParent(components []string) bool {
	for _, c := range components {
		if c == ".." {
			return true
		}
	}
	return false
}
