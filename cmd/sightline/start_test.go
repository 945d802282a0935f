package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkStart is the whole life of a process: a command that opens nothing, one that shows a small file, and for
// comparison the smallest process there is.
func BenchmarkStart(b *testing.B) {
	work := b.TempDir()
	b.Cleanup(func() { endDaemons(b, work) })
	repo := filepath.Join(work, "repo")
	if err := os.MkdirAll(filepath.Join(repo, ".git"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, "f.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	for _, line := range []string{"true", "sightline version", "sightline read f.txt", "sightline --embedded read f.txt"} {
		b.Run(strings.ReplaceAll(line, " ", "_"), func(b *testing.B) {
			args := strings.Fields(line)
			path, err := exec.LookPath(args[0])
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				cmd := exec.Command(path, args[1:]...)
				cmd.Dir, cmd.Env = repo, append(os.Environ(), environment(work)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v %s", err, out)
				}
			}
		})
	}
}

// initBytesMax is what all packages together may allocate before main begins. It was 270 kB when this was written, most
// of it in the standard library.
const initBytesMax = 1 << 20

var initLine = regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes`)

// A command starts often and lives a few milliseconds, so nothing it is built on may prepare much before it is needed.
// Allocation stands for the time here: it is the same on every machine.
func TestNothingHeavyAtTheStart(t *testing.T) {
	path, err := exec.LookPath("sightline")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	found := initLine.FindAllStringSubmatch(string(out), -1)
	for _, m := range found {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if len(found) < 10 {
		t.Fatalf("%d packages were traced: %s", len(found), out)
	}
	if sum > initBytesMax {
		t.Errorf("%d bytes are allocated before main begins, more than %d:\n%s", sum, initBytesMax, out)
	}
	t.Logf("%d packages allocate %d bytes before main begins", len(found), sum)
}
