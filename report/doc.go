// Package report presents the results of runs and sweeps: the metrics of one run with their intervals
// ([Report]), and the points of a sweep beside each other ([Comparison]): differences to a base paired by
// seed, the set that holds the best point, the frontier of cost, latency and success, and what each axis
// does. It writes text, Markdown, CSV and JSON, and simulates nothing.
package report
