package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/fault"
)

// castagnoli is the polynomial of every checksum here.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// keyLen is the length of the key file: the key and its checksum.
const keyLen = len(content.Key{}) + 4

// readKey reads the key; ok is false where there is none or it is damaged.
func readKey(path string) (k content.Key, ok bool, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, false, nil
	}
	if err != nil {
		return k, false, err
	}
	if len(raw) != keyLen || crc32.Checksum(raw[:len(k)], castagnoli) != binary.LittleEndian.Uint32(raw[len(k):]) {
		return k, false, nil
	}
	copy(k[:], raw)
	return k, true, nil
}

// writeKey makes a key that is on the medium before it is returned.
func writeKey(dir string, entropy io.Reader) (k content.Key, err error) {
	if _, err := io.ReadFull(entropy, k[:]); err != nil {
		return k, &fault.Error{Code: fault.IO, Message: "There is no entropy for the journal's key.", Err: err}
	}
	raw := binary.LittleEndian.AppendUint32(k[:len(k):len(k)], crc32.Checksum(k[:], castagnoli))
	path := filepath.Join(dir, keyName)
	if err := writeSynced(path+".new", raw); err != nil {
		return k, failed("writing its key", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return k, failed("writing its key", err)
	}
	if err := syncFolder(dir); err != nil {
		return k, failed("syncing the state folder", err)
	}
	return k, nil
}

func writeSynced(path string, raw []byte) error {
	f, err := openLogFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(raw, 0); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Flush(), f.Close())
}

// keyID tells keys apart without telling anything of them.
func keyID(k content.Key) (id [16]byte) {
	sum := sha256.Sum256(append(k[:len(k):len(k)], 3))
	copy(id[:], sum[:])
	return id
}
