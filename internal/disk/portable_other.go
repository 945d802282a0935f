//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

const nonBlock = 0

// identify has nothing to tell here: files carry neither inode nor a count of names that is had without opening them.
func identify(fs.FileInfo, *Stamp) uint64 { return 1 }

// isNotFolder is never needed here: the system answers that the path does not exist.
func isNotFolder(error) bool { return false }

// syncFolder does nothing: folders cannot be synced here, and the file system journals names by itself.
func syncFolder(*os.Root, string) error { return nil }
