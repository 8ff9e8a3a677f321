package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/internal/nearest"
)

// flagsFirst moves the flags of a sub-command before its other arguments: people write flags on either
// side of a file name, and the flag package stops at the first argument. A lone -- ends the flags; a
// lone - is an argument. The error of an unknown flag names the nearest known one.
func flagsFirst(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	out, rest := args[:1:1], args[1:]
	var flags, others []string
	for len(rest) > 0 && rest[0] == "--no-color" { // the one flag that may stand before the command
		flags, rest = append(flags, rest[0]), rest[1:]
	}
	commands := app.Commands
	var command *cli.Command
	for len(rest) > 0 {
		next := find(commands, rest[0])
		if next == nil {
			break
		}
		command, commands = next, next.Subcommands
		out, rest = append(out, rest[0]), rest[1:]
	}
	if command == nil || len(command.Subcommands) > 0 {
		return args, nil
	}
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		if arg == "--" {
			others = append(others, rest...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			others = append(others, arg)
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		takesValue, known := flagOf(command, name)
		if !known {
			return nil, usage("%s: no flag --%s; %s", command.Name, name, nearest.Unknown(name, flagNames(command)))
		}
		flags = append(flags, arg)
		if takesValue && !hasValue {
			if len(rest) == 0 {
				return nil, usage("%s: the flag --%s needs a value", command.Name, name)
			}
			flags = append(flags, rest[0])
			rest = rest[1:]
		}
	}
	out = append(out, flags...)
	if len(others) > 0 {
		out = append(append(out, "--"), others...)
	}
	return out, nil
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func flagOf(c *cli.Command, name string) (takesValue, known bool) {
	if name == "help" || name == "h" {
		return false, true
	}
	for _, f := range c.Flags {
		for _, n := range f.Names() {
			if n == name {
				_, boolean := f.(*cli.BoolFlag)
				return !boolean, true
			}
		}
	}
	return false, false
}

func flagNames(c *cli.Command) []string {
	names := []string{"help"}
	for _, f := range c.Flags {
		names = append(names, f.Names()[0])
	}
	return names
}
