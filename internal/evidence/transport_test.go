package evidence

import (
	"slices"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// A plan meets a changed file at its commit: what it touches and owes is moved, or it fails.
func TestTransport(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		change              change
		others              bool // the change came through us
		at                  int  // the line, one-based, that the plan's first splice starts at now; 0 is a failure
	}{
		{"nothing changed", "a b c", "a b c", quoting(2, 2, "B"), false, 2},
		{"a line above", "a b c", "x a b c", quoting(2, 2, "B"), false, 3},
		{"a line below", "a b c", "a b c x", quoting(2, 2, "B"), false, 2},
		{"the line itself", "a b c", "a x c", quoting(2, 2, "B"), false, 0},
		{"the line is gone", "a b c", "a c", quoting(2, 2, "B"), false, 0},
		{"the line moved", "a b c", "b a c", quoting(2, 2, "B"), false, 0},
		{"written anew elsewhere", "k u z", "u z w k v", quoting(1, 1, "K"), false, 0},
		{"a line put between", "a b c d", "a b x c d", quoting(2, 3, "B C"), false, 0},
		{"numbers move with their lines", "a b c", "x a b c", numbering(2, 2, "B"), false, 3},
		{"an insertion whose place is whole", "a b c", "x a b c", quoting(3, 2, "n"), false, 4},
		{"an insertion whose place was filled", "a b c", "a b x c", quoting(3, 2, "n"), false, 0},
		{"an insertion at the start, with a new start", "a b", "x a b", quoting(1, 0, "n"), false, 0},
		{"an append, with a new end", "a b", "a b x", quoting(3, 2, "n"), false, 0},
		{"an append, with a new start", "a b", "x a b", quoting(3, 2, "n"), false, 4},
		{"in doubt among equal lines", "a } b }", "b } a }", quoting(2, 2, "x"), false, 0},
		{"another session deleted the equal line above", "} } }", "} }", quoting(3, 3, "x"), true, 2},
	} {
		s := newStage(t, c.before)
		p := s.session("P")
		p.sawAll()
		plan, v := s.version(), p.judge(c.change)
		if !v.Allow {
			t.Fatalf("%s: the plan: %s", c.name, v.show())
		}
		if c.others {
			q := s.session("Q")
			q.sawAll()
			q.commit(splitText(c.after), Verdict{Splices: span.Splices{{Old: lines(1, 1)}}})
		}
		s.becomes(c.after)
		moved, ok := Transport(s.h, plan, s.version(), v.Readings)
		if ok != (c.at > 0) {
			t.Errorf("%s: transported %v: %+v", c.name, ok, moved)
			continue
		}
		if !ok {
			continue
		}
		first := moved.Readings[0].Splices[0]
		if first.Old.From != span.Line(c.at-1) || first.Old.Len() != c.change.lines.Len() || first.New != len(c.change.to) {
			t.Errorf("%s: splice %+v", c.name, first)
		}
		if !c.change.lines.Empty() && moved.Lines[c.change.lines.From] != first.Old.From {
			t.Errorf("%s: lines %v", c.name, moved.Lines)
		}
		if c.change.lines.Empty() && moved.Places[c.change.lines.From] != first.Old.From {
			t.Errorf("%s: places %v", c.name, moved.Places)
		}
	}
}

// A plan whose version came about, went by a commit, and came back is not moved through that old commit.
func TestTransportLeavesOldCommitsAlone(t *testing.T) {
	s := newStage(t, "a a b")
	p := s.session("P")
	p.sawAll()
	want(t, "edit", p.edit(quoting(1, 1, "x")), "allow")
	s.becomes("a a b") // a revert
	p.sawAll()
	plan, v := s.version(), p.judge(quoting(1, 1, "y"))
	s.becomes("a a b c")
	if _, ok := Transport(s.h, plan, s.version(), v.Readings); !ok {
		t.Error("the plan was moved through a commit that was made before it")
	}
	want(t, "a text edit", p.judge(quoting(1, 1, "y")), "allow")
}

// Columns move with their line.
func TestTransportOfColumns(t *testing.T) {
	s := newStage(t, "a long")
	plan := s.version()
	s.becomes("x a long")
	r := Reading{Splices: span.Splices{{Old: lines(2, 2), New: 1}}, Columns: map[span.Line][]span.Bytes{1: {span.Of[span.Byte](5, 9)}}}
	moved, ok := Transport(s.h, plan, s.version(), []Reading{r})
	if !ok || !slices.Equal(moved.Readings[0].Columns[2], r.Columns[1]) {
		t.Errorf("%v, %v", moved, ok)
	}
	s.becomes("x a other")
	if _, ok := Transport(s.h, plan, s.version(), []Reading{r}); ok {
		t.Error("moved onto another line")
	}
	if got := authored(r.Splices, []Reading{r}); len(got) != 0 {
		t.Errorf("a line of which only columns were owed is authored: %v", got)
	}
	both := Reading{Splices: span.Splices{{Old: lines(1, 3), New: 3}}, Columns: r.Columns}
	if got := authored(both.Splices, []Reading{both}); !slices.Equal(got, []span.Slots{span.SlotsOf(lines(1, 1)), span.SlotsOf(lines(3, 3))}) {
		t.Errorf("beside a line of which only columns were owed: %v", got)
	}
}

