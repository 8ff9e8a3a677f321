package recommend

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"stampede/internal/format"
	"stampede/internal/nearest"
	"stampede/scenario"
)

// Ladder is the sizes of something that can be grown, the smallest first.
type Ladder struct {
	What  string // as it was asked for: provider.limits.1, tier, keys, ...
	Unit  string // of what a size is one, such as a limit on tokens
	Start int    // the size that the scenario has, or the next larger
	Sizes int
	All   bool // each is to be judged: there are few, such as tiers

	Label  func(size int) string
	Value  func(size int) float64 // for doubling; nil where sizes are no numbers
	Player func(size int) (Player, error)
	// Settings are the size in the words of the scenario, PATH=VALUE; nil where there are none.
	Settings func(size int) []string
}

// growable lists what can be grown.
var growable = []string{
	"tier", "limits", "keys", "workers", "instances", "slots", "provider.limits.N", "deployments.N.copies",
}

// NewLadder is the sizes of something in the scenarios of a simulator: one limit, all limits by one factor, the
// tiers of the provider, its keys, copies of a deployment, workers, instances, or slots.
func NewLadder(p *Simulator, what string) (*Ladder, error) {
	l, err := ladderOf(p.Templates, what)
	if err != nil {
		return nil, err
	}
	paths, err := l.paths(p.Templates[0])
	if err != nil {
		return nil, err
	}
	for _, a := range p.Axes {
		if overlap(a.Path, paths) {
			return nil, fmt.Errorf("%s grows %s; the space has the axis %s: leave one of them out", what, paths[0],
				a.Path)
		}
	}
	l.What = what
	if l.Settings == nil {
		l.Settings = func(size int) []string {
			settings, _ := l.of(p.Templates[0], size)
			return settings
		}
	}
	l.Player = func(size int) (Player, error) {
		return p.over(func(t *scenario.Template) ([]string, error) { return l.of(t, size) })
	}
	return &l.Ladder, nil
}

// NotGrown are the axes that can be searched while something grows: those that do not set it too.
func NotGrown(templates []*scenario.Template, axes []scenario.Axis, what string) ([]scenario.Axis, error) {
	l, err := ladderOf(templates, what)
	if err != nil {
		return nil, err
	}
	paths, err := l.paths(templates[0])
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(axes), func(a scenario.Axis) bool { return overlap(a.Path, paths) }), nil
}

// paths are the fields of the scenario that a size sets.
func (l *ladder) paths(t *scenario.Template) (out []string, err error) {
	settings, err := l.of(t, (l.Start+1)%l.Sizes)
	for _, s := range settings {
		path, _, _ := strings.Cut(s, "=")
		out = append(out, path)
	}
	return out, err
}

// overlap reports whether a path sets a part of what others set, or the reverse. A preset sets all beside it.
func overlap(path string, others []string) bool {
	path = strings.TrimSuffix(path, ".preset")
	return slices.ContainsFunc(others, func(other string) bool { return within(path, other) || within(other, path) })
}

func within(path, other string) bool { return path == other || strings.HasPrefix(path, other+".") }

// over is a simulator of the same points with settings over each scenario.
func (p *Simulator) over(settings func(*scenario.Template) ([]string, error)) (*Simulator, error) {
	out := &Simulator{
		Axes:        p.Axes,
		Objective:   p.Objective,
		Constraints: p.Constraints,
		Weights:     p.Weights,
		Show:        p.Show,
		Jobs:        p.Jobs,
		Draw:        p.Draw,
		Done:        p.Done,
	}
	for _, t := range p.Templates {
		list, err := settings(t)
		if err != nil {
			return nil, err
		}
		if t, err = t.Over(list...); err != nil {
			return nil, err
		}
		out.Templates = append(out.Templates, t)
	}
	return out, nil
}

// ladder is a ladder with the settings that make a size of a scenario.
type ladder struct {
	Ladder
	of func(t *scenario.Template, size int) ([]string, error)
}

