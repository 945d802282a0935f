package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// ends returns where each record of the log ends, the header first.
func ends(t testing.TB, log []byte) []int {
	t.Helper()
	var out []int
	for at := 0; at < len(log); {
		at += frameHead + int(uint32(log[at])|uint32(log[at+1])<<8|uint32(log[at+2])<<16|uint32(log[at+3])<<24)
		out = append(out, at)
	}
	return out
}

// A log that ends at any byte gives back every record that is whole, and says how much it cut off. What is written
// afterwards follows the last whole record.
func TestTruncatedAtEveryByte(t *testing.T) {
	want := every()
	dir := logOf(t, want)
	log := raw(t, dir)
	at := ends(t, log)
	for n := at[0]; n <= len(log); n++ {
		whole := 0
		for at[whole+1] <= n {
			if whole++; whole == len(want) {
				break
			}
		}
		got, rep, left := replayed(t, log[:n])
		if k := prefix(t, got, want, "cut"); k != whole {
			t.Fatalf("cut at %d: %d records, want %d", n, k, whole)
		}
		if rep.Bytes != int64(at[whole]) || rep.Cut != int64(n-at[whole]) || rep.Gap || rep.Aside != "" {
			t.Fatalf("cut at %d: report %+v", n, rep)
		}
		again, rep, _ := replayed(t, left)
		if prefix(t, again[:len(again)-1], want, "afterwards") != whole || rep.Cut != 0 {
			t.Fatalf("cut at %d: afterwards %d records, report %+v", n, len(again), rep)
		}
	}
}

// opened2 is opened, and closes at once.
func opened2(t testing.TB, dir string) (*Journal, []Record, Report) {
	j, rs, rep := opened(t, dir)
	closed(t, j)
	return j, rs, rep
}

// A log whose header ends early, or is gone, is begun anew under the same key, and the old one is set aside.
func TestTruncatedHeader(t *testing.T) {
	dir := logOf(t, every())
	log := raw(t, dir)
	head := ends(t, log)[0]
	j, _, _ := opened2(t, dir)
	key := j.Key()
	for n := range head {
		must(t, os.WriteFile(filepath.Join(dir, logName), log[:n], 0o600))
		j, got, rep := opened2(t, dir)
		if len(got) != 0 || rep.Fresh || j.Key() != key {
			t.Fatalf("header of %d bytes: %d records, report %+v", n, len(got), rep)
		}
		if aside := rep.Aside != ""; aside != (n > 0) {
			t.Fatalf("header of %d bytes: set aside as %q", n, rep.Aside)
		}
	}
}

// No flipped bit is ever taken for what was written: what comes back is a prefix of it, and damage before sound records
// is told from a torn end.
func TestEveryFlippedBit(t *testing.T) {
	want := every()
	dir := logOf(t, want)
	log := raw(t, dir)
	at := ends(t, log)
	for bit := range len(log) * 8 {
		b := append([]byte(nil), log...)
		b[bit/8] ^= 1 << (bit % 8)
		if bit/8 < at[0] {
			must(t, os.WriteFile(filepath.Join(dir, logName), b, 0o600))
			if _, got, rep := opened2(t, dir); len(got) != 0 || rep.Aside == "" || rep.Fresh {
				t.Fatalf("bit %d of the header: %d records, report %+v", bit, len(got), rep)
			}
			continue
		}
		got, rep, _ := replayed(t, b)
		k := prefix(t, got, want, "flipped")
		hit := 0
		for at[hit] <= bit/8 {
			hit++
		}
		if k != hit-1 {
			t.Fatalf("bit %d of record %d: %d records came back", bit, hit-1, k)
		}
		if last := hit == len(want); rep.Gap == last {
			t.Fatalf("bit %d of record %d of %d: gap %t", bit, hit-1, len(want), rep.Gap)
		}
	}
}

// Zeros behind the last record, as a loss of power may leave them, are no records.
func TestZerosAreNoRecords(t *testing.T) {
	want := every()
	dir := logOf(t, want)
	got, rep, _ := replayed(t, append(raw(t, dir), make([]byte, 4096)...))
	if len(got) != len(want) || rep.Cut != 4096 || rep.Gap {
		t.Fatalf("%d records, report %+v", len(got), rep)
	}
}

// Whatever stands in a log behind its header, a replay ends well, and what it leaves replays again to the same.
func FuzzReplay(f *testing.F) {
	dir := logOf(f, every())
	log := raw(f, dir)
	head := ends(f, log)[0]
	f.Add(log[head:])
	f.Add(log[head : len(log)-3])
	f.Add(append(append([]byte(nil), log[head:head+40]...), log[head+20:]...))
	f.Fuzz(func(t *testing.T, rest []byte) {
		got, rep, left := replayed(t, append(log[:head:head], rest...))
		if rep.Records != len(got) || rep.Bytes+rep.Cut != int64(head+len(rest)) {
			t.Fatalf("%d records, report %+v", len(got), rep)
		}
		again, rep, _ := replayed(t, left)
		if rep.Cut != 0 || len(again) != len(got)+1 {
			t.Fatalf("%d records became %d, report %+v", len(got), len(again), rep)
		}
	})
}
