package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"stampede/figures"
	"stampede/measure"
	"stampede/scenario"
	"stampede/sweep"
)

// scenarioText says which scenario a command reads.
const scenarioText = "SCENARIO is a file, or - for standard input; without it the built-in scenario is used."

// scenarioFlags are the flags of every command that reads a scenario.
func scenarioFlags() []cli.Flag {
	return []cli.Flag{
		setFlag(),
		&cli.StringFlag{Name: "prices", Usage: "read prices from a LiteLLM or genai-prices `FILE`"},
		pricesOnFlag(),
	}
}

func setFlag() cli.Flag {
	return &cli.GenericFlag{
		Name:  "set",
		Value: &settings{},
		Usage: "set a field of the scenario with `PATH=VALUE`, as in policy.gate.semaphore=8 or " +
			"provider.limits.0.limit=300/min. A mapping replaces the field, PATH+=VALUE merges into it, null " +
			"unsets it. Can be repeated",
	}
}

func pricesOnFlag() cli.Flag {
	return &cli.StringFlag{
		Name:        "prices-on",
		Usage:       "use the prices of `DATE`, where a price list has several by date",
		DefaultText: "today",
	}
}

// pricesOn is the day of the flag, or today.
func pricesOn(c *cli.Context) (string, error) {
	day := c.String("prices-on")
	if day == "" {
		return time.Now().UTC().Format(time.DateOnly), nil
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", usage("--prices-on: found %q; want a date such as 2026-10-04", day)
	}
	return day, nil
}

// settings is a flag that can be repeated; commas in its values do not separate.
type settings []string

func (s *settings) Set(value string) error {
	*s = append(*s, value)
	return nil
}

func (s *settings) String() string { return "" }

// inputs lists the files that the scenario was read from.
func inputs(c *cli.Context, s *scenario.Scenario) []string {
	return append(s.Files, c.Args().First(), c.String("prices"))
}

// readTemplate reads the scenario named by the only argument, or the built-in one, with what it takes
// to vary it. The flag seed, where there is one, is a setting like any other.
func readTemplate(c *cli.Context) (*scenario.Template, error) {
	o, err := templateOptions(c)
	if err != nil {
		return nil, err
	}
	var t *scenario.Template
	switch c.NArg() {
	case 0:
		data, _ := scenario.Embedded(scenario.Default)
		t, err = scenario.NewTemplate(data, scenario.Default, o)
	case 1:
		if c.Args().First() == "-" {
			t, err = scenario.ReadTemplateFrom(c.App.Reader, "standard input", o)
		} else {
			t, err = scenario.ReadTemplate(c.Args().First(), o)
		}
	default:
		return nil, usage("%s: found %d arguments; want at most one scenario file", c.Command.Name, c.NArg())
	}
	if err == nil {
		_, err = measure.AimsOf(t.Base, measure.AimFlags{})
	}
	if err != nil {
		return nil, usageError{withField(err)}
	}
	return t, nil
}

// templateOptions are what the flags say of a scenario that is read.
func templateOptions(c *cli.Context) (scenario.Options, error) {
	o := scenario.Options{Files: &scenario.Files{}, Set: *c.Generic("set").(*settings)}
	var err error
	if o.Day, err = pricesOn(c); err != nil {
		return o, err
	}
	if c.IsSet("seed") {
		o.Set = append(o.Set, fmt.Sprintf("seed=%d", c.Uint64("seed")))
	}
	if file := c.String("prices"); file != "" {
		if o.Prices, err = o.Files.Prices(file, file, o.Day); err != nil {
			return o, usage("--prices: %v", err)
		}
	}
	return o, nil
}

func seedFlag() cli.Flag {
	return &cli.Uint64Flag{
		Name:        "seed",
		Usage:       "use `N` as the seed of all random numbers",
		DefaultText: "the scenario's",
	}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func jobsFlag() cli.Flag {
	return &cli.IntFlag{
		Name:        "jobs",
		Usage:       "run `N` replications in parallel",
		DefaultText: "the number of cores, at most SLURM_CPUS_PER_TASK",
	}
}

// jobsOf is the number of --jobs. By default it is at most the number of cores that Slurm gave the task: on a
// cluster that does not confine tasks, a task sees all cores of the machine.
func jobsOf(c *cli.Context) (int, error) {
	jobs := c.Int("jobs")
	if jobs < 0 || jobs > measure.MaxJobs {
		return 0, usage("--jobs: found %d; want 1 to %d, or 0 for one for each core", jobs, measure.MaxJobs)
	}
	if given, err := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK")); jobs == 0 && err == nil && given > 0 {
		jobs = min(given, runtime.GOMAXPROCS(0))
	}
	return jobs, nil
}

// basePoint is the point of --base in a folder.
func basePoint(c *cli.Context, dir string) (int, error) {
	m, err := sweep.ReadManifest(dir)
	if err != nil {
		return 0, folderMistake(err)
	}
	point, err := m.FindPoint(dir, c.String("base"))
	var folder sweep.FolderError
	var file *fs.PathError
	switch {
	case errors.As(err, &folder), errors.As(err, &file):
		return 0, folderMistake(err)
	case err != nil:
		return 0, usage("--base: %v", err)
	}
	return point, nil
}

// folderMistake makes a usage error of an error about the contents of a folder. An error of reading or
// writing it stays a failure.
func folderMistake(err error) error {
	var folder sweep.FolderError
	var option figures.OptionError
	if errors.As(err, &folder) || errors.As(err, &option) {
		return usageError{err}
	}
	return err
}

func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return usage("%s: found the argument %q; want none", c.Command.Name, c.Args().First())
	}
	return nil
}

// errWriter remembers the first error of writing, so that a command that prints
// many lines checks it once, at the end.
type errWriter struct {
	io.Writer
	err error
}

func (w *errWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// interrupted prints how much was done when a command was interrupted.
func interrupted(stderr io.Writer, finished, wanted int, what string) {
	fmt.Fprintf(stderr, "stampede: stopped after %d of %d %s\n", finished, wanted, what)
}
