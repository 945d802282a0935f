package session

import (
	"sync"
	"sync/atomic"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/disk"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/fault"
	"github.com/sightline-io/sightline/internal/journal"
	"github.com/sightline-io/sightline/internal/receipt"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

// Rules for the record. What changes evidence is staged under the evidence lock, in the moment in which evidence
// changes, and written behind it without that lock: the log has the order in which things happened, and a resumed
// process does them again with the very same operations. An observation whose writing fails counts in memory alone. What
// must not be lost (a commit's intent, a revocation) is written before it is done, and when that fails it is not done.
//
// Lock order: path locks, then book.writing, then the evidence lock.

// recorder is what is needed of a [journal.Journal].
type recorder interface {
	Append(...journal.Record) error
	Sync(...journal.Record) error
	NeedsCompaction() bool
	Compact(dump func(emit func(journal.Record) error) error) error
	Close() error
}

// seqBlock is how many sequence numbers are reserved at a time.
const seqBlock = 1 << 16

// book is the workspace's side of its journal.
type book struct {
	log      recorder
	reserved atomic.Uint64 // numbers up to here are reserved, or just being
	reserve  sync.Mutex    // held while numbers are reserved

	writing sync.Mutex // held from taking what is staged until it is written, so that it is written in order

	// Guarded by the evidence lock.
	staged  []journal.Record
	defined *defined                   // versions that the log has defined
	intents map[uint64]*journal.Intent // commits under way
	lost    int                        // observations that are in memory alone
	resumed journal.Report
}

// Unrecorded returns how many observations count in this process alone, because the journal would not take them.
func (w *Workspace) Unrecorded() int {
	if w.book == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.book.lost
}

// Resumed tells what the journal held when the workspace was opened.
func (w *Workspace) Resumed() journal.Report {
	if w.book == nil {
		return journal.Report{}
	}
	return w.book.resumed
}

// recordEnd writes the end of a change that takes evidence back, and syncs it. Where the journal does not take it, the
// intent, which it took, lets the next process find the end out.
func (w *Workspace) recordEnd() {
	if err := w.record(true, nil); err != nil {
		w.warnUnrecorded()
	}
}

// next gives out the next sequence number, which is reserved before it is used.
func (w *Workspace) next() evidence.Seq {
	n := w.seq.Add(1)
	if w.book != nil && n > w.book.reserved.Load() {
		w.reserveTo(n + seqBlock)
	}
	return evidence.Seq(n)
}

// reserveTo reserves numbers up to n. Where the journal does not take it, the numbers are used all the same: nothing
// that bears them is recorded then, and what is recorded later raises the mark again.
func (w *Workspace) reserveTo(n uint64) {
	b := w.book
	b.reserve.Lock()
	defer b.reserve.Unlock()
	if b.reserved.Load() >= n {
		return
	}
	b.reserved.Store(n) // before the write, so that a log that is being written anew has it
	if err := b.log.Sync(&journal.Reserved{Seq: evidence.Seq(n)}); err != nil {
		w.warnUnrecorded()
	}
}

// stage puts recs behind what is to be written; the caller holds the evidence lock and changes evidence in the same
// hold of it.
func (w *Workspace) stage(recs ...journal.Record) {
	if w.book == nil {
		return
	}
	for _, r := range recs {
		w.book.defined.note(r)
	}
	w.book.staged = append(w.book.staged, recs...)
}

// flush writes what is staged. What the journal does not take is counted and told once.
func (w *Workspace) flush() {
	if w.book == nil {
		return
	}
	if err := w.record(false, nil); err != nil {
		w.warnUnrecorded()
	}
}

// record writes what is staged and then what put stages under the evidence lock, and returns when it is written, or
// synced. An error means that nothing of it is in the log. It is nil where there is no journal.
func (w *Workspace) record(sync bool, put func()) error {
	b := w.book
	if b == nil {
		return nil
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	w.mu.Lock()
	if put != nil {
		put()
	}
	recs := b.staged
	b.staged = nil
	w.mu.Unlock()
	if len(recs) == 0 {
		return nil
	}
	write := b.log.Append
	if sync {
		write = b.log.Sync
	}
	if err := write(recs...); err != nil {
		w.unrecorded(recs)
		return err
	}
	if w.seq.Load()+seqBlock/2 > b.reserved.Load() {
		w.reserveTo(w.seq.Load() + seqBlock)
	}
	if b.log.NeedsCompaction() {
		w.compact() // where it cannot be, the log goes on as it is, which was stated
	}
	return nil
}

// unrecorded counts what was not written, and lets go of the belief that the log defines any version.
func (w *Workspace) unrecorded(recs []journal.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range recs {
		switch r.(type) {
		case *journal.Observed, *journal.Done:
			w.book.lost++
		}
	}
	w.book.defined.clear()
}

// warnUnrecorded states that the record has a gap. The log of receipts folds repeats into one.
func (w *Workspace) warnUnrecorded() {
	r := w.log.Add(receipt.Receipt{Verb: "record", Code: fault.IO, At: w.opt.Clock(), Warnings: []receipt.Warning{"in-memory-only"}})
	if w.opt.Receipts != nil {
		w.opt.Receipts(r)
	}
}

// define stages what the log needs to know of v before it speaks of it: nothing where it knows it, else how it differs
// from base, or all of it. The caller holds the evidence lock.
func (w *Workspace) define(v, base *evidence.Version) {
	if w.book == nil {
		return
	}
	if r := w.book.defined.definition(v, base); r != nil {
		w.stage(r)
	}
}

// journalObserved stages that sh was learned; the caller holds the evidence lock. before is the version that the session
// was shown last, if any.
func (w *Workspace) journalObserved(o *journal.Observed, v, before *evidence.Version) {
	if w.book == nil {
		return
	}
	w.define(v, before)
	w.stage(o)
}

// journalIntent records what a commit is about to do, before anything is done. The commit must not happen where it
// answers an error; otherwise its end is told by journalDone or [Workspace.journalUndone]. sync is for what takes
// evidence back.
func (w *Workspace) journalIntent(c *call, sync bool, in *journal.Intent, before, after *evidence.Version, was, will *content.Capture) error {
	if w.book == nil {
		return nil
	}
	in.Session, in.Epoch, in.Call = c.s.id, c.epoch, c.id
	in.Before, in.After = before.Ref.String(), after.Ref.String()
	in.ID = uint64(w.next())
	if c.meta.request != (requested{}) {
		in.Reply.Request, in.Reply.Digest, in.Reply.Lines = c.meta.request.id, c.meta.request.digest, after.N
		in.Reply.Before, in.Reply.After = w.masked(was.Ref(), in.ID, 0), w.masked(will.Ref(), in.ID, 1)
	}
	c.intent = in
	err := w.record(sync, func() {
		w.define(before, nil)
		w.define(after, before)
		w.stage(in)
		w.book.intents[in.ID] = in
	})
	if err == nil {
		return nil
	}
	w.mu.Lock()
	delete(w.book.intents, in.ID)
	w.mu.Unlock()
	return &fault.Error{Code: fault.IO, Message: "The journal cannot be written, so nothing was changed. Without it the change would not be known as your own.", Err: err}
}

// journalDone stages that the intended change was made and has changed evidence; the caller holds the evidence lock, and
// calls flush or recordEnd afterwards. name is that of the file as it is now, or zero where it is as it was meant.
func (w *Workspace) journalDone(c *call, name scope.Name, seq evidence.Seq, at int64, swapped disk.Swapped) {
	if w.book == nil {
		return
	}
	d := &journal.Done{ID: c.intent.ID, Seq: seq, At: at, Name: name.String(), Durability: uint8(swapped.Durability), Warnings: swapped.Warnings}
	delete(w.book.intents, d.ID)
	w.stage(d)
	c.s.remember(c.intent, d)
}

// journalUndone records that the intended change was not made.
func (w *Workspace) journalUndone(c *call) {
	if w.book == nil {
		return
	}
	w.mu.Lock()
	delete(w.book.intents, c.intent.ID)
	w.stage(&journal.Done{ID: c.intent.ID, Failed: true})
	w.mu.Unlock()
	w.flush()
}

// closeJournal writes what is left and closes the journal.
func (w *Workspace) closeJournal() error {
	if w.book == nil {
		return nil
	}
	w.flush()
	return w.book.log.Close()
}

// partial returns the lines of which a commit's readings owed only columns.
func partial(readings []evidence.Reading) []span.Line {
	var out []span.Line
	for _, r := range readings {
		for l := range r.Columns {
			out = append(out, l)
		}
	}
	return out
}

// partially is the reverse of partial, as far as evidence asks for it.
func partially(lines []span.Line) []evidence.Reading {
	if len(lines) == 0 {
		return nil
	}
	r := evidence.Reading{Columns: map[span.Line][]span.Bytes{}}
	for _, l := range lines {
		r.Columns[l] = nil
	}
	return []evidence.Reading{r}
}

// versionOf is the ref by which the journal names what a plain ref names.
func (w *Workspace) versionOf(ref content.Ref) string {
	if ref.IsZero() {
		return ""
	}
	return w.keyed(ref).String()
}
