package disk

import (
	"errors"
	"syscall"

	"github.com/sightline-io/sightline/internal/fault"
)

// The faults of the room, in the words a model reads. None of them says anything about what lies outside the root.

func outside(path string) error {
	return fault.Newf(fault.OutsideRoot, path, "The path leads out of the workspace, by its spelling or through a link.")
}

func notRegular(path, what string) error {
	return fault.Newf(fault.NotRegular, path, "%s is %s; only regular files are read and written.", path, what)
}

func missing(path string) error {
	return fault.Newf(fault.Missing, path, "%s does not exist.", path)
}

func missingParent(path string) error {
	return fault.Newf(fault.Missing, path, "The folder of %s does not exist.", path)
}

func exists(path string) error {
	return fault.Newf(fault.Exists, path, "%s exists already; a new file never replaces one.", path)
}

func existsDangling(path string) error {
	return fault.Newf(fault.Exists, path, "%s is a link whose target does not exist; a new file never replaces a link.", path)
}

func parentIsFile(path string) error {
	return fault.Newf(fault.Exists, path, "A folder of %s exists as a file, so the path cannot be made.", path)
}

func readOnly(path, why string) error {
	return fault.Newf(fault.ReadOnly, path, "%s is read-only: %s.", path, why)
}

func conflict(path string) error {
	return fault.Newf(fault.Conflict, path, "%s does not hold the expected bytes any more.", path)
}

// failed is an io fault. Where the system gave a reason of its own (a full disk, a quota, no permission) the message has
// it: what to do about it depends on that, and its words hold nothing of the file.
func failed(path, doing string, err error) error {
	message := "The operating system failed while " + doing + " " + path
	if reason := syscall.Errno(0); errors.As(err, &reason) {
		message += ": " + reason.Error()
	}
	return &fault.Error{Code: fault.IO, Path: path, Message: message + ".", Err: err}
}

func cancelled(path string, err error) error {
	return &fault.Error{Code: fault.Cancelled, Path: path, Message: "The call was cancelled while reading " + path + ".", Err: err}
}

func badName(path string, err error) error {
	return &fault.Error{Code: fault.Invalid, Path: path, Field: "path", Message: "The file system cannot hold a file of this name.", Err: err}
}

func closed(path string) error {
	return fault.Newf(fault.IO, path, "The workspace was closed.")
}

const (
	whyMode       = "no write bit is set in its mode"
	whyFolder     = "neither it nor its folder may be written"
	whyFileSystem = "its file system is mounted read-only"
)

var kindWords = [...]string{Regular: "a file", Folder: "a folder", Link: "a link", Special: "a pipe, socket or device"}

func rootNotAbsolute(abs string) error {
	return &fault.Error{Code: fault.Invalid, Path: abs, Field: "root", Message: "The root must be an absolute path."}
}

func noFolder(path string) error {
	return &fault.Error{Code: fault.Invalid, Path: path, Field: "path", Message: path + " is no folder; only folders can be listed."}
}
