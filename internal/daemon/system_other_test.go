//go:build !linux

package daemon_test

import (
	"os/exec"
	"testing"
)

// peakMemory is not known here.
func peakMemory(*testing.T, int) int { return 0 }

func asNobody(*exec.Cmd) {}
