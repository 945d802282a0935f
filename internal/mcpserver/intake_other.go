//go:build !linux && !darwin

package mcpserver

import "io"

// sysInput is an input that the system can be asked about; here there is none.
type sysInput struct{}

func openInput(io.Reader) (*sysInput, error) { return nil, nil }

func (*sysInput) read([]byte, *intake) (int, error) { return 0, errHungUp }
func (*sysInput) waiting() int64                    { return 0 }
func (*sysInput) hangUp()                           {}
