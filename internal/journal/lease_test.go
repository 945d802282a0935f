package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
)

// The test binary is also the other process: it then does what these variables say.
const (
	roleVar = "SIGHTLINE_JOURNAL_TEST_ROLE"
	dirVar  = "SIGHTLINE_JOURNAL_TEST_DIR"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		if err := child(role, os.Getenv(dirVar)); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child opens the journal, says so, and then writes one record, or syncs one, for each line it is sent.
func child(role, dir string) error {
	opt := options(dir)
	opt.Purpose = "mcp"
	j, err := Open(opt)
	if err != nil {
		return err
	}
	if _, err := j.Replay(func(Record) error { return nil }); err != nil {
		return err
	}
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for n := evidence.Seq(1); in.Scan(); n++ {
		put := j.Append
		if role == "sync" {
			put = j.Sync
		}
		if err := put(&Reserved{Seq: n}); err != nil {
			return err
		}
		fmt.Println(n)
	}
	return j.Close()
}

// other is another process with the journal open.
type other struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func started(t *testing.T, role, dir string) *other {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"="+role, dirVar+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	o := &other{cmd, in, bufio.NewReader(out)}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	if got := o.line(t); got != "ready" {
		t.Fatalf("the other process says %q", got)
	}
	return o
}

func (o *other) line(t *testing.T) string {
	t.Helper()
	s, err := o.out.ReadString('\n')
	must(t, err)
	return strings.TrimSuffix(s, "\n")
}

// A folder has one holder. Who comes second is told who the first is and what it does, and gets the lease when the first
// is gone, however it went.
func TestLeaseNamesItsHolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	o := started(t, "append", dir)
	_, err := Open(options(dir))
	if fault.CodeOf(err) != fault.IO {
		t.Fatalf("second open: %v", err)
	}
	wantText(t, err, fmt.Sprintf("process %d (mcp)", o.cmd.Process.Pid))
	must(t, o.cmd.Process.Kill())
	o.cmd.Wait()
	j, _, _ := opened(t, dir)
	_, err = Open(options(dir)) // the same process is no exception
	wantText(t, err, fmt.Sprintf("process %d (test)", os.Getpid()))
	closed(t, j)
	opened(t, dir)
}

// With a Wait the lease is tried again until the holder is gone, or the time has passed.
func TestLeaseIsWaitedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	o := started(t, "append", dir)
	now, pauses := int64(1000), 0
	opt := options(dir)
	opt.Wait = 100 * time.Millisecond
	opt.Clock = func() int64 { return now }
	opt.Pause = func(d time.Duration) bool { now += d.Milliseconds(); pauses++; return true }
	_, err := Open(opt)
	wantText(t, err, fmt.Sprintf("process %d (mcp)", o.cmd.Process.Pid))
	if now < 1100 || now > 1100+leasePause.Milliseconds() || pauses < 2 {
		t.Fatalf("gave up at %d after %d pauses", now, pauses)
	}
	before := now
	opt.Pause = func(time.Duration) bool { return false }
	if _, err := Open(opt); fault.CodeOf(err) != fault.IO || now != before {
		t.Fatalf("waited on for nobody: %v", err)
	}
	opt.Pause = func(d time.Duration) bool { // the holder ends while the second waits
		o.in.Close()
		if _, err := o.out.ReadString('\n'); !errors.Is(err, io.EOF) {
			t.Errorf("the holder went on: %v", err)
		}
		o.cmd.Wait()
		return true
	}
	j, err := Open(opt)
	must(t, err)
	closed(t, j)
}

// A process that is killed between two appends leaves every record that it had written, and its lease.
func TestKilledBetweenAppends(t *testing.T) {
	for _, role := range []string{"append", "sync"} {
		for n := range 4 {
			dir := filepath.Join(t.TempDir(), "state")
			o := started(t, role, dir)
			for i := range n {
				fmt.Fprintln(o.in)
				if got := o.line(t); got != fmt.Sprint(i+1) {
					t.Fatalf("the other process says %q", got)
				}
			}
			must(t, o.cmd.Process.Kill())
			o.cmd.Wait()
			j, got, rep := opened(t, dir)
			if len(got) != n || rep.Cut != 0 || rep.Fresh {
				t.Fatalf("killed after %d: %d records, report %+v", n, len(got), rep)
			}
			closed(t, j)
		}
	}
}
