package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"stampede/figures"
	"stampede/measure"
	"stampede/scenario"
	"stampede/sweep"
)

// scenarioFlags are the flags of every command that reads a scenario.
func scenarioFlags() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{
			Name:  "set",
			Value: &settings{},
			Usage: "set a field of the scenario with `PATH=VALUE`: policy.gate.semaphore=8, provider.limits.0.limit=300/min; " +
				"a mapping replaces what is there, PATH+=VALUE merges it, null unsets; may be repeated",
		},
		&cli.StringFlag{Name: "prices", Usage: "look models up in a price `FILE` of LiteLLM or genai-prices"},
		&cli.StringFlag{
			Name:        "prices-on",
			Usage:       "use the prices of a price file that are in force on `DATE`",
			DefaultText: "today",
		},
	}
}

// settings collects repeated flags and leaves commas in their values alone.
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

// readScenario reads the scenario named by the only argument, or the embedded
// one.
func readScenario(c *cli.Context) (*scenario.Scenario, error) {
	t, err := readTemplate(c)
	if err != nil {
		return nil, err
	}
	return t.Base, nil
}

// readTemplate reads the scenario with what it takes to vary it. The flag seed,
// where there is one, is a setting like any other.
func readTemplate(c *cli.Context) (*scenario.Template, error) {
	o := scenario.Options{Files: &scenario.Files{}, Set: *c.Generic("set").(*settings), Day: c.String("prices-on")}
	if o.Day == "" {
		o.Day = time.Now().UTC().Format(time.DateOnly)
	} else if _, err := time.Parse(time.DateOnly, o.Day); err != nil {
		return nil, usage("--prices-on: found %q; want a date such as 2026-10-04", o.Day)
	}
	if c.IsSet("seed") {
		o.Set = append(o.Set, fmt.Sprintf("seed=%d", c.Uint64("seed")))
	}
	if file := c.String("prices"); file != "" {
		var err error
		if o.Prices, err = o.Files.Prices(file, file, o.Day); err != nil {
			return nil, usage("--prices: %v", err)
		}
	}
	var t *scenario.Template
	var err error
	switch c.NArg() {
	case 0:
		data, _ := scenario.Embedded(scenario.Default)
		t, err = scenario.NewTemplate(data, scenario.Default, o)
	case 1:
		t, err = scenario.ReadTemplate(c.Args().First(), o)
	default:
		return nil, usage("%s: found %d arguments; want at most one scenario file", c.Command.Name, c.NArg())
	}
	if err != nil {
		return nil, usageError{err}
	}
	return t, nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func jobsFlag() cli.Flag {
	return &cli.IntFlag{
		Name:        "jobs",
		Usage:       "`N` replications at a time",
		DefaultText: "one for each core, at most SLURM_CPUS_PER_TASK",
	}
}

// jobsOf is the number of --jobs. On a cluster without control of cores a task sees all of them, so that the
// default keeps to those that Slurm gave it.
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

// folderMistake makes a folder that cannot be used as asked a mistake of the person who calls; that
// it cannot be read or written is a failure.
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

// progress shows how far a long command is, on stderr, when that is a terminal
// and the command takes longer than a second.
type progress struct {
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	done  int
	total int
	timer *time.Timer
}

func newProgress(stderr io.Writer, total int, what string) *progress {
	p := &progress{total: total}
	if p, ok := stderr.(printable); ok { // the bar moves the cursor
		stderr = p.to
	}
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	p.timer = time.AfterFunc(time.Second, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(stderr),
			progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
		_ = p.bar.Set(p.done) // a terminal that cannot be written to is no reason to stop
	})
	return p
}

// add says that one more is done.
func (p *progress) add() { p.set(p.done+1, p.total) }

// set says how many are done, and of how many.
func (p *progress) set(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = done
	if p.bar != nil {
		if total != p.total {
			p.bar.ChangeMax(total)
		}
		_ = p.bar.Set(p.done)
	}
	p.total = total
}

// end takes the bar away.
func (p *progress) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

// output is a file that comes to be whole or not at all: it is written beside
// its place and moved there by commit. What is not a regular file, such as a
// pipe or a device, is written to directly.
type output struct {
	*os.File
	path string // where the file goes; empty when it is written to directly
}

// create opens an output; it must not be one of the files that are read.
func create(flag, path string, inputs []string) (*output, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	if err == nil {
		for _, input := range inputs {
			if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
				return nil, usage("%s: %s is read by this run; want another file", flag, path)
			}
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, usage("%s: %s is a folder; want a file", flag, path)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &output{File: f}, err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return nil, usage("%s: there is no folder %s to write %s in", flag, filepath.Dir(path), filepath.Base(path))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write in the folder %s: %w", flag, filepath.Dir(path), errors.Unwrap(err))
	}
	return &output{f, path}, nil
}

func (o *output) commit() error {
	if o.path == "" {
		return o.Close()
	}
	if err := o.Chmod(0o644); err != nil {
		return errors.Join(err, o.discard())
	}
	if err := errors.Join(o.Sync(), o.Close()); err != nil {
		return errors.Join(err, os.Remove(o.Name()))
	}
	return os.Rename(o.Name(), o.path)
}

func (o *output) discard() error {
	err := o.Close()
	if o.path != "" {
		err = errors.Join(err, os.Remove(o.Name()))
	}
	return err
}

// watched remembers the first error of writing, so that a command that prints
// line by line need not ask after each.
type watched struct {
	io.Writer
	err error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// interrupted says what was kept when a command was stopped early.
func interrupted(stderr io.Writer, finished, wanted int, what string) {
	fmt.Fprintf(stderr, "stampede: stopped after %d of %d %s\n", finished, wanted, what)
}
