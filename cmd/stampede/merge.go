package main

import (
	"github.com/urfave/cli/v2"

	"stampede/sweep"
)

func mergeCommand() *cli.Command {
	return &cli.Command{
		Name: "merge", Usage: "merge the parts of a sweep (sweep --shard) into one folder",
		ArgsUsage:   "FOLDER...",
		Description: "The folder has the same bytes as that of a sweep that ran on one machine.",
		UsageText: examples(
			example{"Merge two parts.", "stampede merge part-1 part-2 --out whole"},
			example{"Merge all parts.", "stampede merge part-* --out whole-again"},
		),
		Flags: []cli.Flag{&cli.StringFlag{
			Name: "out", Required: true, Usage: "write the merged sweep to `FOLDER`; required",
		}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("merge: found no folder; want the folders of all parts")
			}
			if err := sweep.Merge(c.Args().Slice(), c.String("out")); err != nil {
				return folderMistake(err)
			}
			return wrote(c.App.Writer, "%s; next: stampede report %s, stampede plot %s",
				c.String("out"), c.String("out"), c.String("out"))
		},
	}
}
