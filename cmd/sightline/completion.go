package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (*completionCmd) Help() string {
	return `Examples:

  sightline completion bash > ~/.local/share/bash-completion/completions/sightline
  sightline completion zsh > "${fpath[1]}/_sightline"
  sightline completion fish > ~/.config/fish/completions/sightline.fish
  source <(sightline completion bash)    for this shell alone
`
}

func (x *completionCmd) Run(k *kong.Context, c *commands, w *world) error {
	if c.JSON {
		return badUsage("a completion is a script of the shell and has no JSON")
	}
	verbs := completed(k.Model.Node)
	switch x.Shell {
	case "bash":
		return c.say(w, bashCompletion(verbs))
	case "zsh":
		return c.say(w, zshCompletion(verbs))
	}
	return c.say(w, fishCompletion(verbs))
}

// A completedVerb is one verb with the flags that it takes, the common ones among them.
type completedVerb struct {
	name, help string
	flags      []completedFlag
	words      []string // what its argument may be, where that is a choice
	file       bool     // its argument is a file or a folder
}

type completedFlag struct {
	name, help string
	takes      bool
	words      []string // what its value may be, where that is a choice
	file       bool     // the value is a file or a folder
}

// flagWords are the choices of flags that have some.
var flagWords = map[string][]string{"profile": {"balanced", "strict"}, "durability": {"durable", "atomic"}}

// completed reads the command line's own description.
func completed(app *kong.Node) []completedVerb {
	var out []completedVerb
	for _, n := range app.Leaves(true) {
		v := completedVerb{name: n.Name, help: n.Help}
		for _, p := range n.Positional {
			if p.Enum != "" {
				v.words = p.EnumSlice()
			} else {
				v.file = true
			}
		}
		groups := n.AllFlags(true)
		for i := len(groups) - 1; i >= 0; i-- { // the verb's own come first
			for _, f := range groups[i] {
				v.flags = append(v.flags, completedFlag{name: f.Name, help: f.Help, takes: !f.IsBool(), words: flagWords[f.Name],
					file: f.PlaceHolder == "FILE" || f.PlaceHolder == "DIR"})
			}
		}
		out = append(out, v)
	}
	return out
}

// bashCompletion is a function for bash from version 3.2 on. Words are separated by newlines, since names of files may
// hold blanks.
func bashCompletion(verbs []completedVerb) []byte {
	words := func(list []string) string { return "-W $'" + strings.Join(list, `\n`) + "'" }
	offer := func(from string) string { return "COMPREPLY=($(compgen " + from + " -- \"$cur\"))" }
	var names, taking []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	var b bytes.Buffer
	b.WriteString("# bash completion of sightline\n_sightline() {\n" +
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= i IFS=$'\\n'\n" +
		"\tCOMPREPLY=()\n\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tcase ${COMP_WORDS[i]} in\n")
	fmt.Fprintf(&b, "\t\t%s) verb=${COMP_WORDS[i]}; break ;;\n\t\tesac\n\tdone\n\tcase $prev in\n", strings.Join(names, "|"))
	seen := map[string]bool{}
	for _, v := range verbs {
		for _, f := range v.flags {
			switch {
			case seen[f.name] || !f.takes:
			case len(f.words) > 0:
				fmt.Fprintf(&b, "\t--%s) %s; return ;;\n", f.name, offer(words(f.words)))
			case f.file:
				fmt.Fprintf(&b, "\t--%s) %s; return ;;\n", f.name, offer("-f"))
			default:
				taking = append(taking, "--"+f.name)
			}
			seen[f.name] = true
		}
	}
	fmt.Fprintf(&b, "\t%s) return ;;\n\tesac\n\tcase \"$verb $cur\" in\n", strings.Join(taking, "|"))
	for _, v := range verbs {
		var flags []string
		for _, f := range v.flags {
			flags = append(flags, "--"+f.name)
		}
		fmt.Fprintf(&b, "\t\"%s -\"*) %s ;;\n", v.name, offer(words(flags)))
		switch {
		case len(v.words) > 0:
			fmt.Fprintf(&b, "\t\"%s \"*) %s ;;\n", v.name, offer(words(v.words)))
		case v.file:
			fmt.Fprintf(&b, "\t\"%s \"*) %s ;;\n", v.name, offer("-f"))
		}
	}
	b.WriteString("\tesac\n\tif [[ -z $verb ]]; then " + offer(words(names)) + "; fi\n}\ncomplete -o filenames -F _sightline sightline\n")
	return b.Bytes()
}

func zshCompletion(verbs []completedVerb) []byte {
	clean := strings.NewReplacer("'", "'\\''", "[", "\\[", "]", "\\]", ":", "\\:")
	var b bytes.Buffer
	b.WriteString("#compdef sightline\n# zsh completion of sightline\n_sightline() {\n\tlocal -a verbs\n\tverbs=(\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "\t\t'%s:%s'\n", v.name, clean.Replace(v.help))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )); then _describe verb verbs; return; fi\n\tlocal verb=$words[2]\n\t(( CURRENT-- )); shift words\n\tcase $verb in\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "\t%s) _arguments \\\n", v.name)
		for _, f := range v.flags {
			value := ""
			switch {
			case len(f.words) > 0:
				value = ":" + f.name + ":(" + strings.Join(f.words, " ") + ")"
			case f.file:
				value = ":" + f.name + ":_files"
			case f.takes:
				value = ":" + f.name + ":"
			}
			fmt.Fprintf(&b, "\t\t'--%s[%s]%s' \\\n", f.name, clean.Replace(f.help), value)
		}
		rest := ""
		switch {
		case len(v.words) > 0:
			rest = "'1:shell:(" + strings.Join(v.words, " ") + ")' "
		case v.file:
			rest = "'*:file:_files' "
		}
		fmt.Fprintf(&b, "\t\t%s;;\n", rest)
	}
	b.WriteString("\tesac\n}\n_sightline \"$@\"\n")
	return b.Bytes()
}

func fishCompletion(verbs []completedVerb) []byte {
	clean := strings.NewReplacer("\\", "\\\\", "'", "\\'")
	var b bytes.Buffer
	b.WriteString("# fish completion of sightline\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "complete -c sightline -n __fish_use_subcommand -f -a %s -d '%s'\n", v.name, clean.Replace(v.help))
	}
	for _, v := range verbs {
		on := "complete -c sightline -n '__fish_seen_subcommand_from " + v.name + "'"
		for _, f := range v.flags {
			value := ""
			switch {
			case len(f.words) > 0:
				value = " -x -a '" + strings.Join(f.words, " ") + "'"
			case f.file:
				value = " -r -F"
			case f.takes:
				value = " -x"
			}
			fmt.Fprintf(&b, "%s -l %s%s -d '%s'\n", on, f.name, value, clean.Replace(f.help))
		}
		switch {
		case len(v.words) > 0:
			fmt.Fprintf(&b, "%s -f -a '%s'\n", on, strings.Join(v.words, " "))
		case !v.file:
			fmt.Fprintf(&b, "%s -f\n", on)
		}
	}
	return b.Bytes()
}
