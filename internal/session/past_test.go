package session

import (
	"context"
	"fmt"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
)

// change is one call under a request id, and what it answers.
type change struct {
	name string
	do   func(p *place, id string) (any, error)
	left string // what its file holds afterwards
}

func changesOf() []change {
	ctx := context.Background()
	meta := func(id string) Meta { return Meta{RequestID: id} }
	return []change{
		{"append", func(p *place, id string) (any, error) {
			return p.session("s").Edit(ctx, EditRequest{Path: "f.txt", Edits: []edit.Op{edit.Append{Text: "c\n"}}, Meta: meta(id)})
		}, "a\nb\nc\n"},
		{"edit that creates", func(p *place, id string) (any, error) {
			return p.session("s").Edit(ctx, EditRequest{Path: "new.txt", Edits: []edit.Op{replace("", "1\n2\n")}, Meta: meta(id)})
		}, "a\nb\n"},
		{"replace", func(p *place, id string) (any, error) {
			return p.session("s").Write(ctx, WriteRequest{Path: "f.txt", Text: "x\ny\nz\n", Mode: Replace, Meta: meta(id)})
		}, "x\ny\nz\n"},
		{"create", func(p *place, id string) (any, error) {
			return p.session("s").Write(ctx, WriteRequest{Path: "sub/new.txt", Text: "x\n", Mode: Create, Meta: meta(id)})
		}, "a\nb\n"},
		{"move", func(p *place, id string) (any, error) {
			return p.session("s").Move(ctx, MoveRequest{From: "f.txt", To: "g.txt", Meta: meta(id)})
		}, "(absent)"},
		{"delete", func(p *place, id string) (any, error) {
			return p.session("s").Delete(ctx, DeleteRequest{Path: "f.txt", Meta: meta(id)})
		}, "(absent)"},
	}
}

// A change whose request is repeated after a restart is answered as it was and not made again, also where the process
// died before it could say that it was made.
func TestRepeatAfterRestart(t *testing.T) {
	for _, way := range []struct {
		name string
		end  func(p *place, call func())
	}{
		{"restarted", func(p *place, call func()) { call(); p.restart() }},
		{"killed", func(p *place, call func()) { call(); p.kill() }},
		{"compacted", func(p *place, call func()) { call(); p.compact(); p.kill() }},
		{"died in it", func(p *place, call func()) { p.dies(afterChange, call, nil) }},
	} {
		for _, c := range changesOf() {
			t.Run(way.name+"/"+c.name, func(t *testing.T) {
				p := newPlace(t)
				p.put("f.txt", "a\nb\n")
				p.full("s", "f.txt")
				var first any
				way.end(p, func() {
					var err error
					first, err = c.do(p, "r1")
					p.must(err)
				})
				for range 2 {
					again, err := c.do(p, "r1")
					p.must(err)
					if got, want := fmt.Sprintf("%+v", again), fmt.Sprintf("%+v", first); got != want {
						t.Errorf("answered %s, at first %s", got, want)
					}
					if got := p.holds("f.txt"); got != c.left {
						t.Errorf("the file holds %q, want %q", got, c.left)
					}
				}
			})
		}
	}
}

// The same id with other arguments is invalid, of another verb or session it is another id, and after a day it is free.
func TestRepeatIsExact(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\n")
	p.full("s", "f.txt")
	p.full("t", "f.txt")
	add := func(id, session, text string) error {
		_, err := p.session(session).Edit(context.Background(), EditRequest{Path: "f.txt", Edits: []edit.Op{edit.Append{Text: text}}, Meta: Meta{RequestID: id}})
		return err
	}
	p.must(add("r", "s", "b\n"))
	p.restart()
	if err := add("r", "s", "c\n"); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("other arguments: %v", err)
	}
	p.must(add("r", "s", "b\n"))
	if _, err := p.session("s").Write(context.Background(), WriteRequest{Path: "g.txt", Text: "g\n", Mode: Create, Meta: Meta{RequestID: "r"}}); err != nil {
		t.Errorf("another verb: %v", err)
	}
	if err := add("r", "t", "b\n"); fault.CodeOf(err) != fault.Stale && fault.CodeOf(err) != fault.NotSeen {
		t.Errorf("another session: %v", err) // judged for itself
	}
	p.now += answerLifetime
	p.restart()
	p.must(add("r", "s", "b\n"))
	if got := p.holds("f.txt"); got != "a\nb\nb\n" {
		t.Errorf("the file holds %q", got)
	}
}

// Only so many answers are kept, the latest.
func TestPastIsBounded(t *testing.T) {
	s := &Session{}
	for i := range answersKept + 10 {
		s.keep(&journal.Answered{ID: uint64(i + 1), At: int64(i), Reply: journal.Reply{Request: content.Hash{byte(i), byte(i >> 8), 1}}})
	}
	if len(s.past.order) != answersKept || len(s.past.byID) != answersKept || s.past.order[0].ID != 11 {
		t.Errorf("%d and %d are kept, from %d", len(s.past.order), len(s.past.byID), s.past.order[0].ID)
	}
	s.keep(&journal.Answered{ID: 9999, At: answerLifetime + 100, Reply: journal.Reply{Request: content.Hash{2}}})
	if s.past.order[0].At != 101 {
		t.Errorf("the oldest is of %d", s.past.order[0].At)
	}
}
