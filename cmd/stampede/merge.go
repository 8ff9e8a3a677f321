package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"stampede/sweep"
)

func mergeCommand() *cli.Command {
	return &cli.Command{
		Name: "merge", Usage: "join the folders of the parts of a sweep into the one that one machine would have written",
		ArgsUsage: "FOLDER...",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "out", Required: true, Usage: "the `FOLDER` to write"}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("merge: found no folder; want those of all parts")
			}
			if err := sweep.Merge(c.Args().Slice(), c.String("out")); err != nil {
				return folderMistake(err)
			}
			_, err := fmt.Fprintf(c.App.Writer, "wrote %s; next: stampede report %s, stampede plot %s\n",
				c.String("out"), c.String("out"), c.String("out"))
			return err
		},
	}
}
