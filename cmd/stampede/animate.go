package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/explore"
	"stampede/explore/animation"
	"stampede/explore/engine"
	"stampede/internal/format"
	"stampede/internal/nearest"
	"stampede/scenario"
)

func animateCommand() *cli.Command {
	return &cli.Command{
		Name:      "animate",
		Usage:     "write a GIF that shows the calls of a scenario, policies side by side",
		ArgsUsage: "[SCENARIO]",
		Description: "Each call is a dot whose colour and shape say what it is doing. Below stand what was answered, " +
			"tried and paid so far. The policies are the first four values of --vary, or of the first axis of the " +
			"scenario's sweep, with the same random numbers. " + scenarioText + " With --scene, a scene of stampede " +
			"explore is drawn as its page does.",
		UsageText: examples(
			example{"Draw two policies, for a slide.",
				"stampede animate my.yaml --vary policy.gate.semaphore=none,8 --out gates.gif"},
			example{"Draw a scene of the explorer on a dark background.", "stampede animate --scene herd --dark"},
		),
		Flags: append(scenarioFlags(),
			&cli.GenericFlag{
				Name:  "vary",
				Value: &settings{},
				Usage: "draw a policy for each of up to four values `PATH=A,B,C`; replaces those of the scenario",
			},
			&cli.StringFlag{
				Name:  "scene",
				Usage: "draw `SCENE` of stampede explore: " + strings.Join(explore.SceneIDs(), ", "),
			},
			seedFlag(),
			&cli.StringFlag{
				Name:        "out",
				Usage:       "write the animation to `FILE`",
				DefaultText: "NAME.gif, with the name of the scenario or the scene",
			},
			&cli.IntFlag{
				Name:  "width",
				Value: animation.DefaultWidth,
				Usage: "draw frames `N` pixels wide, and 9/16 of that high",
			},
			&cli.IntFlag{Name: "fps", Value: animation.DefaultFPS, Usage: "draw `N` frames a second"},
			&cli.IntFlag{
				Name:        "seconds",
				Usage:       "show the run in `N` seconds",
				DefaultText: "10, or as long as the scene takes, at most 20",
			},
			&cli.BoolFlag{Name: "dark", Usage: "draw on a dark background"},
		),
		Action: runAnimate,
	}
}

// animated is what an animation shows.
type animated struct {
	*scenario.Template
	title    string
	file     string // without its ending
	speed    float64
	variants []engine.Variant
	set      []string // over those of each variant
}

func runAnimate(c *cli.Context) error {
	a, err := readAnimated(c)
	if err != nil {
		return err
	}
	o := animation.Options{
		Title: a.title, Width: c.Int("width"), FPS: c.Int("fps"), Seconds: float64(c.Int("seconds")), Speed: a.speed,
		Dark: c.Bool("dark"),
	}
	if c.IsSet("seconds") && o.Seconds == 0 {
		return usage("--seconds: found 0; want 1 to %d", animation.MaxSeconds)
	}
	if err := o.Check(len(a.variants)); err != nil {
		return usage("--%v", err)
	}
	path := c.String("out")
	if path == "" {
		path = a.file + ".gif"
	}
	if info, err := os.Stat(path); !strings.EqualFold(filepath.Ext(path), ".gif") &&
		(err != nil || info.Mode().IsRegular()) { // a device may have any name
		return usage("--out: found %s; the animation is a GIF, want a name that ends in .gif", path)
	}
	out, err := create("--out", path, inputs(c, a.Base))
	if err != nil {
		return err
	}
	if err := a.write(c, out, o); err != nil {
		return errors.Join(err, out.discard())
	}
	if err := out.commit(); err != nil {
		return err
	}
	return wrote(c.App.Writer, "%s", path)
}

