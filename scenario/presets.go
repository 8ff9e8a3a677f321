package scenario

import (
	"embed"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"stampede/internal/nearest"
	"stampede/internal/strict"
	"stampede/policy"
	"stampede/provider"
	"stampede/wire"
)

// Preset is a policy or a provider that the program carries, with where it
// comes from.
type Preset struct {
	Name     string `yaml:"name"`
	Versions string `yaml:"versions"` // such as "1.47 .. 2.51"; empty when there are none
	Source   string `yaml:"source"`   // of a policy, as the next two; see Provenance
	Date     string `yaml:"date"`
	Evidence string `yaml:"evidence"`
	Notes    string `yaml:"notes"`
	Default  bool   `yaml:"default"` // of several versions, the one that the name alone means
	// ReplacedBy is the preset that took the place of one that describes no account of today.
	ReplacedBy string `yaml:"replaced_by"`
	Tier       string // of a provider whose limits an account grows out of; empty where there is one alone
	table      string // the family and the model, which the tiers share
	Facts      []Fact // of a provider: where each of its values comes from

	Policy   *Policy   `yaml:"policy"`
	Provider *Provider `yaml:"provider"`
	// Queue is how the queue that a policy's calls come from delivers again; of few policies.
	Queue *Redeliver `yaml:"queue"`

	text string // the file of a policy
	node *strict.Node
}

// Kind says what the preset is.
func (p *Preset) Kind() string {
	if p.Policy != nil {
		return "policy"
	}
	return "provider"
}

// is reports whether the preset has what a kind names: a policy, a provider or a queue.
func (p *Preset) is(kind string) bool { return p.Kind() == kind || kind == "queue" && p.Queue != nil }

// VersionRange is the versions in words: a range with both ends, or one version.
func (p *Preset) VersionRange() string {
	if from, to, _ := strings.Cut(p.Versions, " .. "); from == to {
		return from
	}
	return p.Versions
}

// Title is the name with its versions.
func (p *Preset) Title() string {
	if p.Versions == "" {
		return p.Name
	}
	return p.Name + "@" + p.VersionRange()
}

//go:embed presets
var presetFiles embed.FS

// Presets are all presets, in order of kind and file.
func Presets() []*Preset { return presets("") }

// presetFile is a file of presets, read when one of them may be wanted: reading all takes longer than a small run.
type presetFile struct {
	start string // of the names of all its presets
	read  func() []*Preset
}

var allPresetFiles = sync.OnceValue(func() (files []presetFile) {
	add := func(path string, read func(path string) ([]*Preset, error)) {
		files = append(files, presetFile{startOfNames(path), sync.OnceValue(func() []*Preset {
			list, err := read(path)
			if err != nil {
				panic(err) // the presets are part of the program, and a test reads them all
			}
			return list
		})})
	}
	for _, name := range fileNames(presetFiles, "presets/policies") {
		add("presets/policies/"+name+".yaml", func(path string) ([]*Preset, error) {
			p, err := readPolicy(path)
			return []*Preset{p}, err
		})
	}
	for _, name := range fileNames(presetFiles, "presets/providers") {
		add("presets/providers/"+name+".yaml", func(path string) ([]*Preset, error) {
			return readFamily(presetFiles, path)
		})
	}
	return files
})

// startOfNames is the field name of a file of presets, up to its first (cell).
func startOfNames(path string) string {
	text, err := presetFiles.ReadFile(path)
	if err != nil {
		panic(err) // embedded
	}
	_, after, _ := strings.Cut("\n"+string(text), "\nname: ")
	line, _, _ := strings.Cut(after, "\n")
	start, _, _ := strings.Cut(line, "(")
	return start
}

// presets are those of the files that can have one of a name, or all.
func presets(name string) (out []*Preset) {
	for _, file := range allPresetFiles() {
		if name == "" || strings.HasPrefix(name, file.start) {
			out = append(out, file.read()...)
		}
	}
	return out
}

// readPolicy reads the preset of a policy.
func readPolicy(path string) (*Preset, error) {
	text, err := presetFiles.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Preset{text: string(text)}
	if p.node, err = strict.Parse(text, path); err != nil {
		return nil, err
	}
	return p, newDecoder().Decode(p.node, p)
}

