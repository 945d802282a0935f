package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/session"
)

// sim is one seeded life of a workspace: a few agents, somebody else with hands of their own, and a disk that may fail.
type sim struct {
	t     *testing.T
	seed  uint64
	rnd   *rand.Rand
	hands disktest.World
	ws    *session.Workspace
	step  int
	trace []string

	faults  bool // calls of the disk fail now and then
	engine  bool // a call of an agent is under way: only then does the disk fail
	hit     bool // a call of the disk failed under this call: one at most does
	failed  int  // how many calls of the disk failed
	now     int  // the latest moment
	fresh   int  // lines made up
	agents  []*agent
	files   map[string]string   // what lies on disk, by path; links are not listed
	present map[string]presence // since when
	linked  map[string]string   // paths that share a file, or did, by a name for the file
	groups  int
	counts  map[string]int
}

// paths are the names that everybody works on; link leads to the first.
var paths = []string{"a", "b", "d/c"}

const linkName = "link"

func newSim(t *testing.T, seed uint64) *sim {
	m := disktest.NewMemory(seed)
	s := &sim{t: t, seed: seed, rnd: rand.New(rand.NewPCG(seed, 0)), files: map[string]string{},
		present: map[string]presence{}, linked: map[string]string{}, counts: map[string]int{}}
	s.faults = seed%3 == 0
	kernel := &disktest.Trap{Kernel: m, Before: func(call string) error {
		if s.faults && s.engine && !s.hit && s.rnd.IntN(100) == 0 {
			s.failed++
			s.hit = true
			return syscall.EIO
		}
		return nil
	}}
	open := func() (disk.FS, error) { return disk.Over(kernel, disktest.MemoryRoot, m.Options()) }
	s.hands = disktest.NewMemoryWorld(t, m, open)
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	profile := session.Balanced
	if seed%5 == 1 {
		profile = session.Strict
	}
	ws, err := session.Open(context.Background(), session.Options{FS: s.hands.FS(), Profile: profile,
		Durability: disk.Atomic, Clock: func() int64 { return int64(s.now) }, Entropy: rand.NewChaCha8(sha256.Sum256(key[:]))})
	if err != nil {
		t.Fatal(err)
	}
	s.ws = ws
	s.hands.Mkdir("d", 0o755)
	for _, p := range paths {
		s.hands.Write(p, s.text(), 0o644)
	}
	s.hands.Symlink("a", linkName)
	s.look()
	for i := range 2 + int(seed%2) {
		s.agents = append(s.agents, s.newAgent(i))
	}
	return s
}

var padding = regexp.MustCompile(`(é-){2,}`)

// say writes one line of the story.
func (s *sim) say(format string, args ...any) {
	s.trace = append(s.trace, fmt.Sprintf("%4d %s", s.step, padding.ReplaceAllString(fmt.Sprintf(format, args...), "~")))
}

// broken ends the life: a law does not hold.
func (s *sim) broken(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\n%s\nreplay: SIGHTLINE_SEED=%d go test ./internal/session -run 'TestSimulation$'",
		strings.Join(s.trace[max(0, len(s.trace)-200):], "\n"), fmt.Sprintf(format, args...), s.seed)
}

func (s *sim) tick() int { s.now++; return s.now }

// line makes up a line: mostly one that was never there before, and is no part of another.
func (s *sim) line() string {
	switch s.rnd.IntN(12) {
	case 0:
		return "}"
	case 1:
		return ""
	case 2:
		s.fresh++
		return fmt.Sprintf("v%d;%s", s.fresh, strings.Repeat("é-", s.rnd.IntN(400)))
	}
	s.fresh++
	return fmt.Sprintf("v%d;", s.fresh)
}

// text makes up a file.
func (s *sim) text() string {
	var b strings.Builder
	ending := "\n"
	if s.rnd.IntN(5) == 0 {
		ending = "\r\n"
	}
	n := s.rnd.IntN(14)
	for i := range n {
		b.WriteString(s.line())
		if i < n-1 || s.rnd.IntN(4) > 0 {
			b.WriteString(ending)
		}
	}
	return b.String()
}

// look learns what lies on disk now, and since when.
func (s *sim) look() {
	for _, p := range append(slices.Clone(paths), "e", "f", "d/none") {
		was, had := s.files[p]
		if !s.hands.Has(p) {
			delete(s.files, p)
			delete(s.present, p)
			continue
		}
		text := s.hands.Read(p)
		if had && was == text {
			continue
		}
		s.files[p] = text
		if !had {
			s.present[p] = presence{}
		}
		s.present[p] = s.present[p].changed(text, s.tick())
	}
}

// any returns a path: mostly one where something is.
func (s *sim) any() string {
	if s.rnd.IntN(12) == 0 {
		return []string{"e", "f", "d/none"}[s.rnd.IntN(3)]
	}
	all := slices.Sorted(maps.Keys(s.files))
	if len(all) == 0 {
		return paths[0]
	}
	return all[s.rnd.IntN(len(all))]
}

