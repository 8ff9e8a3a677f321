// Package experiments answers questions with simulations: replications of a
// scenario, the metrics they give with their intervals, and the catalogue of
// built-in experiments that hold the simulator against references.
//
// Data flows one way. A run streams records into a [Tally]; a tally gives one
// value for each metric of the registry ([Metrics]); values of independent
// replications give an [Estimate]; those of many points a [Comparison]. Each metric
// has a [Basis]: the calls that arrive in the [Measured] time, what happens in it, or
// the run.
//
// A [Sweep] writes a folder: a manifest, and a row for each point and replication. The folder has one
// writer, and [Plan.Wants] is the one rule by which it is done: it hands out work, ends a sweep, resumes it,
// lets parts be merged and makes reports of unfinished sweeps say so.
//
// An [Experiment] of the [Catalogue] is a question whose answer is known from elsewhere: a
// scenario under catalogue, arms that vary it, and references, each in one place. Its [Finding]s
// hold what was measured against them, and its [Picture]s are data that others draw.
package experiments
