package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type versionCmd struct{}

func (versionCmd) Help() string {
	return `Examples:

  sightline version
  sightline version --json
`
}

func (versionCmd) Run(c *commands, w *world) error {
	v, commit, protocols := version(), commit(), mcp.SupportedProtocolVersions()
	if !c.JSON {
		return c.say(w, fmt.Appendf(nil, "sightline %s (commit %s, %s)\nMCP %s\n", v, commit, runtime.Version(), strings.Join(protocols, ", ")))
	}
	out, err := json.Marshal(struct {
		V       int      `json:"v"`
		Version string   `json:"version"`
		Commit  string   `json:"commit"`
		Go      string   `json:"go"`
		MCP     []string `json:"mcp"`
	}{1, v, commit, runtime.Version(), protocols})
	if err != nil {
		return err
	}
	return c.say(w, out)
}

// unreleased is the version of a build that does not know its own.
const unreleased = "0.1.0-dev"

// version is the module's version, as far as the build knows it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return unreleased
}

// build tells builds apart: a daemon of another one is replaced.
func build() string {
	if c := commit(); c != "unknown" {
		return version() + "+" + c
	}
	return version()
}

// commit is the revision that was built, with a plus where the tree had changes beside it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, changed := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return revision + changed
}