func ladderOf(templates []*scenario.Template, what string) (*ladder, error) {
	f := &templates[0].Base.File
	switch what {
	case "tier":
		return tierLadder(templates)
	case "limits":
		return limitsLadder(f)
	case "keys":
		return countLadder("keys", "number of API keys", max(1, int64(f.Keys)))
	case "instances":
		return countLadder("fleet.instances", "number of instances", max(1, int64(f.Fleet.Instances)))
	case "workers":
		switch w := f.Fleet.Workers; {
		case w.Max > 0:
			return countLadder("fleet.workers.max", "number of workers in an instance", int64(w.Max))
		case w.Count > 0:
			return countLadder("fleet.workers", "number of workers in an instance", int64(w.Count))
		}
		return nil, fmt.Errorf("workers: the scenario has no fixed number of workers to grow")
	case "slots":
		if n := f.Provider.Capacity.Slots; n > 0 {
			return countLadder("provider.capacity.slots", "number of slots", int64(n))
		}
		for i, l := range f.Provider.Limits {
			if l.Resource == "concurrency" {
				return limitLadder(f, fmt.Sprintf("provider.limits.%d", i))
			}
		}
		return nil, fmt.Errorf("slots: the provider has neither capacity.slots nor a limit on concurrency")
	}
	path := strings.TrimSuffix(what, ".limit")
	parts := strings.Split(path, ".")
	if len(parts) == 3 && parts[0] == "provider" && parts[1] == "limits" {
		return limitLadder(f, path)
	}
	if len(parts) == 3 && parts[0] == "deployments" && parts[2] == "copies" {
		i, err := strconv.Atoi(parts[1])
		if err != nil || i < 0 || i >= len(f.Deployments) {
			return nil, fmt.Errorf("%s: the scenario has %s", path, format.Plural(len(f.Deployments), "deployment"))
		}
		return countLadder(path, "number of copies", max(1, int64(f.Deployments[i].Copies)))
	}
	return nil, fmt.Errorf("found %q; %s", what, nearest.Unknown(what, growable))
}

// maxSize is the largest number that is tried.
const maxSize = 1e15

// numbers is the ladder of all numbers that people type: those with at most two digits that count.
func numbers(start float64) Ladder {
	return Ladder{Start: roundedUp(start), Sizes: roundedUp(maxSize) + 1, Value: roundNumber}
}

// roundNumber is the i-th number with two digits that count: 1, 2, ... 99, 100, 110, ... 990, 1000, 1100, ...
func roundNumber(i int) float64 {
	if i < 99 {
		return float64(i + 1)
	}
	decade, digits := (i-99)/90, (i-99)%90
	return float64(10+digits) * math.Pow10(decade+1)
}

// roundedUp is the place of the first such number that is not below x.
func roundedUp(x float64) int {
	return sort.Search(99+13*90, func(i int) bool { return roundNumber(i) >= x*(1-1e-12) })
}

// countLadder grows a whole number at a path.
func countLadder(path, unit string, start int64) (*ladder, error) {
	l := &ladder{Ladder: numbers(float64(start))}
	l.Unit = unit
	l.Label = func(size int) string { return format.Amount(int64(roundNumber(size))) }
	l.of = func(_ *scenario.Template, size int) ([]string, error) {
		return []string{path + "=" + l.Label(size)}, nil
	}
	return l, nil
}

// limitAt is the limit at a path such as provider.limits.1.
func limitAt(f *scenario.File, path string) (*scenario.Limit, error) {
	i, err := strconv.Atoi(path[strings.LastIndexByte(path, '.')+1:])
	if n := len(f.Provider.Limits); err != nil || i < 0 || i >= n {
		return nil, fmt.Errorf("%s: the provider has %s, counted from 0", path, format.Plural(n, "limit"))
	}
	l := &f.Provider.Limits[i]
	if l.Limit.Amount == 0 {
		return nil, fmt.Errorf("%s: a limit without an amount; it cannot be grown", path)
	}
	return l, nil
}

