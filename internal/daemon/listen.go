package daemon

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/sightline-io/sightline"
	"github.com/sightline-io/sightline/internal/rpc"
)

// Listen listens at the first place of the root's socket that can be had; see [rpc.Places]. Only who holds the root's
// lease may call it: what a dead process left there is removed. The socket has mode 0600, in a folder of mode 0700 that
// is the user's own. Where that is not the root's state folder, a link there leads to it, so that it is found from other
// environments too.
//
// It answers io where no place can be had, and where another process answers there, which then serves the root under
// another state folder.
func Listen(root, state string, env func(string) string) (*net.UnixListener, error) {
	places, err := rpc.Places(root, state, env)
	if err != nil {
		return nil, err
	}
	var causes []error
	for i, p := range places {
		l, err := listenAt(p)
		if errors.Is(err, errAnswers) {
			return nil, &sightline.Error{Op: "serve", Code: sightline.IO, Path: root,
				Message: "Another process serves this root at " + p + ". End it, or use it instead.", Err: err}
		}
		if err != nil {
			causes = append(causes, err)
			continue
		}
		if state != "" && filepath.Dir(p) != filepath.Clean(state) {
			for _, at := range places[i+1:] {
				if filepath.Dir(at) == filepath.Clean(state) {
					linkTo(p, at)
				}
			}
		}
		return l, nil
	}
	return nil, &sightline.Error{Op: "serve", Code: sightline.IO, Path: root,
		Message: "There is no folder for the socket: set XDG_RUNTIME_DIR to one of your own.", Err: errors.Join(causes...)}
}

// errAnswers says that a process listens at a place.
var errAnswers = errors.New("the socket is answered")

func listenAt(path string) (*net.UnixListener, error) {
	if err := ownFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := clearSocket(path); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it is removed while the lease is still held
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(path))
	}
	return l, nil
}

// clearSocket removes a socket, or a link, that nobody answers at.
func clearSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !isSocket(info) && info.Mode().Type() != fs.ModeSymlink {
		return &fs.PathError{Op: "listen", Path: path, Err: errors.New("the file is no socket")}
	}
	if nc, err := net.Dial("unix", path); err == nil {
		return errors.Join(errAnswers, nc.Close())
	}
	return os.Remove(path)
}

// ownFolder makes a folder of mode 0700, or checks that the one that is there is the user's own and no link, and takes
// the rights of others away.
func ownFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !isOwn(info) {
		return &fs.PathError{Op: "listen", Path: dir, Err: errors.New("it is no folder of this user's own")}
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// linkTo puts a link at a second place. Where that cannot be done the socket is found at the first alone.
func linkTo(path, at string) {
	if ownFolder(filepath.Dir(at)) != nil || clearSocket(at) != nil {
		return
	}
	_ = os.Symlink(path, at)
}
