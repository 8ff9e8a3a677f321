package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	clients "stampede/recommend/settings"
	"stampede/scenario"
)

func settingsCommand() *cli.Command {
	return &cli.Command{
		Name:      "settings",
		Usage:     "print a policy as code or configuration of an SDK, a retry library or a proxy",
		ArgsUsage: "[POLICY]",
		Description: "POLICY is a preset, or a scenario file, whose policy is then meant. What the client cannot be " +
			"told is listed in comments, with what it does instead. Without POLICY and --for, list the clients.",
		UsageText: examples(
			example{"Print a policy for the OpenAI SDK in Python.",
				"stampede settings own-the-loop --for openai-python"},
			example{"Print the policy of a scenario, with a change, for Envoy.",
				"stampede settings my.yaml --for envoy --set policy.retry.attempts=4"},
		),
		Flags: append(scenarioFlags(),
			&cli.StringFlag{Name: "for", Usage: "print the settings of `CLIENT`, or of CLIENT@VERSION"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"}),
		Action: printSettings,
	}
}

// clientRow is a client in the list.
type clientRow struct {
	Name   string   `json:"client"`
	Preset string   `json:"preset"`
	Source string   `json:"source"`
	Counts string   `json:"counts"`
	Sets   []string `json:"sets"`
}

func rowOfClient(c *clients.Client) clientRow {
	return clientRow{c.Name, c.Preset, c.Source, string(c.Counts), c.Sets}
}

// settingsText is what --json prints.
type settingsText struct {
	clientRow
	Policy   string           `json:"policy"` // in words
	Does     string           `json:"does"`   // what the client does with the settings
	Settings string           `json:"settings"`
	Unsaid   []clients.Unsaid `json:"unsaid"`
}

func printSettings(c *cli.Context) error {
	name := c.String("for")
	switch {
	case c.NArg() == 0 && name == "":
		return listClients(c)
	case name == "":
		return usage("settings: found no --for; want a client (known: %s)", strings.Join(clients.Names(), ", "))
	case c.NArg() == 0:
		return usage("settings: found no policy; want the name of a preset, or a scenario file")
	}
	client, err := clients.Find(name)
	if err != nil {
		return usage("settings: --for: %v", err)
	}
	s, err := policyOf(c)
	if err != nil {
		return err
	}
	wanted := s.Model.Client
	var text bytes.Buffer
	unsaid, err := client.Print(&text, wanted)
	if err != nil {
		return err
	}
	if !c.Bool("json") {
		_, err = c.App.Writer.Write(text.Bytes())
		return err
	}
	does, err := client.Does(wanted)
	if err != nil {
		return err
	}
	does.Name = client.Name
	return writeJSON(c.App.Writer, settingsText{
		rowOfClient(client), wanted.Describe(), does.Describe(), text.String(), append([]clients.Unsaid{}, unsaid...),
	})
}

// policyOf is the scenario with the policy that the argument names: a preset, or a scenario file.
func policyOf(c *cli.Context) (*scenario.Scenario, error) {
	name := c.Args().First()
	_, err := scenario.FindPreset("policy", name)
	if _, missing := os.Stat(name); err != nil && (missing == nil || name == "-" || c.NArg() > 1 ||
		strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")) {
		t, err := readTemplate(c)
		if err != nil {
			return nil, err
		}
		return t.Base, nil
	}
	if err != nil {
		return nil, usage("settings: %v, or the name of a scenario file", err)
	}
	return presetScenario(c, name)
}

// presetScenario is the built-in scenario with a preset as its policy.
func presetScenario(c *cli.Context, name string) (*scenario.Scenario, error) {
	if c.NArg() > 1 {
		return nil, usage("settings: found %d arguments; want one policy", c.NArg())
	}
	data, _ := scenario.Embedded(scenario.Default)
	o := scenario.Options{Set: append([]string{"policy=" + name}, *c.Generic("set").(*settings)...)}
	t, err := scenario.NewTemplate(data, scenario.Default, o)
	if err != nil {
		return nil, usageError{withField(err)}
	}
	return t.Base, nil
}

// listClients prints what settings are printed for.
func listClients(c *cli.Context) error {
	var rows []clientRow
	for _, name := range clients.Names() {
		client, err := clients.Find(name)
		if err != nil {
			return err
		}
		rows = append(rows, rowOfClient(client))
	}
	if c.Bool("json") {
		return writeJSON(c.App.Writer, rows)
	}
	const line = "%-22s %-34s %s\n"
	if _, err := fmt.Fprintf(c.App.Writer, line, "CLIENT", "STARTS FROM", "COUNTS"); err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(c.App.Writer, line, r.Name, r.Preset, r.Counts); err != nil {
			return err
		}
	}
	return nil
}
