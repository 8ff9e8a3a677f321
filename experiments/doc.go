// Package experiments is the catalogue: questions whose answers are known from elsewhere, held against
// the simulator.
//
// Each [Experiment] has a Go file and a scenario of the same name beside it: a question, arms that vary
// the scenario, and references, each in one place with its source. Its [Finding]s hold what was measured
// against them, and its [Picture]s are data that package figures draws. A new experiment is those two
// files and a row of the catalogue.
package experiments
