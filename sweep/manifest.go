package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/scenario"
)

// Manifest describes the contents of a sweep's folder. It holds no clock and no
// path, so that the same plan gives the same bytes anywhere.
type Manifest struct {
	Format       int                  `json:"format"`
	Version      string               `json:"version"` // of the program
	Name         string               `json:"name"`
	Seed         uint64               `json:"seed"`
	Replications int                  `json:"replications"`
	Precision    *Precision           `json:"precision,omitempty"`
	Axes         []ManifestAxis       `json:"axes"`
	Points       int                  `json:"points"`
	Sample       string               `json:"sample,omitempty"`
	Shard        *Shard               `json:"shard,omitempty"`
	Search       *Search              `json:"search,omitempty"` // which chose the points
	Objective    string               `json:"objective"`        // the metric that orders reports when none is named
	Goals        []string             `json:"goals,omitempty"`
	Minimize     string               `json:"minimize,omitempty"` // the metric that is to be best
	Maximize     string               `json:"maximize,omitempty"`
	Abort        bool                 `json:"abort,omitempty"` // a point ends early when it cannot meet its goals
	Base         int                  `json:"base"`            // the point that is the scenario itself, else 0
	Provider     string               `json:"provider"`
	Policy       string               `json:"policy"`
	Scenario     json.RawMessage      `json:"scenario"` // presets resolved
	Price        string               `json:"price"`
	Files        []scenario.InputFile `json:"files,omitempty"` // that the scenario or an axis reads
	Trigger      bool                 `json:"trigger"`         // whether something happens for a time
	Warnings     []string             `json:"warnings,omitempty"`
}

// ManifestAxis is an axis with its values, each resolved when it is a preset.
type ManifestAxis struct {
	Path     string            `json:"path"`
	Values   []string          `json:"values,omitempty"`
	Range    string            `json:"range,omitempty"`    // that a sample draws from
	Resolved map[string]string `json:"resolved,omitempty"` // of policies, providers and prices, what each label means
}

// Manifest describes the plan.
func (p *Plan) Manifest() (*Manifest, error) {
	t := p.Template
	resolved, err := t.Base.Resolved()
	if err != nil {
		return nil, err
	}
	m := &Manifest{
		Format: 1, Version: measure.Version, Name: t.Base.Name, Seed: t.Base.Seed, Replications: p.Reps,
		Points:    p.Points(),
		Search:    p.search,
		Objective: p.Objective(), Price: t.Base.Model.Price.String(),
		Provider: t.Base.DescribeProvider(), Policy: t.Base.Model.Client.Describe(), Scenario: resolved,
		Warnings: append([]string{}, t.Base.Warnings()...),
	}
	for _, w := range t.Sweep.Warnings() {
		if !slices.Contains(m.Warnings, w) { // of a preset that the base has as well
			m.Warnings = append(m.Warnings, w)
		}
	}
	m.setAims(p.Aims)
	m.Abort = p.Abort
	_, m.Trigger = t.Base.Trigger()
	if m.Files, err = t.Inputs(); err != nil {
		return nil, err
	}
	if m.Base, err = p.base(resolved); err != nil {
		return nil, err
	}
	if p.Precision.Metric != "" {
		m.Precision = &p.Precision
	}
	if t.Sweep.Points > 0 {
		if m.Sample = string(t.Sweep.Sample); m.Sample == "" {
			m.Sample = "halton"
		}
	}
	if p.Shard.Of > 0 {
		m.Shard = &p.Shard
	}
	for _, a := range t.Sweep.Axes {
		axis := ManifestAxis{Path: a.Path, Range: a.Range()}
		for _, v := range a.Values {
			axis.Values = append(axis.Values, v.Label)
			meaning, ok := map[string]func(*scenario.Scenario) string{
				"policy":   func(s *scenario.Scenario) string { return s.Model.Client.Describe() },
				"provider": (*scenario.Scenario).DescribeProvider,
				"price":    func(s *scenario.Scenario) string { return s.Model.Price.String() },
			}[strings.TrimSuffix(a.Path, ".preset")]
			if !ok {
				continue
			}
			if s, err := t.With([]scenario.Axis{a}, []scenario.Value{v}); err == nil {
				if axis.Resolved == nil {
					axis.Resolved = map[string]string{}
				}
				axis.Resolved[v.Label] = meaning(s)
			}
		}
		m.Axes = append(m.Axes, axis)
	}
	if p.Control {
		m.Axes = append(m.Axes, ManifestAxis{Path: TriggerAxis, Values: []string{"on", "off"}})
	}
	return m, nil
}

