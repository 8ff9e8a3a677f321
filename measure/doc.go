// Package measure runs the replications of one scenario and computes its metrics.
//
// Data flows one way. A [Replicator] runs replications on all cores; each streams its records into a
// [Tally]; a tally gives one value for each metric of the registry ([Metrics]); the values of
// independent replications give an [Estimate], a mean with its interval. Each metric has a [Basis]: the
// calls that arrived in the [Measured] time, what happened in it, or the run. The number of cores
// changes no byte.
//
// Records can be written as well: as rows of calls and attempts ([CSV]) and as a timeline
// ([Trace]).
package measure
