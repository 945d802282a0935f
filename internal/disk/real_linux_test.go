package disk_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
)

func realWorld(t *testing.T) (disktest.World, string) {
	var root string
	w := disktest.NewOSWorld(t, func(r string) (disk.FS, error) { root = r; return disk.OpenOS(r, realOptions) })
	return w, root
}

// TestAttributesStay shows that a swap keeps what lies beside the bytes, on file systems that keep such things, and
// that an access list which a folder lends to new files does not reach a file that had none.
func TestAttributesStay(t *testing.T) {
	w, root := realWorld(t)
	w.Write("f", oldText, 0o640)
	path := filepath.Join(root, "f")
	kept := map[string]string{}
	set := func(path, name, value string) bool {
		err := unix.Setxattr(path, name, []byte(value), 0)
		if err != nil && err != unix.ENOTSUP {
			t.Fatal(err)
		}
		return err == nil
	}
	if set(path, "user.sightline", "a value") {
		kept["user.sightline"] = "a value"
	}
	// Version 2; owner rw, user 1234 r, group r, mask r, others nothing.
	entry := func(tag, perm byte, id string) string { return string([]byte{tag, 0, perm, 0}) + id }
	none, user := "\xff\xff\xff\xff", "\xd2\x04\x00\x00"
	list := "\x02\x00\x00\x00" + entry(1, 6, none) + entry(2, 4, user) + entry(4, 4, none) + entry(0x10, 4, none) + entry(0x20, 0, none)
	lists := set(path, "system.posix_acl_access", list)
	if lists {
		kept["system.posix_acl_access"] = list
	}
	s, err := w.FS().Swap(disktest.Name(t, "f"), disktest.Holding(oldText), []byte(newText), durable)
	if err != nil || s.Warnings != nil || w.Mode("f") != 0o640 {
		t.Errorf("%+v, %v, mode %v", s, err, w.Mode("f"))
	}
	for name, want := range kept {
		got := make([]byte, 4096)
		n, err := unix.Getxattr(path, name, got)
		if err != nil || string(got[:n]) != want {
			t.Errorf("%s is %q, %v", name, got[:max(n, 0)], err)
		}
	}
	if !lists {
		return
	}
	w.Mkdir("d", 0o755)
	w.Write("d/f", oldText, 0o644)
	if !set(filepath.Join(root, "d"), "system.posix_acl_default", list) {
		t.Fatal("a file system with access lists for files has none for folders")
	}
	if _, err := w.FS().Swap(disktest.Name(t, "d/f"), disktest.Holding(oldText), []byte(newText), durable); err != nil {
		t.Fatal(err)
	}
	if n, err := unix.Getxattr(filepath.Join(root, "d/f"), "system.posix_acl_access", make([]byte, 4096)); err != unix.ENODATA || w.Mode("d/f") != 0o644 {
		t.Errorf("the folder lent its access list: %d bytes, %v, mode %v", n, err, w.Mode("d/f"))
	}
}

