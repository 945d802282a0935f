// Package span owns half-open intervals of lines, bytes and slots, and what splices do to them.
//
// Everything in here counts from zero and is half-open: [From, To). Only the wire converts to the one-based closed
// ranges people see. All values are plain data: copying is sharing nothing, except that a [Set] owns a slice, which its
// methods never modify in place once it was returned to a caller. Nothing in this package is safe for concurrent
// mutation; concurrent reading is fine.
package span

import (
	"fmt"
	"sort"
)

// Line is a zero-based line number.
type Line int

// Byte is a zero-based byte offset.
type Byte int

// Slot is a place of a file that evidence can cover: odd slot 2k+1 is line k, even slot 2k is joint k, the seam between
// line k-1 and line k. A file of n lines has 2n+1 slots; joint 0 is its start and joint n its end.
type Slot int

// LineSlot returns the slot of line k.
func LineSlot(k Line) Slot { return Slot(2*k + 1) }

// JointSlot returns the slot of the seam before line k.
func JointSlot(k Line) Slot { return Slot(2 * k) }

// IsLine reports whether s is the slot of a line rather than of a joint.
func (s Slot) IsLine() bool { return s&1 == 1 }

// Line returns the line of a line slot, or, for a joint, the line after it.
func (s Slot) Line() Line { return Line(s / 2) }

// Span is the half-open interval [From, To). It is empty when From == To, which still names a place.
type Span[T ~int] struct{ From, To T }

// Lines is a span of lines.
type Lines = Span[Line]

// Bytes is a span of byte offsets.
type Bytes = Span[Byte]

// Slots is a span of slots.
type Slots = Span[Slot]

// Of returns [from, to).
func Of[T ~int](from, to T) Span[T] { return Span[T]{from, to} }

// Len returns the number of places in s.
func (s Span[T]) Len() int { return int(s.To - s.From) }

// Empty reports whether s holds nothing.
func (s Span[T]) Empty() bool { return s.To <= s.From }

// Has reports whether x lies in s.
func (s Span[T]) Has(x T) bool { return s.From <= x && x < s.To }

// Contains reports whether all of o lies in s; an empty o is contained where its place is inside or at an edge of s.
func (s Span[T]) Contains(o Span[T]) bool { return s.From <= o.From && o.To <= s.To }

// Overlaps reports whether s and o share a place.
func (s Span[T]) Overlaps(o Span[T]) bool {
	return s.From < o.To && o.From < s.To && !s.Empty() && !o.Empty()
}

// Intersect returns what s and o share; it is empty when they share nothing.
func (s Span[T]) Intersect(o Span[T]) Span[T] {
	r := Span[T]{max(s.From, o.From), min(s.To, o.To)}
	if r.To < r.From {
		r.To = r.From
	}
	return r
}

// Shift returns s moved by d places.
func (s Span[T]) Shift(d int) Span[T] { return Span[T]{s.From + T(d), s.To + T(d)} }

// String shows the span as [from,to).
func (s Span[T]) String() string { return fmt.Sprintf("[%d,%d)", s.From, s.To) }

// SlotsOf returns the slots that delivering the lines l covers: the lines, the joints between them and the two joints
// at their edges. An empty l covers nothing.
func SlotsOf(l Lines) Slots {
	if l.Empty() {
		return Slots{JointSlot(l.From), JointSlot(l.From)}
	}
	return Slots{JointSlot(l.From), JointSlot(l.To) + 1}
}

// InnerSlots returns the slots of the lines l and of the joints strictly between them: what a call that names l by
// number owes. An empty l owes nothing.
func InnerSlots(l Lines) Slots {
	if l.Empty() {
		return Slots{JointSlot(l.From), JointSlot(l.From)}
	}
	return Slots{LineSlot(l.From), LineSlot(l.To-1) + 1}
}

// WholeFile returns all 2n+1 slots of a file of n lines.
func WholeFile(n int) Slots { return Slots{0, Slot(2*n + 1)} }

// LinesOf returns the lines whose slots lie in s.
func LinesOf(s Slots) Lines { return Lines{Line(s.From / 2), Line(s.To / 2)} }

// Set is a set of places, kept as sorted, disjoint, non-adjacent, non-empty spans. The zero value is empty and ready.
type Set[T ~int] struct{ spans []Span[T] }

