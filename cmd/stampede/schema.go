package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"stampede/scenario"
)

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of scenario files, for editors",
		UsageText: examples(
			example{"Print the schema.", "stampede schema"},
			example{"Write it to a file for the YAML plug-in of an editor.",
				"stampede schema > stampede.schema.json"},
		),
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			text, err := scenario.Schema()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "%s\n", text)
			return err
		},
	}
}
