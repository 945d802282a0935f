package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
)

// step is one thing that happens; it returns what was answered.
type step struct {
	name string
	do   func(p *place) string
}

// story is a conversation that uses everything that evidence has. No step relies on a cursor, which ends with its
// process.
func story() []step {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "w%05d ", i)
	}
	long := b.String() // a line of 35,000 bytes
	var kept evidence.CallID
	by := func(name, text string) step {
		return step{"x writes " + name, func(p *place) string { p.put(name, text); return "" }}
	}
	quiet := func(name string, do func(p *place)) step {
		return step{name, func(p *place) string { do(p); return "" }}
	}
	return []step{
		by("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n"),
		by("b.txt", "1\r\n2\r\n3\r\n"),
		by("empty.txt", ""),
		by("long.txt", "head\n"+long+"\ntail\n"),
		by("k.txt", "k=1\nm\nn\nk=1\n"),
		{"window", func(p *place) string { return p.read("s", "a.txt", lines(1, 3)) }},
		{"another's window", func(p *place) string { return p.read("t", "a.txt", lines(2, 5)) }},
		{"edit", func(p *place) string { return p.edit("s", "a.txt", replace("two", "TWO\nTWO AND A HALF")) }},
		{"edit unseen", func(p *place) string { return p.edit("s", "a.txt", replace("six", "SIX")) }},
		{"the same again", func(p *place) string { return p.edit("s", "a.txt", replace("six", "SIX")) }},
		{"another's number moved", func(p *place) string { return p.edit("t", "a.txt", numbers(4, 4, "FOUR")) }},
		{"seen", func(p *place) string { return p.seen("a.txt") }},
		{"number", func(p *place) string { return p.edit("s", "a.txt", numbers(3, 3, "2.5")) }},
		by("a.txt", "zero\none\nTWO\n2.5\nthree\nfour\nfive\nsix!\n"),
		{"after x", func(p *place) string { return p.edit("s", "a.txt", replace("one", "ONE"), replace("SIX", "6")) }},
		{"after x, alone", func(p *place) string { return p.edit("s", "a.txt", replace("one", "ONE")) }},
		{"seen", func(p *place) string { return p.seen("a.txt") }},
		{"full", func(p *place) string { return p.full("s", "b.txt") }},
		{"whole", func(p *place) string { return p.write("s", "b.txt", "1\n2\n3\n4\n", Replace) }},
		{"whole, by another", func(p *place) string { return p.write("t", "b.txt", "9\n", Replace) }},
		{"the empty one", func(p *place) string { return p.write("s", "empty.txt", "x\n", Replace) }},
		{"the empty one again", func(p *place) string { return p.write("s", "empty.txt", "x\n", Replace) }},
		{"long line", func(p *place) string { return p.read("s", "long.txt", lines(2, 2)) }},
		{"its column", func(p *place) string { return p.edit("s", "long.txt", replace("w00100", "W100")) }},
		{"another column", func(p *place) string { return p.edit("s", "long.txt", replace("w04999", "W4999")) }},
		{"seen", func(p *place) string { return p.seen("long.txt") }},
		{"create", func(p *place) string { return p.write("s", "new/n.txt", "n1\nn2\n", Create) }},
		{"edit the created", func(p *place) string { return p.edit("s", "new/n.txt", numbers(2, 2, "N2")) }},
		{"append", func(p *place) string { return p.edit("s", "new/n.txt", edit.Append{Text: "n3\n"}) }},
		{"move", func(p *place) string { return p.move("s", "new/n.txt", "moved.txt") }},
		by("new/n.txt", "n1\nother\n"),
		{"edit the moved", func(p *place) string { return p.edit("s", "moved.txt", replace("n1", "first")) }},
		{"edit what came after", func(p *place) string { return p.edit("s", "new/n.txt", replace("n1", "first")) }},
		{"delete", func(p *place) string { return p.remove("s", "moved.txt") }},
		by("moved.txt", "first\nN2\nn3\n"),
		{"edit the recreated", func(p *place) string { return p.edit("s", "moved.txt", replace("N2", "x")) }},
		{"absent", func(p *place) string { return p.read("s", "nothing.txt") }},
		quiet("round 5", func(p *place) { p.rounds["s"] = 5 }),
		{"in a round", func(p *place) string { return p.read("s", "k.txt", lines(1, 2)) }},
		{"too early", func(p *place) string { return p.edit("s", "k.txt", numbers(2, 2, "M")) }},
		quiet("round 6", func(p *place) { p.rounds["s"] = 6 }),
		{"next round", func(p *place) string { return p.edit("s", "k.txt", numbers(2, 2, "M")) }},
		by("k.txt", "M\nn\nk=1\n"),
		{"the other k", func(p *place) string { return p.edit("s", "k.txt", numbers(3, 3, "k=2")) }},
		quiet("no rounds", func(p *place) { delete(p.rounds, "s") }),
		quiet("mark", func(p *place) { kept = p.session("s").Calls() }),
		{"read on a branch", func(p *place) string { return p.full("s", "k.txt") }},
		{"write on a branch", func(p *place) string { return p.edit("s", "k.txt", replace("n", "N")) }},
		quiet("rewind", func(p *place) {
			k := kept
			p.must(p.session("s").Rewind(func(c evidence.CallID) bool { return c <= k }))
		}),
		{"after the rewind", func(p *place) string { return p.edit("s", "k.txt", replace("N", "n")) }},
		{"seen", func(p *place) string { return p.seen("k.txt") }},
		quiet("link", func(p *place) { p.must(os.Link(filepath.Join(p.root, "a.txt"), filepath.Join(p.root, "z.txt"))) }),
		{"by its other name", func(p *place) string { return p.edit("s", "z.txt", replace("TWO", "two")) }},
		{"by its first name", func(p *place) string { return p.edit("s", "a.txt", replace("three", "3")) }},
		{"delete a name", func(p *place) string { return p.remove("s", "z.txt") }},
		{"seen", func(p *place) string { return p.seen("a.txt") }},
		{"the last word", func(p *place) string { return p.write("s", "a.txt", "done\n", Replace) }},
	}
}

// tell plays the story with a restart before step at, or with none for -1, and returns what was answered.
func tell(t *testing.T, at int, restart func(*place)) []string {
	p := newPlace(t)
	var out []string
	for i, s := range story() {
		if i == at {
			restart(p)
		}
		p.now += 60_000
		out = append(out, s.do(p))
	}
	return out
}

// A restart between any two calls of a conversation changes no answer, nor does a kill, nor a log written anew, nor all
// of them between all calls.
func TestRestartAnywhere(t *testing.T) {
	want := tell(t, -1, nil)
	story := story()
	compare := func(t *testing.T, got []string) {
		t.Helper()
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("step %d, %s:\n got %s\nwant %s", i, story[i].name, got[i], want[i])
			}
		}
	}
	for at := range story {
		compare(t, tell(t, at, (*place).kill))
		if t.Failed() {
			t.Fatalf("killed before step %d, %s", at, story[at].name)
		}
	}
	ways := []func(*place){(*place).restart, (*place).kill, func(p *place) { p.compact(); p.kill() }}
	for first := range ways {
		p := newPlace(t)
		var got []string
		for i, s := range story {
			ways[(i+first)%len(ways)](p)
			p.now += 60_000
			got = append(got, s.do(p))
		}
		compare(t, got)
	}
}

// compact writes the log anew, whatever its size.
func (p *place) compact() {
	p.Helper()
	p.ws.book.writing.Lock()
	defer p.ws.book.writing.Unlock()
	p.must(p.ws.compact())
}
