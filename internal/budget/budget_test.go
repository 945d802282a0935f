package budget_test

import (
	"errors"
	"math"
	"math/rand"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/budget"
	"github.com/sightline-io/sightline/internal/fault"
)

// small returns amounts with every unit drawn from a few values, zero among them.
func small(r *rand.Rand) budget.Amounts {
	var a budget.Amounts
	for _, u := range budget.Units() {
		a = a.With(u, int64(r.Intn(4)*r.Intn(3)))
	}
	return a
}

func TestMeetIsASemilattice(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		a, b, c := small(r), small(r), small(r)
		if budget.Meet(a, b) != budget.Meet(b, a) {
			t.Fatalf("Meet(%v, %v) depends on the order", a, b)
		}
		if budget.Meet(budget.Meet(a, b), c) != budget.Meet(a, budget.Meet(b, c)) {
			t.Fatalf("Meet of %v, %v, %v depends on the grouping", a, b, c)
		}
		if budget.Meet(a, a) != a || budget.Meet(a, budget.Limits{}) != a {
			t.Fatalf("Meet changes %v without need", a)
		}
		for _, u := range budget.Units() {
			m := budget.Meet(a, b).Get(u)
			for _, one := range []int64{a.Get(u), b.Get(u)} {
				if one != 0 && (m == 0 || m > one) {
					t.Fatalf("Meet(%v, %v) allows %d %s", a, b, m, u)
				}
			}
		}
	}
}

// A plain model of the ledger: sums, compared with the limits before they are added.
func TestLedgerAgainstAModel(t *testing.T) {
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		outer, inner := small(r), small(r)
		above := budget.NewLedger(outer)
		ledger := above.Under(inner)
		var used budget.Amounts
		for step := range 40 {
			ask := small(r)
			fits := true
			after := used
			for _, u := range budget.Units() {
				n := used.Get(u) + ask.Get(u)
				if u == budget.FileBytes || u == budget.Memory {
					n = max(used.Get(u), ask.Get(u))
				}
				after = after.With(u, n)
				for _, l := range []budget.Limits{outer, inner} {
					if l.Get(u) != 0 && ask.Get(u) != 0 && n > l.Get(u) {
						fits = false
					}
				}
			}
			err := ledger.Charge(ask)
			if (err == nil) != fits {
				t.Fatalf("seed %d step %d: Charge(%+v) on %+v of %+v and %+v = %v, want fits %t", seed, step, ask, used, inner, outer, err, fits)
			}
			if err != nil && fault.CodeOf(err) != fault.Limit {
				t.Fatalf("seed %d: code %s", seed, fault.CodeOf(err))
			}
			if fits {
				used = after
			}
			if ledger.Used() != used || above.Used() != used {
				t.Fatalf("seed %d step %d: used %+v and above %+v, want %+v", seed, step, ledger.Used(), above.Used(), used)
			}
			for _, u := range budget.Units() {
				n, limited := ledger.Left(u)
				if !limited || n == 0 {
					continue
				}
				if err := budget.NewLedger(budget.Limits{}.With(u, n)).Charge(budget.Amounts{}.With(u, n)); err != nil {
					t.Fatalf("what is left does not fit: %v", err)
				}
			}
		}
	}
}

func TestLimitNamesLimitValueAndUnit(t *testing.T) {
	for _, u := range budget.Units() {
		l := budget.NewLedger(budget.Limits{}.With(u, 7))
		if err := l.Charge(budget.Amounts{}.With(u, 5)); err != nil {
			t.Fatal(err)
		}
		err := l.Charge(budget.Amounts{}.With(u, 9))
		var f *fault.Error
		var e *budget.Exceeded
		if !errors.As(err, &f) || f.Code != fault.Limit || !errors.As(err, &e) {
			t.Fatalf("%s: %v", u, err)
		}
		if e.Unit != u || e.Limit != 7 || e.Asked != 9 {
			t.Errorf("%s: %+v", u, e)
		}
		if !strings.Contains(f.Message, "limit of 7 "+u.String()) || !strings.Contains(f.Message, "9") {
			t.Errorf("%s: message %q", u, f.Message)
		}
	}
}

func TestChargesThatDoNotAddUp(t *testing.T) {
	l := budget.NewLedger(budget.Limits{FileBytes: 10, Bytes: 25})
	for range 2 {
		if err := l.Charge(budget.Amounts{Bytes: 10, FileBytes: 10}); err != nil {
			t.Fatal(err)
		}
	}
	// The seed's rule: a file too large is refused, and a smaller one may still be served.
	if err := l.Charge(budget.Amounts{Bytes: 11, FileBytes: 11}); fault.CodeOf(err) != fault.Limit {
		t.Fatal(err)
	}
	if err := l.Charge(budget.Amounts{Bytes: 5, FileBytes: 5}); err != nil {
		t.Fatal(err)
	}
	if got := l.Used(); got.Bytes != 25 || got.FileBytes != 10 {
		t.Fatalf("used %+v", got)
	}
}

