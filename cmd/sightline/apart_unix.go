//go:build unix

package main

import "syscall"

// apart puts a process into a session of its own, so that it outlives the terminal and hears none of its signals.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
