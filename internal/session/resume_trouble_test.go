package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/edit"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/receipt"
)

// full stands before a journal whose disk is full for the records that stop names.
type full struct {
	recorder
	stop func(journal.Record) bool
}

func (f *full) Append(recs ...journal.Record) error { return f.put(f.recorder.Append, recs) }
func (f *full) Sync(recs ...journal.Record) error   { return f.put(f.recorder.Sync, recs) }

func (f *full) put(write func(...journal.Record) error, recs []journal.Record) error {
	for _, r := range recs {
		if f.stop(r) {
			return &fault.Error{Code: fault.IO, Message: "no space"}
		}
	}
	return write(recs...)
}

// without plays calls while the journal takes no records of T.
func without[T journal.Record](p *place, calls func()) {
	p.ws.book.log = &full{p.ws.book.log, func(r journal.Record) bool { _, is := r.(T); return is }}
	calls()
	p.ws.book.log = p.ws.book.log.(*full).recorder
}

// An observation that cannot be recorded counts in memory, is counted, and is told in one receipt; the call goes on. What
// follows is recorded again.
func TestObservationNotRecorded(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\nb\nc\n")
	without[*journal.Observed](p, func() {
		p.read("s", "f.txt", lines(1, 1))
		p.read("s", "f.txt", lines(2, 2))
	})
	if n := p.ws.Unrecorded(); n != 2 {
		t.Errorf("%d unrecorded", n)
	}
	warned := 0
	for _, r := range p.ws.Receipts() {
		if r.Code == fault.IO && len(r.Warnings) == 1 && r.Warnings[0] == receipt.Warning("in-memory-only") {
			warned++
		}
	}
	if warned != 1 {
		t.Errorf("%d receipts warn", warned)
	}
	p.admitted(p.edit("s", "f.txt", replace("a", "A")), "A\nb\nc\n")
	p.kill()
	p.admitted(p.edit("s", "f.txt", numbers(1, 1, "AA")), "AA\nb\nc\n") // own text, recorded
	p.refused(p.edit("s", "f.txt", replace("b", "B")), fault.NotSeen, "[[1,2)]", "[]")
}

// What must be recorded before it is done is not done where it cannot be.
func TestNothingUnrecordedIsDone(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\nb\n")
	p.full("s", "f.txt")
	same := func() {
		t.Helper()
		if got := p.holds("f.txt"); got != "a\nb\n" || p.holds("g.txt") != "(absent)" {
			t.Fatalf("f.txt holds %q, g.txt %q", got, p.holds("g.txt"))
		}
	}
	without[*journal.Intent](p, func() {
		for _, got := range []string{
			p.edit("s", "f.txt", replace("a", "A")), p.write("s", "f.txt", "x\n", Replace), p.write("s", "g.txt", "x\n", Create),
			p.remove("s", "f.txt"), p.move("s", "f.txt", "g.txt"),
		} {
			p.refused(got, fault.IO, "[]", "[]")
			same()
		}
	})
	without[*journal.Rewound](p, func() {
		if err := p.session("s").Rewind(func(evidence.CallID) bool { return false }); fault.CodeOf(err) != fault.IO {
			t.Fatalf("rewind: %v", err)
		}
	})
	if n := len(p.ws.book.intents); n != 0 {
		t.Errorf("%d intents are left", n)
	}
	p.kill()
	same()
	p.admitted(p.edit("s", "f.txt", numbers(1, 1, "A")), "A\nb\n")
}

// A change whose end cannot be recorded was made; the next process finds that out by its intent.
func TestEndNotRecorded(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\nb\nc\n")
	p.put("g.txt", "1\n2\n")
	p.put("h.txt", "x\ny\n")
	p.full("s", "f.txt")
	p.full("s", "g.txt")
	p.full("s", "h.txt")
	without[*journal.Done](p, func() {
		p.admitted(p.edit("s", "f.txt", replace("b", "b1\nb2")), "a\nb1\nb2\nc\n")
		if got := p.remove("s", "g.txt"); got != "deleted -> (absent)" {
			t.Fatal(got)
		}
		p.move("s", "h.txt", "i.txt")
	})
	p.kill()
	p.admitted(p.edit("s", "f.txt", numbers(4, 4, "C")), "a\nb1\nb2\nC\n")
	p.put("g.txt", "1\n2\n")
	p.refused(p.edit("s", "g.txt", replace("1", "one")), fault.NotSeen, "[[0,1)]", "[]")
	p.admitted(p.edit("s", "i.txt", numbers(2, 2, "Y")), "x\nY\n")
}

