package recommend

import (
	"fmt"
	"slices"
	"strings"

	"stampede/scenario"
)

// NewGrowth asks how much of something the goals of a question need, in the scenarios of a simulator. The policies
// are those to hold, the best first.
func NewGrowth(p *Simulator, q Question, what string, policies []Point) (Growth, error) {
	l, err := NewLadder(p, what)
	if err != nil {
		return Growth{}, err
	}
	q.Show = p.Show
	g := Growth{Question: q, Ladder: l}
	for _, point := range slices.Insert(slices.Clone(policies), min(1, len(policies)), q.Start) {
		if !hasPoint(g.Policies, point) {
			g.Policies = append(g.Policies, point)
		}
	}
	for _, a := range p.Axes {
		if strings.HasPrefix(a.Path, "provider") || strings.HasPrefix(a.Path, "deployments") {
			return g, nil // the space itself has limits and faults
		}
	}
	free, err := p.over(func(t *scenario.Template) ([]string, error) { return freely(t), nil })
	if err != nil {
		return g, err
	}
	g.Free = free
	alone, err := p.over(func(t *scenario.Template) ([]string, error) { return freely(t, "policy=none"), nil })
	if err != nil {
		return g, err
	}
	alone.Axes = nil
	g.Alone = alone
	return g, nil
}

// freely are the settings, besides others, that take all out of a call's way: limits, faults, queues for slots and
// workers, and what makes answers slower the more of them there are. Those that the scenario has no place for are
// left out.
func freely(t *scenario.Template, settings ...string) []string {
	out := slices.Clone(settings)
	set := func(setting string) bool {
		_, err := t.Over(append(out[:len(out):len(out)], setting)...)
		if err == nil {
			out = append(out, setting)
		}
		return err == nil
	}
	f := &t.Base.File
	providers := []string{"provider"}
	for i := range f.Deployments {
		providers = append(providers, fmt.Sprintf("deployments.%d", i))
	}
	for _, at := range providers {
		set(at + ".limits=none")
		set(at + ".faults=none")
		set(at + ".gateway.errors=none")
		if batching := f.Provider.Capacity.Batching; batching == nil || !set(at+".capacity.batching.per_stream=none") {
			set(at + ".capacity=none")
		} else {
			set(at + ".capacity.batching.prompt_per_step=unlimited")
			set(at + ".capacity.slots=unlimited")
		}
		set(at + ".latency.per_in_flight=none")
		set(at + ".latency.by_use=null")
	}
	if f.Fleet.Workers.Count > 0 && !set("fleet.workers=unlimited") && f.Workload.Batch != nil {
		set(fmt.Sprintf("fleet.workers=%d", max(f.Workload.Batch.Calls, scenario.Count(f.Fleet.Workers.Count))))
	}
	return out
}
