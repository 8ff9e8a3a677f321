package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/cost"
	"stampede/experiments"
	"stampede/explore"
	"stampede/figures"
	"stampede/internal/nearest"
	"stampede/measure"
	"stampede/plots"
	clients "stampede/recommend/settings"
	"stampede/scenario"
)

// The scripts ask the program itself, by its hidden command, what can stand at the cursor: so they
// know every command, flag and name of the version that is installed.
//
//go:embed completion
var completionScripts embed.FS

var shells = []string{"bash", "fish", "zsh"}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print a completion script for bash, fish or zsh", ArgsUsage: "SHELL",
		Description: "For bash, add this line to ~/.bashrc; for zsh, to ~/.zshrc after compinit:\n\n" +
			"  source <(stampede completion bash)\n\n" +
			"For fish:\n\n" +
			"  stampede completion fish > ~/.config/fish/completions/stampede.fish",
		UsageText: examples(
			example{"Turn completion on in this bash.", "source <(stampede completion bash)"},
			example{"Install the script for fish.", "stampede completion fish > stampede.fish"},
		),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("completion: found %d arguments; want the name of a shell: %s", c.NArg(),
					strings.Join(shells, ", "))
			}
			shell := c.Args().First()
			if !slices.Contains(shells, shell) {
				return usage("completion: found %q; %s", shell, nearest.Unknown(shell, shells))
			}
			script, err := completionScripts.ReadFile("completion/" + shell)
			if err == nil {
				_, err = c.App.Writer.Write(script)
			}
			return err
		},
	}
}

// completeCommand prints what can stand in place of the last of the words, a line for each with a
// tab before its meaning; nothing where a file is wanted.
func completeCommand() *cli.Command {
	return &cli.Command{
		Name: "__complete", Hidden: true,
		Action: func(c *cli.Context) error {
			for _, found := range complete(c.App.Commands, c.Args().Slice()) {
				fmt.Fprintf(c.App.Writer, "%s\t%s\n", found.text, found.meaning)
			}
			return nil
		},
	}
}

// candidate is a word that can stand at the cursor.
type candidate struct{ text, meaning string }

func complete(commands []*cli.Command, words []string) (found []candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	add := func(text, meaning string) {
		if strings.HasPrefix(text, last) {
			found = append(found, candidate{text, meaning})
		}
	}
	var command *cli.Command
	for len(before) > 0 {
		next := find(commands, before[0])
		if next == nil {
			break
		}
		command, commands, before = next, next.Subcommands, before[1:]
	}
	flag := ""
	if len(before) > 0 && command != nil {
		name := strings.TrimLeft(before[len(before)-1], "-")
		if takes, known := flagOf(command, name); known && takes && name != before[len(before)-1] {
			flag = name
		}
	}
	switch {
	case flag != "":
		if flag == "set" || flag == "vary" {
			for _, field := range fieldsAt(last, "=") {
				add(field.text, field.meaning)
			}
		}
		for _, value := range flagValues(flag) {
			add(value, "")
		}
	case command == nil || len(command.Subcommands) > 0:
		if command == nil || command.Name == "help" || !strings.HasPrefix(last, "-") {
			for _, c := range visible(commands) {
				add(c.Name, c.Usage)
			}
		}
	case strings.HasPrefix(last, "-"):
		for _, f := range flagTexts(command.Flags) {
			name, _, _ := strings.Cut(f.name, " ")
			add(name, f.meaning)
		}
	default:
		if command.Name == "explain" {
			return fieldsAt(last, "")
		}
		for _, value := range argumentValues(command.HelpName) {
			add(value.text, value.meaning)
		}
	}
	return found
}

// fieldsAt are the fields of the scenario file that a path can go on with: groups end with a dot,
// fields with an ending.
func fieldsAt(path, ending string) (found []candidate) {
	above, name := "", path
	fields := scenario.Fields()
	if i := strings.LastIndex(path, "."); i >= 0 {
		above, name = path[:i+1], path[i+1:]
		group, err := scenario.FindField(path[:i])
		if err != nil {
			return nil
		}
		fields = group.Fields
	}
	for _, f := range fields {
		switch {
		case !strings.HasPrefix(f.Name(), name):
		case hasFields(f.Path):
			found = append(found, candidate{above + f.Name() + ".", f.Meaning})
		default:
			found = append(found, candidate{above + f.Name() + ending, f.Meaning})
		}
	}
	return found
}

func hasFields(path string) bool {
	f, err := scenario.FindField(path)
	return err == nil && len(f.Fields) > 0
}

// flagValues are the values of a flag that are known by name.
func flagValues(name string) []string {
	switch name {
	case "metric", "metrics", "y", "min", "max", "goal":
		return measure.MetricNames()
	case "kinds", "figure":
		return figures.KindNames()
	case "format":
		return plots.Formats
	case "sample":
		return scenario.Sample("").Words()
	case "from":
		return scenario.EmbeddedNames()
	case "for":
		return clients.Names()
	case "scene":
		return explore.SceneIDs()
	}
	return nil
}

// candidateOf is a preset, with its first version where it has versions.
func candidateOf(p *scenario.Preset) candidate {
	name := p.Name
	if first, _, found := strings.Cut(p.Versions, " "); found {
		name += "@" + first
	}
	return candidate{name, p.Kind()}
}

// argumentValues are the arguments of a command that are known by name.
func argumentValues(command string) (values []candidate) {
	switch strings.TrimPrefix(command, "stampede ") {
	case "experiment run", "experiment show":
		for _, e := range experiments.Catalogue() {
			values = append(values, candidate{e.Name, e.Question})
		}
	case "settings":
		for _, p := range scenario.Presets() {
			if p.Policy != nil {
				values = append(values, candidateOf(p))
			}
		}
	case "preset show":
		for _, p := range scenario.Presets() {
			values = append(values, candidateOf(p))
		}
		for _, model := range cost.Builtin().Models() {
			values = append(values, candidate{model, "price"})
		}
	case "preset list":
		values = []candidate{{"policy", ""}, {"provider", ""}, {"price", ""}}
	case "metrics":
		for _, name := range measure.MetricNames() {
			values = append(values, candidate{name, ""})
		}
	case "completion":
		for _, name := range shells {
			values = append(values, candidate{name, ""})
		}
	}
	return values
}