// write runs the policies and draws them.
func (a *animated) write(c *cli.Context, out *output, o animation.Options) error {
	var policies []animation.Policy
	for _, v := range a.variants {
		if err := c.Context.Err(); err != nil {
			return err
		}
		t, err := a.Over(append(slices.Clone(v.Set), a.set...)...)
		if err != nil {
			return usageError{withField(err)}
		}
		policy, err := engine.Animated(v.Name, t.Base, 0)
		if err != nil {
			return err
		}
		if policy.Replay.Clipped {
			fmt.Fprintf(c.App.ErrWriter, "stampede: %s: only the first %s calls are drawn\n", v.Name,
				format.Thousands(len(policy.Replay.Calls)))
		}
		policies = append(policies, policy)
	}
	var bar *progress
	o.Progress = func(done, total int) {
		if bar == nil {
			bar = newProgress(c.App.ErrWriter, count{total: total}, "frames")
		}
		bar.set(done, total)
	}
	err := animation.Write(c.Context, out, policies, o)
	if bar != nil {
		bar.end()
	}
	return err
}

// readAnimated reads the scenario or the scene and applies --vary.
func readAnimated(c *cli.Context) (*animated, error) {
	a := &animated{}
	var err error
	if id := c.String("scene"); id != "" {
		err = a.readScene(c, id)
	} else if a.Template, err = readTemplate(c); err == nil {
		a.title, a.file, a.variants = a.Base.Name, folderName(a.Base.Name), engine.Variants(a.Template)
	}
	if err != nil {
		return nil, err
	}
	vary := *c.Generic("vary").(*settings)
	switch {
	case len(vary) == 0:
		if axes := a.Sweep.Axes; len(axes) > 0 && c.String("scene") == "" {
			a.title += ", by " + axes[0].Path
			sayLeftOut(c, a.Template)
		}
		return a, nil
	case len(vary) > 1:
		return nil, usage("--vary: found %d fields; want one", len(vary))
	}
	axis, err := scenario.ParseAxis(vary[0])
	if err != nil {
		return nil, usage("--vary %s: %v", vary[0], err)
	}
	if n := len(axis.Values); n < 1 || n > animation.MaxPolicies {
		return nil, usage("--vary %s: found %d values; want 1 to %d", vary[0], n, animation.MaxPolicies)
	}
	if err := a.CheckPath(axis); err != nil {
		return nil, usage("--vary %s: no value makes a scenario: %v", axis.Path, err)
	}
	a.title += ", by " + axis.Path
	a.Sweep.Axes = []scenario.Axis{axis}
	a.variants = engine.Variants(a.Template)
	return a, nil
}

// sayLeftOut says what of a scenario's sweep is not among the policies.
func sayLeftOut(c *cli.Context, t *scenario.Template) {
	if text := engine.LeftOut(t); text != "" {
		fmt.Fprintf(c.App.ErrWriter, "stampede: %s\n", text)
	}
}

// readScene reads a scene of the explorer. As on its page, settings are put over those of its policies.
func (a *animated) readScene(c *cli.Context, id string) error {
	if c.NArg() > 0 {
		return usage("--scene: found the scenario %s as well; want one of the two", c.Args().First())
	}
	scenes, err := explore.Scenes()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(scenes, func(s explore.Scene) bool { return s.ID == id })
	if i < 0 {
		return usage("--scene: found %q; %s", id, nearest.Unknown(id, explore.SceneIDs()))
	}
	scene := scenes[i]
	o, err := templateOptions(c)
	if err != nil {
		return err
	}
	a.set, o.Set = o.Set, nil
	if a.Template, err = scenario.NewTemplate([]byte(scene.Scenario), id, o); err != nil {
		return usageError{withField(err)}
	}
	a.title, a.file, a.speed = scene.Title, id, scene.Speed
	if id == explore.SandboxID {
		a.title, a.file = a.Base.Name, folderName(a.Base.Name)
	}
	for _, p := range scene.Policies {
		a.variants = append(a.variants, engine.Variant(p))
	}
	return nil
}
