package disk

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sightline-io/sightline/internal/scope"
)

// Sizes implements [FS]. The folder is opened once, so that a file costs one call.
func (o *OS) Sizes(dir scope.Name, bases []string) ([]int64, error) {
	if err := o.enter(dir); err != nil {
		return nil, err
	}
	defer o.leave()
	fd, _, err := o.openFollowing(dir.String(), ForPassing)
	if err == syscall.ENOTDIR {
		return nil, noFolder(dir.String())
	}
	if err != nil {
		return nil, o.lookFault(dir.String(), "opening", err)
	}
	defer o.k.Close(fd)
	out := make([]int64, len(bases))
	var st Node
	for i, base := range bases {
		out[i] = -1
		if single(base) && o.lstatat(fd, base, &st) == nil && kindOf(st.Mode) == Regular {
			out[i] = st.Size
		}
	}
	return out, nil
}

// Sizes implements [FS].
func (o *portable) Sizes(dir scope.Name, bases []string) ([]int64, error) {
	if err := o.enter(dir); err != nil {
		return nil, err
	}
	defer o.leave()
	s, err := o.resolve(dir.String())
	if err == nil && s.gone {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, o.fault(dir.String(), "opening", err)
	}
	if !s.info.IsDir() {
		return nil, noFolder(dir.String())
	}
	out := make([]int64, len(bases))
	for i, base := range bases {
		out[i] = -1
		if !single(base) {
			continue
		}
		if fi, err := o.root.Lstat(filepath.FromSlash(s.rel + "/" + base)); err == nil && fi.Mode().IsRegular() {
			out[i] = fi.Size()
		}
	}
	return out, nil
}

// single reports whether base can be the name of an entry.
func single(base string) bool {
	return base != "" && base != "." && base != ".." && !strings.ContainsAny(base, "/\x00")
}
