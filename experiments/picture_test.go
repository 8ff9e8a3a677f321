package experiments

import (
	"math"
	"slices"
	"strings"
	"testing"

	"stampede/provider"
)

// checkPictures holds what an experiment draws: each figure has a file, a title and labels, its
// subtitle names the limiter or says that there is none (trap 13), and it has something to show.
func checkPictures(t *testing.T, r *Result) {
	t.Helper()
	for _, p := range r.Experiment.Pictures {
		if p.Name == "" || p.Title == "" || p.Y == "" {
			t.Errorf("a file, a title and a label are needed: %+v", p)
		}
		if !strings.Contains(strings.ToLower(p.Subtitle), "limiter") {
			t.Errorf("%s does not name its limiter: %s", p.Name, p.Subtitle)
		}
		content, err := r.Content(t.Context(), 0, p)
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range showing(content) {
			if !slices.ContainsFunc(values, func(x float64) bool { return x > 0 && !math.IsInf(x, 1) }) {
				t.Errorf("%s shows nothing as %q: %v", p.Name, name, values)
			}
		}
		if c, ok := content.(Curves); ok && c.Places != nil {
			for _, curve := range c.Curves {
				if len(curve.Points) != len(c.Places) {
					t.Errorf("%s: %d points for %d places", p.Name, len(curve.Points), len(c.Places))
				}
			}
		}
	}
}

// showing is the values of a content by the name in the legend.
func showing(content Content) map[string][]float64 {
	out := map[string][]float64{}
	switch of := content.(type) {
	case Curves:
		for _, c := range of.Curves {
			out[c.Name] = []float64{0}
			for _, p := range c.Points {
				out[c.Name] = append(out[c.Name], p.Mean)
			}
		}
	case Histograms:
		for _, h := range of.Panels {
			out[h.Name] = h.Values
		}
	case Herds:
		for _, h := range of.Panels {
			out[h.Name+", refused"] = []float64{float64(len(h.Refused))}
			out[h.Name+", answered"] = []float64{float64(len(h.Answered))}
		}
	}
	return out
}

// Trap 13: where the subtitle of a figure names a kind of limit, an arm of its experiment has one.
func TestPicturesNameTheKindsOfTheirLimits(t *testing.T) {
	named := 0
	for _, e := range Catalogue() {
		for _, p := range e.Pictures {
			for kind := provider.TokenBucket; kind <= provider.LeakyBucket; kind++ {
				if !strings.Contains(strings.ToLower(p.Subtitle), kind.String()) {
					continue
				}
				named++
				if !slices.ContainsFunc(e.Arms, func(arm Arm) bool {
					s, err := e.Arm(arm.Name)
					if err != nil {
						t.Fatal(err)
					}
					return slices.ContainsFunc(
						s.Model.Provider.Limits,
						func(l provider.Limit) bool { return l.Kind == kind && l.Resource != provider.Concurrency },
					)
				}) {
					t.Errorf("%s names a %v that no arm has: %s", p.Name, kind, p.Subtitle)
				}
			}
		}
	}
	if named == 0 {
		t.Error("no figure names the kind of its limit")
	}
}

// No two figures write the same file.
func TestPicturesHaveFilesOfTheirOwn(t *testing.T) {
	owner := map[string]string{}
	for _, e := range Catalogue() {
		for _, p := range e.Pictures {
			if other := owner[p.Name]; other != "" {
				t.Errorf("%s and %s both draw %s", other, e.Name, p.Name)
			}
			owner[p.Name] = e.Name
		}
	}
	if len(owner) == 0 {
		t.Error("no figures")
	}
}