func TestElapsed(t *testing.T) {
	l := budget.NewLedger(budget.Limits{Millis: 100})
	for _, s := range []struct {
		ms   int64
		ok   bool
		used int64
	}{{0, true, 0}, {60, true, 60}, {40, true, 60}, {99, true, 99}, {100, false, 100}, {5000, false, 100}, {10, true, 100}} {
		err := l.Elapsed(s.ms)
		if (err == nil) != s.ok || l.Used().Millis != s.used {
			t.Fatalf("Elapsed(%d) = %v with %d used, want ok %t and %d", s.ms, err, l.Used().Millis, s.ok, s.used)
		}
	}
	free := budget.NewLedger(budget.Limits{})
	if err := free.Elapsed(math.MaxInt64); err != nil || free.Used().Millis != math.MaxInt64 {
		t.Fatal(err)
	}
}

func TestEdges(t *testing.T) {
	free := budget.NewLedger(budget.Limits{})
	for range 3 {
		if err := free.Charge(budget.Amounts{Bytes: math.MaxInt64}); err != nil {
			t.Fatal(err)
		}
	}
	if free.Used().Bytes != math.MaxInt64 {
		t.Fatal("a sum wrapped around")
	}
	full := budget.NewLedger(budget.Limits{Bytes: math.MaxInt64})
	if err := full.Charge(budget.Amounts{Bytes: math.MaxInt64}); err != nil {
		t.Fatal(err)
	}
	if err := full.Charge(budget.Amounts{Bytes: 1}); fault.CodeOf(err) != fault.Limit {
		t.Fatal(err)
	}
	if err := free.Charge(budget.Amounts{Lines: -1}); fault.CodeOf(err) != fault.Internal {
		t.Fatal(err)
	}
	none := budget.NewLedger(budget.Limits{Pages: -1})
	if err := none.Charge(budget.Amounts{Pages: 1}); fault.CodeOf(err) != fault.Limit {
		t.Fatal("a negative limit allows something")
	}
	if err := none.Charge(budget.Amounts{}); err != nil {
		t.Fatal("nothing must always fit:", err)
	}
}

func TestProgress(t *testing.T) {
	p := budget.Progress{Stage: "reading", Total: 130}
	var told []int64
	for !p.Finished() {
		if p.Step() {
			told = append(told, p.Done)
		}
	}
	want := []int64{1, 64, 128, 130}
	if len(told) != len(want) {
		t.Fatalf("announced at %v, want %v", told, want)
	}
	for i := range want {
		if told[i] != want[i] {
			t.Fatalf("announced at %v, want %v", told, want)
		}
	}
	unknown := budget.Progress{}
	if !unknown.Step() || unknown.Finished() {
		t.Fatal("an unknown total is never finished")
	}
}

// Operations of one capability share its limits, and each has its own.
func TestLedgersUnderOne(t *testing.T) {
	above := budget.NewLedger(budget.Limits{Entries: 5})
	a, b := above.Under(budget.Limits{Entries: 3}), above.Under(budget.Limits{})
	for _, s := range []struct {
		on   *budget.Ledger
		n    int64
		fits bool
	}{{a, 3, true}, {a, 1, false}, {b, 3, false}, {b, 2, true}, {b, 1, false}, {above, 1, false}} {
		if err := s.on.Charge(budget.Amounts{Entries: s.n}); (err == nil) != s.fits {
			t.Fatalf("charge of %d: %v, want it to fit %t", s.n, err, s.fits)
		}
	}
	if a.Used().Entries != 3 || b.Used().Entries != 2 || above.Used().Entries != 5 {
		t.Fatal(a.Used(), b.Used(), above.Used())
	}
	if n, limited := b.Left(budget.Entries); n != 0 || !limited {
		t.Fatalf("%d left", n)
	}
	if n, limited := b.Left(budget.Lines); n != math.MaxInt64 || limited {
		t.Fatalf("%d lines left of no limit", n)
	}
}

func TestManyChargeAtOnce(t *testing.T) {
	above := budget.NewLedger(budget.Limits{Bytes: 1000})
	var wg sync.WaitGroup
	var mu sync.Mutex
	booked := int64(0)
	for range 8 {
		wg.Go(func() {
			own := above.Under(budget.Limits{Bytes: 300})
			for own.Charge(budget.Amounts{Bytes: 7}) == nil {
				mu.Lock()
				booked += 7
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if used := above.Used().Bytes; used != booked || used > 1000 || used <= 1000-7 {
		t.Fatalf("%d used, %d booked", used, booked)
	}
}