// limitLadder grows the amount of one limit.
func limitLadder(f *scenario.File, path string) (*ladder, error) {
	first, err := limitAt(f, path)
	if err != nil {
		return nil, err
	}
	l := &ladder{Ladder: numbers(amountOf(first))}
	l.Unit = "limit on " + string(first.Resource)
	l.Label = func(size int) string { return amountText(first, roundNumber(size)) }
	l.of = func(t *scenario.Template, size int) ([]string, error) {
		limit, err := limitAt(&t.Base.File, path)
		if err != nil {
			return nil, err
		}
		return amountSettings(path, limit, roundNumber(size)), nil
	}
	return l, nil
}

// amountOf is the amount of a limit, in dollars of one on dollars.
func amountOf(l *scenario.Limit) float64 {
	if l.Limit.Dollars {
		return float64(l.Limit.Amount) / 1e9
	}
	return float64(l.Limit.Amount)
}

// amountText writes an amount as that of a limit: 410k/min, $500/month.
func amountText(l *scenario.Limit, amount float64) string {
	text := format.Amount(int64(amount))
	if l.Limit.Dollars {
		text = "$" + text
	}
	if l.Limit.Period > 0 {
		text += "/" + format.Period(l.Limit.Period)
	}
	return text
}

// amountSettings give a limit another amount; a burst that it states grows in proportion.
func amountSettings(path string, l *scenario.Limit, amount float64) []string {
	out := []string{path + ".limit=" + amountText(l, amount)}
	if l.Burst.Amount > 0 {
		burst := math.Ceil(float64(l.Burst.Amount) * amount / amountOf(l))
		text := strconv.FormatFloat(burst, 'f', -1, 64)
		if l.Burst.Dollars {
			text = "$" + strconv.FormatFloat(burst/1e9, 'f', -1, 64)
		}
		out = append(out, path+".burst="+text)
	}
	return out
}

// thousandth is the step of a factor on all limits.
const thousandth = 1000

// limitsLadder grows all limits of the provider by one factor.
func limitsLadder(f *scenario.File) (*ladder, error) {
	if !slices.ContainsFunc(f.Provider.Limits, func(l scenario.Limit) bool { return l.Limit.Amount > 0 }) {
		return nil, fmt.Errorf("limits: the provider has no limit with an amount")
	}
	l := &ladder{Ladder: numbers(thousandth)}
	l.Unit = "factor on all limits"
	l.Value = func(size int) float64 { return roundNumber(size) / thousandth }
	l.Label = func(size int) string { return "x" + format.Number(l.Value(size)) }
	l.of = func(t *scenario.Template, size int) (out []string, err error) {
		for i := range t.Base.Provider.Limits {
			if limit := &t.Base.Provider.Limits[i]; limit.Limit.Amount > 0 && size != l.Start {
				amount := roundNumber(roundedUp(amountOf(limit) * l.Value(size)))
				out = append(out, amountSettings(fmt.Sprintf("provider.limits.%d", i), limit, amount)...)
			}
		}
		return out, nil
	}
	return l, nil
}

// tierLadder goes through the tiers of the provider's model.
func tierLadder(templates []*scenario.Template) (*ladder, error) {
	var own *scenario.Preset
	for _, t := range templates {
		name := t.Base.Provider.Preset
		if name == "" {
			return nil, fmt.Errorf("tier: provider.preset of %s is none; want a preset that has tiers, such as "+
				"openai-build-gpt-4o", t.Base.Name)
		}
		preset, err := scenario.FindPreset("provider", name)
		if err != nil {
			return nil, err
		}
		if own != nil && own != preset {
			return nil, fmt.Errorf("tier: found the presets %s and %s; want the same one in all scenarios", own.Name,
				preset.Name)
		}
		own = preset
	}
	tiers := own.Tiers()
	if len(tiers) < 2 {
		return nil, fmt.Errorf("tier: %s has no other tier; grow limits or keys", own.Name)
	}
	l := &ladder{Ladder: Ladder{Unit: "tier", Start: slices.Index(tiers, own), Sizes: len(tiers), All: true}}
	l.Label = func(size int) string { return tiers[size].Name }
	l.Settings = func(size int) []string { return []string{"provider.preset=" + tiers[size].Name} }
	l.of = func(_ *scenario.Template, size int) ([]string, error) {
		if size == l.Start {
			return nil, nil
		}
		return tiers[size].SettingsFrom(own), nil
	}
	return l, nil
}
