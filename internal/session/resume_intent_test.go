package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
)

// moment is where in a commit the process dies.
type moment int

const (
	beforeChange moment = iota // the intent is written, the file is not yet changed
	afterChange                // the file is changed, the end is not yet written
)

// dying stands before a journal and keeps a copy of root and state as they are at a moment of the next commit.
type dying struct {
	recorder
	p           *place
	at          moment
	root, state string
}

func (d *dying) Append(recs ...journal.Record) error { return d.put(d.recorder.Append, recs) }
func (d *dying) Sync(recs ...journal.Record) error   { return d.put(d.recorder.Sync, recs) }

func (d *dying) put(write func(...journal.Record) error, recs []journal.Record) error {
	for _, r := range recs {
		if _, ok := r.(*journal.Done); ok && d.at == afterChange && d.root == "" {
			d.copy()
		}
	}
	err := write(recs...)
	for _, r := range recs {
		if _, ok := r.(*journal.Intent); ok && d.at == beforeChange && d.root == "" {
			d.copy()
		}
	}
	return err
}

func (d *dying) copy() {
	d.root, d.state = filepath.Join(d.p.TempDir(), "root"), filepath.Join(d.p.TempDir(), "state")
	d.p.must(os.CopyFS(d.root, os.DirFS(d.p.root)))
	d.p.must(os.CopyFS(d.state, os.DirFS(d.p.state)))
}

// dies lets the process die at a moment of the commit that call makes, lets somebody else do something, and starts the
// next process.
func (p *place) dies(at moment, call func(), meanwhile func()) {
	p.Helper()
	d := &dying{recorder: p.ws.book.log, p: p, at: at}
	p.ws.book.log = d
	call()
	if d.root == "" {
		p.Fatal("the call made no commit")
	}
	p.must(p.ws.Close())
	old, err := os.ReadDir(p.root)
	p.must(err)
	for _, e := range old {
		p.must(os.RemoveAll(filepath.Join(p.root, e.Name())))
	}
	p.must(os.CopyFS(p.root, os.DirFS(d.root)))
	p.must(os.RemoveAll(p.state))
	p.must(os.CopyFS(p.state, os.DirFS(d.state)))
	if meanwhile != nil {
		meanwhile()
	}
	p.open()
}

// A commit whose end is not in the journal is settled by the disk: made, not made, or neither.
func TestIntentOfAnEdit(t *testing.T) {
	begin := func(t *testing.T) *place {
		p := newPlace(t)
		p.put("f.txt", "a\nb\nc\nd\n")
		p.read("s", "f.txt", lines(1, 3))
		p.full("t", "f.txt")
		return p
	}
	commit := func(p *place) func() {
		return func() { p.admitted(p.edit("s", "f.txt", replace("b", "b1\nb2")), "a\nb1\nb2\nc\nd\n") }
	}
	t.Run("made", func(t *testing.T) {
		p := begin(t)
		p.dies(afterChange, commit(p), nil)
		p.refused(p.edit("s", "f.txt", numbers(5, 5, "D")), fault.NotSeen, "[[4,5)]", "[]") // never shown
		p.refused(p.edit("t", "f.txt", replace("b1", "x")), fault.Stale, "[]", "[[1,2)]")   // another's text
		p.restart()
		p.admitted(p.edit("s", "f.txt", numbers(4, 4, "C")), "a\nb1\nb2\nC\nd\n") // shown, and moved by the own edit
		p.admitted(p.edit("s", "f.txt", numbers(2, 3, "B")), "a\nB\nC\nd\n")      // own text
		if n := len(p.ws.book.intents); n != 0 {
			t.Errorf("%d intents are left", n)
		}
	})
	t.Run("not made", func(t *testing.T) {
		p := begin(t)
		p.dies(beforeChange, commit(p), nil)
		p.admitted(p.edit("s", "f.txt", numbers(3, 3, "C")), "a\nb\nC\nd\n")
		p.refused(p.edit("s", "f.txt", replace("d", "D")), fault.NotSeen, "[[3,4)]", "[]")
	})
	for name, at := range map[string]moment{"neither, made before": afterChange, "neither, not made": beforeChange} {
		t.Run(name, func(t *testing.T) {
			p := begin(t)
			p.dies(at, commit(p), func() { p.put("f.txt", "a\nb1\nb2\nc\nX\n") })
			p.refused(p.edit("s", "f.txt", numbers(2, 2, "B")), fault.Stale, "[]", "[[1,2)]") // its number is not known
			p.restart()
			p.admitted(p.edit("s", "f.txt", replace("b2", "B2")), "a\nb1\nB2\nc\nX\n") // its text is
		})
	}
	t.Run("neither, whole file", func(t *testing.T) {
		p := newPlace(t)
		p.put("f.txt", "a\nb\n")
		p.full("s", "f.txt")
		p.dies(afterChange, func() { p.edit("s", "f.txt", replace("b", "B")) }, func() { p.put("f.txt", "a\nB\nX\n") })
		p.refused(p.write("s", "f.txt", "new\n", Replace), fault.Stale, "[]", "[[1,3)]")
	})
}

