package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// Rules for repeats after a restart. A change that was made is answered again and never made twice; its answer stands
// with its intent in the journal; one that was refused is refused again. A read is read again.

// requested is a request id and the arguments it came with, as keyed hashes.
type requested struct{ id, digest content.Hash }

// past is what the changes of a session answered under request ids, oldest first.
type past struct {
	byID  map[content.Hash]*journal.Answered
	order []*journal.Answered
}

// requested returns what the journal knows the request id of a verb, and the digest of its arguments, by.
func (s *Session) requested(key string, sum [sha256.Size]byte) requested {
	if s.ws.book == nil {
		return requested{}
	}
	return requested{s.ws.keyedHash(requestMark, "id", s.id, key), s.ws.keyedHash(requestMark, "digest", string(sum[:]))}
}

// What keyed hashes are of, besides lines and refs.
const (
	requestMark byte = 4
	refusalMark byte = 6
)

// keyedHash returns a hash of parts under the workspace's key.
func (w *Workspace) keyedHash(of byte, parts ...string) (h content.Hash) {
	b := append(append(make([]byte, 0, 256), w.opt.Key[:]...), of)
	for _, p := range parts {
		b = append(binary.AppendUvarint(b, uint64(len(p))), p...)
	}
	d := sha256.Sum256(b)
	copy(h[:], d[:])
	return h
}

// remember keeps what a change answers; the caller holds the evidence lock.
func (s *Session) remember(in *journal.Intent, d *journal.Done) {
	if in.Reply.Request == (content.Hash{}) {
		return
	}
	a := &journal.Answered{ID: in.ID, Session: s.id, Change: in.Change, Name: in.Name, To: in.To, At: d.At, Reply: in.Reply}
	a.Reply.Durability, a.Reply.Warnings = d.Durability, d.Warnings
	switch {
	case d.Name == "":
	case in.Change == journal.Moved:
		a.To = d.Name
	default:
		a.Name = d.Name
	}
	s.keep(a)
}

// keep puts a among what is kept, within its bounds; the caller holds the evidence lock.
func (s *Session) keep(a *journal.Answered) {
	p := &s.past
	if p.byID == nil {
		p.byID = map[content.Hash]*journal.Answered{}
	}
	p.byID[a.Reply.Request] = a
	p.order = append(p.order, a)
	slices.SortFunc(p.order, func(a, b *journal.Answered) int { return cmp.Compare(a.ID, b.ID) })
	for len(p.order) > answersKept || p.order[0].At+answerLifetime <= a.At {
		old := p.order[0]
		if p.byID[old.Reply.Request] == old {
			delete(p.byID, old.Reply.Request)
		}
		p.order = p.order[1:]
	}
}

// answeredBefore returns what a change answered under this request id, if it did; an error where it came with other
// arguments then.
func (s *Session) answeredBefore(r requested) (*journal.Answered, error) {
	s.ws.mu.Lock()
	defer s.ws.mu.Unlock()
	a := s.past.byID[r.id]
	if a == nil || r == (requested{}) || a.At+answerLifetime <= s.ws.opt.Clock() {
		return nil, nil
	}
	if a.Reply.Digest != r.digest {
		return nil, otherCall()
	}
	return a, nil
}

// answerAgain returns the answer a as the kind of answer that is asked for; ok is false where a is of another kind.
func answerAgain[T any](w *Workspace, a *journal.Answered) (out T, ok bool) {
	if a == nil {
		return out, false
	}
	var answer any
	name, rerr := scope.NameOf(a.Name)
	if rerr != nil {
		return out, false
	}
	before, after := w.unmasked(a, 0), w.unmasked(a, 1)
	r, d := a.Reply, disk.Durability(a.Reply.Durability)
	switch any(out).(type) {
	case *EditAnswer:
		e := &EditAnswer{Path: name.String(), Before: before, After: after, Durability: d, Warnings: r.Warnings}
		for _, x := range r.Edits {
			e.Edits = append(e.Edits, Changed{Before: x.Before, After: x.After})
		}
		if a.Change == journal.Written { // an edit that created the file
			e.Edits = []Changed{{After: span.Of(span.Line(0), span.Line(r.Lines))}}
		}
		answer = e
	case *WriteAnswer:
		answer = &WriteAnswer{Path: name.String(), Before: before, After: after, Lines: r.Lines, Durability: d, Warnings: r.Warnings}
	case *MoveAnswer:
		answer = &MoveAnswer{From: name.String(), To: a.To, Ref: after, Warnings: r.Warnings}
	case *DeleteAnswer:
		answer = &DeleteAnswer{Path: name.String(), Before: before}
	}
	out, ok = answer.(T)
	return out, ok
}

// masked returns a plain ref under the mask of an intent; which tells the refs of one intent apart. A mask is a hash
// under the key and is never used for two refs, so that what rests on disk tells nothing of the bytes.
func (w *Workspace) masked(ref content.Ref, id uint64, which byte) (m journal.Masked) {
	if ref.IsZero() {
		return m
	}
	d, mask := ref.Digest(), w.maskOf(id, which)
	for i := range m {
		m[i] = d[i] ^ mask[i]
	}
	return m
}

func (w *Workspace) maskOf(id uint64, which byte) [sha256.Size]byte {
	b := append(append(make([]byte, 0, 48), w.opt.Key[:]...), 5, which)
	return sha256.Sum256(binary.LittleEndian.AppendUint64(b, id))
}

// unmasked is the reverse of masked.
func (w *Workspace) unmasked(a *journal.Answered, which byte) content.Ref {
	m := [...]journal.Masked{a.Reply.Before, a.Reply.After}[which]
	if m == (journal.Masked{}) {
		return content.Ref{}
	}
	mask := w.maskOf(a.ID, which)
	for i := range m {
		m[i] ^= mask[i]
	}
	ref, err := content.ParseRef("sha256:" + hex.EncodeToString(m[:]))
	if err != nil {
		panic("session: a digest is no ref: " + err.Error())
	}
	return ref
}
