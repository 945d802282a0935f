package session

import "github.com/sightline-io/sightline/internal/disk"

// Counters tell how much a workspace holds.
type Counters struct {
	Versions     int // of files, whose line hashes are in memory or were
	VersionBytes int // that they take, about
	Dropped      int // line hashes that were dropped for want of memory
	Receipts     int // that are kept
	Forgotten    int // receipts that are not kept any more
}

// Counters returns how much the workspace holds at the moment.
func (w *Workspace) Counters() Counters {
	t := w.log.Tally()
	kept := len(w.log.All())
	w.mu.Lock()
	defer w.mu.Unlock()
	return Counters{Versions: w.versions.Len(), VersionBytes: w.versions.Bytes(), Dropped: w.versions.Dropped(),
		Receipts: kept, Forgotten: int(t.Dropped)}
}

// Profile returns what sessions are asked for.
func (w *Workspace) Profile() Profile { return w.opt.Profile }

// Durability returns what a finished write is to have behind it.
func (w *Workspace) Durability() disk.Durability { return w.opt.Durability }
