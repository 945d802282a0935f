package daemon

import (
	"io/fs"
	"net"
)

// isSocket reports what a socket looks like here: some file of no ordinary kind.
func isSocket(info fs.FileInfo) bool { return !info.IsDir() && !info.Mode().IsRegular() }

// isOwn relies on the rights of the user's own folders, which others cannot write.
func isOwn(fs.FileInfo) bool { return true }

func isMomentary(error) bool { return false }

// peerUID cannot be asked here; the rights of the folder decide who can connect.
func peerUID(*net.UnixConn) (uid int, known bool) { return 0, false }

// puller reads a socket; here the system is not asked how much it holds, so that what is on its way counts as written
// later.
type puller struct {
	nc   *net.UnixConn
	book func(read func() int)
}

func newPuller(nc *net.UnixConn, book func(read func() int)) (*puller, error) {
	return &puller{nc, book}, nil
}

func (u *puller) read(p []byte) (int, error) {
	n, err := u.nc.Read(p)
	u.book(func() int { return n })
	return n, err
}

func (*puller) waiting() int64 { return 0 }
