package explore

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"stampede/internal/strict"
)

// Scene is a scenario with what is worth seeing in it. scenes/herd.yaml is the scene herd.
type Scene struct {
	ID         string   `json:"id"` // the name of its file
	Title      string   `yaml:"title" json:"title"`
	Order      int      `yaml:"order" json:"order"`
	Predict    string   `yaml:"predict" json:"predict"`       // asks the reader to predict
	Look       string   `yaml:"look" json:"look"`             // what to look for; shown on request
	Speed      float64  `yaml:"speed" json:"speed"`           // virtual seconds in a second of the picture
	Policies   []Policy `yaml:"policies" json:"policies"`     // side by side, on one seed
	Sliders    []Slider `yaml:"sliders" json:"sliders"`       // at most five
	More       []Slider `yaml:"more" json:"more,omitempty"`   // behind "more"
	Curve      *Curve   `yaml:"curve" json:"curve,omitempty"` // a metric over one path
	Experiment string   `yaml:"experiment" json:"experiment"` // of the catalogue, whose finding the scene shows
	Scenario   string   `yaml:"scenario" json:"scenario"`     // the document
}

// SandboxID is the scene in which the page opens other scenarios.
const SandboxID = "sandbox"

// Policy is settings over the scenario of a scene, with their name.
type Policy struct {
	Name string   `yaml:"name" json:"name"`
	Set  []string `yaml:"set" json:"set"`
}

// Slider sets one path of the scenario, for all policies. The setting is the number with the unit behind it.
type Slider struct {
	Path  string  `yaml:"path" json:"path"`
	Label string  `yaml:"label" json:"label"`
	Min   float64 `yaml:"min" json:"min"`
	Max   float64 `yaml:"max" json:"max"`
	Step  float64 `yaml:"step" json:"step"` // values are multiples of it
	Scale Scale   `yaml:"scale" json:"scale"`
	Unit  string  `yaml:"unit" json:"unit"`
}

// Scale is how a slider divides its way.
type Scale string

// Words are those of a scale.
func (Scale) Words() []string { return []string{"linear", "log"} }

// Curve asks for a metric at each of some values of a path: the values of the first policy are drawn, and
// beside them a closed form, where one is known.
type Curve struct {
	Path   string   `yaml:"path" json:"path"`
	Values []string `yaml:"values" json:"values"`
	Metric string   `yaml:"metric" json:"metric"`
	Label  string   `yaml:"label" json:"label"`
	Closed string   `yaml:"closed" json:"closed"` // such as billed_by_timeout; empty for none
}

//go:embed scenes/*.yaml
var sceneFiles embed.FS

// SceneIDs are the names of the scenes, sorted. None of them is read: each start of the command asks for them.
func SceneIDs() (ids []string) {
	entries, err := sceneFiles.ReadDir("scenes")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, entry := range entries {
		ids = append(ids, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return ids
}

// Scenes are the scenes in their order.
var Scenes = sync.OnceValues(func() ([]Scene, error) {
	var scenes []Scene
	for _, id := range SceneIDs() {
		file := id + ".yaml"
		text, err := sceneFiles.ReadFile("scenes/" + file)
		if err != nil {
			return nil, err
		}
		scene, err := readScene(text, file)
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, scene)
	}
	slices.SortFunc(scenes, func(a, b Scene) int { return cmp.Compare(a.Order, b.Order) })
	return scenes, nil
})

// readScene reads one file. What is not known is an error, and what the page cannot do without.
func readScene(text []byte, file string) (Scene, error) {
	node, err := strict.Parse(text, file)
	if err != nil {
		return Scene{}, err
	}
	scene := Scene{ID: strings.TrimSuffix(file, ".yaml"), Sliders: []Slider{}, Policies: []Policy{}}
	if err := strict.NewDecoder().Decode(node, &scene); err != nil {
		return Scene{}, err
	}
	switch {
	case scene.Title == "" || scene.Predict == "" || scene.Look == "" || scene.Scenario == "":
		err = fmt.Errorf("%s: title, predict, look and scenario are required", file)
	case scene.Speed <= 0:
		err = fmt.Errorf("%s: speed: found %v; want a number above 0", file, scene.Speed)
	case len(scene.Policies) < 1 || len(scene.Policies) > 4:
		err = fmt.Errorf("%s: policies: found %d; want 1 to 4", file, len(scene.Policies))
	case len(scene.Sliders) > 5:
		err = fmt.Errorf("%s: sliders: found %d; want at most 5, the rest in more", file, len(scene.Sliders))
	}
	for i := range scene.Policies {
		if scene.Policies[i].Set == nil {
			scene.Policies[i].Set = []string{}
		}
	}
	for _, list := range [][]Slider{scene.Sliders, scene.More} {
		for i := range list {
			s := &list[i]
			if s.Scale == "" {
				s.Scale = "linear"
			}
			if s.Step <= 0 || s.Max <= s.Min || s.Scale == "log" && s.Min <= 0 {
				err = fmt.Errorf("%s: slider %s: want min < max, a step above 0, and on a log scale min above 0",
					file, s.Path)
			}
		}
	}
	return scene, err
}