func TestIntentOfAWholeWrite(t *testing.T) {
	t.Run("created", func(t *testing.T) {
		p := newPlace(t)
		p.dies(afterChange, func() { p.admitted(p.write("s", "f.txt", "a\nb\n", Create), "a\nb\n") }, nil)
		p.admitted(p.edit("s", "f.txt", numbers(2, 2, "B")), "a\nB\n")
	})
	t.Run("not created", func(t *testing.T) {
		p := newPlace(t)
		p.dies(beforeChange, func() { p.write("s", "f.txt", "a\nb\n", Create) }, nil)
		p.admitted(p.write("s", "f.txt", "c\n", Create), "c\n")
		p.admitted(p.edit("s", "f.txt", numbers(1, 1, "C")), "C\n")
	})
	t.Run("created and changed", func(t *testing.T) {
		p := newPlace(t)
		p.dies(afterChange, func() { p.write("s", "f.txt", "a\nb\n", Create) }, func() { p.put("f.txt", "a\nb\nc\n") })
		p.refused(p.edit("s", "f.txt", numbers(1, 1, "A")), fault.NotSeen, "[[0,1)]", "[]")
		p.restart()
		p.admitted(p.edit("s", "f.txt", replace("b", "B")), "a\nB\nc\n")
	})
	t.Run("replaced", func(t *testing.T) {
		p := newPlace(t)
		p.put("f.txt", "a\nb\n")
		p.full("s", "f.txt")
		p.dies(afterChange, func() { p.write("s", "f.txt", "x\ny\n", Replace) }, nil)
		p.admitted(p.write("s", "f.txt", "z\n", Replace), "z\n")
	})
}

func TestIntentOfADelete(t *testing.T) {
	begin := func(t *testing.T) *place {
		p := newPlace(t)
		p.put("f.txt", "a\nb\n")
		p.full("s", "f.txt")
		return p
	}
	t.Run("made", func(t *testing.T) {
		p := begin(t)
		p.dies(afterChange, func() { p.remove("s", "f.txt") }, nil)
		p.put("f.txt", "a\nb\n")
		p.refused(p.edit("s", "f.txt", replace("a", "A")), fault.NotSeen, "[[0,1)]", "[]")
	})
	t.Run("not made", func(t *testing.T) {
		p := begin(t)
		p.dies(beforeChange, func() { p.remove("s", "f.txt") }, nil)
		p.admitted(p.edit("s", "f.txt", replace("a", "A")), "A\nb\n")
	})
	t.Run("and something else is there", func(t *testing.T) {
		p := begin(t)
		p.dies(afterChange, func() { p.remove("s", "f.txt") }, func() { p.put("f.txt", "a\nb\nc\n") })
		p.refused(p.edit("s", "f.txt", replace("a", "A")), fault.NotSeen, "[[0,1)]", "[]")
	})
}

func TestIntentOfAMove(t *testing.T) {
	begin := func(t *testing.T) *place {
		p := newPlace(t)
		p.put("f.txt", "a\nb\n")
		p.full("s", "f.txt")
		return p
	}
	t.Run("made", func(t *testing.T) {
		p := begin(t)
		p.dies(afterChange, func() { p.move("s", "f.txt", "g.txt") }, nil)
		p.admitted(p.edit("s", "g.txt", numbers(1, 1, "A")), "A\nb\n")
		p.put("f.txt", "a\nb\n")
		p.refused(p.edit("s", "f.txt", replace("a", "A")), fault.NotSeen, "[[0,1)]", "[]")
	})
	t.Run("not made", func(t *testing.T) {
		p := begin(t)
		p.dies(beforeChange, func() { p.move("s", "f.txt", "g.txt") }, nil)
		p.admitted(p.edit("s", "f.txt", numbers(1, 1, "A")), "A\nb\n")
		p.put("g.txt", "a\nb\n")
		p.refused(p.edit("s", "g.txt", replace("a", "A")), fault.NotSeen, "[[0,1)]", "[]")
	})
}

// A commit that was refused by the disk leaves no intent behind.
func TestIntentOfAFailedCommit(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\nb\n")
	p.full("s", "f.txt")
	p.ws.book.log = &changing{recorder: p.ws.book.log, change: func() { p.put("f.txt", "a\nX\n") }}
	p.refused(p.edit("s", "f.txt", replace("b", "B")), fault.Stale, "[]", "[[1,2)]")
	if n := len(p.ws.book.intents); n != 0 {
		t.Errorf("%d intents are left", n)
	}
	p.kill()
	p.admitted(p.edit("s", "f.txt", replace("a", "A")), "A\nX\n")
}

// changing lets somebody else change something as soon as an intent is written.
type changing struct {
	recorder
	change func()
}

func (c *changing) Append(recs ...journal.Record) error {
	err := c.recorder.Append(recs...)
	for _, r := range recs {
		if _, ok := r.(*journal.Intent); ok {
			c.change()
		}
	}
	return err
}
