package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-io/sightline/internal/fault"
)

// Rules for the lease. It is a lock of the operating system on the file lease, so that it ends with the process that
// holds it, however that ends. What the file says is for people: it is written after the lock was taken, and may for a
// moment be what the last holder wrote. The file itself stays for ever, because removing it would let two processes
// each lock a file of that name.

// lease is a claim on a folder.
type lease struct{ f *os.File }

// leasePause is how long a taken lease is left alone before it is tried again.
const leasePause = 20 * time.Millisecond

// errTaken says that somebody else holds the lock.
var errTaken = errors.New("taken")

// ErrHeld is what the failure of a lease wraps that another process holds.
var ErrHeld = errors.New("the lease is held")

func heldBy(root, holder string) error {
	f := fault.Newf(fault.IO, root, "The workspace is held by %s. End it, or use it instead.", holder)
	f.Err = ErrHeld
	return f
}

// takeLease takes the lease of the folder, waiting as the options say.
func (opt Options) takeLease() (*lease, error) {
	f, err := os.OpenFile(filepath.Join(opt.Dir, leaseName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, failed("opening its lease", err)
	}
	var until int64
	waits := opt.Wait > 0 && opt.Clock != nil && opt.Pause != nil
	if waits {
		until = opt.Clock() + opt.Wait.Milliseconds()
	}
	for {
		err := lockFile(f)
		if err == nil {
			return opt.sign(f)
		}
		if !errors.Is(err, errTaken) {
			return nil, errors.Join(failed("taking its lease", err), f.Close())
		}
		if !waits || opt.Clock() >= until || !opt.Pause(leasePause) {
			holder := holderOf(f)
			return nil, errors.Join(heldBy(opt.Root, holder), f.Close())
		}
	}
}

// sign writes into the lease who holds it.
func (opt Options) sign(f *os.File) (*lease, error) {
	err := f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt(fmt.Appendf(nil, "pid %d\npurpose %s\n", os.Getpid(), word(opt.Purpose)), 0)
	}
	if err != nil {
		return nil, errors.Join(failed("signing its lease", err), f.Close())
	}
	return &lease{f}, nil
}

// holderOf says in words who signed the lease.
func holderOf(f *os.File) string {
	raw := make([]byte, 256)
	n, err := f.ReadAt(raw, 0)
	if err != nil && err != io.EOF {
		return "another process"
	}
	pid, purpose := "", ""
	for line := range strings.Lines(string(raw[:n])) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "pid":
			pid = value
		case "purpose":
			purpose = value
		}
	}
	switch {
	case pid == "":
		return "another process"
	case purpose == "":
		return "process " + word(pid)
	}
	return fmt.Sprintf("process %s (%s)", word(pid), word(purpose))
}

// release gives the lease back.
func (l *lease) release() error { return l.f.Close() }
