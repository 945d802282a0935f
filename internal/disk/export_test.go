package disk

// OpenPortable opens the file system of platforms without calls of their own, on any platform.
func OpenPortable(abs string, opt Options) (FS, error) {
	p, err := openPortable(abs, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}
