//go:build !unix

package disktest

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
