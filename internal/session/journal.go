package session

import (
	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/scope"
	"github.com/sightline-io/sightline/internal/span"
)

func (w *Workspace) journalObserved(*Session, *show, *evidence.Version) {}

func (w *Workspace) journalIntent(*call, scope.Name, scope.Key, content.Ref, content.Ref, span.Splices) error {
	return nil
}

func (w *Workspace) journalDone(*call, scope.Key, evidence.Seq, *evidence.Version) {}

func (w *Workspace) journalCleared(*Session, scope.Key) error { return nil }

func (w *Workspace) journalMoved(from, to scope.Key) error { return nil }
