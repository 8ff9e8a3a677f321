package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/figures"
	"stampede/measure"
	"stampede/recommend"
	clients "stampede/recommend/settings"
	"stampede/scenario"
	"stampede/sweep"
)

func recommendCommand() *cli.Command {
	return &cli.Command{
		Name:      "recommend",
		Usage:     "find the settings to ship: those that meet the goals and are best",
		ArgsUsage: "[SCENARIO]",
		Description: "Searches the values of the scenario's sweep or of --vary, or of what a client decides about " +
			"retries, timeouts and load where neither names any. Prints the recommended settings, what is proven of " +
			"them, why, how far each can move, and what present policies give on the same random numbers. " +
			scenarioText +
			" When none meets the goals, --grow finds the quota, tier or number that does. The exit status is 0 " +
			"when settings are recommended, 3 when none can meet the goals as the scenario stands, also where a " +
			"larger quota was found, and 4 when that is undecided.",
		UsageText: examples(
			example{"Find the cheapest settings that meet a goal.",
				"stampede recommend my.yaml --goal 'latency_p95_s<=60s'"},
			example{"Find the gate with the lowest p95.",
				"stampede recommend --min latency_p95_s --vary policy.gate.semaphore=4,8,16"},
		),
		Flags: append(append(
			scenarioFlags(),
			&cli.GenericFlag{
				Name:  "vary",
				Value: &settings{},
				Usage: "search the values `PATH=A,B,C` or the range PATH=LOW..HIGH [lin|log]. Can be repeated; " +
					"replaces the sweep of the scenario",
			}),
			append(goalFlags(),
				&cli.GenericFlag{
					Name:  "also",
					Value: &settings{},
					Usage: "meet the goals in the scenario of `FILE` too, and be best on average. Can be repeated",
				},
				&cli.StringFlag{
					Name:        "within",
					Usage:       "ignore differences of the objective below this `SHARE`",
					DefaultText: "1%",
				},
				&cli.IntFlag{
					Name:        "budget",
					Usage:       "run at most `N` replications to find the settings",
					DefaultText: "as many as the search needs, some thousands",
				},
				&cli.BoolFlag{Name: "thorough", Usage: "race all points of the space, not the best that were found"},
				seedFlag(),
				&cli.StringFlag{
					Name: "out",
					Usage: "write the points that were raced to `FOLDER`, which report and plot read, with a figure " +
						"of how far each setting can move",
				},
				&cli.StringFlag{
					Name: "for",
					Usage: "search what `CLIENT` can be told, as in openai-python, print its settings as code, and " +
						"say what they cost against a retry loop of your own",
				},
				&cli.GenericFlag{
					Name:  "grow",
					Value: &settings{},
					Usage: "find how much of `WHAT` meets the goals: tier, limits (all by one factor), keys, " +
						"workers, instances, slots, provider.limits.N or deployments.N.copies. Can be repeated",
					DefaultText: "tier, else limits, else slots, when no setting meets the goals",
				},
				&cli.BoolFlag{Name: "json", Usage: "print JSON"},
				jobsFlag(),
			)...),
		Action: runRecommend,
	}
}

// errNone is that no setting meets the goals; errUndecided that it is not known whether one does.
var (
	errNone      = errors.New("no setting of this space meets the goals")
	errUndecided = errors.New("undecided whether a setting meets the goals; a larger --budget may decide")
)

