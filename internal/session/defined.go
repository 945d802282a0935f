package session

import (
	"container/list"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/span"
)

// Bounds of the versions that a log may speak of without defining them again.
const (
	definedLines    = skeletonBytes / len(content.Hash{})
	definedVersions = 8192
)

// defined is which versions a log has defined, as far as both its writer and its reader remember. They remember the
// same, because both note every record in order and forget what was longest of no use by the same rule: a writer that
// forgot more, after an error, only defines more. The reader has the line hashes too.
type defined struct {
	byRef   map[string]*list.Element
	order   list.List // of *definition, last used at the back
	lines   int
	reading bool // keep the line hashes
}

// definition is one version that the log defined.
type definition struct {
	state evidence.VersionState // its skeleton only while a log is read
	whole bool                  // the line hashes are in the log
	lines int
}

func newDefined() *defined { return &defined{byRef: map[string]*list.Element{}} }

// clear forgets everything.
func (d *defined) clear() { *d = *newDefined() }

// written turns what a reader remembers into what the writer of the same log does.
func (d *defined) written() {
	d.reading = false
	for e := d.order.Front(); e != nil; e = e.Next() {
		e.Value.(*definition).state.Skeleton = nil
	}
}

// get returns the definition of ref without using it, or nil.
func (d *defined) get(ref string) *definition {
	if e := d.byRef[ref]; e != nil {
		return e.Value.(*definition)
	}
	return nil
}

func (d *defined) use(ref string) *definition {
	e := d.byRef[ref]
	if e == nil {
		return nil
	}
	d.order.MoveToBack(e)
	return e.Value.(*definition)
}

// note follows one record of the log.
func (d *defined) note(r journal.Record) {
	switch r := r.(type) {
	case *journal.Version:
		d.add(r)
	case *journal.Observed:
		d.use(r.Version)
	case *journal.Intent:
		d.use(r.Before)
		d.use(r.After)
	case *journal.Track:
		for i := range r.State.Views {
			d.use(r.State.Views[i].Version)
		}
	case *journal.History:
		for i := range r.Edges {
			d.use(r.Edges[i].From)
			d.use(r.Edges[i].To)
		}
	}
}

func (d *defined) add(r *journal.Version) {
	s := r.State
	var base *definition
	if r.Base != "" {
		if base = d.use(r.Base); base == nil || !base.whole {
			return
		}
	}
	def := &definition{state: s}
	def.whole = base != nil || s.N == 0 || s.Skeleton != nil
	if def.whole {
		def.lines = s.N
	}
	if base != nil {
		var ok bool
		if def.state.Skeleton, ok = base.with(r); !ok {
			return
		}
	}
	if !d.reading {
		def.state.Skeleton = nil
	}
	if old := d.byRef[s.Ref]; old != nil {
		d.lines -= old.Value.(*definition).lines
		d.order.Remove(old)
	}
	d.byRef[s.Ref] = d.order.PushBack(def)
	d.lines += def.lines
	for d.lines > definedLines || d.order.Len() > definedVersions {
		first := d.order.Front()
		if first.Next() == nil {
			return
		}
		gone := d.order.Remove(first).(*definition)
		delete(d.byRef, gone.state.Ref)
		d.lines -= gone.lines
	}
}

// with returns the line hashes of what r makes of the version; ok is false where r does not fit it. Where the hashes
// are not kept it returns none.
func (b *definition) with(r *journal.Version) (skeleton []content.Hash, ok bool) {
	if b.state.N+r.Splices.Delta() != r.State.N || !r.Splices.Valid(b.state.N) {
		return nil, false
	}
	if len(b.state.Skeleton) != b.state.N {
		return nil, true
	}
	skeleton = make([]content.Hash, 0, r.State.N)
	at, fresh := span.Line(0), r.State.Skeleton
	for _, sp := range r.Splices {
		skeleton = append(skeleton, b.state.Skeleton[at:sp.Old.From]...)
		skeleton = append(skeleton, fresh[:sp.New]...)
		fresh = fresh[sp.New:]
		at = sp.Old.To
	}
	return append(skeleton, b.state.Skeleton[at:]...), true
}

// definition returns the record that defines v, or nil where none is needed. It says how v differs from base where that
// is known to the log and shorter.
func (d *defined) definition(v, base *evidence.Version) journal.Record {
	if v.Absent {
		return nil
	}
	s := v.State()
	whole := len(s.Skeleton) == s.N && s.N <= journal.SkeletonLinesMax
	if known := d.get(s.Ref); known != nil && (known.whole || !whole) {
		return nil
	}
	if !whole {
		s.Skeleton = nil
		return &journal.Version{State: s}
	}
	if base == nil || base.Absent || len(base.Skeleton) != base.N || base.N == 0 {
		return &journal.Version{State: s}
	}
	if b := d.get(base.Ref.String()); b == nil || !b.whole {
		return &journal.Version{State: s}
	}
	top := 0
	for top < min(s.N, base.N) && s.Skeleton[top] == base.Skeleton[top] {
		top++
	}
	end := 0
	for end < min(s.N, base.N)-top && s.Skeleton[s.N-1-end] == base.Skeleton[base.N-1-end] {
		end++
	}
	if top+end == 0 {
		return &journal.Version{State: s}
	}
	r := &journal.Version{State: s, Base: base.Ref.String()}
	r.State.Skeleton = s.Skeleton[top : s.N-end : s.N-end]
	if sp := (span.Splice{Old: span.Of(span.Line(top), span.Line(base.N-end)), New: s.N - end - top}); !sp.Old.Empty() || sp.New > 0 {
		r.Splices = span.Splices{sp}
	}
	return r
}