// Numbers of one round are moved through its own edits.
func TestTranslate(t *testing.T) {
	at := func(from, to int) span.Lines { return lines(from, to) }
	for _, c := range []struct {
		name      string
		splices   []span.Splices
		seen, now span.Lines
		ok        bool
	}{
		{"nothing", nil, at(3, 4), at(3, 4), true},
		{"longer above", []span.Splices{{{Old: at(1, 1), New: 3}}}, at(3, 4), at(5, 6), true},
		{"shorter above", []span.Splices{{{Old: at(1, 2), New: 0}}}, at(3, 4), at(1, 2), true},
		{"below", []span.Splices{{{Old: at(5, 5), New: 3}}}, at(3, 4), at(3, 4), true},
		{"on it", []span.Splices{{{Old: at(4, 5), New: 2}}}, at(3, 4), at(0, -1), false},
		{"inserted inside", []span.Splices{{{Old: at(4, 3), New: 1}}}, at(3, 4), at(0, -1), false},
		{"inserted at its start", []span.Splices{{{Old: at(3, 2), New: 1}}}, at(3, 4), at(4, 5), true},
		{"inserted at its end", []span.Splices{{{Old: at(5, 4), New: 1}}}, at(3, 4), at(3, 4), true},
		{"an insertion at an insertion", []span.Splices{{{Old: at(3, 2), New: 1}}}, at(3, 2), at(0, -1), false},
		{"an insertion beside a replaced line", []span.Splices{{{Old: at(2, 2), New: 1}}}, at(3, 2), at(0, -1), false},
		{"an insertion below", []span.Splices{{{Old: at(1, 1), New: 2}}}, at(4, 3), at(5, 4), true},
		{"two edits, one after the other", []span.Splices{{{Old: at(1, 1), New: 2}}, {{Old: at(1, 2), New: 1}}}, at(3, 3), at(3, 3), true},
		{"one edit of two places", []span.Splices{{{Old: at(1, 1), New: 2}, {Old: at(5, 5), New: 2}}}, at(6, 6), at(8, 8), true},
	} {
		tr := &Track{own: []ownEdit{{seq: 1, splices: span.Splices{{Old: at(1, 1), New: 9}}}}}
		for i, ss := range c.splices {
			tr.own = append(tr.own, ownEdit{seq: Seq(3 + i), splices: ss})
		}
		now, ok := Translate(tr, nil, nil, 2, c.seen)
		if ok != c.ok || ok && now != c.now {
			t.Errorf("%s: %v, %v", c.name, now, ok)
		}
	}
}

// A text that is gone is stale where it was shown, and not found where it never was.
func TestStaleSearch(t *testing.T) {
	key := content.NewHasher(content.Key{7})
	s := newStage(t, "a b c d")
	p := s.session("P")
	p.saw(1, 3)
	search := func(lines ...string) ([]span.Lines, bool) {
		var hs []content.Hash
		for _, l := range lines {
			hs = append(hs, key.Line([]byte(l)))
		}
		return StaleSearch(p.t, s.h, s.version(), hs, p.boundary)
	}
	for _, c := range []struct {
		name, after string
		lines       []string
		places      []span.Lines
		quoted      bool
	}{
		{"nothing changed", "a b c d", []string{"zzz"}, nil, false},
		{"replaced", "a X c d", []string{"b"}, []span.Lines{lines(2, 2)}, true},
		{"replaced by two", "a X Y c d", []string{"b"}, []span.Lines{lines(2, 3)}, true},
		{"deleted", "a c d", []string{"b"}, []span.Lines{lines(2, 1)}, true},
		{"two lost lines", "X c Y", []string{"a", "b"}, []span.Lines{lines(1, 1)}, true},
		{"never shown", "a b c X", []string{"d"}, nil, false},
		{"never there, but others changed", "a X c d", []string{"zzz"}, []span.Lines{lines(2, 2)}, false},
		{"everything gone", "", []string{"b"}, []span.Lines{{}}, true},
	} {
		s.becomes(c.after)
		places, quoted := search(c.lines...)
		if quoted != c.quoted || !slices.Equal(places, c.places) {
			t.Errorf("%s: %v, %v", c.name, places, quoted)
		}
	}
	q := s.session("Q")
	q.tick()
	if places, quoted := StaleSearch(q.t, s.h, s.version(), nil, q.boundary); places != nil || quoted {
		t.Error("a session that saw nothing has stale text")
	}
}
