package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"stampede/cost"
	"stampede/scenario"
)

func presetCommand() *cli.Command {
	return &cli.Command{
		Name:  "preset",
		Usage: "list and show policies, providers and prices by name",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list all presets with version range, date and source", Action: listPresets},
			{Name: "show", Usage: "print one preset", ArgsUsage: "NAME", Action: showPreset},
		},
	}
}

func listPresets(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tNAME\tVERSIONS\tDATE\tSOURCE")
	for _, p := range scenario.Presets() {
		versions := p.Versions
		if versions == "" {
			versions = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Kind(), p.Name, versions, p.Date, p.Source)
	}
	book := cost.Builtin()
	for _, model := range book.Models() {
		p, err := book.Price(model, cost.Standard)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "price\t%s\t-\t%s\t%s\n", model, p.Date, p.Source)
	}
	return w.Flush()
}

// showPrices prints what a model costs in each tier in which it is sold.
func showPrices(w io.Writer, model string) error {
	for tier := range cost.Tier(cost.Tiers) {
		price, err := cost.Builtin().Price(model, tier)
		if err != nil {
			continue // not sold
		}
		if _, err := fmt.Fprintf(w, "%v\ndate: %s\nsource: %s\n", price, price.Date, price.Source); err != nil {
			return err
		}
	}
	return nil
}

func showPreset(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage("preset show: found %d arguments; want the name of one preset", c.NArg())
	}
	name := c.Args().First()
	if _, err := cost.Builtin().Price(name, cost.Standard); err == nil {
		return showPrices(c.App.Writer, name)
	}
	p, err := scenario.FindPreset("", name)
	if err != nil {
		return usageError{err}
	}
	if _, err := fmt.Fprint(c.App.Writer, p.Text); err != nil {
		return err
	}
	return p.Explain(c.App.Writer)
}
