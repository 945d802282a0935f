package disk

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

const nonBlock = 0

// identify has nothing to add here: a file's number is had by opening it alone, and a stamp is only a hint.
func identify(fs.FileInfo, *Stamp) {}

// names returns how many names the file has. It must be opened for that; a file that cannot be opened counts as having
// one, and every change of it fails in its own words.
func names(root *os.Root, rel string, fi fs.FileInfo) uint64 {
	if !fi.Mode().IsRegular() {
		return 1
	}
	f, err := root.Open(rel)
	if err != nil {
		return 1
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

// isNotFolder is never needed here: the system answers that the path does not exist.
func isNotFolder(error) bool { return false }

// syncFolder does nothing: folders cannot be synced here, and the file system journals names by itself.
func syncFolder(*os.Root, string) error { return nil }
