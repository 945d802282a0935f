//go:build linux || darwin

package disk_test

import (
	"context"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
)

const me, other = 1000, 2000

// as makes a file or a folder that belongs to somebody else.
func as(m *disktest.Memory, uid, gid uint32, f func()) {
	m.Become(uid, gid)
	f()
	m.Become(me, me)
}

// TestRights shows what becomes of files and folders of other people.
func TestRights(t *testing.T) {
	for _, c := range []struct {
		name       string
		folder     fs.FileMode // of a folder that belongs to user
		folderUser uint32
		file       fs.FileMode
		user, grp  uint32

		code       fault.Code
		durability disk.Durability
		warnings   []string
		mode       fs.FileMode
	}{
		{name: "my own", folder: 0o755, folderUser: me, file: 0o640, user: me, grp: me, mode: 0o640},
		{name: "their file, my folder", folder: 0o755, folderUser: me, file: 0o666, user: other, grp: other,
			warnings: []string{disk.WarnOwnership}, mode: 0o666},
		{name: "their file of my group", folder: 0o755, folderUser: me, file: 0o664, user: other, grp: me,
			warnings: []string{disk.WarnOwnership}, mode: 0o664},
		{name: "my setuid file", folder: 0o755, folderUser: me, file: 0o755 | fs.ModeSetuid | fs.ModeSetgid, user: me, grp: me,
			mode: 0o755 | fs.ModeSetuid | fs.ModeSetgid},
		{name: "their setuid file lends no rights of mine", folder: 0o755, folderUser: me, file: 0o777 | fs.ModeSetuid | fs.ModeSetgid, user: other, grp: other,
			warnings: []string{disk.WarnOwnership}, mode: 0o777},
		{name: "my file, their folder", folder: 0o755, folderUser: other, file: 0o640, user: me, grp: me,
			durability: disk.InPlace, warnings: []string{disk.WarnFolder}, mode: 0o640},
		{name: "all theirs, but writable", folder: 0o755, folderUser: other, file: 0o666, user: other, grp: other,
			durability: disk.InPlace, warnings: []string{disk.WarnFolder}, mode: 0o666},
		{name: "all theirs", folder: 0o755, folderUser: other, file: 0o644, user: other, grp: other, code: fault.ReadOnly, mode: 0o644},
		{name: "not even readable", folder: 0o755, folderUser: other, file: 0o600, user: other, grp: other, code: fault.IO, mode: 0o600},
		{name: "a folder that cannot be listed", folder: 0o311, folderUser: me, file: 0o644, user: me, grp: me,
			durability: disk.Atomic, warnings: []string{disk.WarnNotSynced}, mode: 0o644},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := disktest.NewMemory(1)
			w := disktest.NewMemoryWorld(t, m, m.FS)
			as(m, c.folderUser, c.folderUser, func() { w.Mkdir("d", 0o777) })
			as(m, c.user, c.grp, func() { w.Write("d/f", oldText, c.file) })
			w.Chmod("d", c.folder)
			s, err := w.FS().Swap(disktest.Name(t, "d/f"), disktest.Holding(oldText), []byte(newText), durable)
			want := newText
			if c.code != "" {
				disktest.Refused(t, err, c.code, "d/f")
				want = oldText
			} else if err != nil || s.Durability != c.durability || !slices.Equal(s.Warnings, c.warnings) {
				t.Errorf("got %+v, %v", s, err)
			}
			if w.Read("d/f") != want || w.Mode("d/f") != c.mode {
				t.Errorf("the file holds %q with mode %v", w.Read("d/f"), w.Mode("d/f"))
			}
			if left := leftover(w); len(left) > 0 {
				t.Errorf("left %q", left)
			}
		})
	}
}

// TestFolderRights shows what a folder that takes no entries does to the other changes.
func TestFolderRights(t *testing.T) {
	m := disktest.NewMemory(1)
	w := disktest.NewMemoryWorld(t, m, m.FS)
	as(m, other, other, func() { w.Mkdir("d", 0o755); w.Write("d/f", oldText, 0o666); w.Write("d/secret", "s", 0o600) })
	w.Write("mine", oldText, 0o644)
	f := w.FS()
	held := disktest.Holding(oldText)
	_, err := f.Swap(disktest.Name(t, "d/n"), disk.Absent(), []byte(newText), durable)
	disktest.Refused(t, err, fault.ReadOnly, "d/n")
	_, err = f.Swap(disktest.Name(t, "d/x/n"), disk.Absent(), []byte(newText), parents)
	disktest.Refused(t, err, fault.ReadOnly, "d/x/n")
	_, err = f.Remove(disktest.Name(t, "d/f"), held, durable)
	disktest.Refused(t, err, fault.ReadOnly, "d/f")
	_, err = f.Move(disktest.Name(t, "mine"), disktest.Name(t, "d/n"), held, durable)
	disktest.Refused(t, err, fault.ReadOnly, "mine")
	_, err = f.Move(disktest.Name(t, "d/f"), disktest.Name(t, "n"), held, durable)
	disktest.Refused(t, err, fault.ReadOnly, "d/f")
	_, err = f.Open(disktest.Name(t, "d/secret"))
	disktest.Refused(t, err, fault.IO, "d/secret")
	_, err = f.Swap(disktest.Name(t, "d/secret"), disk.Absent(), nil, durable)
	disktest.Refused(t, err, fault.Exists, "d/secret")
	if w.Read("d/f") != oldText || w.Read("mine") != oldText || w.Has("n") || m.Descriptors() != 1 {
		t.Error("a refusal changed something, or kept a descriptor")
	}
}

