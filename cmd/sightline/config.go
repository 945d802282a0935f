package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/sightline-io/sightline"
)

// configName is the file of settings that is looked for in the root.
const configName = "sightline.toml"

// configBytesMax bounds a file of settings.
const configBytesMax = 1 << 20

// terminalPage is how many bytes one page of a file has on the command line. Agents run commands in shells whose tools
// cut off what a command prints, the tightest of those we know after 30,000 characters; what they cut would count as
// shown.
const terminalPage = 28_000

// pageBytesMin is the smallest page that has room for a line and its notices.
const pageBytesMin = 1024

// config is what a file of settings may hold. Every key is optional.
type config struct {
	Root       string `toml:"root"`       // folder to serve, relative to the file's own; only in a file that --config names
	Profile    string `toml:"profile"`    // balanced or strict
	PageBytes  int    `toml:"page_bytes"` // bytes of text that one page may have
	Durability string `toml:"durability"` // durable or atomic
	Idle       string `toml:"idle"`       // how long a daemon stays that nobody is connected to, as 10m
}

// settings are the flags, completed by a file of settings. A flag wins over the file, and the file over the default.
type settings struct {
	root       string // absolute
	profile    sightline.Profile
	pageBytes  int // 0 where nobody said
	durability sightline.Durability
	idle       time.Duration
	asked      struct{ profile, durability string } // those that somebody set; else empty
}

// idleDefault is how long a daemon stays that nobody is connected to.
const idleDefault = 10 * time.Minute

// settings finds out which folder is served, and how. Errors are bad usage.
func (c *commands) settings(w *world, cwd string) (settings, error) {
	s := settings{root: c.Root}
	if strings.HasPrefix(c.Root, "file:") {
		var err error
		if s.root, err = rootOfURI(c.Root); err != nil {
			return s, err
		}
	}
	var file config
	from := ""
	if c.Config != "" {
		var err error
		from = absolute(cwd, c.Config)
		if file, err = loadConfig(from); err != nil {
			return s, &usageError{err}
		}
		if s.root == "" && file.Root != "" {
			s.root = absolute(filepath.Dir(from), file.Root)
		}
	}
	if s.root == "" {
		root, err := findRoot(cwd, w.env("HOME"))
		if err != nil {
			return s, err
		}
		s.root = root
	}
	s.root = absolute(cwd, s.root)
	if info, err := os.Stat(s.root); err != nil || !info.IsDir() {
		return s, badUsage("the root %s is no folder", s.root)
	}
	if c.Config == "" {
		var err error
		from = filepath.Join(s.root, configName)
		switch file, err = loadConfig(from); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return s, &usageError{err}
		case file.Root != "":
			return s, badUsage("%s: root may be set only in a file that --config names", from)
		}
	}
	return s, s.complete(c, file, from)
}

// rootOfURI returns the folder that a file: URI names, as clients that know their roots by URI hand them on. Percent signs
// are decoded once, and never looked up as they stand.
func rootOfURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") || u.RawQuery != "" || u.Fragment != "" {
		return "", badUsage("the root %s is no file: URI of a folder on this machine", uri)
	}
	path := u.Path
	if len(path) > 2 && path[2] == ':' && filepath.Separator != '/' { // "/C:/x"
		path = path[1:]
	}
	return filepath.FromSlash(path), nil
}

// given are the settings of a daemon: flags alone, for whoever starts it has settled the rest.
func (c *commands) given() (settings, error) {
	s := settings{root: c.Root}
	if !filepath.IsAbs(s.root) {
		return s, badUsage("a daemon takes an absolute --root")
	}
	return s, s.complete(c, config{}, "")
}

// complete chooses between the flags and the file from.
func (s *settings) complete(c *commands, file config, from string) error {
	profile, where := choose(c.Profile, file.Profile, "--profile", from+": profile")
	switch profile {
	case "", "balanced":
		s.profile = sightline.Balanced
	case "strict":
		s.profile = sightline.Strict
	default:
		return badUsage("%s must be balanced or strict, not %q", where, profile)
	}
	durability, where := choose(c.Durability, file.Durability, "--durability", from+": durability")
	switch durability {
	case "", "durable":
		s.durability = sightline.Durable
	case "atomic":
		s.durability = sightline.Atomic
	default:
		return badUsage("%s must be durable or atomic, not %q", where, durability)
	}
	s.asked.profile, s.asked.durability = profile, durability
	s.idle = idleDefault
	if file.Idle != "" {
		var err error
		if s.idle, err = time.ParseDuration(file.Idle); err != nil || s.idle <= 0 {
			return badUsage("%s: idle must be a time above nothing, as 10m or 30s, not %q", from, file.Idle)
		}
	}
	s.pageBytes, where = c.PageBytes, "--page-bytes"
	if s.pageBytes == 0 {
		s.pageBytes, where = file.PageBytes, from+": page_bytes"
	}
	if s.pageBytes != 0 && s.pageBytes < pageBytesMin {
		return badUsage("%s must be at least %d", where, pageBytesMin)
	}
	return nil
}

func choose(flag, file, flagName, fileName string) (value, where string) {
	if flag != "" {
		return flag, flagName
	}
	return file, fileName
}

// loadConfig reads a file of settings. A key that it does not know is an error: a misspelt one would silently mean the
// default.
func loadConfig(path string) (config, error) {
	var file config
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > configBytesMax) {
		return file, fmt.Errorf("%s is no file of settings", path)
	}
	if err != nil {
		return file, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return file, err
	}
	known, err := toml.Decode(string(text), &file)
	if err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	if unknown := known.Undecoded(); len(unknown) > 0 {
		return file, fmt.Errorf("%s: there is no setting %s; there are root, profile, page_bytes, durability and idle", path, unknown[0])
	}
	return file, nil
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
