// Package experiments answers questions with simulations: replications of a
// scenario, the metrics they give with their intervals, and the catalogue of
// built-in experiments that hold the simulator against references.
//
// Data flows one way. A run streams records into a [Tally]; a tally gives one
// value for each metric of the registry ([Metrics]); values of independent
// replications give an [Estimate].
package experiments

// Version is that of the program; it stands in manifests.
const Version = "0.1.0"
