package evidence

import (
	"bytes"
	"slices"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// TrackState is all a track knows, as plain values, for a journal. It holds no file text: hashes, spans and numbers.
type TrackState struct {
	Epoch   Epoch
	Views   []ViewState // oldest first
	Own     []OwnState
	Columns []ColumnState // sorted by hash
}

// ViewState is one view. Its version is named by its ref, which is empty for the absent version.
type ViewState struct {
	Version      string
	Entries      []Entry
	Born         Seq
	Direct, Told Mark
	Forgot       bool
}

// OwnState is one of the session's own edits, for numbers that have to be moved through it.
type OwnState struct {
	Seq     Seq
	Call    CallID
	Splices span.Splices
}

// ColumnState is one line of which parts were shown.
type ColumnState struct {
	Line   content.Hash
	Len    int // bytes
	Pieces []PieceState
}

// PieceState is one part of a line; the slots of its entry mean nothing.
type PieceState struct {
	Columns span.Bytes
	Entry   Entry
}

// VersionState is one version as plain values.
type VersionState struct {
	Ref      string // empty for the absent version
	Absent   bool
	N        int
	Skeleton []content.Hash // nil where it was dropped
	Encoding content.Encoding
	BOM      bool
}

// EdgeState is one commit; its versions are named by their refs.
type EdgeState struct {
	From, To string
	Splices  span.Splices
	By       string
	Seq      Seq
}

// State returns what t knows. It shares nothing with t.
func (t *Track) State() TrackState {
	s := TrackState{Epoch: t.epoch}
	for i := range t.views {
		v := &t.views[i]
		s.Views = append(s.Views, ViewState{v.Version.Ref.String(), slices.Clone(v.Entries), v.Born, v.Direct, v.Told, v.Forgot})
	}
	for _, o := range t.own {
		s.Own = append(s.Own, OwnState{o.seq, o.call, slices.Clone(o.splices)})
	}
	for hash, p := range t.columns {
		c := ColumnState{Line: hash, Len: p.len}
		for _, x := range p.pieces {
			c.Pieces = append(c.Pieces, PieceState{x.cols, x.entry})
		}
		s.Columns = append(s.Columns, c)
	}
	slices.SortFunc(s.Columns, func(a, b ColumnState) int { return bytes.Compare(a.Line[:], b.Line[:]) })
	return s
}

// RestoreTrack returns the track that s was taken from. version finds the version of a ref, the absent one for the
// empty string; views whose version it does not find, answering nil, are lost, and so is what was seen through them.
func RestoreTrack(s TrackState, version func(ref string) *Version) *Track {
	t := &Track{epoch: s.Epoch}
	for _, v := range s.Views {
		if known := version(v.Version); known != nil {
			known.hold()
			t.views = append(t.views, View{Version: known, Entries: slices.Clone(v.Entries), Born: v.Born, Direct: v.Direct, Told: v.Told, Forgot: v.Forgot})
		}
	}
	if n := t.newest(); n != nil {
		n.Version.newest++
	}
	for _, o := range s.Own {
		t.own = append(t.own, ownEdit{o.Seq, o.Call, slices.Clone(o.Splices)})
	}
	for _, c := range s.Columns {
		if t.columns == nil {
			t.columns = map[content.Hash]*partialLine{}
		}
		p := &partialLine{len: c.Len}
		for _, x := range c.Pieces {
			p.pieces = append(p.pieces, piece{x.Columns, x.Entry})
		}
		t.columns[c.Line] = p
	}
	return t
}

// State returns v as plain values. The skeleton is shared and not to be changed.
func (v *Version) State() VersionState {
	return VersionState{v.Ref.String(), v.Absent, v.N, v.Skeleton, v.Encoding, v.BOM}
}

// Restore interns the version that s was taken from. It answers invalid for a ref that is none.
func (vs *Versions) Restore(s VersionState) (*Version, error) {
	if s.Absent {
		return vs.absent, nil
	}
	ref, err := content.ParseRef(s.Ref)
	if err != nil {
		return nil, err
	}
	return vs.Intern(&Version{Ref: ref, N: s.N, Skeleton: s.Skeleton, Encoding: s.Encoding, BOM: s.BOM}), nil
}

// State returns the commits of h, oldest first, as plain values.
func (h *History) State() []EdgeState {
	out := make([]EdgeState, len(h.edges))
	for i, e := range h.edges {
		out[i] = EdgeState{e.From.Ref.String(), e.To.Ref.String(), slices.Clone(e.Splices), e.By, e.Seq}
	}
	return out
}

// Restore adds the commits of s, oldest first; version is as in [RestoreTrack], and commits of unknown versions are
// lost.
func (h *History) Restore(s []EdgeState, version func(ref string) *Version) {
	for _, e := range s {
		if from, to := version(e.From), version(e.To); from != nil && to != nil {
			h.Add(Edge{from, to, slices.Clone(e.Splices), e.By, e.Seq})
		}
	}
}