// FindPreset finds a preset of a kind, "policy", "provider", "queue" or "" for any,
// by its name, or by name@version for those whose behaviour depends on the version.
func FindPreset(kind, name string) (*Preset, error) {
	base, version, versioned := strings.Cut(name, "@")
	var same []*Preset
	for _, p := range presets(base) {
		if p.Name == base && (kind == "" || p.is(kind)) {
			same = append(same, p)
		}
	}
	if len(same) == 0 {
		var known []string
		for _, p := range Presets() {
			if (kind == "" || p.is(kind)) && !slices.Contains(known, p.Name) {
				known = append(known, p.Name)
			}
		}
		if kind == "" {
			kind = "preset"
		}
		return nil, fmt.Errorf("found %q; no such %s; %s", name, kind, nearest.Unknown(base, known))
	}
	var titles []string
	for _, p := range same {
		titles = append(titles, p.Title())
		if versioned && p.Versions != "" && (version == p.Versions || inVersions(version, p.Versions)) ||
			!versioned && (p.Versions == "" || p.Default) {
			return p, nil
		}
	}
	if same[0].Versions == "" {
		return nil, fmt.Errorf("found %q; %s has no versions; write %q", name, base, base)
	}
	if !versioned && len(same) == 1 {
		return same[0], nil
	}
	if !versioned {
		return nil, fmt.Errorf("found %q; its behaviour depends on the version; write one, such as %q (known: %s)",
			name, base+"@"+strings.Fields(same[len(same)-1].Versions)[0], strings.Join(titles, ", "))
	}
	return nil, fmt.Errorf("found %q; no rule is known for version %s (known: %s)", name, version,
		strings.Join(titles, ", "))
}

// LatestPreset is the policy of a name for the highest versions known, or nil.
func LatestPreset(name string) (latest *Preset) {
	var highest []int
	for _, p := range presets(name) {
		if p.Name != name || p.Policy == nil {
			continue
		}
		_, to, _ := strings.Cut(p.Versions, " .. ")
		if v, _ := parseVersion(to); latest == nil || compareVersions(v, highest) > 0 {
			latest, highest = p, v
		}
	}
	return latest
}

// inVersions reports whether a version such as 2.46 lies in a range such as
// "1.47 .. 2.51", both ends included, later patches of the last one too. A date is no range.
func inVersions(version, versions string) bool {
	from, to, ranged := strings.Cut(versions, " .. ")
	v, ok := parseVersion(version)
	low, _ := parseVersion(from)
	high, _ := parseVersion(to)
	if !ok || !ranged {
		return false
	}
	if len(v) > len(high) {
		if compareVersions(v[:len(high)], high) == 0 {
			return true
		}
	}
	return compareVersions(v, low) >= 0 && compareVersions(v, high) <= 0
}

func parseVersion(s string) ([]int, bool) {
	var out []int
	for _, part := range strings.Split(s, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

func compareVersions(a, b []int) int {
	for i := range max(len(a), len(b)) {
		x, y := 0, 0
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x - y
		}
	}
	return 0
}

// UnmarshalNode implements strict.Unmarshaler: a name alone is a preset, and
// other fields override the preset.
func (p *Policy) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	return underPreset(d, n, path, "policy", p)
}

// UnmarshalNode implements strict.Unmarshaler, like that of Policy.
func (p *Provider) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if keys := n.Field("keys"); keys != nil {
		return keys.Fail(strict.Join(path, "keys"),
			"unknown field; keys stands beside provider, at the top of the file")
	}
	return underPreset(d, n, path, "provider", p)
}

// UnmarshalNode implements strict.Unmarshaler, like that of Policy.
func (r *Redeliver) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	return underPreset(d, n, path, "queue", r)
}

func underPreset[T Policy | Provider | Redeliver](d *strict.Decoder, n *strict.Node, path, kind string, to *T) error {
	named := n
	if n.Kind != strict.Scalar {
		named = n.Field("preset")
	}
	if named != nil {
		if named.Kind != strict.Scalar {
			return named.Fail(strict.Join(path, "preset"), "found %v; want the name of a %s", named.Kind, kind)
		}
		preset, err := FindPreset(kind, named.Text)
		if err != nil {
			return named.Fail(path, "%v", err)
		}
		strict.Reset(reflect.ValueOf(to).Elem())
		if err := d.Plain(preset.node.Field(kind), reflect.ValueOf(to).Elem(), path); err != nil {
			return err
		}
		reflect.ValueOf(to).Elem().FieldByName("Preset").SetString(named.Text)
	}
	if n.Kind == strict.Scalar {
		return nil
	}
	return d.Plain(n, reflect.ValueOf(to).Elem(), path)
}