// Files of a sweep's folder.
const (
	ManifestName = "manifest.json"
	ResultsName  = "results.csv"
)

// Encode writes the manifest as in its file.
func (m *Manifest) Encode() ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // goals are written as they are given
	enc.SetIndent("", "  ")
	err := enc.Encode(m)
	return text.Bytes(), err
}

// Has reports whether the scenario sets a field.
func (m *Manifest) Has(field string) bool {
	var f map[string]json.RawMessage
	return json.Unmarshal(m.Scenario, &f) == nil && len(f[field]) > 0
}

// ReadManifest reads the manifest of a folder.
func ReadManifest(dir string) (*Manifest, error) {
	text, err := new(scenario.Files).Read(filepath.Join(dir, ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, FolderErrorf("%s holds no %s; want the folder of a sweep", dir, ManifestName)
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, FolderErrorf("%s: %w", filepath.Join(dir, ManifestName), err)
	}
	if err := m.check(); err != nil {
		return nil, FolderErrorf("%s: %w", filepath.Join(dir, ManifestName), err)
	}
	return &m, nil
}

// MaxReplications is how many replications a point has at most.
const MaxReplications = 100_000

// check refuses what no sweep of this version writes.
func (m *Manifest) check() error {
	const maxPoints = 2_000_000 // a million, with controls
	between := func(field string, n, least, most int) error {
		if n < least || n > most {
			return fmt.Errorf("%s: found %d; want %d to %d", field, n, least, most)
		}
		return nil
	}
	metric := func(field, name string) error {
		if _, err := measure.Lookup(name); err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
		return nil
	}
	if m.Format != 1 {
		return fmt.Errorf("found format %d; this program reads format 1", m.Format)
	}
	err := cmp.Or(between("points", m.Points, 1, maxPoints),
		between("replications", m.Replications, 0, MaxReplications), between("base", m.Base, 0, m.Points-1),
		metric("objective", m.Objective))
	if p := m.Precision; p != nil {
		err = cmp.Or(err, metric("precision.metric", p.Metric),
			between("precision.max_replications", p.MaxReps, m.Replications, MaxReplications))
	}
	if s := m.Search; s != nil {
		err = cmp.Or(err, between("search.replications", len(s.Replications), m.Points, m.Points))
		if s.Recommended != nil {
			err = cmp.Or(err, between("search.recommended", *s.Recommended, 0, m.Points-1))
		}
	}
	if s := m.Shard; s != nil {
		err = cmp.Or(err, between("shard.of", s.Of, 1, math.MaxInt32), between("shard.index", s.Index, 1, s.Of))
	}
	return err
}

// Differences lists the fields in which two manifests differ, each as
// "path: one, other".
func (m *Manifest) Differences(other *Manifest) ([]string, error) {
	var trees [2]any
	for i, x := range []*Manifest{m, other} {
		text, err := x.Encode()
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &trees[i]); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, f := range m.Files {
		i := slices.IndexFunc(other.Files, func(g scenario.InputFile) bool { return g.Name == f.Name })
		switch {
		case i < 0 || slices.Contains(other.Files, f):
		case other.Files[i].SHA256 == f.SHA256:
			out = append(
				out,
				fmt.Sprintf("the file %s: its prices of %s, here of %s (--prices-on)", f.Name, f.Day,
					other.Files[i].Day),
			)
		default:
			out = append(
				out,
				fmt.Sprintf("the file %s: SHA-256 %.12s..., here %.12s...; it was changed", f.Name, f.SHA256,
					other.Files[i].SHA256),
			)
		}
	}
	if len(out) > 0 { // each is named already
		for i := range trees {
			delete(trees[i].(map[string]any), "files")
		}
	}
	compare("", trees[0], trees[1], &out)
	return out, nil
}

func compare(path string, a, b any, out *[]string) {
	ma, aIsMap := a.(map[string]any)
	mb, bIsMap := b.(map[string]any)
	if aIsMap && bIsMap {
		for _, k := range sortedKeys(ma, mb) {
			compare(strings.TrimPrefix(path+"."+k, "."), ma[k], mb[k], out)
		}
		return
	}
	if !reflect.DeepEqual(a, b) {
		*out = append(*out, fmt.Sprintf("%s: %s, here %s", path, short(a), short(b)))
	}
}

func short(v any) string {
	if v == nil {
		return "nothing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(text) > 80 {
		return string(text[:77]) + "..."
	}
	return string(text)
}

func sortedKeys[V any](tables ...map[string]V) []string {
	keys := map[string]bool{}
	for _, t := range tables {
		for k := range t {
			keys[k] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}