// unlinked notes that a name is none of its file any more. What was told of the file under this name is known of its
// other names.
func (s *sim) unlinked(path string) {
	group, ok := s.linked[path]
	for p, g := range s.linked {
		if ok && p != path && g == group {
			for _, a := range s.agents {
				own := a.of(path).clone()
				a.of(path).learn(a.of(p)) // it was told of the one file that both were
				a.of(p).learn(own)
			}
		}
	}
	delete(s.linked, path)
}

// somebody else does something.
func (s *sim) somebody() {
	p := s.any()
	text, there := s.files[p]
	lines := fullLines(text)
	at := func() int { return s.rnd.IntN(len(lines)) }
	put := func(what string) {
		s.say("x %s %s", what, p)
		if s.rnd.IntN(2) == 0 {
			s.hands.Write(p, strings.Join(lines, ""), 0o644)
		} else {
			s.hands.Replace(p, strings.Join(lines, ""), 0o644)
		}
	}
	switch kind := s.rnd.IntN(14); {
	case !there:
		if p != "d/none" {
			s.say("x makes %s", p)
			s.hands.Write(p, s.text(), 0o644)
			s.unlinked(p)
		}
	case kind == 0:
		s.say("x removes %s", p)
		s.hands.Unlink(p)
	case kind == 1:
		s.say("x renames %s to f", p)
		if p != "f" {
			s.hands.Rename(p, "f")
			s.unlinked("f")
			if g, ok := s.linked[p]; ok {
				s.linked["f"] = g
			}
		}
	case kind == 2 && !s.hands.Has("e") && !s.faults: // a file of several names is written in place
		s.say("x links e to %s", p)
		s.hands.Hardlink(p, "e")
		s.unlinked("e")
		if s.linked[p] == "" {
			s.groups++
			s.linked[p] = fmt.Sprint(s.groups)
		}
		s.linked["e"] = s.linked[p]
	case kind == 3:
		s.hands.Write(p, s.text(), 0o644)
		s.say("x writes %s anew", p)
	case kind == 4:
		put("touches") // the same bytes
	case kind == 5: // a formatter
		for i, l := range lines {
			if l = strings.TrimRight(l, "\r\n"); s.rnd.IntN(3) == 0 && l != "" {
				lines[i] = strings.Replace(lines[i], l, " "+strings.TrimLeft(l, " "), 1)
			}
		}
		put("formats")
	case kind == 6: // endings
		for i, l := range lines {
			if strings.HasSuffix(l, "\r\n") {
				lines[i] = strings.TrimSuffix(l, "\r\n") + "\n"
			} else if strings.HasSuffix(l, "\n") {
				lines[i] = strings.TrimSuffix(l, "\n") + "\r\n"
			}
		}
		put("turns the endings of")
	case len(lines) == 0, kind <= 8:
		i := s.rnd.IntN(len(lines) + 1)
		if i == len(lines) && i > 0 && !strings.HasSuffix(lines[i-1], "\n") {
			lines[i-1] += "\n"
		}
		lines = slices.Insert(lines, i, s.line()+"\n")
		put(fmt.Sprintf("inserts line %d of", i+1))
	case kind <= 10:
		i := at()
		lines = slices.Delete(lines, i, i+1)
		put(fmt.Sprintf("cuts line %d of", i+1))
	case kind <= 12:
		i := at()
		lines[i] = s.line() + "\n"
		put(fmt.Sprintf("changes line %d of", i+1))
	default:
		i, j := at(), at()
		lines[i], lines[j] = lines[j], lines[i]
		put(fmt.Sprintf("swaps lines %d and %d of", i+1, j+1))
	}
}

// story is the whole tree as one text, for comparing.
func (s *sim) story() string {
	var b strings.Builder
	for _, dir := range []string{".", "d"} {
		for _, n := range s.hands.Names(dir) {
			p := n
			if dir != "." {
				p = dir + "/" + n
			}
			if p == "d" {
				continue
			}
			if strings.HasPrefix(n, ".sightline-") && s.failed > 0 {
				continue // a failing disk may keep what could not be removed
			}
			if target := s.hands.Target(p); target != "" {
				fmt.Fprintf(&b, "%s -> %s\n", p, target)
				continue
			}
			fmt.Fprintf(&b, "%s %o %q\n", p, s.hands.Mode(p), s.hands.Read(p))
		}
	}
	return b.String()
}

var (
	long   = os.Getenv("SIGHTLINE_LONG") != ""
	replay = os.Getenv("SIGHTLINE_SEED")
)

// isFailure reports whether a call could not be decided because the disk failed.
func (s *sim) isFailure(err error) bool { return s.hit && fault.CodeOf(err) == fault.IO }
