package client

import (
	"context"
	"encoding/json"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// suits checks that the daemon is served as the options ask. One that is not is ended where nobody else is connected to
// it and another one can be started; else the client is refused as invalid, because it would be judged by other rules
// than it was promised.
func (c *Client) suits(ctx context.Context, l *link, replaced bool) error {
	if c.opt.Profile == "" && c.opt.Durability == "" {
		return nil
	}
	result, err := l.ask(ctx, rpc.Status, []byte(`{}`))
	if err != nil {
		return err
	}
	var now struct {
		Profile, Durability string
		Connections         int
	}
	if err := json.Unmarshal(result, &now); err != nil {
		return &sightline.Error{Op: "dial", Code: sightline.Internal, Message: "The daemon's answer is not understood.", Err: err}
	}
	as := func(want, is string) bool { return want == "" || want == is }
	if as(c.opt.Profile, now.Profile) && as(c.opt.Durability, now.Durability) {
		return nil
	}
	if c.opt.Start != nil && !replaced && now.Connections <= 1 {
		return c.replace(ctx, l, "a daemon with other settings was ended")
	}
	return &sightline.Error{Op: "dial", Code: sightline.Invalid,
		Message: "The daemon of this root runs with profile " + now.Profile + " and durability " + now.Durability +
			", and others use it. Leave the settings out, or end it first."}
}
