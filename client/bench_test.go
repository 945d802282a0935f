package client_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/daemon/daemontest"
	"github.com/sightline-io/sightline/internal/wire"
)

// The same calls on an engine in this process and through a daemon, with deliveries accounted for as doors do it.
//
//	go test ./client -run '^$' -bench . -count 6

func BenchmarkEngine(b *testing.B) {
	for _, way := range []string{"embedded", "daemon"} {
		b.Run(way, func(b *testing.B) {
			w := daemontest.New(b)
			var text strings.Builder
			for n := range 2000 {
				fmt.Fprintf(&text, "line %06d of a file that is read and edited\n", n)
			}
			w.Put("f.txt", text.String())
			ask := embedded(b, w)
			if way == "daemon" {
				w.Start(daemontest.How{})
				c, err := client.Dial(ctx, client.Options{Root: w.Root, State: w.State, Env: w.Env})
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { c.Close() })
				s := c.Own()
				ask = func(tool, args string) {
					d := &client.Delivery{}
					if a := s.Call(ctx, tool, json.RawMessage(args), client.Meta{Delivery: d, Arrival: c.Arrive()}); a.Refused || a.Failed {
						b.Fatalf("%s", a.Text)
					}
					d.Leave()
					d.Left()
				}
			}
			b.Run("read-100-lines", func(b *testing.B) {
				for b.Loop() {
					ask("read", `{"path":"f.txt","first":1,"last":100}`)
				}
			})
			b.Run("check", func(b *testing.B) {
				for b.Loop() {
					ask("check", `{"path":"f.txt","first":1,"last":10}`)
				}
			})
			n := 0
			b.Run("edit", func(b *testing.B) {
				for b.Loop() {
					ask("edit", fmt.Sprintf(`{"path":"f.txt","edits":[{"first":5,"last":5,"new":"change %d\n"}]}`, n))
					n++
				}
			})
		})
	}
}

// embedded asks an engine in this process.
func embedded(b *testing.B, w *daemontest.World) func(tool, args string) {
	ws, err := sightline.Open(ctx, sightline.Options{Root: w.Root, State: w.State + ".embedded", Durability: sightline.Atomic})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ws.Close() })
	s, err := ws.Session("s")
	if err != nil {
		b.Fatal(err)
	}
	return func(tool, args string) {
		d := &sightline.Delivery{}
		if a := wire.Call(ctx, s, tool, json.RawMessage(args), sightline.Meta{Delivery: d, Arrival: ws.Arrive()}); a.Refused || a.Failed {
			b.Fatalf("%s", a.Text)
		}
		d.Leave()
		d.Left()
	}
}