// TestFullMedium leaves room for so many bytes, from none to enough. Short of enough the answer is io and the old bytes
// stand, in a file written in place as well.
func TestFullMedium(t *testing.T) {
	for _, s := range []string{"swap", "swap long", "swap a hard link", "shrink a hard link", "create", "create with folders"} {
		t.Run(s, func(t *testing.T) {
			s := scenarioNamed(s)
			grows := int64(0)
			for _, text := range s.new {
				grows = max(grows, int64(len(text)))
			}
			done := 0
			for _, room := range []int64{0, 1, grows / 2, grows - 1, grows} {
				m := disktest.NewMemory(1)
				w := disktest.NewMemoryWorld(t, m, m.FS)
				s.before(w)
				m.Limit(room)
				err := s.run(t, w.FS())
				if err == nil {
					done++
				}
				if err != nil && (fault.CodeOf(err) != fault.IO || !s.is(w, s.old)) || err == nil && !s.is(w, s.new) {
					t.Errorf("room for %d bytes: %v, %s", room, err, s.show(w))
				}
				if len(leftover(w)) > 0 || err != nil && w.Has("x") {
					t.Errorf("room for %d bytes: something was left", room)
				}
			}
			if done == 0 {
				t.Error("even with enough room it failed")
			}
		})
	}
}

// TestReadOnlyFileSystem answers read-only to whatever a read-only mount refuses.
func TestReadOnlyFileSystem(t *testing.T) {
	for _, s := range scenarios {
		m := disktest.NewMemory(1)
		mounted := false
		w := disktest.NewMemoryWorld(t, m, func() (disk.FS, error) {
			return disk.Over(&disktest.Trap{Kernel: readOnlyOpening{m, &mounted}, Before: func(call string) error {
				if mounted && slices.Contains([]string{"Write", "Mkdir", "Unlink", "Rename", "RenameNew", "Exchange", "Link", "Chmod"}, call) {
					return syscall.EROFS
				}
				return nil
			}}, disktest.MemoryRoot, m.Options())
		})
		s.before(w)
		mounted = true
		if err := s.run(t, w.FS()); fault.CodeOf(err) != fault.ReadOnly || !s.is(w, s.old) {
			t.Errorf("%s: %v, %s", s.name, err, s.show(w))
		}
	}
}

// readOnlyOpening refuses to open for writing, as a read-only mount does.
type readOnlyOpening struct {
	*disktest.Memory
	mounted *bool
}

func (r readOnlyOpening) Open(dir disk.FD, base string, how disk.How, mode uint32) (disk.FD, error) {
	if *r.mounted && (how == disk.AsNew || how == disk.ForWriting) {
		return -1, syscall.EROFS
	}
	return r.Memory.Open(dir, base, how, mode)
}

// TestFoldedCase shows a file system that tells no capitals from small letters: the whole suite holds on it, a move
// to another spelling of the same name is made, and two hard links that differ in case alone are two files elsewhere.
func TestFoldedCase(t *testing.T) {
	folded := func(t *testing.T) disktest.World {
		m := disktest.NewMemory(1)
		m.FoldCase = true
		return disktest.NewMemoryWorld(t, m, m.FS)
	}
	disktest.Suite(t, folded)
	held := disktest.Holding("1\n2\n")
	w := folded(t)
	w.Write("c.txt", "1\n2\n", 0o755)
	w.Write("d.txt", "keep", 0o644)
	_, err := w.FS().Move(disktest.Name(t, "c.txt"), disktest.Name(t, "D.txt"), held, durable)
	disktest.Refused(t, err, fault.Exists, "D.txt")
	if _, err := w.FS().Move(disktest.Name(t, "c.txt"), disktest.Name(t, "C.txt"), held, durable); err != nil {
		t.Error(err)
	}
	if got := w.Names("."); !slices.Equal(got, []string{"C.txt", "d.txt"}) || w.Read("C.txt") != "1\n2\n" || w.Mode("C.txt") != 0o755 {
		t.Errorf("after a move that changes case alone: %q", got)
	}
	if _, err := w.FS().Swap(disktest.Name(t, "src/Widget.tsx"), disk.Absent(), nil, parents); err != nil || !slices.Equal(w.Names("src"), []string{"Widget.tsx"}) {
		t.Errorf("the capitals of a new name: %v", err)
	}
	f, err := w.FS().Open(disktest.Name(t, "SRC/widget.TSX"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := f.ReadAll(context.Background(), 10, nil); err != nil {
		t.Error(err)
	}

	m := disktest.NewMemory(1)
	w = disktest.NewMemoryWorld(t, m, m.FS)
	w.Write("c.txt", "1\n2\n", 0o755)
	w.Hardlink("c.txt", "C.txt")
	_, err = w.FS().Move(disktest.Name(t, "c.txt"), disktest.Name(t, "C.txt"), held, durable)
	disktest.Refused(t, err, fault.Exists, "C.txt")
	if !w.Has("c.txt") || !w.Has("C.txt") {
		t.Error("a hard link was taken for another spelling")
	}
}
