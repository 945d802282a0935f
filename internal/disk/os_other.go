//go:build !linux && !darwin

package disk

// OpenOS opens the tree at the absolute path abs. Codes: invalid where abs is not absolute; missing and not-regular
// where it is no folder; io.
func OpenOS(abs string, opt Options) (FS, error) {
	p, err := openPortable(abs, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}
