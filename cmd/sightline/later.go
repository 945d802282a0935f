package main

import "github.com/alecthomas/kong"

// laterVerbs are announced and not in this release. They are known by name, so that asking for one gets an honest
// answer instead of a spelling error; no list, help or completion shows them.
type laterVerbs struct {
	Search   laterCmd `cmd:"" hidden:"" passthrough:""`
	Record   laterCmd `cmd:"" hidden:"" passthrough:""`
	Repo     laterCmd `cmd:"" hidden:"" passthrough:""`
	Artifact laterCmd `cmd:"" hidden:"" passthrough:""`
	Index    laterCmd `cmd:"" hidden:"" passthrough:""`
	Audit    laterCmd `cmd:"" hidden:"" passthrough:""`
	Hook     laterCmd `cmd:"" hidden:"" passthrough:""`
	Install  laterCmd `cmd:"" hidden:"" passthrough:""`
	ACP      laterCmd `cmd:"" name:"acp" hidden:"" passthrough:""`
	LSP      laterCmd `cmd:"" name:"lsp" hidden:"" passthrough:""`
	Relay    laterCmd `cmd:"" hidden:"" passthrough:""`
	Agent    laterCmd `cmd:"" hidden:"" passthrough:""`
	Eval     laterCmd `cmd:"" hidden:"" passthrough:""`
}

type laterCmd struct {
	Args []string `arg:"" optional:""`
}

func (*laterCmd) Run(k *kong.Context) error {
	return badUsage("the verb %s is not in this release; README.md lists what is and what comes later", k.Selected().Name)
}
