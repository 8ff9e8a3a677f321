package figures

import (
	"testing"

	"stampede/experiments"
	"stampede/plots"
)

// The name of a herd stands above its panel, where a sentence fits; the axis keeps its own label.
func TestHerdsAreNamedAboveTheirPanels(t *testing.T) {
	herds := experiments.Herds{Panels: []experiments.Herd{{Name: "No jitter: waves for 15 s"}}}
	figure, ok := OfPicture(experiments.Picture{Y: "client"}, herds).(*plots.Dots)
	if !ok {
		t.Fatal("want dots")
	}
	if got := figure.Panels[0]; got.Name != herds.Panels[0].Name || got.Y != "client" {
		t.Errorf("panel %q with axis %q; want %q and client", got.Name, got.Y, herds.Panels[0].Name)
	}
}
