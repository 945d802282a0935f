package main

import (
	"context"
	"encoding/json"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// heard is a notification of the daemon.
type heard struct {
	method string
	params json.RawMessage
}

// follow prints the newest receipts and then each as it happens. A daemon that ends is followed by the next one, whose
// receipts go on with the numbers.
func (x *logCmd) follow(ctx context.Context, c *commands, w *world) error {
	cwd, err := w.getwd()
	if err != nil {
		return err
	}
	set, err := c.settings(w, cwd)
	if err != nil {
		return err
	}
	state := sightline.StateDir(set.root, w.env)
	if c.Embedded || state == "" {
		return badUsage("--follow follows a daemon; with --embedded there is none")
	}
	news := make(chan heard, 64)
	over, stop := context.WithCancel(ctx)
	defer stop()
	o, err := c.dial(ctx, w, set, state, func(method string, params json.RawMessage) {
		select {
		case news <- heard{method, params}:
		case <-over.Done():
		}
	})
	if err != nil {
		return err
	}
	defer o.client.Close()
	all, err := o.receipts(ctx)
	if err != nil {
		return err
	}
	var last uint64
	print := func(raw json.RawMessage) error {
		var r struct{ Seq uint64 }
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		last = max(last, r.Seq)
		if c.JSON {
			return c.say(w, raw)
		}
		return c.say(w, []byte(receiptText(w.terminal(w.out), raw)))
	}
	for _, raw := range all[max(0, len(all)-x.Limit):] {
		if err := print(raw); err != nil {
			return err
		}
	}
	for {
		if err := o.client.Do(ctx, rpc.Subscribe, map[string]any{"since": last}, nil); err != nil {
			return err
		}
		if err := listen(ctx, news, o.client.Broken(), print); err != nil {
			return err
		}
	}
}

// listen prints receipts until the subscription or the connection ends, which is no error, or ctx does.
func listen(ctx context.Context, news <-chan heard, broken <-chan struct{}, print func(json.RawMessage) error) error {
	for {
		select {
		case h := <-news:
			if h.method == rpc.LaggedNotice {
				return nil // and subscribes anew
			}
			var p struct{ Receipt json.RawMessage }
			if h.method != rpc.ReceiptNotice || json.Unmarshal(h.params, &p) != nil {
				continue
			}
			if err := print(p.Receipt); err != nil {
				return err
			}
		case <-broken:
			return nil
		case <-ctx.Done():
			return exitStatus(exitInterrupted)
		}
	}
}
