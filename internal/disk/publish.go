package disk

import "github.com/sightline-io/sightline/internal/fault"

// outcome says what lies under the temporary name after publishing.
type outcome uint8

const (
	ownTemp       outcome = iota // our own new file, or nothing: discard it
	displacedTemp                // the old file, to be removed
	keepTemp                     // bytes of somebody else that could not be put back
)

// publish gives the filled temporary file the name of p. On error the old file, or what somebody else put there, stands
// under the name.
func (p *place) publish(t *temp, expect Expect) (outcome, error) {
	err := p.o.k.Exchange(p.dir, t.base, p.base)
	if unsupported(err) {
		return ownTemp, p.renameOver(t, expect)
	}
	if err != nil {
		return ownTemp, err
	}
	ok, err := p.cameOut(t.base, expect)
	if ok {
		return displacedTemp, nil
	}
	if err == nil {
		err = conflict(p.asked)
	}
	return p.putBack(t, err)
}

// cameOut reports whether what lies under the temporary name is the file that was compared before, still with one
// name and with the expected bytes.
func (p *place) cameOut(base string, expect Expect) (bool, error) {
	var st Node
	if err := p.o.lstatat(p.dir, base, &st); err != nil {
		return false, err
	}
	if st.Ino != p.st.Ino || st.Dev != p.st.Dev || st.Links != p.st.Links {
		return false, nil
	}
	return p.o.met(p.fd, st.Size, expect)
}

// putBack undoes an exchange whose outcome was not the expected one, and returns why. If yet another writer has taken
// the name in between, that writer saw our bytes and replaced them: its file stays, and what came out first is dropped
// as that writer would have dropped it.
func (p *place) putBack(t *temp, why error) (outcome, error) {
	err := p.o.k.Exchange(p.dir, t.base, p.base)
	if err != nil {
		// The name was taken away, or exchanging works no more. The bytes of somebody else come first.
		if p.o.k.Rename(p.dir, t.base, p.dir, p.base) != nil {
			return keepTemp, &fault.Error{Code: fault.IO, Path: p.asked, Err: err,
				Message: p.asked + " was changed by somebody else while it was replaced, and could not be put back: that version is kept beside it as " + t.base + "."}
		}
		return ownTemp, why
	}
	var st Node
	if p.o.lstatat(p.dir, t.base, &st) == nil && st.Ino != t.st.Ino {
		// Should this fail too, the name holds the first stranger's bytes and the temporary name the second one's.
		if err := p.o.k.Exchange(p.dir, t.base, p.base); err != nil {
			return keepTemp, &fault.Error{Code: fault.IO, Path: p.asked, Err: err,
				Message: p.asked + " was changed by two others while it was replaced: the later version is kept beside it as " + t.base + "."}
		}
	}
	return ownTemp, why
}

// renameOver publishes where names cannot be exchanged: it looks once more and renames.
func (p *place) renameOver(t *temp, expect Expect) error {
	if err := p.lastLook(expect); err != nil {
		return err
	}
	return p.o.k.Rename(p.dir, t.base, p.dir, p.base)
}

// lastLook answers conflict, or missing, unless the entry still is the file that was compared before, with the expected
// bytes. Its last call is the look at the name, so that nothing but the call after it is left to a stranger; where the
// times moved while the bytes were read they are read again, because they decide and the times do not.
func (p *place) lastLook(expect Expect) error {
	for range readsMax {
		before, err := p.o.k.Stat(p.fd)
		if err != nil {
			return err
		}
		ok, err := p.o.met(p.fd, before.Size, expect)
		if err != nil {
			return err
		}
		now, err := p.o.k.Lstat(p.dir, p.base)
		switch {
		case err != nil:
			return err
		case !ok || now.Ino != p.st.Ino || now.Dev != p.st.Dev || now.Links != p.st.Links:
			return conflict(p.asked)
		case stampOf(&now) == stampOf(&before):
			return nil
		}
	}
	return conflict(p.asked)
}

// dress gives the temporary file the owner, the group, the attributes and the mode of the old one. Warnings name what
// could not be kept; the error is one that no part of which can be done without.
func (p *place) dress(t *temp) ([]string, error) {
	var warnings []string
	mode := p.st.Mode & 0o7777
	if t.st.UID != p.st.UID || t.st.GID != p.st.GID {
		if p.o.k.Chown(t.fd, int(p.st.UID), int(p.st.GID)) != nil {
			warnings = append(warnings, WarnOwnership)
			// The group alone is often allowed. Bits that lend the rights of an owner or group which is not kept would
			// lend the wrong ones.
			if t.st.UID != p.st.UID {
				mode &^= modeSetuid
			}
			if t.st.GID != p.st.GID && p.o.k.Chown(t.fd, -1, int(p.st.GID)) != nil {
				mode &^= modeSetgid
			}
		}
	}
	if !p.o.k.CopyAttributes(p.fd, t.fd) {
		warnings = append(warnings, WarnAttributes)
	}
	// The mode comes last: giving a file away clears setuid, and an access list moves the group's bits.
	return warnings, p.o.k.Chmod(t.fd, mode)
}
