package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// rootFile is an open file of portable.
type rootFile struct {
	os   *portable
	f    *os.File
	info Info
}

func (f *rootFile) Info() Info { return f.info }

func (f *rootFile) Stat() (Info, error) {
	fi, err := f.f.Stat()
	if err != nil {
		return Info{}, failed(f.info.Name.String(), "looking at", err)
	}
	return f.os.info(f.info.Name, f.info.Name.String(), fi)
}

func (f *rootFile) Close() error {
	if err := f.f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return failed(f.info.Name.String(), "closing", err)
	}
	return nil
}

func (f *rootFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = failed(f.info.Name.String(), "reading", err)
	}
	return n, err
}

func (f *rootFile) ReadAll(ctx context.Context, limit int64, buf []byte) ([]byte, bool, error) {
	limit = max(limit, 0)
	for range readsMax {
		size := min(f.info.Size, limit)
		if int64(cap(buf)) < size {
			buf = make([]byte, 0, size)
		}
		buf = buf[:size]
		n := 0
		for n < len(buf) {
			if err := ctx.Err(); err != nil {
				return nil, false, cancelled(f.info.Name.String(), err)
			}
			m, err := f.f.ReadAt(buf[n:min(len(buf), n+readChunk)], int64(n))
			n += m
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, false, failed(f.info.Name.String(), "reading", err)
			}
		}
		buf = buf[:n]
		now, err := f.Stat()
		if err != nil {
			return nil, false, err
		}
		before := f.info.Stamp
		f.info = now
		if now.Stamp == before && int64(n) == size {
			return buf, now.Size > limit, nil
		}
	}
	f.info.Stamp = Stamp{}
	return buf, int64(len(buf)) == limit && f.info.Size > limit, nil
}
