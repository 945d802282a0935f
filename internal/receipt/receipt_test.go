package receipt_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

func name(t testing.TB, rel string) scope.Name {
	t.Helper()
	n, err := scope.NameOf(rel)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func lines(from, to span.Line) []span.Lines { return []span.Lines{span.Of(from, to)} }

// A refusal storm: one receipt with a counter, whatever its length (F91).
func TestRepeatsOfOneRefusalAreOneReceipt(t *testing.T) {
	l := receipt.NewLog(100)
	f := name(t, "f.txt")
	l.Add(receipt.Receipt{At: 1, Session: "s", Verb: "read", Name: f, Delivered: lines(0, 2)})
	stale := receipt.Receipt{Session: "s", Verb: "edit", Name: f, Code: fault.Stale, Drifted: lines(1, 2)}
	for i := range 50 {
		stale.At = int64(10 + i)
		got := l.Add(stale)
		if got.Seq != 2 || got.Count != i+1 || got.At != 10 || got.Last != stale.At {
			t.Fatalf("repeat %d: %s", i, got.Render())
		}
		// Other sessions and other files do not break the count.
		l.Add(receipt.Receipt{At: 5, Session: "t", Verb: "edit", Name: f, Code: fault.NotSeen})
		l.Add(receipt.Receipt{At: 5, Session: "s", Verb: "edit", Name: name(t, "g.txt"), Code: fault.NotSeen})
	}
	l.Add(receipt.Receipt{At: 70, Session: "s", Verb: "edit", Name: f, Touched: lines(1, 2)})
	if got := l.Add(stale); got.Count != 1 {
		t.Errorf("a refusal after a success is a new one: %s", got.Render())
	}
	if n := len(l.All()); n != 6 {
		t.Errorf("%d receipts kept, want 6", n)
	}
	tally := l.Tally()
	if tally.Done != 2 || tally.Refused[fault.Stale] != 51 || tally.Refused[fault.NotSeen] != 100 || tally.Dropped != 0 {
		t.Errorf("tally %+v", tally)
	}
}

func TestWhatIsNotARepeat(t *testing.T) {
	base := receipt.Receipt{Session: "s", Verb: "edit", Name: name(t, "f"), Code: fault.Stale, Missing: lines(0, 1), Drifted: lines(1, 2), Delivered: lines(1, 2), Before: content.RefOf(nil)}
	for what, change := range map[string]func(*receipt.Receipt){
		"session":   func(r *receipt.Receipt) { r.Session = "t" },
		"verb":      func(r *receipt.Receipt) { r.Verb = "write" },
		"name":      func(r *receipt.Receipt) { r.Name = name(t, "g") },
		"to":        func(r *receipt.Receipt) { r.To = name(t, "g") },
		"code":      func(r *receipt.Receipt) { r.Code = fault.NotSeen },
		"missing":   func(r *receipt.Receipt) { r.Missing = nil },
		"drifted":   func(r *receipt.Receipt) { r.Drifted = lines(1, 3) },
		"delivered": func(r *receipt.Receipt) { r.Delivered = nil },
		"before":    func(r *receipt.Receipt) { r.Before = content.RefOf([]byte("x")) },
		"warnings":  func(r *receipt.Receipt) { r.Warnings = []receipt.Warning{"w"} },
		"done":      func(r *receipt.Receipt) { r.Code = "" },
	} {
		l := receipt.NewLog(9)
		l.Add(base)
		other := base
		change(&other)
		if got := l.Add(other); got.Seq != 2 || got.Count != 1 {
			t.Errorf("other %s was counted as a repeat", what)
		}
	}
	l := receipt.NewLog(9)
	done := base
	done.Code = ""
	l.Add(done)
	if got := l.Add(done); got.Seq != 2 {
		t.Error("things done are never folded: each has its receipt")
	}
}

func TestLogKeepsTheLatest(t *testing.T) {
	for most := range 6 {
		l := receipt.NewLog(most)
		l.Resume(100)
		for i := range 20 {
			got := l.Add(receipt.Receipt{At: int64(i), Session: "s", Verb: "read", Name: name(t, fmt.Sprint("f", i%7))})
			if got.Seq != uint64(101+i) {
				t.Fatalf("sequence number %d, want %d", got.Seq, 101+i)
			}
			all := l.All()
			if want := min(i+1, max(most, 1)); len(all) != want {
				t.Fatalf("keeps %d of %d at most %d", len(all), i+1, most)
			}
			for k, r := range all {
				if r.Seq != uint64(101+i-len(all)+1+k) {
					t.Fatalf("receipt %d of %d has number %d", k, len(all), r.Seq)
				}
			}
			if since := l.Since(got.Seq - 1); len(since) != 1 || since[0].At != int64(i) {
				t.Fatalf("since the last but one: %v", since)
			}
		}
		if l.Since(1<<63) != nil || l.Since(^uint64(0)) != nil {
			t.Fatal("there is nothing after the end")
		}
		if d := l.Tally().Dropped; d != uint64(20-max(most, 1)) {
			t.Fatalf("%d dropped", d)
		}
		l.Resume(7)
		if got := l.Add(receipt.Receipt{Session: "s"}); got.Seq != 121 {
			t.Fatal("resuming a log in use gave numbers twice")
		}
	}
}

// A repeat of a refusal that is no longer kept starts a new receipt.
func TestRepeatOfADroppedRefusal(t *testing.T) {
	l := receipt.NewLog(2)
	no := receipt.Receipt{Session: "s", Verb: "edit", Name: name(t, "f"), Code: fault.NotSeen}
	l.Add(no)
	for range 2 {
		l.Add(receipt.Receipt{Session: "s", Verb: "read", Name: name(t, "g")})
	}
	if got := l.Add(no); got.Seq != 4 || got.Count != 1 {
		t.Fatal(got.Render())
	}
}

// No byte of a file may stand in a receipt, whatever a caller hands in.
func TestPoisonedInput(t *testing.T) {
	const poison = "PASSWORD=hunter2 and more"
	f := &fault.Error{
		Op: poison, Code: fault.Stale, Path: poison, Message: poison, Field: poison, Drifted: lines(0, 1), Err: errors.New(poison),
		Cure: &fault.Cure{
			Text: []fault.Shown{{Lines: span.Of[span.Line](0, 1), Text: poison}}, Delivered: lines(0, 1),
			Next: &fault.Next{Path: poison, Edits: []fault.LineEdit{{New: poison}}},
		},
	}
	r := receipt.OfFault(f)
	r.Session, r.Verb, r.Durability = poison, poison, poison
	r.Warnings = []receipt.Warning{poison, "mode-not-kept"}
	l := receipt.NewLog(3)
	got := l.Add(r)
	for _, text := range []string{got.Render(), fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", l.All())} {
		for _, part := range []string{"hunter2", "PASSWORD", "and more"} {
			if strings.Contains(text, part) {
				t.Errorf("%q holds %q", text, part)
			}
		}
	}
	if want := "1 at=0 session=? verb=? code=stale drifted=[[0,1)] delivered=[[0,1)] warning=other warning=mode-not-kept"; got.Render() != want {
		t.Errorf("got  %s\nwant %s", got.Render(), want)
	}
	r.Code = poison
	if got := l.Add(r); got.Code != fault.Internal {
		t.Errorf("code %q", got.Code)
	}
}

// Every text a receipt can hold is listed here. Whoever adds a field that could carry file text must come by.
func TestNoFieldForText(t *testing.T) {
	allowed := map[string]bool{"Session": true, "Verb": true, "Name": true, "To": true, "Code": true, "Durability": true, "Warnings": true, "Before": true, "After": true}
	rt := reflect.TypeFor[receipt.Receipt]()
	for i := range rt.NumField() {
		f := rt.Field(i)
		switch k := f.Type.Kind(); {
		case k == reflect.Int || k == reflect.Int64 || k == reflect.Uint64, f.Type == reflect.TypeFor[[]span.Lines](), allowed[f.Name]:
		default:
			t.Errorf("field %s of type %s may hold text", f.Name, f.Type)
		}
	}
}

func TestReceiptsAreBounded(t *testing.T) {
	var many []span.Lines
	for i := range span.Line(1000) {
		many = append(many, span.Of(2*i, 2*i+1))
	}
	l := receipt.NewLog(1)
	got := l.Add(receipt.Receipt{Missing: many, Drifted: many, Warnings: make([]receipt.Warning, 100), Session: strings.Repeat("x", 300)})
	if len(got.Missing) != receipt.SpansMax || len(got.Drifted) != receipt.SpansMax || got.Cut != 2*(1000-receipt.SpansMax) || len(got.Warnings) != 8 || got.Session != "?" {
		t.Errorf("%d missing, %d drifted, %d cut, %d warnings", len(got.Missing), len(got.Drifted), got.Cut, len(got.Warnings))
	}
	many[0] = span.Of[span.Line](7, 9)
	if l.All()[0].Missing[0] == many[0] {
		t.Error("the log shares the caller's slice")
	}
}

func TestRender(t *testing.T) {
	r := receipt.Receipt{
		At: 12, Session: "claude:1", Verb: "move", Name: name(t, "a b"), To: name(t, "c"), Touched: []span.Lines{span.Of[span.Line](0, 1), span.Of[span.Line](4, 4)},
		Before: content.RefOf(nil), After: content.RefOf([]byte("a")), Durability: receipt.Durable, Warnings: []receipt.Warning{"owner-not-kept"},
	}
	l := receipt.NewLog(1)
	want := `1 at=12 session=claude:1 verb=move name="a b" to="c" touched=[[0,1)[4,4)] before=e3b0c44298fc after=ca978112ca1b durability=durable warning=owner-not-kept`
	if got := l.Add(r).Render(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestManyAddAtOnce(t *testing.T) {
	l := receipt.NewLog(50)
	f := name(t, "f")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				l.Add(receipt.Receipt{Session: fmt.Sprint(i), Verb: "edit", Name: f, Code: fault.NotSeen})
				l.Add(receipt.Receipt{Session: fmt.Sprint(i), Verb: "read"})
				l.All()
			}
		})
	}
	wg.Wait()
	tally := l.Tally()
	if tally.Done != 800 || tally.Refused[fault.NotSeen] != 800 || len(l.All()) != 50 {
		t.Fatalf("%+v, %d kept", tally, len(l.All()))
	}
	seen := map[uint64]bool{}
	for _, r := range l.All() {
		if seen[r.Seq] {
			t.Fatalf("number %d twice", r.Seq)
		}
		seen[r.Seq] = true
	}
}
