package session

import (
	"context"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/fault"
)

// A waiver stands for the whole-file need of exactly its file and session, once; nothing else is licensed by it.
func TestWaiver(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"f.txt", "g.txt"} {
		p.put(name, "one\ntwo\n")
	}
	p.put("f.txt", "1\n2\n3\n")
	p.must(p.session("s").Waive([]string{"f.txt"}))

	p.refused(p.edit("s", "f.txt", replace("2", "zwei")), fault.NotSeen, "[[1,2)]", "[]")
	p.refused(p.write("t", "f.txt", "x\n", Replace), fault.NeedsFull, "[[0,3)]", "[]")
	p.refused(p.write("s", "g.txt", "x\n", Replace), fault.NeedsFull, "[[0,2)]", "[]")
	p.put("f.txt", "4\n5\n6\n7\n")
	if a, err := p.session("s").Check(context.Background(), CheckRequest{Path: "f.txt", Overwrite: true}); err != nil || !a.Allowed {
		t.Errorf("check: %+v, %v", a, err)
	}
	if a, err := p.session("s").Check(context.Background(), CheckRequest{Path: "f.txt"}); err != nil || a.Allowed {
		t.Errorf("check of every line: %+v, %v", a, err)
	}
	if got := p.write("s", "f.txt", "new\n", Replace); strings.Contains(got, "needs-full") || p.holds("f.txt") != "new\n" {
		t.Errorf("waived: %s", got)
	}
	p.put("f.txt", "8\n9\n")
	p.refused(p.write("s", "f.txt", "x\n", Replace), fault.Stale, "[]", "[[0,2)]") // it was spent
}

// A waiver is for the life of the process.
func TestWaiverDiesWithTheProcess(t *testing.T) {
	both(t, func(p *place, restart func()) {
		p.put("f.txt", "one\n")
		p.must(p.session("s").Waive([]string{"f.txt"}))
		restart()
		p.refused(p.write("s", "f.txt", "x\n", Replace), fault.NeedsFull, "[[0,1)]", "[]")
	})
}

// What may not be written cannot be waived, and one bad path waives nothing.
func TestWaiverRefused(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "one\n")
	for path, code := range map[string]fault.Code{"../x": fault.OutsideRoot, ".git/config": fault.Denied, "": fault.Invalid} {
		if got := fault.CodeOf(p.session("s").Waive([]string{"f.txt", path})); got != code {
			t.Errorf("%q: %s, not %s", path, got, code)
		}
	}
	p.refused(p.write("s", "f.txt", "x\n", Replace), fault.NeedsFull, "[[0,1)]", "[]")
	var many []string
	for range waiversMax + 1 {
		many = append(many, "f"+strings.Repeat("x", len(many)%200)+string(rune('a'+len(many)%26))+strings.Repeat("y", len(many)/200))
	}
	if err := p.session("s").Waive(many); fault.CodeOf(err) != fault.Limit {
		t.Errorf("%d waivers: %v", len(many), err)
	}
	if ids := p.ws.SessionIDs(); len(ids) != 1 || ids[0] != "s" {
		t.Errorf("sessions %q", ids)
	}
}