// nameOf is what a policy or a provider is called: as it says, or by its preset. One that is
// not what its preset is does not pass for it.
func nameOf[T Policy | Provider | Layer](name, preset string, is T) string {
	if name != "" || preset == "" {
		return oneLine(name)
	}
	var was T
	strict.Reset(reflect.ValueOf(&was).Elem())
	n := &strict.Node{Kind: strict.Scalar, Text: preset}
	if err := newDecoder().Decode(n, &was); err != nil {
		panic(err) // it was read before
	}
	if reflect.DeepEqual(was, is) {
		return preset
	}
	return preset + " with changes"
}

// resolvePolicy makes a policy say by itself what its preset says: what overrides a preset with a
// default could not be read over it again.
func resolvePolicy(p *Policy) {
	p.Name, p.Preset = nameOf(p.Name, p.Preset, *p), ""
	p.Outer = slices.Clone(p.Outer)
	for i := range p.Outer {
		l := &p.Outer[i]
		l.Name, l.Preset = nameOf(l.Name, l.Preset, *l), ""
	}
}

// resolveProvider does the same for a provider.
func resolveProvider(p *Provider) { p.Name, p.Preset = nameOf(p.Name, p.Preset, *p), "" }

// resolveQueue does the same for the queue of a workload.
func resolveQueue(w *Workload) {
	if w.Redeliver != nil {
		own := *w.Redeliver
		own.Preset = ""
		w.Redeliver = &own
	}
}

// Client builds the policy of the preset.
func (p *Preset) Client() (policy.Client, error) { return (&builder{d: newDecoder()}).client(p.Policy) }

// Explain adds to the text of a preset what follows from it: for a policy its
// rule and its first waits with their sum, for a provider the first refusal.
func (p *Preset) Explain(w io.Writer) error {
	if p.Policy == nil {
		if err := p.explainFacts(w); err != nil {
			return err
		}
		return p.explainRefusal(w)
	}
	client, err := p.Client()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nrule: %s\n", client.Describe())
	s := Scenario{}
	s.Model.Client = client
	if waits := s.firstWaits(); waits != "" {
		sum := "without end"
		if n := client.Retry.Attempts; n > 0 {
			var low, high time.Duration
			for i := range n - 1 {
				l, h := client.Retry.Backoff.Range(i)
				low, high = low+l, high+h
			}
			sum = "in all " + shortDuration(low) + ".." + shortDuration(high)
		}
		fmt.Fprintf(w, "waits before retries without a hint: %s; %s\n", waits, sum)
	}
	return nil
}

// Flood is what a provider makes of requests of one size that all come at once, at
// midnight of a day: how many it lets in, its first refusal, and the name of the limit
// that refuses; empty when it refuses none.
func (p *Preset) Flood(prompt, maxTokens int) (admitted int, first wire.Reply, by string, err error) {
	config, err := (&builder{d: newDecoder()}).provider("provider", p.Provider, []provider.Tenant{{}})
	unbounded := config.Capacity.Slots == 0 || config.Capacity.Queue < 0
	if err != nil || len(config.Limits) == 0 && unbounded {
		return 0, first, "", err
	}
	api, err := provider.New(config, 0)
	if err != nil {
		return 0, first, "", err
	}
	r := provider.Request{Prompt: prompt, MaxTokens: maxTokens, Attempt: 1}
	var reply wire.Reply
	const most = 10_000_000
	for admitted < most {
		r.Call = uint64(admitted)
		if v := api.Receive(0, &r, 0, &reply); v.Kind == provider.Refused {
			return admitted, reply, config.RefusedBy(v.Limit), nil
		}
		admitted++
	}
	return admitted, first, "", nil
}

func (p *Preset) explainRefusal(w io.Writer) error {
	const prompt, maxTokens = 1000, 500
	admitted, reply, by, err := p.Flood(prompt, maxTokens)
	if err != nil || by == "" {
		return err
	}
	config, err := (&builder{d: newDecoder()}).provider("provider", p.Provider, []provider.Tenant{{}})
	if err != nil {
		return err
	}
	m := config.Dialect.Write(reply, config.Over(&reply), time.Date(2026, time.November, 30, 0, 0, 0, 0, time.UTC), 0)
	fmt.Fprintf(
		w,
		"\nrequests of %d tokens with max_tokens %d, all at once on 2026-11-30 at 00:00 UTC: admitted %d; the next is "+
			"refused by %s with\n\n",
		prompt,
		maxTokens,
		admitted,
		by,
	)
	return m.Print(w)
}
