package main

import "github.com/urfave/cli/v2"

func plotCommand() *cli.Command { return &cli.Command{Name: "plot"} }

func drawFolder(dir, format string) ([]string, error) { return nil, nil }
