package daemon_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-io/sightline/internal/daemon/daemontest"
)

// Sixty-four fronts write four overlapping files at once: each counts up a line of its own and appends to one that all
// share, following the cures it gets. Nothing that was answered as done is lost, in this process under the race detector
// and over one of its own.
func TestWriters(t *testing.T) {
	const writers, steps, files = 64, 4, 4
	run := func(t *testing.T, w *daemontest.World, socket string) {
		for f := range files {
			var b strings.Builder
			for n := range writers {
				fmt.Fprintf(&b, "writer %02d: 0\n", n)
			}
			w.Put(fmt.Sprintf("f%d.txt", f), b.String()+"shared:\n")
		}
		var all sync.WaitGroup
		for n := range writers {
			c := daemontest.Greeted(t, socket, fmt.Sprintf("writer-%d", n))
			all.Go(func() {
				for step := range steps {
					file := (n + step) % files
					if why := count(c, n, step, file); why != "" {
						t.Errorf("writer %d, step %d: %s", n, step, why)
						return
					}
				}
			})
		}
		all.Wait()
		for f := range files {
			text := w.Holds(fmt.Sprintf("f%d.txt", f))
			for n := range writers {
				for step := range steps {
					if (n+step)%files != f {
						continue
					}
					if want := fmt.Sprintf("writer %02d: %d\n", n, step+1); !strings.Contains(text, want) {
						t.Errorf("file %d lacks %q", f, want)
					}
					if mark := fmt.Sprintf(" %d.%d;", n, step); strings.Count(text, mark) != 1 {
						t.Errorf("file %d has %q %d times", f, mark, strings.Count(text, mark))
					}
				}
			}
			if got := strings.Count(text, "\n"); got != writers+1 {
				t.Errorf("file %d has %d lines", f, got)
			}
		}
	}
	t.Run("here", func(t *testing.T) { w := daemontest.New(t); run(t, w, w.Serve(nil).Socket) })
	t.Run("process", func(t *testing.T) { w := daemontest.New(t); run(t, w, w.Start(daemontest.How{}).Socket) })
}

// count makes one step of a writer: its own line by quoting it, and the shared line by whatever it says by then. It
// returns what went wrong.
func count(c *daemontest.Conn, n, step, file int) string {
	path := fmt.Sprintf("f%d.txt", file)
	own := fmt.Sprintf(`{"path":%q,"edits":[{"old":"writer %02d: 0","new":"writer %02d: %d"}]}`, path, n, n, step+1)
	for try := 0; ; try++ {
		f := c.Call("edit", own)
		if f.Error == nil && f.Member("refused") != "true" {
			break
		}
		if code := f.Member("code"); code != `"not-seen"` && code != `"conflict"` && code != `"stale"` || try == 200 {
			return f.Raw
		}
	}
	for try := 0; ; try++ {
		page := c.Call("read", fmt.Sprintf(`{"path":%q,"first":65,"last":65}`, path))
		if page.Error != nil || page.Member("refused") == "true" {
			return page.Raw
		}
		said := strings.TrimSuffix(strings.Trim(page.Member("text"), `"`), `\n`)
		f := c.Call("edit", fmt.Sprintf(`{"path":%q,"edits":[{"old":"%s\n","new":"%s %d.%d;\n"}]}`, path, said, said, n, step))
		if f.Error == nil && f.Member("refused") != "true" {
			return ""
		}
		if try == 2000 {
			return f.Raw
		}
	}
}
