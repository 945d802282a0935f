//go:build linux || darwin

package mcpserver

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sysInput is an input that the system can be asked about: a pipe, a socket or a terminal.
type sysInput struct {
	raw        syscall.RawConn
	wake, bell *os.File // closing bell ends the wait for input
	wakeFD     int32

	// Of the read under way; fields, so that a read costs no closure.
	p     []byte
	t     *intake
	n     int
	err   error
	step  func(fd uintptr)
	held  int
	count func(fd uintptr)
}

func openInput(in io.Reader) (*sysInput, error) {
	f, ok := in.(*os.File)
	if !ok {
		return nil, nil
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	wake, bell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := &sysInput{raw: raw, wake: wake, bell: bell, wakeFD: int32(wake.Fd())}
	s.step, s.count = s.take, s.ask
	return s, nil
}

// read waits for input and takes it off, counting it in the same step.
func (s *sysInput) read(p []byte, t *intake) (int, error) {
	s.p, s.t = p, t
	if err := s.raw.Control(s.step); err != nil {
		s.wake.Close()
		return 0, errHungUp
	}
	if s.err != nil {
		s.wake.Close()
	}
	return s.n, s.err
}

func (s *sysInput) take(fd uintptr) {
	polled := [...]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: s.wakeFD, Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(polled[:], -1)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			s.n, s.err = 0, os.NewSyscallError("poll", err)
			return
		case polled[1].Revents != 0:
			s.n, s.err = 0, errHungUp
			return
		}
		s.t.mu.Lock()
		n, err := unix.Read(int(fd), s.p)
		s.t.taken += int64(max(n, 0))
		s.t.mu.Unlock()
		switch {
		case err == unix.EINTR || err == unix.EAGAIN:
			continue
		case err != nil:
			s.n, s.err = 0, os.NewSyscallError("read", err)
		case n == 0:
			s.n, s.err = 0, io.EOF
		default:
			s.n, s.err = n, nil
		}
		return
	}
}

// waiting returns how many bytes of input the system holds for us. The intake's mu is held.
func (s *sysInput) waiting() int64 {
	s.held = 0
	if err := s.raw.Control(s.count); err != nil {
		return 0 // closed: nothing that waits will be taken any more
	}
	return int64(max(s.held, 0))
}

func (s *sysInput) ask(fd uintptr) {
	n, err := unix.IoctlGetInt(int(fd), fionread)
	if err != nil {
		n = 0 // a file or a device that cannot tell
	}
	s.held = n
}

func (s *sysInput) hangUp() { _ = s.bell.Close() }