func runRecommend(c *cli.Context) error {
	client, err := clientOf(c)
	if err != nil {
		return err
	}
	task, err := readTask(c, client)
	if err != nil {
		return err
	}
	bar := newSearchProgress(c.App.ErrWriter, task)
	defer bar.end()
	finish := func(*recommend.Answer) error { return nil }
	if dir := c.String("out"); dir != "" {
		if finish, err = task.Record(dir); err != nil {
			return folderMistake(err)
		}
	}
	answer, err := task.Answer(c.Context)
	if failed := finish(answer); failed != nil {
		return failed
	}
	if answer == nil {
		return err
	}
	text := &recommend.Text{Task: task, Answer: answer, Width: columns(c.App.Writer)}
	if err == nil {
		text.Presets, err = task.ComparePresets(c.Context, answer, recommend.Presets)
	}
	if client != nil && answer.Pick != nil {
		text.Client = client.Name
		code, failed := task.CodeFor(client, answer.Pick)
		if failed != nil {
			return failed
		}
		text.Code = code
		if err == nil {
			text.Own, err = ownLoop(c, task, answer, bar)
		}
	}
	bar.end()
	people := !c.Bool("json")
	if people {
		if failed := text.Write(c.App.Writer); failed != nil {
			return failed
		}
	}
	if failed := drawSearch(c, answer); failed != nil {
		return failed
	}
	for _, what := range growths(c, task, answer) {
		if err != nil || answer.Pick == nil {
			break
		}
		var grown *recommend.Grown
		if grown, err = grow(c, task, answer, what); grown == nil {
			break
		}
		if text.Grown = append(text.Grown, grown); people {
			err = errors.Join(grown.Write(c.App.Writer), err)
		}
	}
	if !people {
		err = errors.Join(writeJSON(c.App.Writer, text), err)
	}
	switch {
	case err != nil:
		return err
	case answer.Feasible == measure.Missed:
		return verdictError{errNone, measure.Missed}
	case answer.Feasible == measure.Undecided:
		return verdictError{errUndecided, measure.Undecided}
	}
	return nil
}

// drawSearch draws the figures of --out.
func drawSearch(c *cli.Context, answer *recommend.Answer) error {
	dir := c.String("out")
	if _, err := os.Stat(filepath.Join(dir, sweep.ResultsName)); dir == "" || err != nil {
		return nil // nothing was raced
	}
	names, err := (&figures.Drawing{Dir: dir, Format: "png", Kinds: recommendFigures(answer)}).Draw()
	var nothing figures.OptionError
	if err != nil && !errors.As(err, &nothing) { // an interrupt may leave too little to draw
		return err
	}
	to := c.App.Writer
	if c.Bool("json") {
		to = c.App.ErrWriter
	} else {
		fmt.Fprintln(to)
	}
	return wrote(to, "%s: %s", dir, strings.Join(append([]string{"manifest.json", "results.csv"}, names...), ", "))
}

// recommendFigures are the kinds of figures of a search.
func recommendFigures(a *recommend.Answer) []string {
	kinds := []string{"frontier"}
	if a.Feasible == measure.Met && len(a.Moves) > 0 {
		kinds = append(kinds, "room")
	}
	return kinds
}

// growths are what to grow: what is asked for, else what the scenario has where no setting meets the goals.
func growths(c *cli.Context, task *recommend.Task, answer *recommend.Answer) []string {
	asked := *c.Generic("grow").(*settings)
	if len(asked) == 0 && answer.Feasible == measure.Missed {
		return task.DefaultGrowth()
	}
	return asked
}

// grow finds how much of something the goals need.
func grow(c *cli.Context, task *recommend.Task, answer *recommend.Answer, what string) (*recommend.Grown, error) {
	bar := newSearchProgress(c.App.ErrWriter, task)
	defer bar.end()
	grown, err := task.Grow(c.Context, answer, what)
	if grown != nil {
		grown.Width = columns(c.App.Writer)
	}
	return grown, err
}

// clientOf is the client of --for; nil without it.
func clientOf(c *cli.Context) (*clients.Client, error) {
	name := c.String("for")
	if name == "" {
		return nil, nil
	}
	client, err := clients.Find(name)
	if err != nil {
		return nil, usage("--for: %v", err)
	}
	return client, nil
}

// ownLoop searches what a loop of one's own can do, and holds the best against the pick of a client.
func ownLoop(
	c *cli.Context, task *recommend.Task, answer *recommend.Answer, bar *searchProgress,
) (*recommend.Own, error) {
	if answer.Pick == nil {
		return nil, nil
	}
	own, err := readTask(c, nil)
	if err != nil {
		return nil, err
	}
	bar.watch(own)
	best, err := own.Answer(c.Context)
	if err != nil || best.Pick == nil {
		return nil, err
	}
	against, err := task.Against(c.Context, answer, own, best.Pick)
	return &recommend.Own{Task: own, Answer: best, Comparison: against}, err
}

