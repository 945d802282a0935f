//go:build !linux

package journal

import "os"

// flush syncs f; on macOS that goes through the drive's own cache.
func flush(f *os.File) error { return f.Sync() }
