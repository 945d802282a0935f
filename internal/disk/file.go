package disk

import (
	"context"
	"io"
)

type osFile struct {
	os   *OS
	fd   FD // -1 once closed
	st   Node
	info Info
}

func (f *osFile) Info() Info { return f.info }

func (f *osFile) Stat() (Info, error) {
	var st Node
	if err := f.os.fstat(f.fd, &st); err != nil {
		return Info{}, failed(f.info.Name.String(), "looking at", err)
	}
	return infoOf(f.info.Name, "", &st)
}

func (f *osFile) Close() error {
	if f.fd >= 0 {
		f.os.k.Close(f.fd)
		f.fd = -1
	}
	return nil
}

func (f *osFile) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		m, err := f.os.k.Read(f.fd, p[n:], off+int64(n))
		n += m
		if err != nil {
			return n, failed(f.info.Name.String(), "reading", err)
		}
		if m == 0 {
			return n, io.EOF
		}
	}
	return n, nil
}

// ReadAll implements [File]. The second look costs half a microsecond of about five, and it is what makes the stamp in
// Info belong to these very bytes: without it a slice torn by a writer could be cached under the stamp of neither.
func (f *osFile) ReadAll(ctx context.Context, limit int64, buf []byte) ([]byte, bool, error) {
	limit = max(limit, 0)
	for range readsMax {
		data, err := f.slice(ctx, min(f.st.Size, limit), limit, buf[:0])
		if err != nil {
			return nil, false, err
		}
		before := stampOf(&f.st)
		if err := f.os.fstat(f.fd, &f.st); err != nil {
			return nil, false, failed(f.info.Name.String(), "looking at", err)
		}
		if f.info, err = infoOf(f.info.Name, "", &f.st); err != nil {
			return nil, false, err
		}
		buf = data
		if f.info.Stamp == before && int64(len(data)) == min(f.st.Size, limit) {
			return data, f.st.Size > limit, nil
		}
	}
	f.info.Stamp = Stamp{}
	return buf, int64(len(buf)) == limit && f.st.Size > limit, nil
}

// slice reads from the start to the end of the file or the limit. size is where the end is believed to be; it decides
// how much memory is asked for and nothing else, because some files (of /proc, say) tell a size of zero and hold text.
func (f *osFile) slice(ctx context.Context, size, limit int64, buf []byte) ([]byte, error) {
	if int64(cap(buf)) < size {
		buf = make([]byte, 0, size)
	}
	for int64(len(buf)) < limit {
		if err := ctx.Err(); err != nil {
			return nil, cancelled(f.info.Name.String(), err)
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := buf[len(buf):min(int64(cap(buf)), limit, int64(len(buf))+readChunk)]
		n, err := f.os.k.Read(f.fd, room, int64(len(buf)))
		if err != nil {
			return nil, failed(f.info.Name.String(), "reading", err)
		}
		if n == 0 {
			return buf, nil
		}
		buf = buf[:len(buf)+n]
		if int64(len(buf)) == size && size > 0 {
			return buf, nil // whether the file grew meanwhile is what the second look tells
		}
	}
	return buf, nil
}