// Where sound records lie behind a damage it is not known what was taken back: everything is forgotten, and stays so.
func TestGapForgetsEverything(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\nb\n")
	p.full("s", "f.txt")
	p.must(p.ws.Close())
	at, err := os.Stat(filepath.Join(p.state, "log"))
	p.must(err)
	p.open()
	p.must(p.session("s").Rewind(func(evidence.CallID) bool { return false }))
	p.must(p.ws.Close())
	log, err := os.ReadFile(filepath.Join(p.state, "log"))
	p.must(err)
	log[at.Size()+9] ^= 4 // the first record of the second process, before the rewind
	p.must(os.WriteFile(filepath.Join(p.state, "log"), log, 0o600))
	p.open()
	if r := p.ws.Resumed(); !r.Gap {
		t.Fatalf("resumed %+v", r)
	}
	p.kill()
	p.refused(p.edit("s", "f.txt", replace("a", "A")), fault.NotSeen, "[[0,1)]", "[]")
}

// A log that is written anew under way, however often, tells the same.
func TestCompactionUnderWay(t *testing.T) {
	p := newPlace(t)
	log := &eager{recorder: p.ws.book.log}
	p.ws.book.log = log
	want := tell(t, -1, nil)
	for i, s := range story() {
		p.now += 60_000
		if got := s.do(p); got != want[i] {
			t.Fatalf("step %d, %s:\n got %s\nwant %s", i, s.name, got, want[i])
		}
	}
	if log.compacted < len(want)/2 {
		t.Errorf("the log was written anew %d times", log.compacted)
	}
	p.kill()
	p.admitted(p.write("s", "a.txt", "done\n", Replace), "done\n") // the refusal before was its cure
}

// eager stands before a journal that wants to be written anew after every write.
type eager struct {
	recorder
	compacted int
}

func (*eager) NeedsCompaction() bool { return true }

func (e *eager) Compact(dump func(func(journal.Record) error) error) error {
	e.compacted++
	return e.recorder.Compact(dump)
}

// Writer and reader of a log agree on every version, in whatever order versions come and go.
func TestVersionsComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	w := newDefined()
	r := newDefined()
	r.reading = true
	var all []*evidence.Version
	for i := range 20_000 {
		v := &evidence.Version{Ref: content.RefOf([]byte{byte(i), byte(i >> 8)}), N: random.IntN(12)}
		var base *evidence.Version
		if len(all) > 0 && random.IntN(3) > 0 {
			base = all[random.IntN(len(all))]
			v.Skeleton = append(v.Skeleton, base.Skeleton[:min(len(base.Skeleton), random.IntN(8))]...)
			for range random.IntN(3) {
				v.Skeleton = append(v.Skeleton, content.Hash{byte(random.IntN(4))})
			}
			v.Skeleton = append(v.Skeleton, base.Skeleton[max(0, len(base.Skeleton)-random.IntN(5)):]...)
		} else {
			for range random.IntN(12) {
				v.Skeleton = append(v.Skeleton, content.Hash{byte(random.IntN(4))})
			}
		}
		v.N = len(v.Skeleton)
		all = append(all, v)
		if random.IntN(50) == 0 {
			w.clear() // a write failed
		}
		again := all[random.IntN(len(all))] // one from long ago is spoken of again
		for _, x := range []*evidence.Version{v, again} {
			if rec := w.definition(x, base); rec != nil {
				w.note(rec)
				r.note(rec)
			}
			d := r.get(x.Ref.String())
			if d == nil || !d.whole || len(d.state.Skeleton) != x.N {
				t.Fatalf("version %d: the reader has %+v", i, d)
			}
			for k := range x.Skeleton {
				if d.state.Skeleton[k] != x.Skeleton[k] {
					t.Fatalf("version %d: line %d differs", i, k)
				}
			}
			o := &journal.Observed{Version: x.Ref.String()}
			w.note(o)
			r.note(o)
		}
	}
}

