package journal

import "os"

// osFile is a file of the operating system as appending uses it.
type osFile struct{ *os.File }

// Flush returns when everything written so far is on the medium.
func (f osFile) Flush() error { return flush(f.File) }

func openLogFile(path string, flag int) (osFile, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	return osFile{f}, err
}

func createLog(path string) (logFile, error) {
	return openLogFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}
