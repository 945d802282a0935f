package scope

import (
	"net/url"
	"strings"

	"github.com/sightline-io/sightline/internal/fault"
)

// RootFromURI returns the root that a file: URI names, as editors and MCP clients give them. Percent signs are decoded
// once, so blanks, signs and letters beyond ASCII may be part of the path: file:///w/a%20b/100%25 is /w/a b/100%.
// A URI with a blank or a stray percent sign in it is read as its sender meant it: literally. The host must be empty,
// localhost or, for a Windows share, the server. Everything else is invalid.
func RootFromURI(uri string, foldCase bool) (Root, error) {
	if err := wellFormed(uri, "the root"); err != nil {
		return Root{}, err
	}
	if len(uri) < 7 || !strings.EqualFold(uri[:7], "file://") {
		return Root{}, fault.Newf(fault.Invalid, shown(uri), "the root must be a file: URI")
	}
	host, path := uri[7:], ""
	if i := strings.IndexByte(host, '/'); i >= 0 {
		host, path = host[:i], host[i:]
	}
	// A path component that a careless sender did not encode at all still decodes to itself where it has no percent
	// sign; one with a sign that starts no escape could not have been encoded, so it is taken as it stands.
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	if len(path) >= 3 && path[0] == '/' && isLetter(path[1]) && path[2] == ':' {
		path = path[1:] // file:///C:/x
		if len(path) == 2 {
			path += "/"
		}
	}
	switch {
	case host == "" || strings.EqualFold(host, "localhost"):
		return NewRoot(path, foldCase)
	case len(host) == 2 && isLetter(host[0]) && host[1] == ':':
		return NewRoot(host+path, foldCase) // file://C:/x, which is wrong and common
	}
	return NewRoot(`\\`+host+strings.ReplaceAll(path, "/", `\`), foldCase)
}