// Sessions that read and write at once leave a log that resumes each of them.
func TestParallelSessions(t *testing.T) {
	p := newPlace(t)
	const n = 8
	for i := range n {
		p.put(fmt.Sprintf("%d.txt", i), "a\nb\nc\n")
	}
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			id, name := fmt.Sprintf("s%d", i), fmt.Sprintf("%d.txt", i)
			s, err := p.ws.Session(id)
			if err != nil {
				t.Error(err)
				return
			}
			for k := range 10 {
				if _, err := s.Read(context.Background(), ReadRequest{Path: name, Intent: Full}); err != nil {
					t.Error(err)
				}
				if k%4 == 3 {
					p.ws.book.writing.Lock()
					if err := p.ws.compact(); err != nil {
						t.Error(err)
					}
					p.ws.book.writing.Unlock()
				}
				ops := []edit.Op{edit.LineRange{Lines: lines(2, 2), New: fmt.Sprintf("b%d", k)}}
				if _, err := s.Edit(context.Background(), EditRequest{Path: name, Edits: ops}); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	p.kill()
	for i := range n {
		p.admitted(p.edit(fmt.Sprintf("s%d", i), fmt.Sprintf("%d.txt", i), numbers(2, 2, "B")), "a\nB\nc\n")
	}
}

// No text is at rest: neither as it is, nor coded, nor as a digest that a guess could be tried against.
func TestNoTextAtRest(t *testing.T) {
	p := newPlace(t)
	secrets := []string{"password = hunter2hunter2", "token: 8f14e45fceea167a", "the third secret line"}
	text := strings.Join(secrets, "\n") + "\n"
	p.put("f.txt", text)
	p.full("s", "f.txt")
	p.edit("s", "f.txt", replace("hunter2hunter2", "correct horse battery"))
	p.edit("s", "f.txt", replace("no such needle in it", "whatever comes here"))
	p.write("s", "g.txt", text, Create)
	p.edit("t", "g.txt", replace(secrets[1], "token: none at all"))
	p.move("s", "g.txt", "h.txt")
	p.remove("s", "h.txt")
	p.restart()
	p.read("t", "f.txt")
	m := Meta{RequestID: "request " + secrets[2]}
	if _, err := p.session("t").Edit(context.Background(), EditRequest{Path: "f.txt", Edits: []edit.Op{replace("correct", "in"+"correct")}, Meta: m}); err != nil {
		t.Fatal(err)
	}
	search := func() {
		t.Helper()
		files, bytesSeen := 0, 0
		p.must(filepath.WalkDir(p.state, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			files, bytesSeen = files+1, bytesSeen+len(b)
			for _, s := range append(secrets, text, "correct horse battery", "no such needle in it", "whatever comes here", "token: none at all", p.holds("f.txt")) {
				for what, form := range forms(s) {
					if bytes.Contains(b, form) {
						t.Errorf("%s holds %q %s", filepath.Base(path), s, what)
					}
				}
			}
			return err
		}))
		if files < 3 || bytesSeen < 500 {
			t.Errorf("only %d files with %d bytes were searched", files, bytesSeen)
		}
	}
	search()
	p.compact()
	search()
}

// forms returns what would give s away.
func forms(s string) map[string][]byte {
	out := map[string][]byte{}
	put := func(name string, b []byte) {
		out[name] = b
		out[name+" in hex"] = []byte(hex.EncodeToString(b))
		out[name+" in capital hex"] = []byte(strings.ToUpper(hex.EncodeToString(b)))
		for skip := range 3 { // base64 of a larger text looks different by where s begins in it
			coded := base64.RawStdEncoding.EncodeToString(append(make([]byte, skip), b...))
			out[fmt.Sprintf("%s in base64, %d", name, skip)] = []byte(coded[4 : len(coded)-4])
			out[fmt.Sprintf("%s in URL base64, %d", name, skip)] = []byte(base64.RawURLEncoding.EncodeToString(append(make([]byte, skip), b...))[4 : len(coded)-4])
		}
	}
	put("raw", []byte(s))
	sum := sha256.Sum256([]byte(s))
	put("as a digest", sum[:])
	put("as half a digest", sum[:16])
	return out
}

// A log of many small records is written anew when it is opened, so that no command has to replay them all.
func TestManyRecordsAreWrittenAnew(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\nb\n")
	s := p.session("s")
	for range replayMax / 2 {
		p.read("s", "f.txt", lines(1, 1))
		p.must(s.Rewind(func(evidence.CallID) bool { return true }))
	}
	p.read("s", "f.txt", lines(2, 2))
	p.restart()
	first := p.ws.Resumed()
	p.restart()
	if second := p.ws.Resumed(); first.Records <= replayMax || second.Records > 20 || second.Dumped == 0 {
		t.Errorf("resumed %+v, then %+v", first, second)
	}
	p.admitted(p.edit("s", "f.txt", numbers(1, 2, "c")), "c\n")
}

// A disk that is full when the process starts lets it read all the same; nothing is changed until there is room.
func TestFullFromTheStart(t *testing.T) {
	p := newPlace(t)
	p.put("f.txt", "a\nb\n")
	p.full("s", "f.txt")
	p.must(p.ws.Close())

	j, err := journal.Open(journal.Options{Dir: p.state, Root: p.root, Entropy: rand.NewChaCha8([32]byte{1})})
	p.must(err)
	p.ws, err = Open(t.Context(), Options{Root: p.root, Key: j.Key(), Clock: func() int64 { return p.now }, Entropy: rand.NewChaCha8([32]byte{2})})
	p.must(err)
	log := &full{j, func(journal.Record) bool { return true }}
	p.must(p.ws.resume(t.Context(), struct {
		*full
		replays
	}{log, j}))
	if got := p.full("s", "f.txt"); got != `"a\nb\n"` {
		t.Errorf("read %s", got)
	}
	p.refused(p.edit("s", "f.txt", replace("a", "A")), fault.IO, "[]", "[]")
	log.stop = func(journal.Record) bool { return false }
	p.admitted(p.edit("s", "f.txt", replace("a", "A")), "A\nb\n")
	p.kill()
	p.admitted(p.edit("s", "f.txt", numbers(1, 2, "c")), "c\n")
}

// replays is the half of a journal that full does not stand before.
type replays interface {
	Replay(apply func(journal.Record) error) (journal.Report, error)
}