// TestOwnersStay shows that root's swap of somebody's file leaves it theirs, with the bits that lend their rights.
// Without root there is nobody else to own a file; then the bits alone are looked at.
func TestOwnersStay(t *testing.T) {
	w, root := realWorld(t)
	w.Write("f", oldText, 0o755)
	path := filepath.Join(root, "f")
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 {
		uid, gid = 1234, 2345
	}
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	const mode = 0o755 | fs.ModeSetuid | fs.ModeSetgid
	w.Chmod("f", mode)
	s, err := w.FS().Swap(disktest.Name(t, "f"), disktest.Holding(oldText), []byte(newText), durable)
	if err != nil || s.Warnings != nil || s.Durability != disk.Durable {
		t.Errorf("%+v, %v", s, err)
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil || int(st.Uid) != uid || int(st.Gid) != gid || w.Mode("f") != mode {
		t.Errorf("owner %d, group %d, mode %v, %v", st.Uid, st.Gid, w.Mode("f"), err)
	}
	// In place the kernel takes the bits away from all but root, and they are given back.
	w.Hardlink("f", "g")
	if _, err := w.FS().Swap(disktest.Name(t, "f"), disktest.Holding(newText), []byte(oldText), durable); err != nil || w.Mode("g") != mode {
		t.Errorf("in place: %v, mode %v", err, w.Mode("g"))
	}
}

// TestSpecialFiles answers at once for what must never be opened as a file.
func TestSpecialFiles(t *testing.T) {
	for way, calls := range ways {
		t.Run(way, func(t *testing.T) {
			var root string
			w := disktest.NewOSWorld(t, func(r string) (disk.FS, error) { root = r; return lacking(calls)(r) })
			// The address of a socket holds a hundred bytes: bind it by a short path.
			short, err := os.MkdirTemp("", "s")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(short)
			l, err := net.Listen("unix", filepath.Join(short, "s"))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if err := os.Rename(filepath.Join(short, "s"), filepath.Join(root, "socket")); err != nil {
				t.Fatal(err)
			}
			names := []string{"socket"}
			if os.Geteuid() == 0 { // only root makes devices; the null device by its numbers
				if err := unix.Mknod(filepath.Join(root, "null"), unix.S_IFCHR|0o666, 1<<8|3); err == nil {
					names = append(names, "null")
				}
			}
			for _, n := range names {
				name := disktest.Name(t, n)
				_, err := w.FS().Open(name)
				disktest.Refused(t, err, fault.NotRegular, n)
				if info, err := w.FS().Stat(name); err != nil || info.Kind != disk.Special {
					t.Errorf("%s: %+v, %v", n, info, err)
				}
				for _, e := range []disk.Expect{disk.Absent(), disktest.Holding("")} {
					_, err = w.FS().Swap(name, e, []byte("x"), durable)
					disktest.Refused(t, err, fault.NotRegular, n)
				}
			}
		})
	}
}

// TestRealRights does on the real disk what TestRights simulates, as a user who is not root: the thread of the test
// lends itself another user's rights, because the tests may run as root.
func TestRealRights(t *testing.T) {
	w, root := realWorld(t)
	w.Mkdir("d", 0o755)
	w.Write("d/f", oldText, 0o666)
	w.Write("d/theirs", oldText, 0o644)
	w.Write("d/secret", oldText, 0o600)
	if os.Geteuid() == 0 {
		for p := root; p != "/" && p != os.TempDir(); p = filepath.Dir(p) { // the way to it
			if err := os.Chmod(p, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		const nobody, keep = 65534, ^uintptr(0)
		runtime.LockOSThread()
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, keep, nobody, keep); errno != 0 {
			t.Fatal(errno)
		}
		defer func() {
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, keep, 0, keep); errno != 0 {
				t.Fatal(errno) // and the thread is never used again
			}
			runtime.UnlockOSThread()
		}()
	} else {
		w.Chmod("d", 0o555)
		w.Chmod("d/theirs", 0o444)
		w.Chmod("d/secret", 0o000)
		defer w.Chmod("d", 0o755)
	}
	s, err := w.FS().Swap(disktest.Name(t, "d/f"), disktest.Holding(oldText), []byte(newText), durable)
	if err != nil || s.Durability != disk.InPlace || !slices.Equal(s.Warnings, []string{disk.WarnFolder}) {
		t.Errorf("a writable file in a folder that is not: %+v, %v", s, err)
	}
	_, err = w.FS().Swap(disktest.Name(t, "d/theirs"), disktest.Holding(oldText), []byte(newText), durable)
	disktest.Refused(t, err, fault.ReadOnly, "d/theirs")
	_, err = w.FS().Open(disktest.Name(t, "d/secret"))
	disktest.Refused(t, err, fault.IO, "d/secret")
	_, err = w.FS().Swap(disktest.Name(t, "d/n"), disk.Absent(), []byte(newText), durable)
	disktest.Refused(t, err, fault.ReadOnly, "d/n")
	_, err = w.FS().Remove(disktest.Name(t, "d/f"), disktest.Holding(newText), durable)
	disktest.Refused(t, err, fault.ReadOnly, "d/f")
}

// TestNoDescriptorStays counts the descriptors of the process around many calls, refused ones among them.
func TestNoDescriptorStays(t *testing.T) {
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	w, _ := realWorld(t)
	w.Mkdir("d", 0o755)
	w.Symlink("d", "l")
	w.Symlink("/nowhere", "out")
	before := count()
	for range 50 {
		for _, s := range scenarios[:4] {
			for _, n := range []string{"f", "link", "d/f"} {
				if w.Has(n) {
					w.Unlink(n)
				}
			}
			if s.name != "swap through a link" {
				s.before(w)
			}
			_ = s.run(t, w.FS()) // its outcome is the affair of other tests
		}
		for _, n := range []string{"l/none", "out/x", "d", "f/x", "none"} {
			if f, err := w.FS().Open(disktest.Name(t, n)); err == nil {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
			_, _ = w.FS().Stat(disktest.Name(t, n))
			_, _ = w.FS().Swap(disktest.Name(t, n), disk.Absent(), nil, durable)
			_, _ = w.FS().Remove(disktest.Name(t, n), disktest.Holding("?"), durable)
			_, _ = w.FS().Move(disktest.Name(t, n), disktest.Name(t, "l/other"), disktest.Holding("?"), durable)
		}
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors more than before", after-before)
	}
}

// TestListingManyEntries crosses the bound of what one system call returns.
func TestListingManyEntries(t *testing.T) {
	w, root := realWorld(t)
	w.Mkdir("many", 0o755)
	var want []string
	for i := range 1200 {
		n := strings.Repeat("long-name-", 5) + string([]byte{'a' + byte(i/676%26), 'a' + byte(i/26%26), 'a' + byte(i%26)})
		want = append(want, n)
		if err := os.WriteFile(filepath.Join(root, "many", n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	var got []string
	if err := w.FS().List(disktest.Name(t, "many"), func(e disk.Entry) bool { got = append(got, e.Base); return true }); err != nil || !slices.Equal(got, want) {
		t.Errorf("%d entries of %d, %v", len(got), len(want), err)
	}
}
