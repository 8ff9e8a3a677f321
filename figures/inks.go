package figures

import "stampede/plots"

// What becomes of attempts and calls has one ink in all figures.
const (
	answeredInk = plots.Green
	refusedInk  = plots.Orange
	cutOffInk   = plots.Purple
	failedInk   = plots.Black
	waitingInk  = plots.Blue
	sentInk     = plots.Sky
	arrivedInk  = plots.Black
)