// SetOf returns the union of the given spans, in any order.
func SetOf[T ~int](spans ...Span[T]) Set[T] {
	var s Set[T]
	switch len(spans) {
	case 0:
		return s
	case 1:
		return s.With(spans[0])
	}
	sorted := append([]Span[T](nil), spans...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].From < sorted[j].From })
	for _, sp := range sorted {
		if sp.Empty() {
			continue
		}
		if n := len(s.spans); n > 0 && sp.From <= s.spans[n-1].To {
			s.spans[n-1].To = max(s.spans[n-1].To, sp.To)
			continue
		}
		s.spans = append(s.spans, sp)
	}
	return s
}

// Spans returns the spans of s in order. The caller must not modify the slice.
func (s Set[T]) Spans() []Span[T] { return s.spans }

// Empty reports whether s holds nothing.
func (s Set[T]) Empty() bool { return len(s.spans) == 0 }

// Len returns the number of places in s.
func (s Set[T]) Len() int {
	n := 0
	for _, sp := range s.spans {
		n += sp.Len()
	}
	return n
}

// With returns s with add in it. It costs O(number of spans); s is unchanged.
func (s Set[T]) With(add Span[T]) Set[T] {
	if add.Empty() {
		return s
	}
	// i: first span that touches add, j: first span behind it.
	i := sort.Search(len(s.spans), func(k int) bool { return s.spans[k].To >= add.From })
	j := i + sort.Search(len(s.spans)-i, func(k int) bool { return s.spans[i+k].From > add.To })
	if j == i+1 && s.spans[i].Contains(add) {
		return s
	}
	out := make([]Span[T], 0, len(s.spans)-(j-i)+1)
	out = append(out, s.spans[:i]...)
	if i < j {
		add = Span[T]{min(add.From, s.spans[i].From), max(add.To, s.spans[j-1].To)}
	}
	out = append(out, add)
	return Set[T]{append(out, s.spans[j:]...)}
}

// Union returns what is in s or o.
func (s Set[T]) Union(o Set[T]) Set[T] {
	if s.Empty() {
		return o
	}
	if o.Empty() {
		return s
	}
	all := make([]Span[T], 0, len(s.spans)+len(o.spans))
	return SetOf(append(append(all, s.spans...), o.spans...)...)
}

// Has reports whether x is in s, in O(log n).
func (s Set[T]) Has(x T) bool {
	i := sort.Search(len(s.spans), func(k int) bool { return s.spans[k].To > x })
	return i < len(s.spans) && s.spans[i].From <= x
}

// Covers reports whether all of q is in s. An empty q is covered.
func (s Set[T]) Covers(q Span[T]) bool {
	if q.Empty() {
		return true
	}
	i := sort.Search(len(s.spans), func(k int) bool { return s.spans[k].To > q.From })
	return i < len(s.spans) && s.spans[i].Contains(q)
}

// Missing returns what of q is not in s.
func (s Set[T]) Missing(q Span[T]) Set[T] {
	var out Set[T]
	at := q.From
	i := sort.Search(len(s.spans), func(k int) bool { return s.spans[k].To > q.From })
	for ; i < len(s.spans) && s.spans[i].From < q.To; i++ {
		if at < s.spans[i].From {
			out.spans = append(out.spans, Span[T]{at, s.spans[i].From})
		}
		at = max(at, s.spans[i].To)
	}
	if at < q.To {
		out.spans = append(out.spans, Span[T]{at, q.To})
	}
	return out
}

// Minus returns what is in s and not in o.
func (s Set[T]) Minus(o Set[T]) Set[T] {
	var out Set[T]
	for _, sp := range s.spans {
		out.spans = append(out.spans, o.Missing(sp).spans...)
	}
	return out
}

// Intersect returns what of q is in s.
func (s Set[T]) Intersect(q Span[T]) Set[T] {
	var out Set[T]
	i := sort.Search(len(s.spans), func(k int) bool { return s.spans[k].To > q.From })
	for ; i < len(s.spans) && s.spans[i].From < q.To; i++ {
		if x := s.spans[i].Intersect(q); !x.Empty() {
			out.spans = append(out.spans, x)
		}
	}
	return out
}

// String shows the set as its spans in order.
func (s Set[T]) String() string { return fmt.Sprint(s.spans) }
