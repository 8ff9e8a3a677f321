package figures

import "stampede/plots"

// The looks of what happens to attempts and calls, the same in all figures.
var (
	answered = plots.Kind{Name: "answered", Look: &plots.Look{Color: plots.Green, Mark: plots.Circle}}
	refused  = plots.Kind{Name: "refused", Look: &plots.Look{Color: plots.Vermilion, Mark: plots.Cross, Dash: plots.Dashed}}
	cutOff   = plots.Kind{Name: "cut off", Look: &plots.Look{Color: plots.Blue, Mark: plots.Triangle, Dash: plots.Dotted}}
	failed   = plots.Kind{Name: "other error", Look: &plots.Look{Color: plots.Purple, Mark: plots.Plus, Dash: plots.DashDot}}
	waiting  = plots.Kind{Name: "waiting", Look: &plots.Look{Color: plots.Orange, Mark: plots.Square, Dash: plots.DashDot}}
	offered  = &plots.Look{Color: plots.Black} // what arrives or is sent, whatever becomes of it
)
