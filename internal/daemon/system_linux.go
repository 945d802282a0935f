package daemon

import (
	"net"

	"golang.org/x/sys/unix"
)

const fionread = unix.TIOCINQ

// peerUID returns the user at the other end, as the system knows it.
func peerUID(nc *net.UnixConn) (uid int, known bool) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return -1, true
	}
	uid = -1
	if err := raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			uid = int(cred.Uid)
		}
	}); err != nil {
		return -1, true
	}
	return uid, true
}
