package disktest_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
)

// dump is everything a world holds, one line an entry.
func dump(w disktest.World, folder string) string {
	var b strings.Builder
	for _, n := range w.Names(folder) {
		full := strings.TrimPrefix(folder+"/"+n, "./")
		info, err := w.FS().Stat(disktest.Name(nil2{}, full))
		if err != nil {
			fmt.Fprintf(&b, "%s %v\n", full, fault.CodeOf(err))
			continue
		}
		if info.Kind == disk.Folder {
			fmt.Fprintf(&b, "%s/\n%s", full, dump(w, full))
			continue
		}
		fmt.Fprintf(&b, "%s %v %q\n", full, info.Mode, w.Read(full))
	}
	return b.String()
}

type nil2 struct{ testing.TB }

func (nil2) Helper()           {}
func (nil2) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func busy(t *testing.T, m *disktest.Memory) disktest.World {
	w := disktest.NewMemoryWorld(t, m, m.FS)
	w.Write("kept", "kept\n", 0o644)
	for i, opt := range []disk.SwapOptions{{}, {Durability: disk.Atomic}, {Durability: disk.Atomic, MakeParents: true}} {
		for j := range 3 {
			name := fmt.Sprintf("n%d%d", i, j)
			if opt.MakeParents {
				name = "d/" + name
			}
			if _, err := w.FS().Swap(disktest.Name(t, name), disk.Absent(), []byte(name+"\n"), opt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := w.FS().Swap(disktest.Name(t, "kept"), disktest.Holding("kept\n"), []byte("changed\n"), disk.SwapOptions{Durability: disk.Atomic}); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestCrashIsOfTheSeed makes the same crash twice, and shows that different luck leaves different trees, that what was
// synced is always there, and that some crashes lose what was not.
func TestCrashIsOfTheSeed(t *testing.T) {
	seen, lost, torn := map[string]bool{}, 0, 0
	m := disktest.NewMemory(3)
	w := busy(t, m)
	before := dump(w, ".")
	for seed := range uint64(100) {
		var dumps []string
		for range 2 {
			c := m.Crash(seed)
			dumps = append(dumps, dump(disktest.NewMemoryWorld(t, c, c.FS), "."))
		}
		if dumps[0] != dumps[1] {
			t.Fatalf("seed %d leaves two trees:\n%s\n%s", seed, dumps[0], dumps[1])
		}
		seen[dumps[0]] = true
		for _, n := range []string{"n00", "n01", "n02"} {
			if !strings.Contains(dumps[0], fmt.Sprintf("%s -rw-r--r-- %q", n, n+"\n")) {
				t.Fatalf("seed %d lost %s, which was synced:\n%s", seed, n, dumps[0])
			}
		}
		if !strings.Contains(dumps[0], "n10 ") {
			lost++
		}
		if strings.Contains(dumps[0], `n10 -rw-r--r-- ""`) {
			torn++
		}
	}
	if len(seen) < 20 || lost == 0 || torn == 0 {
		t.Errorf("%d trees of 100 crashes, %d without an unsynced file, %d with an empty one: crashes are too kind", len(seen), lost, torn)
	}
	if dump(w, ".") != before {
		t.Error("a crash harmed the original")
	}
}

// TestMemoryIsOfTheSeed runs the same calls on two memories of one seed.
func TestMemoryIsOfTheSeed(t *testing.T) {
	var calls [2][]string
	var dumps [2]string
	for i := range calls {
		m := disktest.NewMemory(5)
		trap := &disktest.Trap{Kernel: m, Before: func(call string) error { calls[i] = append(calls[i], call); return nil }}
		w := disktest.NewMemoryWorld(t, m, func() (disk.FS, error) { return disk.Over(trap, disktest.MemoryRoot, m.Options()) })
		w.Write("f", "1\n", 0o644)
		if _, err := w.FS().Swap(disktest.Name(t, "f"), disktest.Holding("1\n"), []byte("2\n"), disk.SwapOptions{}); err != nil {
			t.Fatal(err)
		}
		dumps[i] = fmt.Sprint(dump(w, "."), m.Clock())
	}
	if !slices.Equal(calls[0], calls[1]) || dumps[0] != dumps[1] || len(calls[0]) < 10 {
		t.Errorf("two runs of one seed differ:\n%v %s\n%v %s", calls[0], dumps[0], calls[1], dumps[1])
	}
}

// TestFaulty fails each call of a file system by its number.
func TestFaulty(t *testing.T) {
	steps := func(f disk.FS) (codes []string) {
		add := func(err error) {
			if err == nil {
				codes = append(codes, "ok")
			} else {
				codes = append(codes, string(fault.CodeOf(err)))
			}
		}
		_, err := f.Swap(disktest.Name(t, "f"), disk.Absent(), []byte("1"), disk.SwapOptions{})
		add(err)
		_, err = f.Stat(disktest.Name(t, "f"))
		add(err)
		add(f.List(disktest.Name(t, "."), func(disk.Entry) bool { return true }))
		file, err := f.Open(disktest.Name(t, "f"))
		add(err)
		if err == nil {
			_, _, err = file.ReadAll(t.Context(), 10, nil)
			add(err)
			_, err = file.Stat()
			add(err)
			_, err = file.ReadAt(make([]byte, 1), 0)
			add(err)
			file.Close()
		}
		_, err = f.Move(disktest.Name(t, "f"), disktest.Name(t, "g"), disktest.Holding("1"), disk.SwapOptions{})
		add(err)
		_, err = f.Remove(disktest.Name(t, "g"), disktest.Holding("1"), disk.SwapOptions{})
		add(err)
		return codes
	}
	for n := int64(0); n <= 9; n++ {
		for _, lasting := range []bool{false, true} {
			below, err := disktest.NewMemory(1).FS()
			if err != nil {
				t.Fatal(err)
			}
			f := disktest.Faulty(below, n, lasting)
			codes := steps(f)
			failures := 0
			for _, c := range codes {
				if c == "io" {
					failures++
				}
			}
			switch {
			case n == 0 && (failures != 0 || f.Count() != 9 || f.Hit()):
				t.Errorf("without a fault: %v, %d calls", codes, f.Count())
			case n > 0 && !lasting && (failures != 1 || !f.Hit()):
				t.Errorf("fault %d: %v", n, codes)
			case n > 0 && lasting && codes[len(codes)-1] != "io":
				t.Errorf("lasting fault %d: %v", n, codes)
			}
			if f.Unwrap() != below {
				t.Error("the file system below is another one")
			}
		}
	}
}

// TestTrapCoversTheKernel lets every call fail that can, and expects each by its name.
func TestTrapCoversTheKernel(t *testing.T) {
	var calls []string
	var k disk.Kernel = &disktest.Trap{Kernel: disktest.NewMemory(1), Before: func(call string) error { calls = append(calls, call); return syscall.EIO }}
	for _, err := range []error{
		third(k.OpenRoot("/")), second(k.OpenBeneath(1, "", 0)), second(k.Open(1, "", 0, 0)), second(k.Stat(1)), second(k.Lstat(1, "")),
		second(k.Find("")), second(k.ReadLink(1, "")), second(k.Entries(1, nil)), second(k.Read(1, nil, 0)), second(k.Write(1, nil, 0)),
		k.Truncate(1, 0), k.Reserve(1, 0), k.Sync(1), k.Chmod(1, 0), k.Chown(1, 0, 0), k.Mkdir(1, ""), k.Unlink(1, ""), k.Rmdir(1, ""),
		k.Rename(1, "", 1, ""), k.RenameNew(1, "", 1, ""), k.Exchange(1, "", ""), k.Link(1, "", 1, ""),
	} {
		if err != syscall.EIO {
			t.Errorf("call %s answers %v", calls[len(calls)-1], err)
		}
	}
	if k.CopyAttributes(1, 1) {
		t.Error("attributes were copied by a call that failed")
	}
	want := strings.Fields("OpenRoot OpenBeneath Open Stat Lstat Find ReadLink Entries Read Write Truncate Reserve Sync Chmod Chown Mkdir Unlink Rmdir Rename RenameNew Exchange Link CopyAttributes")
	if !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }
