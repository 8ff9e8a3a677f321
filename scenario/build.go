package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
	"stampede/scenario/strict"
)

// builder turns a file into a model and checks what only the whole can tell.
type builder struct {
	d        *strict.Decoder
	dir      string
	prices   cost.Book
	startsAt TimeOfDay
	warnings []string
	files    []string
}

func (b *builder) build(f *File) (m fleet.Model, err error) {
	b.startsAt = f.StartsAt
	if f.Replications < 1 || f.Replications > 100_000 {
		return m, b.d.Errorf("replications", "found %d; want 1 to 100,000", f.Replications)
	}
	if f.Fleet.Instances < 1 || f.Fleet.Instances > 1_000_000 {
		return m, b.d.Errorf("fleet.instances", "found %d; want 1 to 1,000,000", f.Fleet.Instances)
	}
	if f.Fleet.Workers > 10_000_000/Bound(f.Fleet.Instances) {
		return m, b.d.Errorf("fleet.workers", "found %d x %d workers; want at most 10,000,000", f.Fleet.Instances, f.Fleet.Workers)
	}
	m = fleet.Model{
		Instances: f.Fleet.Instances,
		Workers:   int(f.Fleet.Workers),
		Horizon:   time.Duration(f.Horizon),
		Budget:    uint64(f.EventBudget),
	}
	for _, step := range []func() error{
		func() error { m.Workload, err = b.workload(f); return err },
		func() error { m.Provider, err = b.provider(&f.Provider, f.Workload.MaxTokens); return err },
		func() error { m.Client, err = b.client(&f.Policy); return err },
		func() error { m.Price, err = b.price(&f.Price); return err },
	} {
		if err := step(); err != nil {
			return m, err
		}
	}
	if err := m.Check(); err != nil {
		return m, b.d.Errorf("", "%v", err)
	}
	b.warn(&m)
	return m, nil
}

// warn notes what is allowed and probably not meant.
func (b *builder) warn(m *fleet.Model) {
	note := func(format string, args ...any) { b.warnings = append(b.warnings, fmt.Sprintf(format, args...)) }
	sizes := measure(m.Workload.Sizes)
	for _, l := range m.Provider.Limits {
		if charge, holds := l.Counts(sizes.request()), l.Most(); charge > holds {
			note("a mean request counts %d %v, more than the limit ever lets through at once (%d): such a request is refused for ever", charge, strings.ReplaceAll(l.Resource.String(), "_", " "), holds)
		}
	}
	t := m.Client.Timeouts
	if timer, _ := t.BeforeFirstByte(1, true); timer == policy.NoTimer && m.Workload.Patience == nil {
		for _, f := range m.Provider.Faults {
			if _, hangs := f.Effect.(provider.Hang); hangs {
				note("requests hang and no timeout and no patience ends them: a call that hangs holds its worker for ever")
				break
			}
		}
	}
}

func (b *builder) price(p *Price) (out cost.Price, err error) {
	if p.Input != nil || p.Output != nil || p.Cached != nil {
		if p.Input == nil || p.Output == nil {
			return out, b.d.Errorf("price", "found a part of a price; want input and output, in dollars per million tokens")
		}
		if p.File != "" {
			return out, b.d.Errorf("price", "found a file and a price; want one of them")
		}
		cached := *p.Input
		if p.Cached != nil {
			cached = *p.Cached
		}
		name := p.Model
		if name == "" {
			name = "own price"
		}
		return cost.PerMillion(name, float64(*p.Input), float64(cached), float64(*p.Output)), nil
	}
	if p.Model == "" {
		if p.File != "" {
			return out, b.d.Errorf("price.model", "found nothing; want a model of the file")
		}
		b.warnings = append(b.warnings, "no price is set: every attempt costs nothing")
		return cost.Price{Model: "no price"}, nil
	}
	book := b.prices
	if p.File != "" {
		path := p.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(b.dir, path)
		}
		f, err := os.Open(path)
		if err != nil {
			return out, b.d.Errorf("price.file", "%v", err)
		}
		defer f.Close()
		b.files = append(b.files, path)
		if book, err = cost.Read(f, p.File); err != nil {
			return out, b.d.Errorf("price.file", "%v", err)
		}
	}
	if out, err = book.Price(p.Model); err != nil {
		return out, b.d.Errorf("price", "%v", err)
	}
	return out, nil
}
