package journal

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/span"
)

// chance is a source of entropy that always gives the same.
func chance(seed byte) *rand.ChaCha8 { return rand.NewChaCha8(sha256.Sum256([]byte{seed})) }

func options(dir string) Options {
	return Options{Dir: dir, Root: "/the/root", Purpose: "test", Entropy: chance(1)}
}

// opened opens the journal of dir and returns it with the records it replayed.
func opened(t testing.TB, dir string) (*Journal, []Record, Report) {
	t.Helper()
	j, err := Open(options(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	var rs []Record
	rep, err := j.Replay(func(r Record) error { rs = append(rs, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return j, rs, rep
}

func closed(t testing.TB, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refOf(i int) string { return content.RefOf([]byte{byte(i), byte(i >> 8)}).String() }

func hashOf(i int) (h content.Hash) {
	sum := sha256.Sum256([]byte{byte(i), byte(i >> 8), 1})
	copy(h[:], sum[:])
	return h
}

func hashes(n int) []content.Hash {
	out := make([]content.Hash, n)
	for i := range out {
		out[i] = hashOf(i)
	}
	return out
}

func entry(i int) evidence.Entry {
	return evidence.Entry{
		Slots: span.Of(span.Slot(i), span.Slot(2*i+3)), Seq: evidence.Seq(i + 1), Epoch: evidence.Epoch(i), Call: evidence.CallID(i + 7),
		Origin: evidence.Origin(i % 5), Strength: evidence.Strength(i % 3), Carried: i%2 == 0, Moved: i%3 == 0, Compacted: i%5 == 0,
	}
}

// every returns at least one record of each kind, with every member in use.
func every() []Record {
	splices := span.Splices{{Old: span.Of[span.Line](1, 1), New: 2}, {Old: span.Of[span.Line](4, 7), New: 0}}
	return []Record{
		&Reserved{Seq: 1 << 40},
		&Version{State: evidence.VersionState{Ref: refOf(1), N: 3, Skeleton: hashes(3), Encoding: content.UTF16BE, BOM: true}},
		&Version{State: evidence.VersionState{Ref: refOf(2), N: 2, Skeleton: hashes(2)}, Base: refOf(1), Splices: splices},
		&Version{State: evidence.VersionState{Ref: refOf(3), N: 9_000_000, Encoding: content.Binary}},
		&Version{State: evidence.VersionState{Ref: refOf(4)}},
		&Version{State: evidence.VersionState{Absent: true}},
		&Observed{Session: "s", Key: "dir/f.txt", Version: refOf(1), Seq: 12, Epoch: 2, Call: 11, Origin: evidence.Delivered, At: 1700000000123,
			Slots: []span.Slots{span.Of[span.Slot](0, 5), span.Of[span.Slot](8, 9)},
			Parts: []Part{{Line: 3, Shown: span.Of[span.Byte](100, 20000), Len: 400000}}, Moved: []span.Lines{span.Of[span.Line](2, 4)}},
		&Observed{Session: "s", Key: "gone", Seq: 13, Slots: []span.Slots{span.Of[span.Slot](0, 1)}},
		&Round{Session: "s", Round: 9, Boundary: 12},
		&Intent{ID: 14, Session: "s", Name: "dir/F.txt", Key: "dir/f.txt", Change: Edited, Epoch: 2, Call: 13, Before: refOf(1), After: refOf(2),
			Splices: splices, Partial: []span.Line{5}, Reply: reply()},
		&Refused{Session: "s", Key: "dir/f.txt", Mark: content.Hash{1, 2, 15: 3}},
		&Declined{Session: "s", Request: content.Hash{4, 15: 5}, Digest: content.Hash{6}, At: 1700000000789, Code: "stale",
			Missing: []span.Lines{span.Of[span.Line](0, 2)}, Drifted: []span.Lines{span.Of[span.Line](4, 4), span.Of[span.Line](7, 9)}},
		&Answered{ID: 14, Session: "s", Change: Edited, Name: "dir/F.txt", To: "x", At: 1700000000456, Reply: reply()},
		&Intent{ID: 15, Session: "s", Name: "a", Key: "a", Change: Moved, Before: refOf(1), After: refOf(1), To: "b", ToKey: "b"},
		&Done{ID: 14, Name: "dir/f.txt", Seq: 16, At: 1700000000456, Durability: 1, Warnings: []string{"owner-not-kept"}},
		&Done{ID: 15, Failed: true},
		&Rewound{Session: "s", Epoch: 3, UpTo: 11},
		&Sibling{Dev: 1<<64 - 1, Ino: 77, Name: "dir/f.txt"},
		&Session{ID: "s", Epoch: 3, Calls: 19, Rounds: []RoundMark{{1, 2}, {9, 12}}, Times: []TimeMark{{2, 1700000000000}, {16, 1700000000456}}},
		&Track{Session: "s", Key: "dir/f.txt", State: evidence.TrackState{Epoch: 3,
			Views: []evidence.ViewState{
				{Version: refOf(1), Entries: []evidence.Entry{entry(0), entry(3), entry(4)}, Born: 3, Direct: evidence.Mark{Seq: 4, Call: 5}, Told: evidence.Mark{Seq: 6, Call: 7}, Forgot: true},
				{Version: "", Entries: []evidence.Entry{entry(1)}, Born: 9}},
			Own:     []evidence.OwnState{{Seq: 5, Call: 6, Splices: splices}},
			Columns: []evidence.ColumnState{{Line: hashOf(1), Len: 99, Pieces: []evidence.PieceState{{Columns: span.Of[span.Byte](3, 9), Entry: entry(2)}}}}}},
		&History{Key: "dir/f.txt", Edges: []evidence.EdgeState{{From: refOf(1), To: refOf(2), Splices: splices, By: "s", Seq: 8}}},
	}
}

func reply() Reply {
	return Reply{Request: hashOf(5), Digest: hashOf(6), Before: Masked{1, 2, 3}, After: Masked{31: 4}, Lines: 7,
		Edits: []Edit{{Before: span.Of[span.Line](1, 2), After: span.Of[span.Line](1, 4)}}, Durability: 2, Warnings: []string{"a", "b"}}
}

// raw returns the log of dir.
func raw(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, logName))
	must(t, err)
	return b
}

// prefix checks that got is a prefix of want, and returns its length.
func prefix(t testing.TB, got, want []Record, what string) int {
	t.Helper()
	if len(got) > len(want) || !reflect.DeepEqual(got, want[:len(got)]) && len(got) > 0 {
		t.Fatalf("%s: replayed %d records that are no prefix of the %d written", what, len(got), len(want))
	}
	return len(got)
}

// logOf writes recs and returns the folder.
func logOf(t testing.TB, recs []Record) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	j, _, _ := opened(t, dir)
	must(t, j.Append(recs...))
	closed(t, j)
	return dir
}

// memoryFile is a log in memory.
type memoryFile struct{ b []byte }

func (m *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.b).ReadAt(p, off)
}

func (m *memoryFile) WriteAt(p []byte, off int64) (int, error) {
	m.b = append(m.b[:off], p...)
	return len(p), nil
}

func (m *memoryFile) Truncate(size int64) error { m.b = m.b[:size]; return nil }
func (*memoryFile) Flush() error                { return nil }
func (*memoryFile) Close() error                { return nil }

// replayed replays a log of these bytes and appends one record more.
func replayed(t testing.TB, log []byte) (rs []Record, rep Report, left []byte) {
	t.Helper()
	m := &memoryFile{append([]byte(nil), log...)}
	j := &Journal{log: m, size: int64(len(log))}
	rep, err := j.Replay(func(r Record) error { rs = append(rs, r); return nil })
	must(t, err)
	must(t, j.Append(&Reserved{Seq: 99}))
	return rs, rep, m.b
}

func wantText(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Fatalf("%q does not say %q", err, p)
		}
	}
}
