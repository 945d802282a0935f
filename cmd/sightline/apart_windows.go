package main

import "syscall"

// apart puts a process into a group of its own without a console, so that it outlives the one it was started from.
func apart() *syscall.SysProcAttr {
	const detached = 0x8
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detached, HideWindow: true}
}