// searchProgress counts the replications of searches.
type searchProgress struct {
	*progress
	done, total int
}

func newSearchProgress(w io.Writer, task *recommend.Task) *searchProgress {
	p := &searchProgress{total: 1000}
	if n := task.Question.Budget; n > 0 {
		p.total = n
	}
	p.progress = newProgress(w, count{0, p.total, true}, "replications")
	p.watch(task)
	return p
}

// watch counts those of a task.
func (p *searchProgress) watch(task *recommend.Task) {
	task.Player.Done = func(recommend.Played) {
		p.done++
		p.total = max(p.total, p.done)
		p.set(p.done, p.total)
	}
}

// readTask reads the scenarios and applies the flags.
func readTask(c *cli.Context, client *clients.Client) (*recommend.Task, error) {
	t, err := readTemplate(c)
	if err != nil {
		return nil, err
	}
	aims, err := aimsOf(c, t.Base)
	if err != nil {
		return nil, err
	}
	axes := t.Sweep.Axes
	if vary := *c.Generic("vary").(*settings); len(vary) > 0 {
		if axes, err = parseAxes(vary); err != nil {
			return nil, err
		}
	}
	for _, a := range axes {
		if err := t.CheckPath(a); err != nil {
			return nil, usage("the axis %s: no value makes a scenario: %v", a.Path, err)
		}
	}
	templates := []*scenario.Template{t}
	for _, file := range *c.Generic("also").(*settings) {
		other, err := readOther(c, file)
		if err != nil {
			return nil, err
		}
		templates = append(templates, other)
	}
	for _, what := range *c.Generic("grow").(*settings) {
		if len(aims.Goals) == 0 {
			return nil, usage("--grow %s: no goal to meet; set one with --goal or in the scenario under goals", what)
		}
		stated := len(axes) > 0
		if axes, err = recommend.NotGrown(templates, axes, what); err != nil {
			return nil, usage("--grow: %v", err)
		}
		if stated && len(axes) == 0 {
			return nil, usage("--grow %s: no other axis is left to search; name one with --vary", what)
		}
	}
	var task *recommend.Task
	if client != nil {
		task, err = recommend.ForClient(client, templates, aims, axes)
	} else {
		task, err = recommend.NewTask(templates, aims, axes)
	}
	if err != nil {
		return nil, usageError{err}
	}
	if text := c.String("within"); text != "" {
		var share scenario.Share
		if err := share.ParseText(text); err != nil || share == 0 {
			return nil, usage("--within: found %q; want a share above 0 and up to 100%%, such as 1%%", text)
		}
		task.Question.Within = float64(share)
	}
	if c.IsSet("budget") {
		if task.Question.Budget = c.Int("budget"); task.Question.Budget < 1 {
			return nil, usage("--budget: found %d; want 1 or more", task.Question.Budget)
		}
	}
	task.Question.Thorough = c.Bool("thorough")
	if task.Player.Jobs, err = jobsOf(c); err != nil {
		return nil, err
	}
	return task, nil
}

// parseAxes reads the axes of --vary.
func parseAxes(vary settings) ([]scenario.Axis, error) {
	var space scenario.Sweep
	for _, v := range vary {
		axis, err := scenario.ParseAxis(v)
		if err != nil {
			return nil, usage("--vary %s: %v", v, err)
		}
		space.Add(axis)
	}
	return space.Axes, nil
}

// readOther reads a further scenario, with the settings of the first.
func readOther(c *cli.Context, file string) (*scenario.Template, error) {
	o, err := templateOptions(c)
	if err != nil {
		return nil, err
	}
	t, err := scenario.ReadTemplate(file, o)
	if err != nil {
		return nil, usageError{fmt.Errorf("--also: %w", withField(err))}
	}
	return t, nil
}
