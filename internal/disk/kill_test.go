//go:build linux || darwin

package disk_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/disk/disktest"
)

// The test binary is also the process that is killed: with this variable set it makes one change of a file in the
// given folder, stops before the call of the given number, tells so, and waits for its end.
const killVariable = "SIGHTLINE_TEST_KILL"

func TestMain(m *testing.M) {
	if order := os.Getenv(killVariable); order != "" {
		os.Exit(victim(order))
	}
	os.Exit(m.Run())
}

func victim(order string) int {
	part := strings.SplitN(order, " ", 3)
	stop, err := strconv.Atoi(part[0])
	if err != nil {
		return 3
	}
	calls, armed := 0, false
	k := &disktest.Trap{Kernel: disk.System, Before: func(call string) error {
		if armed {
			if calls++; calls == stop {
				fmt.Println("stopped before", call)
				_, _ = io.Copy(io.Discard, os.Stdin) // until the end
				os.Exit(4)
			}
		}
		return nil
	}}
	fs, err := disk.Over(k, part[2], realOptions)
	if err != nil {
		return 3
	}
	armed = true
	if err := scenarioNamed(strings.ReplaceAll(part[1], "_", " ")).run(nobody{}, fs); err != nil {
		fmt.Println(err)
		return 3
	}
	fmt.Println("done")
	return 0
}

// nobody is the test of a process that is none.
type nobody struct{ testing.TB }

func (nobody) Helper() {}

func (nobody) Fatal(args ...any) { fmt.Println(args...); os.Exit(3) }

// TestKill kills a real process with SIGKILL before every call of a change. Each file is old or new, as a whole, with
// its mode; listings show nothing else, and the same change can be made again, or is made already.
func TestKill(t *testing.T) {
	for _, name := range []string{"swap", "swap long", "swap atomic", "create with folders", "remove", "move"} {
		t.Run(name, func(t *testing.T) {
			s := scenarioNamed(name)
			stops := 0
			for n := 1; ; n++ {
				var root string
				w := disktest.NewOSWorld(t, func(r string) (disk.FS, error) { root = r; return disk.OpenOS(r, realOptions) })
				s.before(w)
				said := kill(t, fmt.Sprintf("%d %s %s", n, strings.ReplaceAll(name, " ", "_"), root))
				isNew := s.is(w, s.new)
				if !isNew && !s.is(w, s.old) {
					t.Fatalf("killed, %s: %s", said, s.show(w))
				}
				for file, mode := range s.modes {
					if w.Mode(file) != mode {
						t.Errorf("killed, %s: %s has mode %v", said, file, w.Mode(file))
					}
				}
				listed(t, w)
				if said == "done" {
					if !isNew || len(leftover(w)) > 0 {
						t.Errorf("unharmed: %s, left %q", s.show(w), leftover(w))
					}
					break
				}
				stops++
				if !isNew {
					if err := s.run(t, w.FS()); err != nil || !s.is(w, s.new) {
						t.Errorf("killed, %s; made again: %v, %s", said, err, s.show(w))
					}
				}
			}
			if stops < 5 {
				t.Errorf("only %d places to be killed at", stops)
			}
		})
	}
}

// kill runs the victim, kills it where it stops, and returns what it said.
func kill(t *testing.T, order string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), killVariable+"="+order)
	cmd.Dir = filepath.Dir(self)
	stdin, err := cmd.StdinPipe() // held open: the victim waits on it
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the victim said nothing: %v", err)
	}
	said = strings.TrimSpace(said)
	if strings.HasPrefix(said, "stopped") {
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	err = cmd.Wait()
	if strings.HasPrefix(said, "stopped") == (err == nil) {
		t.Fatalf("the victim said %q and ended with %v", said, err)
	}
	return said
}
