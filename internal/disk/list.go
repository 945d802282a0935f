package disk

import (
	"slices"
	"strings"

	"github.com/sightline-io/sightline/internal/scope"
)

// List implements [FS].
func (o *OS) List(name scope.Name, yield func(Entry) bool) error {
	if err := o.enter(name); err != nil {
		return err
	}
	defer o.leave()
	fd, _, err := o.openFollowing(name.String(), ForReading)
	if err != nil {
		if _, ok := specialByErrno(err); ok {
			return noFolder(name.String())
		}
		return o.lookFault(name.String(), "opening", err)
	}
	defer o.k.Close(fd)
	var st Node
	if err := o.fstat(fd, &st); err != nil {
		return failed(name.String(), "looking at", err)
	}
	if kindOf(st.Mode) != Folder {
		return noFolder(name.String())
	}
	all, err := o.entries(fd)
	if err != nil {
		return failed(name.String(), "listing", err)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Base, b.Base) })
	for _, e := range all {
		if Temporary(e.Base) {
			o.sweep(fd, e)
			continue
		}
		if !yield(e) {
			return nil
		}
	}
	return nil
}

// sweep removes a temporary file that a run which died left behind: a regular file of ours by its name, owned by this
// user, untouched by anybody for ten minutes. That it stays, for whatever reason, is no fault of the listing.
func (o *OS) sweep(dir FD, e Entry) {
	if o.opt.Clock == nil || e.Kind != Regular {
		return
	}
	var st Node
	if o.lstatat(dir, e.Base, &st) != nil || kindOf(st.Mode) != Regular || st.UID != o.k.User() {
		return
	}
	if s := stampOf(&st); max(s.Mtime, s.Ctime) < o.opt.Clock()-leftoverAge {
		_ = o.k.Unlink(dir, e.Base)
	}
}
