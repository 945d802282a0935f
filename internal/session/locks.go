package session

import (
	"runtime"
	"sync"
	"weak"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/evidence"
	"github.com/sightline-io/sightline/internal/scope"
)

// pathLocks are the locks of files that are being written. A lock exists only while somebody holds or awaits it.
type pathLocks struct {
	mu   sync.Mutex
	held map[scope.Key]*pathLock
}

type pathLock struct {
	mu    sync.Mutex
	users int
}

// lock locks the keys in their order and returns what unlocks them. Equal keys are locked once.
func (p *pathLocks) lock(keys ...scope.Key) (unlock func()) {
	if len(keys) == 2 {
		switch {
		case keys[0] == keys[1]:
			keys = keys[:1]
		case keys[1].String() < keys[0].String():
			keys[0], keys[1] = keys[1], keys[0]
		}
	}
	locks := make([]*pathLock, len(keys))
	for i, k := range keys {
		p.mu.Lock()
		if p.held == nil {
			p.held = map[scope.Key]*pathLock{}
		}
		l := p.held[k]
		if l == nil {
			l = &pathLock{}
			p.held[k] = l
		}
		l.users++
		p.mu.Unlock()
		l.mu.Lock()
		locks[i] = l
	}
	return func() {
		for i, k := range keys {
			locks[i].mu.Unlock()
			p.mu.Lock()
			if locks[i].users--; locks[i].users == 0 {
				delete(p.held, k)
			}
			p.mu.Unlock()
		}
	}
}

// captureVersions remembers which version a capture is, for as long as the capture is in use anywhere.
type captureVersions struct {
	of    map[weak.Pointer[content.Capture]]*evidence.Version
	sweep int // how many there may be before those are looked for whose capture is gone
}

func (m *captureVersions) get(c *content.Capture) *evidence.Version { return m.of[weak.Make(c)] }

func (m *captureVersions) put(c *content.Capture, v *evidence.Version) {
	if m.of == nil {
		m.of, m.sweep = map[weak.Pointer[content.Capture]]*evidence.Version{}, 1024
	}
	if len(m.of) >= m.sweep {
		for p := range m.of {
			if p.Value() == nil {
				delete(m.of, p)
			}
		}
		m.sweep = max(1024, 2*len(m.of))
	}
	m.of[weak.Make(c)] = v
	runtime.KeepAlive(c)
}
