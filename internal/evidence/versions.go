package evidence

import (
	"slices"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// versionOverhead is what a version costs in memory besides its skeleton, in bytes, roughly.
const versionOverhead = 160

// Versions interns the versions of one workspace by their ref, so that evidence about equal bytes shares one skeleton
// wherever the bytes lie. Its skeletons are bounded; over the bound those are dropped that were least recently of use
// and are no track's newest view, and newest ones last. A version whose skeleton was dropped is still good while the
// ref is equal. It is not safe for concurrent use, and neither are the tracks and histories that hold its versions.
type Versions struct {
	limit, bytes int
	byRef        map[content.Ref]*Version
	absent       *Version
	clock        uint64
	dropped      int
}

// NewVersions returns an empty table whose skeletons take at most limit bytes.
func NewVersions(limit int) *Versions {
	return &Versions{limit: limit, byRef: map[content.Ref]*Version{}, absent: &Version{Absent: true}}
}

// Absent returns the version of a file that is not there.
func (vs *Versions) Absent() *Version { return vs.absent }

// Intern returns the version with the ref of v, which is v itself when the ref is new. Where the skeleton of the known
// one was dropped it gets that of v. v must be complete and is not to be used where another version is returned.
func (vs *Versions) Intern(v *Version) *Version {
	if v.Absent {
		return vs.absent
	}
	known := vs.byRef[v.Ref]
	switch {
	case known == nil:
		known = v
		vs.enter(v)
	case dropped(known) && !dropped(v):
		vs.bytes -= cost(known)
		known.Skeleton = v.Skeleton
		vs.bytes += cost(known)
	}
	known.touch()
	vs.trim()
	return known
}

// Bytes returns about how much memory the versions take.
func (vs *Versions) Bytes() int { return vs.bytes }

// Len returns the number of versions.
func (vs *Versions) Len() int { return len(vs.byRef) }

// Dropped returns how many skeletons were dropped for want of memory so far.
func (vs *Versions) Dropped() int { return vs.dropped }

func (vs *Versions) enter(v *Version) {
	v.table = vs
	vs.byRef[v.Ref] = v
	vs.bytes += cost(v)
}

// trim keeps the bound. It frees an eighth of it at once, so that the sorting is paid for by what came in since.
func (vs *Versions) trim() {
	if vs.bytes <= vs.limit {
		return
	}
	all := make([]*Version, 0, len(vs.byRef))
	for _, v := range vs.byRef {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b *Version) int {
		if ra, rb := a.dispensable(), b.dispensable(); ra != rb {
			return ra - rb
		}
		return int(int64(a.asked - b.asked))
	})
	goal := vs.limit - vs.limit/8
	for _, v := range all {
		if vs.bytes <= goal {
			break
		}
		if v.asked == vs.clock {
			continue // the one that is being interned
		}
		vs.bytes -= cost(v)
		if v.holds == 0 {
			delete(vs.byRef, v.Ref)
			continue
		}
		if len(v.Skeleton) > 0 {
			v.Skeleton = nil
			vs.dropped++
		}
		vs.bytes += cost(v)
	}
}

// dispensable ranks what may go first: what nobody holds, then older views and edges, then newest views.
func (v *Version) dispensable() int {
	switch {
	case v.holds == 0:
		return 0
	case v.newest == 0:
		return 1
	}
	return 2
}

func cost(v *Version) int { return versionOverhead + len(v.Skeleton)*len(content.Hash{}) }

// hold says that one more view or edge refers to v.
func (v *Version) hold() {
	v.holds++
	if v.table != nil && v.table.byRef[v.Ref] == nil {
		v.table.enter(v) // it was dropped from the table while a capture still knew it
	}
}

func (v *Version) release() { v.holds-- }

// touch says that v is of use now.
func (v *Version) touch() {
	if v.table != nil {
		v.table.clock++
		v.asked = v.table.clock
	}
}

// same reports whether a and b are the same bytes.
func same(a, b *Version) bool {
	return a == b || a.Absent == b.Absent && a.Ref == b.Ref && !nameless(a)
}

// marked reports whether a and b differ in what stands before the first line: BOM or encoding.
func marked(a, b *Version) bool {
	return !a.Absent && !b.Absent && (a.BOM != b.BOM || a.Encoding != b.Encoding)
}

// slots returns all slots of v.
func (v *Version) slots() span.Slots { return span.WholeFile(v.N) }

// Shown returns the slots that showing the lines l of v covers. An empty or absent file is shown by saying that it is
// empty or absent: any span does. A window that shows no line of another file covers nothing.
func (v *Version) Shown(l span.Lines) span.Slots {
	if v.N == 0 {
		return span.WholeFile(0)
	}
	return span.SlotsOf(l.Intersect(span.Of(0, span.Line(v.N))))
}
